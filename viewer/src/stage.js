// The scene in WebGL: mechanism, ghost, floor, traces, frames, arrows; cameras that turn, pan and zoom.
import * as THREE from 'three';
import {OrbitControls} from 'three/addons/controls/OrbitControls.js';

import {colourOf, spanOf} from './arrows.js';
import {LAMP, SKY} from './batch.js';
import {place, posesAt} from './data.js';
import {bodyColour, THEMES} from './look.js';
import {Mechanism} from './mechanism.js';
import {cylinderMatrix} from './shapes.js';

// Directions of the eye in the model's own axes: right, up, out. Planar models are seen along z.
export function eyeOf(name, model) {
  const up = new THREE.Vector3(...model.up);
  const x = Math.abs(up.x) > 0.5 ? new THREE.Vector3(0, 1, 0) : new THREE.Vector3(1, 0, 0);
  const y = up.clone().cross(x);
  if (model.dimension === 2) {
    const z = new THREE.Vector3(0, 0, 1), right = new THREE.Vector3(0, 1, 0);
    const flat = {front: [z, right], right: [new THREE.Vector3(1, 0, 0), right], top: [new THREE.Vector3(0, 1, 0), new THREE.Vector3(0, 0, -1)],
                  iso: [new THREE.Vector3(0.45, 0.35, 1).normalize(), right]};
    return flat[name];
  }
  const all = {front: [y.clone().negate(), up], right: [x.clone(), up], top: [up.clone(), y.clone()],
               iso: [y.clone().multiplyScalar(-0.8).addScaledVector(x, 0.46).addScaledVector(up, 0.38).normalize(), up]};
  return all[name];
}

// Is WebGL computed by the processor? Then smooth edges are for still pictures.
function isSoftware() {
  const gl = document.createElement('canvas').getContext('webgl2'), about = gl?.getExtension('WEBGL_debug_renderer_info');
  const name = about ? gl.getParameter(about.UNMASKED_RENDERER_WEBGL) : '';
  gl?.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

export class Stage {
  constructor(holder, scene) {
    this.scene = scene;
    this.model = scene.model;
    this.holder = holder;
    this.software = isSoftware();
    this.renderer = new THREE.WebGLRenderer({antialias: !this.software, preserveDrawingBuffer: true});
    this.ratio = this.software ? 2 : Math.min(window.devicePixelRatio || 1, 2);
    this.renderer.setPixelRatio(this.ratio);
    this.canvas = this.renderer.domElement;
    holder.append(this.canvas);
    this.world = new THREE.Scene();
    this.light();
    this.runs = scene.runs.filter((run) => run.moves);
    this.poses = this.runs.map((run) => new Float32Array(run.bodies * 7));
    this.runs.slice(0, 2).forEach((run, k) => posesAt(run, run.time[0], this.poses[k]));
    this.mechanism = new Mechanism(scene.marks, this.model.bodies.length, this.poses[0], {coarse: this.software});
    this.world.add(this.mechanism.group);
    if (this.runs.length > 1) {
      this.ghost = new Mechanism(scene.marks, this.model.bodies.length, this.poses[0], {ghost: true, coarse: this.software});
      this.world.add(this.ghost.group);
    }
    this.extras = new THREE.Group();
    this.world.add(this.extras);
    this.traces = new Map();
    this.cameras();
    this.show(this.runs[0].time[0]);
    if (this.travels) this.follow(this.heaviest, true);
  }

  // Another mechanism, or the same with other lengths: the eye stays where it is.
  setScene(scene) {
    const {hidden, centers} = this.mechanism;
    Object.assign(this, {scene, model: scene.model, runs: scene.runs.filter((run) => run.moves), points: null});
    this.poses = this.runs.map((run) => new Float32Array(run.bodies * 7));
    posesAt(this.runs[0], this.runs[0].time[0], this.poses[0]);
    this.world.remove(this.mechanism.group);
    this.mechanism.dispose();
    this.mechanism = new Mechanism(scene.marks, this.model.bodies.length, this.poses[0], {coarse: this.software});
    Object.assign(this.mechanism, {hidden, centers});
    this.world.add(this.mechanism.group);
    for (const body of [...this.traces.keys()]) this.setTrace(body, [0, 0, 0], false);
    this.setFrames(Boolean(this.axes));
    this.setArrows([], {});
    if (this.theme) this.mechanism.setTheme(this.theme, this.picked);
    this.lastPlace = null;
    this.show(this.runs[0].time[0]);
  }

  get heaviest() {
    const masses = this.model.bodies.map((body) => body.mass ?? 0);
    return Math.max(1, masses.indexOf(Math.max(...masses.slice(1))));
  }

  // Does the whole mechanism go somewhere, much farther than it is long?
  get travels() {
    const run = this.runs[0], first = this.extent(run.time[0]), b = this.heaviest, width = run.bodies * 7;
    if (run.rows < 2 || !first || this.model.bodies.length < 2) return false;
    const at = (row) => place(run.poses.subarray(row * width, (row + 1) * width), b, [0, 0, 0]);
    const [from, to] = [at(0), at(run.rows - 1)];
    return Math.hypot(...from.map((x, k) => to[k] - x)) > 6 * Math.max(first.radius, 0.5 * this.model.size);
  }

  // A ball around the bodies at a time, without rails and ground.
  extent(t) {
    const run = this.runs[0], poses = posesAt(run, t, new Float32Array(run.bodies * 7)), points = this.points;
    this.points = [];
    for (const mark of this.scene.marks) if (mark.body > 0 && !['guide', 'hatch', 'center', 'ground'].includes(mark.role)) this.reach(mark, poses);
    const box = new THREE.Box3().setFromPoints(this.points.map(([x, y, z]) => new THREE.Vector3(x, y, z))), found = this.points.length > 0;
    this.points = points;
    return found ? {center: box.getCenter(new THREE.Vector3()), radius: 0.5 * box.getSize(new THREE.Vector3()).length()} : null;
  }

  light() {
    this.world.add(new THREE.HemisphereLight(SKY.from, SKY.below, SKY.strength));
    this.lamp = new THREE.DirectionalLight('#ffffff', LAMP.strength);
    this.world.add(this.lamp, this.lamp.target);
  }

  bounds() {
    const [least, most] = this.model.bounds;
    return new THREE.Box3(new THREE.Vector3(...least), new THREE.Vector3(...most));
  }

  // How much of the world is in sight, at the target.
  get sight() {
    if (this.orthographic) return (2 * this.halfHeight) / this.flatCamera.zoom;
    return 2 * this.camera.position.distanceTo(this.controls.target) * Math.tan((this.deepCamera.fov * Math.PI) / 360);
  }

  // A grid of round lengths under the mechanism, across the vertical; behind it in the plane. It is made anew when what is in sight
  // has become another size, or lies elsewhere.
  updateFloor() {
    const span = this.sight, power = 10 ** Math.floor(Math.log10(span / 6)), part = span / 6 / power, step = power * (part >= 5 ? 5 : part >= 2 ? 2 : 1);
    const at = this.controls.target, half = Math.ceil((1.6 * span) / step) * step;
    if (this.grid && step === this.gridStep && at.distanceTo(this.gridAt) < 0.4 * half) return;
    this.gridAt = at.clone();
    if (step !== this.gridStep) {
      this.gridStep = step;
      this.onGrid?.(step);
    }
    const box = this.bounds(), points = [];
    const normal = this.model.dimension === 2 ? new THREE.Vector3(0, 0, 1) : new THREE.Vector3(...this.model.up).normalize();
    const x = Math.abs(normal.x) > 0.5 ? new THREE.Vector3(0, 1, 0) : new THREE.Vector3(1, 0, 0);
    const y = normal.clone().cross(x);
    const snap = (v) => Math.round(v / step) * step;
    const low = this.model.dimension === 2 ? -0.08 * this.model.size : Math.min(box.min.dot(normal), box.max.dot(normal));
    const origin = x.clone().multiplyScalar(snap(at.dot(x))).addScaledVector(y, snap(at.dot(y))).addScaledVector(normal, low);
    for (let s = -half; s <= half * 1.0001; s += step) {
      points.push(origin.clone().addScaledVector(x, s).addScaledVector(y, -half), origin.clone().addScaledVector(x, s).addScaledVector(y, half));
      points.push(origin.clone().addScaledVector(y, s).addScaledVector(x, -half), origin.clone().addScaledVector(y, s).addScaledVector(x, half));
    }
    if (!this.grid) {
      this.grid = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial());
      this.grid.frustumCulled = false;
      this.world.add(this.grid);
    }
    this.grid.geometry.dispose();
    this.grid.geometry = new THREE.BufferGeometry().setFromPoints(points);
  }

  cameras() {
    this.orthographic = this.model.dimension === 2;
    this.flatCamera = new THREE.OrthographicCamera(-1, 1, 1, -1, -1e4, 1e4);
    this.deepCamera = new THREE.PerspectiveCamera(35, 1, 0.01, 1000);
    this.camera = this.orthographic ? this.flatCamera : this.deepCamera;
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.addEventListener('change', () => {
      this.stir();
      this.render();
    });
    this.resize();
    this.look(this.model.dimension === 2 ? 'front' : 'iso');
  }

  get radius() {
    return Math.max(0.5 * this.bounds().getSize(new THREE.Vector3()).length(), 0.3 * this.model.size);
  }

  // From a named direction, with all of it in sight.
  look(name) {
    const [out, up] = eyeOf(name, this.model);
    this.aim(out, up);
  }

  // Points of the mechanism on its way, each with how far it reaches around: what is to be in sight.
  get cloud() {
    if (this.points) return this.points;
    const run = this.runs[0], rows = run.rows > 1 ? 48 : 1, shown = this.scene.marks.filter((mark) => !['guide', 'hatch', 'center'].includes(mark.role));
    const poses = new Float32Array(run.bodies * 7), stride = Math.max(1, Math.ceil((shown.length * rows) / 40000));
    this.points = [];
    for (let k = 0; k < rows; k++) {
      posesAt(run, run.time[0] + ((run.time[run.rows - 1] - run.time[0]) * k) / Math.max(rows - 1, 1), poses);
      for (let m = k % stride; m < shown.length; m += stride) this.reach(shown[m], poses);
    }
    if (rows === 1) { // a run that has yet to come: the drawing knows about where it goes
      const [a, b] = this.model.bounds;
      for (let k = 0; k < 8; k++) this.points.push([(k & 1 ? a : b)[0], (k & 2 ? a : b)[1], (k & 4 ? a : b)[2], 0]);
    }
    if (!this.points.length) this.points.push([0, 0, 0, this.model.size]);
    return this.points;
  }

  reach(mark, poses) {
    const {points, radius} = mark, box = mark.kind === 'box', step = Math.max(1, Math.floor(points.length / 24));
    const far = box ? Math.hypot(...[1, 2, 3].map((k) => Math.hypot(...points[k].map((x, i) => x - points[0][i])))) : 0.6 * radius;
    for (let k = 0; k < (box ? 1 : points.length); k += step)
      this.points.push([...place(poses, k === 1 && mark.other >= 0 ? mark.other : mark.body, points[k]), far]);
  }

  // The middle of it as seen along `out`, and from how far all of it is in sight.
  aim(out, up) {
    const right = up.clone().cross(out).normalize(), top = out.clone().cross(right), aspect = this.width / this.height;
    const slope = Math.tan((this.deepCamera.fov * Math.PI) / 360), margin = 1.1;
    const ranges = [right, top, out].map((axis) => {
      let least = Infinity, most = -Infinity;
      for (const [x, y, z, r] of this.cloud) {
        const s = axis.x * x + axis.y * y + axis.z * z;
        least = Math.min(least, s - r);
        most = Math.max(most, s + r);
      }
      return [0.5 * (least + most), 0.5 * (most - least)];
    });
    const at = right.clone().multiplyScalar(ranges[0][0]).addScaledVector(top, ranges[1][0]).addScaledVector(out, ranges[2][0]);
    const half = margin * Math.max(ranges[1][1], ranges[0][1] / aspect, 0.3 * this.model.size);
    this.halfHeight = half;
    let distance = (0.3 * this.model.size) / slope;
    for (const [x, y, z, r] of this.cloud) {
      const v = new THREE.Vector3(x, y, z).sub(at);
      distance = Math.max(distance, v.dot(out) + (margin * Math.max((Math.abs(v.dot(right)) + r) / aspect, Math.abs(v.dot(top)) + r)) / slope);
    }
    for (const camera of [this.flatCamera, this.deepCamera]) {
      camera.up.copy(up);
      camera.position.copy(at).addScaledVector(out, distance);
      camera.zoom = 1;
    }
    this.deepCamera.near = distance / 500;
    this.deepCamera.far = 20 * (distance + this.radius);
    this.flatCamera.near = -20 * this.radius;
    this.flatCamera.far = 20 * (distance + this.radius);
    this.controls.target.copy(at);
    this.frame();
    this.controls.update();
    this.render();
  }

  fit() {
    const out = this.camera.position.clone().sub(this.controls.target).normalize();
    this.aim(out, this.camera.up.clone());
  }

  toggleProjection() {
    const {camera} = this;
    this.orthographic = !this.orthographic;
    this.camera = this.orthographic ? this.flatCamera : this.deepCamera;
    this.camera.position.copy(camera.position);
    this.camera.up.copy(camera.up);
    this.controls.object = this.camera;
    this.frame();
    this.controls.update();
    this.render();
  }

  frame() {
    const aspect = this.width / this.height, half = this.halfHeight ?? 1;
    Object.assign(this.flatCamera, {left: -half * aspect, right: half * aspect, top: half, bottom: -half});
    this.deepCamera.aspect = aspect;
    this.flatCamera.updateProjectionMatrix();
    this.deepCamera.updateProjectionMatrix();
  }

  resize() {
    const {clientWidth, clientHeight} = this.holder;
    this.width = Math.max(clientWidth, 50);
    this.height = Math.max(clientHeight, 50);
    this.renderer.setSize(this.width, this.height);
    this.frame();
    if (this.theme) this.render();
  }

  setTheme(name) {
    this.theme = THEMES[name];
    this.renderer.setClearColor(this.theme.background);
    this.mechanism.setTheme(this.theme, this.picked);
    this.ghost?.setTheme(this.theme);
    this.render();
  }

  // While something moves a processor draws fewer pixels, and more of them when all is still.
  stir() {
    if (!this.software || this.film) return;
    this.setRatio(1);
    clearTimeout(this.rest);
    this.rest = setTimeout(() => {
      this.setRatio(2);
      this.render();
    }, 300);
  }

  setRatio(ratio) {
    if (ratio === this.ratio) return;
    this.ratio = ratio;
    this.renderer.setPixelRatio(ratio);
  }

  show(t) {
    if (this.t !== undefined && t !== this.t) this.stir();
    this.t = t;
    this.runs.slice(0, 2).forEach((run, k) => posesAt(run, t, this.poses[k]));
    const before = this.followed ? place(this.poses[0], this.followed, [0, 0, 0]) : null;
    this.mechanism.setPoses(this.poses[0]);
    this.ghost?.setPoses(this.poses[1]);
    if (this.views?.length) this.showView(t);
    else if (before && this.lastPlace) this.pan(before);
    this.lastPlace = before;
    this.updateArrows();
    this.updateFrames();
    this.render();
  }

  pan(to) {
    const shift = new THREE.Vector3(...to).sub(new THREE.Vector3(...this.lastPlace));
    this.controls.target.add(shift);
    this.camera.position.add(shift);
    this.controls.update();
  }

  // The eye goes along with a body; `near`: close enough to see the mechanism as it is now, not its whole way.
  follow(body, near = false) {
    this.followed = body;
    this.lastPlace = body ? place(this.poses[0], body, [0, 0, 0]) : null;
    const now = body && near ? this.extent(this.t) : null;
    this.onFollow?.(body);
    if (!now) return;
    const out = this.camera.position.clone().sub(this.controls.target).normalize(), radius = Math.max(now.radius, 0.3 * this.model.size);
    this.halfHeight = 1.3 * radius;
    this.controls.target.copy(now.center);
    for (const camera of [this.flatCamera, this.deepCamera]) {
      camera.position.copy(now.center).addScaledVector(out, (1.4 * radius) / Math.tan((this.deepCamera.fov * Math.PI) / 360));
      camera.zoom = 1;
    }
    this.deepCamera.near = radius / 100;
    this.deepCamera.far = 400 * radius;
    this.flatCamera.near = -400 * radius;
    this.flatCamera.far = 400 * radius;
    this.frame();
    this.controls.update();
    this.render();
  }

  // Views that were kept, each at its time: between them the eye moves along.
  setViews(views) {
    this.views = [...views].sort((a, b) => a.t - b.t);
  }

  showView(t) {
    const list = this.views, k = list.findIndex((view) => view.t > t), a = list[k > 0 ? k - 1 : k < 0 ? list.length - 1 : 0], b = list[k < 0 ? list.length - 1 : k];
    const part = b.t > a.t ? Math.min(Math.max((t - a.t) / (b.t - a.t), 0), 1) : 0, mix = (x, y) => x.map((v, i) => v + part * (y[i] - v));
    if (a.view.flat !== this.orthographic) this.toggleProjection();
    this.camera.position.fromArray(mix(a.view.position, b.view.position));
    this.camera.up.fromArray(mix(a.view.up, b.view.up));
    this.controls.target.fromArray(mix(a.view.target, b.view.target));
    this.camera.zoom = a.view.zoom + part * (b.view.zoom - a.view.zoom);
    this.halfHeight = a.view.half + part * (b.view.half - a.view.half);
    this.frame();
    this.controls.update();
  }

  render() {
    if (!this.theme) return;
    this.updateFloor();
    this.grid.material.color.set(this.theme.grid);
    this.lamp.position.copy(this.camera.position).addScaledVector(this.camera.up, this.radius);
    this.lamp.target.position.copy(this.controls.target);
    const towards = this.lamp.position.clone().sub(this.controls.target).normalize();
    for (const drawn of [this.mechanism, this.ghost]) drawn?.shade(towards);
    this.renderer.render(this.world, this.camera);
    this.onRender?.();
  }

  pick(x, y) {
    const raycaster = new THREE.Raycaster();
    raycaster.setFromCamera(new THREE.Vector2((2 * x) / this.width - 1, 1 - (2 * y) / this.height), this.camera);
    return this.mechanism.pick(raycaster);
  }

  // Where the ray through a pixel meets the body under it: {mark, place}.
  hit(x, y) {
    const raycaster = new THREE.Raycaster();
    raycaster.setFromCamera(new THREE.Vector2((2 * x) / this.width - 1, 1 - (2 * y) / this.height), this.camera);
    return this.mechanism.hit(raycaster);
  }

  // The point under a pixel at the depth of another point; in the plane for planar models.
  placeAt(x, y, like) {
    const raycaster = new THREE.Raycaster(), normal = this.model.dimension === 2 ? new THREE.Vector3(0, 0, 1) : this.camera.getWorldDirection(new THREE.Vector3());
    raycaster.setFromCamera(new THREE.Vector2((2 * x) / this.width - 1, 1 - (2 * y) / this.height), this.camera);
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(normal, new THREE.Vector3(...like));
    return raycaster.ray.intersectPlane(plane, new THREE.Vector3())?.toArray() ?? null;
  }

  setPicked(picked) {
    this.picked = picked;
    this.mechanism.setTheme(this.theme, picked);
    this.render();
  }

  setHidden(body, hidden) {
    for (const m of [this.mechanism, this.ghost]) if (m) m.hidden[hidden ? 'add' : 'delete'](body);
    this.show(this.t);
  }

  setCenters(shown) {
    this.mechanism.centers = shown;
    this.show(this.t);
  }

  setGhost(shown) {
    if (this.ghost) this.ghost.group.visible = shown;
    this.render();
  }

  // Where a point of the world is on the screen, in pixels.
  onScreen(p) {
    const v = new THREE.Vector3(...p).project(this.camera);
    return [0.5 * (v.x + 1) * this.width, 0.5 * (1 - v.y) * this.height, v.z];
  }

  /* ---- traces, frames, arrows ---- */

  setTrace(body, point, shown) {
    const old = this.traces.get(body);
    if (old) this.extras.remove(old);
    this.traces.delete(body);
    if (shown) {
      const group = new THREE.Group();
      this.runs.slice(0, 2).forEach((run, k) => {
        const points = new Float32Array(3 * run.rows), width = run.bodies * 7;
        for (let row = 0; row < run.rows; row++)
          points.set(place(run.poses.subarray(row * width, (row + 1) * width), body, point), 3 * row);
        const geometry = new THREE.BufferGeometry().setAttribute('position', new THREE.BufferAttribute(points, 3));
        const material = k ? new THREE.LineDashedMaterial({color: bodyColour(body), dashSize: 0.03 * this.model.size, gapSize: 0.03 * this.model.size})
                           : new THREE.LineBasicMaterial({color: bodyColour(body)});
        const line = new THREE.Line(geometry, material);
        if (k) line.computeLineDistances();
        line.frustumCulled = false;
        group.add(line);
      });
      this.traces.set(body, group);
      this.extras.add(group);
    }
    this.render();
  }

  setFrames(shown) {
    if (this.axes) this.extras.remove(this.axes);
    this.axes = null;
    if (shown) {
      const geometry = new THREE.BufferGeometry(), n = this.model.bodies.length;
      geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(18 * n), 3));
      const colours = new Float32Array(18 * n);
      for (let k = 0; k < 3 * n; k++) for (const end of [0, 3]) colours[6 * k + end + (k % 3)] = 0.85;
      geometry.setAttribute('color', new THREE.BufferAttribute(colours, 3));
      this.axes = new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({vertexColors: true, depthTest: false}));
      this.axes.frustumCulled = false;
      this.extras.add(this.axes);
      this.updateFrames();
    }
    this.render();
  }

  updateFrames() {
    if (!this.axes) return;
    const positions = this.axes.geometry.attributes.position, length = 0.22 * this.model.size;
    for (let b = 0; b < this.model.bodies.length; b++)
      for (let k = 0; k < 3; k++) {
        const tip = [0, 0, 0];
        tip[k] = length;
        positions.array.set(place(this.poses[0], b, [0, 0, 0]), 18 * b + 6 * k);
        positions.array.set(place(this.poses[0], b, tip), 18 * b + 6 * k + 3);
      }
    positions.needsUpdate = true;
  }

  // See arrows.js: spans of those that are shown, and their heads; a torque has two.
  setArrows(arrows, scales) {
    if (this.arrowGroup) this.extras.remove(this.arrowGroup);
    this.arrowGroup = null;
    this.arrows = arrows;
    this.scales = scales;
    if (arrows.length) {
      const material = () => new THREE.MeshBasicMaterial({depthTest: false, transparent: true, opacity: 0.9});
      const shaft = new THREE.InstancedMesh(new THREE.CylinderGeometry(1, 1, 1, 8), material(), arrows.length);
      const head = new THREE.InstancedMesh(new THREE.ConeGeometry(1, 1, 12), material(), 2 * arrows.length);
      arrows.forEach((arrow, k) => {
        const colour = new THREE.Color(colourOf(arrow));
        shaft.setColorAt(k, colour);
        for (const which of [0, 1]) head.setColorAt(2 * k + which, colour);
      });
      this.arrowGroup = new THREE.Group();
      for (const mesh of [shaft, head]) {
        mesh.frustumCulled = false;
        mesh.renderOrder = 5;
        this.arrowGroup.add(mesh);
      }
      this.extras.add(this.arrowGroup);
      this.updateArrows();
    }
    this.render();
  }

  updateArrows() {
    if (!this.arrowGroup) return;
    const [shaft, head] = this.arrowGroup.children, r = 0.012 * this.model.size, nowhere = new THREE.Matrix4().makeScale(0, 0, 0);
    this.arrows.forEach((arrow, k) => {
      const span = spanOf(arrow, this.t, this.poses[0], this.scales, this.model);
      shaft.setMatrixAt(k, nowhere);
      for (const which of [0, 1]) head.setMatrixAt(2 * k + which, nowhere);
      if (!span) return;
      const from = new THREE.Vector3(...span.from), tip = new THREE.Vector3(...span.to), at = (back) => tip.clone().lerp(from, Math.min(back / span.length, 1));
      shaft.setMatrixAt(k, cylinderMatrix(from, at(6 * r), r));
      head.setMatrixAt(2 * k, cylinderMatrix(at(6 * r), tip, 2.6 * r));
      if (arrow.torque) head.setMatrixAt(2 * k + 1, cylinderMatrix(at(10 * r), at(4 * r), 2.6 * r));
    });
    shaft.instanceMatrix.needsUpdate = true;
    head.instanceMatrix.needsUpdate = true;
  }

  /* ---- as flat figures ---- */

  get eye() {
    const right = new THREE.Vector3().setFromMatrixColumn(this.camera.matrixWorld, 0), step = 1e-3 * this.model.size;
    const onScreen = (p) => {
      const [x, y, z] = this.onScreen(p);
      return [x, y, -z];
    };
    return {onScreen, scaleAt: (p) => {
      const a = onScreen(p), b = onScreen([p[0] + step * right.x, p[1] + step * right.y, p[2] + step * right.z]);
      return Math.hypot(b[0] - a[0], b[1] - a[1]) / step;
    }};
  }

  paint(painter) {
    const shown = (mark) => this.mechanism.isShown(mark);
    for (const group of this.traces.values()) {
      const {array} = group.children[0].geometry.attributes.position, points = [];
      for (let k = 0; k < array.length; k += 3) points.push([array[k], array[k + 1], array[k + 2]]);
      painter.world(points, `#${group.children[0].material.color.getHexString()}`, 1.5);
    }
    if (this.ghost?.group.visible) painter.marks(this.scene.marks, this.poses[1], {alpha: 0.3, shown: (mark) => mark.body !== 0 && shown(mark)});
    painter.marks(this.scene.marks, this.poses[0], {shown});
    for (const arrow of this.arrows ?? []) {
      const span = spanOf(arrow, this.t, this.poses[0], this.scales, this.model);
      if (span) painter.arrow(span.from, span.to, colourOf(arrow), arrow.torque ? 2 : 1);
    }
  }

  state() {
    return {position: this.camera.position.toArray(), up: this.camera.up.toArray(), target: this.controls.target.toArray(), zoom: this.camera.zoom,
            flat: this.orthographic, half: this.halfHeight};
  }

  restore(state) {
    if (state.flat !== this.orthographic) this.toggleProjection();
    this.camera.position.fromArray(state.position);
    this.camera.up.fromArray(state.up);
    this.camera.zoom = state.zoom;
    this.halfHeight = state.half ?? this.halfHeight;
    this.controls.target.fromArray(state.target);
    this.frame();
    this.controls.update();
    this.render();
  }
}
