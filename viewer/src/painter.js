// Marks, traces and arrows as flat figures, far ones first: on a canvas where there is no WebGL, or as SVG.
import {place} from './data.js';
import {markColour} from './look.js';

const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a) => a.map((x) => x / (Math.hypot(...a) || 1));
const along = (a, s, b) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];

function coil(a, b, radius) {
  const length = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1e-9, points = [];
  const way = [(b[0] - a[0]) / length, (b[1] - a[1]) / length];
  for (let k = 0; k <= 16; k++) {
    const s = 0.14 + (0.72 * k) / 16, side = k === 0 || k === 16 ? 0 : k % 2 ? radius : -radius;
    points.push([a[0] + s * length * way[0] - side * way[1], a[1] + s * length * way[1] + side * way[0]]);
  }
  return [a, ...points, b];
}

// Andrew's monotone chain.
function hull(points) {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const turn = (a, b, c) => (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
  const half = (list) => {
    const chain = [];
    for (const p of list) {
      while (chain.length >= 2 && turn(chain[chain.length - 2], chain[chain.length - 1], p) <= 0) chain.pop();
      chain.push(p);
    }
    return chain.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.reverse())];
}

function circle(at, axis, radius) {
  const x = unit(cross(axis, Math.abs(axis[0]) < 0.7 ? [1, 0, 0] : [0, 1, 0])), y = cross(axis, x);
  return Array.from({length: 28}, (_, k) => along(along(at, radius * Math.cos((k * Math.PI) / 14), x), radius * Math.sin((k * Math.PI) / 14), y));
}

export class Painter {
  // `eye`: {onScreen(p): [x, y, nearness], scaleAt(p): pixels to the metre}
  constructor(context, eye, theme) {
    Object.assign(this, {context, eye, theme});
    context.lineCap = context.lineJoin = 'round';
  }

  marks(marks, poses, {alpha = 1, shown = () => true} = {}) {
    const items = [];
    for (const mark of marks) {
      if (!shown(mark)) continue;
      const world = mark.points.map((p, k) => place(poses, k === 1 && mark.other >= 0 ? mark.other : mark.body, p));
      const points = world.map((p) => this.eye.onScreen(p));
      items.push({mark, world, points, near: points.reduce((sum, p) => sum + p[2], 0) / points.length});
    }
    items.sort((a, b) => a.near - b.near);
    for (const item of items) this.mark(item, alpha);
    this.context.globalAlpha = 1;
  }

  mark({mark, world, points}, alpha) {
    const colour = markColour(mark, this.theme), r = this.eye.scaleAt(world[0]) * mark.radius, wire = mark.style === 'wire';
    this.context.globalAlpha = alpha * (mark.style === 'glass' ? 0.4 : mark.role === 'guide' && mark.kind !== 'line' ? 0.5 : 1);
    if (mark.kind === 'ball') this.disc(points[0], r, colour, wire);
    else if (mark.kind === 'cylinder') this.cylinder(world, mark.radius, colour, wire, mark.style === 'glass');
    else if (mark.kind === 'coil') this.path(coil(points[0], points[1], r), colour, 1.5);
    else if (mark.kind === 'box') this.box(world, colour, wire);
    else if (mark.kind === 'plate') this.area(points, colour, Math.max(2 * r, 1), wire);
    else if (mark.kind === 'polygon') this.area(points, colour, 1, wire);
    else if (mark.kind === 'mesh') this.mesh(mark, points, colour, wire);
    else if (mark.kind === 'line') this.path(points, colour, 1);
    else this.path(points, colour, Math.max(2 * r, 1.5));
  }

  trail(points, closed) {
    const c = this.context;
    c.beginPath();
    points.forEach((p, k) => (k ? c.lineTo(p[0], p[1]) : c.moveTo(p[0], p[1])));
    if (closed) c.closePath();
  }

  path(points, colour, width) {
    this.trail(points, false);
    this.context.strokeStyle = colour;
    this.context.lineWidth = width;
    this.context.stroke();
  }

  area(points, colour, width, wire = false, edge = colour) {
    const c = this.context;
    this.trail(points, true);
    c.fillStyle = colour;
    c.strokeStyle = wire ? colour : edge;
    c.lineWidth = wire ? 1 : width;
    if (!wire) c.fill();
    c.stroke();
  }

  disc(p, radius, colour, wire) {
    const c = this.context;
    c.beginPath();
    c.arc(p[0], p[1], Math.max(radius, 0.5), 0, 2 * Math.PI);
    c.fillStyle = colour;
    c.strokeStyle = wire ? colour : this.theme.line;
    c.lineWidth = 0.8;
    if (!wire) c.fill();
    c.stroke();
  }

  // The rim of a glass one is a line: its area is there already.
  cylinder([a, b], radius, colour, wire, glass) {
    const axis = unit(minus(b, a)), ends = [a, b].map((p) => circle(p, axis, radius).map((q) => this.eye.onScreen(q)));
    this.area(hull(ends.flat()), colour, 0.8, wire, this.theme.line);
    const front = ends[0].reduce((s, p) => s + p[2], 0) > ends[1].reduce((s, p) => s + p[2], 0) ? ends[0] : ends[1];
    this.area(front, glass ? this.theme.line : colour, 0.8, wire || glass, this.theme.line);
  }

  mesh(mark, points, colour, wire) {
    const faces = [];
    for (let k = 0; k < mark.triangles.length; k += 3) faces.push([0, 1, 2].map((e) => points[mark.triangles[k + e]]));
    const near = (face) => face[0][2] + face[1][2] + face[2][2];
    for (const face of faces.sort((a, b) => near(a) - near(b))) this.area(face, colour, 0.5, wire);
  }

  box([at, ...corners], colour, wire) {
    const e = corners.map((p) => minus(p, at)), faces = [];
    for (const [u, v, w] of [[0, 1, 2], [1, 2, 0], [2, 0, 1]]) for (const side of [1, -1]) {
      const p = (a, b) => this.eye.onScreen(along(along(along(at, side, e[w]), a, e[u]), b, e[v]));
      faces.push({points: [p(-1, -1), p(1, -1), p(1, 1), p(-1, 1)], near: this.eye.onScreen(along(at, side, e[w]))[2]});
    }
    faces.sort((a, b) => a.near - b.near);
    for (const face of faces) this.area(face.points, colour, 0.8, wire, this.theme.line);
  }

  world(points, colour, width) {
    this.path(points.map((p) => this.eye.onScreen(p)), colour, width);
  }

  // From a to b in the world, with one head, or two for a torque.
  arrow(a, b, colour, heads) {
    const [p, q] = [a, b].map((x) => this.eye.onScreen(x)), length = Math.hypot(q[0] - p[0], q[1] - p[1]);
    if (!(length > 3)) return;
    const way = [(q[0] - p[0]) / length, (q[1] - p[1]) / length], head = Math.min(11, length);
    const at = (s, side) => [q[0] - s * way[0] - side * way[1], q[1] - s * way[1] + side * way[0]];
    this.path([p, at(head, 0)], colour, 2.5);
    for (let k = 0; k < heads; k++) this.area([at(0.7 * k * head, 0), at((1 + 0.7 * k) * head, 0.42 * head), at((1 + 0.7 * k) * head, -0.42 * head)], colour, 0.5);
  }
}
