// The scene without WebGL: the same marks on a flat canvas, with an orthographic eye.
import {colourOf, spanOf} from './arrows.js';
import {place, posesAt} from './data.js';
import {bodyColour, THEMES} from './look.js';
import {Painter} from './painter.js';

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a) => a.map((x) => x / (Math.hypot(...a) || 1));

export class FlatStage {
  constructor(holder, scene) {
    this.scene = scene;
    this.model = scene.model;
    this.holder = holder;
    this.canvas = document.createElement('canvas');
    holder.append(this.canvas);
    this.context = this.canvas.getContext('2d');
    this.runs = scene.runs.filter((run) => run.moves);
    this.poses = this.runs.map((run) => new Float32Array(run.bodies * 7));
    this.hidden = new Set();
    this.traces = new Map();
    this.arrows = [];
    this.ghostShown = true;
    this.orthographic = true;
    this.resize();
    this.look(this.model.dimension === 2 ? 'front' : 'iso');
    this.show(this.runs[0].time[0]);
    this.canvas.addEventListener('pointermove', (event) => {
      if (event.buttons) this.turn(event.movementX, event.movementY, event.buttons);
    });
    this.canvas.addEventListener('wheel', (event) => {
      event.preventDefault();
      this.scale *= Math.exp(-0.001 * event.deltaY);
      this.render();
    }, {passive: false});
  }

  look(name) {
    const up = this.model.dimension === 2 ? [0, 1, 0] : this.model.up;
    const x = Math.abs(up[0]) > 0.5 ? [0, 1, 0] : [1, 0, 0], y = cross(up, x);
    const eyes = this.model.dimension === 2 ? {front: [0, 0, 1], right: [1, 0, 0], top: [0, 1, 1e-6], iso: [0.45, 0.35, 1]}
                                            : {front: y.map((v) => -v), right: x, top: up.map((v, k) => v - 1e-6 * y[k]), iso: y.map((v, k) => -0.8 * v + 0.46 * x[k] + 0.38 * up[k])};
    this.out = unit(eyes[name]);
    this.right = unit(cross(up, this.out));
    this.up = cross(this.out, this.right);
    this.fit();
  }

  turn(dx, dy, buttons) {
    if (buttons === 1 && this.model.dimension === 3) {
      this.out = unit(this.out.map((v, k) => v - 0.008 * dx * this.right[k] + 0.008 * dy * this.up[k]));
      this.right = unit(cross(this.model.up, this.out));
      this.up = cross(this.out, this.right);
    } else this.middle = this.middle.map((v, k) => v - (dx * this.right[k] - dy * this.up[k]) / this.scale);
    this.render();
  }

  fit() {
    const [least, most] = this.model.bounds;
    this.middle = least.map((v, k) => 0.5 * (v + most[k]));
    const span = (axis) => axis.reduce((sum, v, k) => sum + Math.abs(v) * (most[k] - least[k]), 0.1 * this.model.size);
    this.scale = 0.86 * Math.min(this.width / span(this.right), this.height / span(this.up));
    this.render();
  }

  resize() {
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    this.width = Math.max(this.holder.clientWidth, 50);
    this.height = Math.max(this.holder.clientHeight, 50);
    this.canvas.width = this.width * ratio;
    this.canvas.height = this.height * ratio;
    this.canvas.style.width = `${this.width}px`;
    this.canvas.style.height = `${this.height}px`;
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    if (this.scale) this.render();
  }

  setTheme(name) {
    this.theme = THEMES[name];
    this.render();
  }

  show(t) {
    this.t = t;
    this.runs.slice(0, 2).forEach((run, k) => posesAt(run, t, this.poses[k]));
    this.render();
  }

  onScreen(p) {
    const d = p.map((v, k) => v - this.middle[k]);
    return [0.5 * this.width + this.scale * dot(this.right, d), 0.5 * this.height - this.scale * dot(this.up, d), dot(this.out, p)];
  }

  render() {
    if (!this.theme || !this.scale) return;
    const c = this.context;
    c.globalAlpha = 1;
    c.fillStyle = this.theme.background;
    c.fillRect(0, 0, this.width, this.height);
    this.paint(new Painter(c, this.eye, this.theme));
    this.onRender?.();
  }

  get eye() {
    return {onScreen: (p) => this.onScreen(p), scaleAt: () => this.scale};
  }

  paint(painter) {
    const shown = (mark) => !this.hidden.has(mark.body) && (mark.role !== 'center' || this.centers);
    for (const trace of this.traces.values()) painter.world(trace.points, trace.colour, 1.5);
    if (this.runs.length > 1 && this.ghostShown) painter.marks(this.scene.marks, this.poses[1], {alpha: 0.3, shown: (mark) => mark.body !== 0 && shown(mark)});
    painter.marks(this.scene.marks, this.poses[0], {shown});
    for (const arrow of this.arrows) {
      const span = spanOf(arrow, this.t, this.poses[0], this.scales, this.model);
      if (span) painter.arrow(span.from, span.to, colourOf(arrow), arrow.torque ? 2 : 1);
    }
  }

  setHidden(body, hidden) {
    this.hidden[hidden ? 'add' : 'delete'](body);
    this.render();
  }

  setCenters(shown) {
    this.centers = shown;
    this.render();
  }

  setGhost(shown) {
    this.ghostShown = shown;
    this.render();
  }

  setTrace(body, point, shown) {
    this.traces.delete(body);
    if (shown) {
      const run = this.runs[0], width = run.bodies * 7, points = [];
      for (let row = 0; row < run.rows; row++)
        points.push(place(run.poses.subarray(row * width, (row + 1) * width), body, point));
      this.traces.set(body, {points, colour: bodyColour(body)});
    }
    this.render();
  }

  setArrows(arrows, scales) {
    this.arrows = arrows;
    this.scales = scales;
    this.render();
  }

  setFrames() {}
  setPicked() {}
  toggleProjection() {}
  follow() {}

  // The nearest point of a mark.
  pick(x, y) {
    let best = null, least = 12;
    for (const mark of this.scene.marks) for (const p of mark.points) {
      const [px, py] = this.onScreen(place(this.poses[0], mark.body, p)), d = Math.hypot(px - x, py - y);
      if (d < least) [best, least] = [mark, d];
    }
    return best;
  }

  state() {
    return {right: this.right, up: this.up, out: this.out, middle: this.middle, scale: this.scale};
  }

  restore(state) {
    if (state.middle) Object.assign(this, state);
    this.render();
  }
}
