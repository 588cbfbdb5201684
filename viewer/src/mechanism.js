// A drawing of the mechanism in three.js that takes poses: all marks, or a ghost of them.
import * as THREE from 'three';

import {place} from './data.js';
import {markColour} from './look.js';
import {coilGeometry, cylinderMatrix, geometryOf, instancesOf, spansOf} from './shapes.js';

// So many triangles for all instances of a unit: large models stay quick without a graphics card.
const TRIANGLES = 14000, FEW_TRIANGLES = 5000;
const within = (least, value, most) => Math.round(Math.min(Math.max(value, least), most));

const UNITS = {
  cylinder: (each) => new THREE.CylinderGeometry(1, 1, 1, within(6, each / 4, 28)),
  ball: (each) => new THREE.SphereGeometry(1, within(6, Math.sqrt(each / 1.2), 24), within(4, 0.6 * Math.sqrt(each / 1.2), 14)),
  box: () => new THREE.BoxGeometry(2, 2, 2),
};

const LINES = new Set(['line']);

// Coils that are as long for their width share a geometry: 'coil 12'.
const unitOf = (unit, each) => (unit.startsWith('coil') ? coilGeometry(Number(unit.slice(5))) : UNITS[unit](each));

const GHOST = {transparent: true, opacity: 0.28, depthWrite: false};

const STYLES = {
  solid: {},
  glass: {transparent: true, opacity: 0.4, depthWrite: false},
  wire: {wireframe: true},
};

export class Mechanism {
  constructor(marks, bodies, poses, {ghost = false, coarse = false} = {}) {
    this.group = new THREE.Group();
    this.marks = marks;
    this.bodies = bodies;
    this.ghost = ghost;
    this.triangles = coarse ? FEW_TRIANGLES : TRIANGLES;
    this.hidden = new Set();
    this.instanced = [];
    this.frames = Array.from({length: bodies}, () => {
      const frame = new THREE.Group();
      frame.matrixAutoUpdate = false;
      return frame;
    });
    this.materials = new Map();
    this.build(poses);
  }

  // One material for all instances of a style.
  material(style) {
    if (!this.materials.has(style)) this.materials.set(style, new THREE.MeshLambertMaterial(this.ghost ? GHOST : STYLES[style]));
    return this.materials.get(style);
  }

  build(poses) {
    const units = new Map();
    this.marks.forEach((mark, index) => {
      if (this.ghost && mark.body === 0 && !(mark.other > 0)) return;
      const parts = instancesOf(mark) ?? spansOf(mark);
      if (parts) for (const part of parts) {
        const key = `${mark.kind === 'coil' ? this.coilOf(mark, poses) : part.unit}/${mark.style ?? 'solid'}`;
        if (!units.has(key)) units.set(key, []);
        units.get(key).push({...part, mark, index});
      }
      else if (LINES.has(mark.kind)) this.addLine(mark);
      else this.addSheet(mark, index);
    });
    for (const [key, parts] of units) this.addInstances(...key.split('/'), parts);
    for (const frame of this.frames) if (frame.children.length) this.group.add(frame);
  }

  // Its length at the start by its radius, rounded to some steps.
  coilOf(mark, poses) {
    const a = place(poses, mark.body, mark.points[0]), b = place(poses, mark.other, mark.points[1]);
    const slender = Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]) / mark.radius;
    return `coil ${(1.3 ** within(3, Math.log(slender || 1) / Math.log(1.3), 16)).toFixed(2)}`;
  }

  addInstances(unit, style, parts) {
    const mesh = new THREE.InstancedMesh(unitOf(unit, this.triangles / parts.length), this.material(style), parts.length);
    mesh.frustumCulled = false;
    mesh.userData.parts = parts;
    this.instanced.push({mesh, parts});
    this.group.add(mesh);
  }

  addLine(mark) {
    const geometry = new THREE.BufferGeometry().setFromPoints(mark.points.map((p) => new THREE.Vector3(...p)));
    const line = new THREE.Line(geometry, new THREE.LineBasicMaterial({transparent: this.ghost, opacity: this.ghost ? 0.3 : 1}));
    line.userData.mark = mark;
    this.frames[mark.body].add(line);
  }

  addSheet(mark, index) {
    const style = this.ghost ? GHOST : mark.role === 'guide' ? {transparent: true, opacity: 0.35, depthWrite: false} : STYLES[mark.style ?? 'solid'];
    const material = new THREE.MeshLambertMaterial({side: THREE.DoubleSide, ...style});
    const mesh = new THREE.Mesh(geometryOf(mark), material);
    mesh.userData.mark = mark;
    mesh.userData.index = index;
    this.frames[mark.body].add(mesh);
  }

  isShown(mark) {
    if (mark.role === 'center' && !this.centers) return false;
    return !this.hidden.has(mark.body);
  }

  setTheme(theme, picked = null) {
    this.theme = theme;
    const colourOf = (mark) => {
      const colour = new THREE.Color(markColour(mark, theme));
      if (picked && (picked.joint >= 0 ? mark.joint === picked.joint && mark.role !== 'body' : mark.body === picked.body && mark.role === 'body'))
        colour.lerp(new THREE.Color('#ffffff'), 0.45);
      return colour;
    };
    for (const {mesh, parts} of this.instanced) {
      parts.forEach((part, k) => mesh.setColorAt(k, colourOf(part.mark)));
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
    for (const frame of this.frames)
      for (const child of frame.children) child.material.color.copy(colourOf(child.userData.mark));
  }

  setPoses(poses) {
    const matrices = this.matrices ??= this.frames.map(() => new THREE.Matrix4());
    const one = new THREE.Vector3(1, 1, 1), q = new THREE.Quaternion(), p = new THREE.Vector3();
    for (let b = 0; b < this.bodies; b++) {
      const at = 7 * b;
      p.set(poses[at], poses[at + 1], poses[at + 2]);
      q.set(poses[at + 3], poses[at + 4], poses[at + 5], poses[at + 6]);
      matrices[b].compose(p, q, one);
      this.frames[b].matrix.copy(matrices[b]);
      this.frames[b].visible = !this.hidden.has(b);
    }
    const world = new THREE.Matrix4(), nowhere = new THREE.Matrix4().makeScale(0, 0, 0);
    for (const {mesh, parts} of this.instanced) {
      parts.forEach((part, k) => {
        if (!this.isShown(part.mark)) mesh.setMatrixAt(k, nowhere);
        else if (part.matrix) mesh.setMatrixAt(k, world.multiplyMatrices(matrices[part.mark.body], part.matrix));
        else mesh.setMatrixAt(k, this.span(part, poses, world));
      });
      mesh.instanceMatrix.needsUpdate = true;
      mesh.boundingSphere = null;
    }
  }

  span({mark, from, to, radius}, poses, out) {
    const a = new THREE.Vector3(...place(poses, mark.body, mark.points[0]));
    const b = new THREE.Vector3(...place(poses, mark.other, mark.points[1]));
    return cylinderMatrix(a.clone().lerp(b, from), a.clone().lerp(b, to), radius, out);
  }

  // The mark that a ray meets first.
  pick(raycaster) {
    const hits = raycaster.intersectObject(this.group, true);
    for (const hit of hits) {
      const mark = hit.instanceId !== undefined ? hit.object.userData.parts[hit.instanceId].mark : hit.object.userData.mark;
      if (mark && hit.object.isMesh && this.isShown(mark)) return mark;
    }
    return null;
  }
}
