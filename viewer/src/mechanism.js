// A drawing of the mechanism in three.js that takes poses: all marks, or a ghost of them.
import * as THREE from 'three';

import {Batch} from './batch.js';
import {place} from './data.js';
import {markColour} from './look.js';
import {coilGeometry, cylinderMatrix, geometryOf, instancesOf, spansOf} from './shapes.js';

// So many triangles for all bodies made of a unit: large models stay quick without a graphics card.
const TRIANGLES = 14000, FEW_TRIANGLES = 5000;
const LARGE_MESH = 2000; // corners: such a mesh is moved by the graphics card
const within = (least, value, most) => Math.round(Math.min(Math.max(value, least), most));

const UNITS = {
  cylinder: (each) => new THREE.CylinderGeometry(1, 1, 1, within(6, each / 4, 28)),
  ball: (each) => new THREE.SphereGeometry(1, within(6, Math.sqrt(each / 1.2), 24), within(4, 0.6 * Math.sqrt(each / 1.2), 14)),
  tube: (each) => new THREE.CylinderGeometry(1, 1, 1, within(6, each / 4, 28), 1, true),
  cap: (each) => new THREE.SphereGeometry(1, within(6, each / 4, 28), within(2, Math.sqrt(each / 4), 7), 0, 2 * Math.PI, 0, Math.PI / 2),
  box: () => new THREE.BoxGeometry(2, 2, 2),
};

// Coils that are as long for their width share a geometry: 'coil 12'.
const unitOf = (unit, each) => (unit.startsWith('coil') ? coilGeometry(Number(unit.slice(5))) : UNITS[unit](each));

const GLASS = {transparent: true, opacity: 0.4, depthWrite: false}, GUIDE = {transparent: true, opacity: 0.35, depthWrite: false};
const GHOST = {transparent: true, opacity: 0.28, depthWrite: false};
const STYLES = {solid: {}, center: {}, glass: GLASS, wire: {wireframe: true}, sheet: {side: THREE.DoubleSide}, 'sheet glass': {...GLASS, side: THREE.DoubleSide},
                'sheet wire': {wireframe: true}, guide: {...GUIDE, side: THREE.DoubleSide}};

export class Mechanism {
  constructor(marks, bodies, poses, {ghost = false, coarse = false} = {}) {
    this.group = new THREE.Group();
    this.marks = marks;
    this.bodies = bodies;
    this.ghost = ghost;
    this.coarse = coarse;
    this.triangles = coarse ? FEW_TRIANGLES : TRIANGLES;
    this.hidden = new Set();
    this.batches = new Map();
    this.meshes = [];
    this.matrices = Array.from({length: bodies}, () => new THREE.Matrix4());
    this.build(poses);
  }

  batch(style) {
    if (!this.batches.has(style)) {
      const line = style === 'line', look = this.ghost ? {...STYLES[style], ...GHOST} : STYLES[style];
      const material = line ? new THREE.LineBasicMaterial({vertexColors: true, transparent: this.ghost, opacity: this.ghost ? 0.3 : 1})
                            : new (this.coarse ? THREE.MeshBasicMaterial : THREE.MeshLambertMaterial)({vertexColors: true, side: THREE.FrontSide, ...look});
      this.batches.set(style, new Batch(line ? THREE.LineSegments : THREE.Mesh, material, {shaded: this.coarse && !line}));
    }
    return this.batches.get(style);
  }

  build(poses) {
    const units = new Map();
    this.marks.forEach((mark) => {
      if (this.ghost && mark.body === 0 && !(mark.other > 0)) return;
      const parts = instancesOf(mark) ?? spansOf(mark);
      if (parts) for (const part of parts) {
        const unit = mark.kind === 'coil' ? this.coilOf(mark, poses) : part.unit;
        if (!units.has(unit)) units.set(unit, []);
        units.get(unit).push({...part, mark});
      }
      else if (mark.kind === 'line') this.addLine(mark);
      else this.addSheet(mark);
    });
    for (const [unit, parts] of units) this.addUnits(unit, parts);
    for (const batch of this.batches.values()) this.group.add(batch.build());
  }

  // Its length at the start by its radius, rounded to some steps.
  coilOf(mark, poses) {
    const a = place(poses, mark.body, mark.points[0]), b = place(poses, mark.other, mark.points[1]);
    const slender = Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]) / mark.radius;
    return `coil ${(1.3 ** within(3, Math.log(slender || 1) / Math.log(1.3), 16)).toFixed(2)}`;
  }

  // What is fixed in a body gets its place there; what is between bodies keeps the unit's.
  addUnits(unit, parts) {
    const geometry = unitOf(unit, this.triangles / parts.length);
    for (const {mark, matrix, from, to, radius} of parts)
      this.batch(mark.role === 'center' ? 'center' : mark.style ?? 'solid').add(matrix ? geometry.clone().applyMatrix4(matrix) : geometry, {mark, span: matrix ? null : {from, to, radius}});
  }

  // Through the points, as pairs.
  addLine(mark) {
    const pairs = mark.points.slice(1).flatMap((p, k) => [mark.points[k], p]);
    this.batch('line').add(new THREE.BufferGeometry().setFromPoints(pairs.map((p) => new THREE.Vector3(...p))), {mark, span: null});
  }

  addSheet(mark) {
    const geometry = geometryOf(mark), style = mark.role === 'guide' ? 'guide' : mark.style ? `sheet ${mark.style}` : 'sheet';
    if (geometry.attributes.position.count <= LARGE_MESH) {
      this.batch(style).add(geometry, {mark, span: null});
      return;
    }
    const mesh = new THREE.Mesh(geometry, new THREE.MeshLambertMaterial({...STYLES[style], ...(this.ghost ? GHOST : {})}));
    mesh.matrixAutoUpdate = false;
    mesh.userData.mark = mark;
    this.meshes.push(mesh);
    this.group.add(mesh);
  }

  isShown(mark) {
    if (mark.role === 'center' && !this.centers) return false;
    return !this.hidden.has(mark.body);
  }

  colourOf(mark, picked) {
    const colour = new THREE.Color(markColour(mark, this.theme));
    if (picked && (picked.joint >= 0 ? mark.joint === picked.joint && mark.role !== 'body' : mark.body === picked.body && mark.role === 'body'))
      colour.lerp(new THREE.Color('#ffffff'), 0.45);
    return colour;
  }

  setTheme(theme, picked = null) {
    this.theme = theme;
    for (const batch of this.batches.values())
      for (const part of batch.parts) batch.paint(part, this.colourOf(part.mark, picked));
    for (const mesh of this.meshes) mesh.material.color.copy(this.colourOf(mesh.userData.mark, picked));
  }

  shade(lamp) {
    for (const batch of this.batches.values()) if (batch.object.visible) batch.shade(lamp);
  }

  setPoses(poses) {
    const one = new THREE.Vector3(1, 1, 1), q = new THREE.Quaternion(), p = new THREE.Vector3(), world = new THREE.Matrix4();
    for (let b = 0; b < this.bodies; b++) {
      const at = 7 * b;
      p.set(poses[at], poses[at + 1], poses[at + 2]);
      q.set(poses[at + 3], poses[at + 4], poses[at + 5], poses[at + 6]);
      this.matrices[b].compose(p, q, one);
    }
    for (const mesh of this.meshes) {
      mesh.matrix.copy(this.matrices[mesh.userData.mark.body]);
      mesh.visible = this.isShown(mesh.userData.mark);
    }
    if (this.batches.has('center')) this.batches.get('center').object.visible = Boolean(this.centers);
    for (const batch of this.batches.values()) if (batch.object.visible) for (const part of batch.parts) {
      const shown = this.isShown(part.mark), still = part.mark.body === 0 && !part.span && part.placed === shown;
      if (still) continue;
      if (!shown) batch.hide(part);
      else batch.move(part, part.span ? this.span(part, poses, world) : this.matrices[part.mark.body]);
      part.placed = shown;
    }
  }

  span({mark, span: {from, to, radius}}, poses, out) {
    const a = new THREE.Vector3(...place(poses, mark.body, mark.points[0]));
    const b = new THREE.Vector3(...place(poses, mark.other, mark.points[1]));
    return cylinderMatrix(a.clone().lerp(b, from), a.clone().lerp(b, to), radius, out);
  }

  dispose() {
    for (const batch of this.batches.values()) batch.geometry.dispose();
    for (const mesh of this.meshes) mesh.geometry.dispose();
  }

  // The mark that a ray meets first.
  pick(raycaster) {
    return this.hit(raycaster)?.mark ?? null;
  }

  hit(raycaster) {
    for (const batch of this.batches.values()) batch.geometry.computeBoundingSphere();
    for (const hit of raycaster.intersectObject(this.group, true)) {
      if (!hit.object.isMesh) continue;
      const mark = hit.object.userData.mark ?? hit.object.userData.batch.partOf(hit.faceIndex).mark;
      if (this.isShown(mark)) return {mark, place: hit.point.toArray()};
    }
    return null;
  }
}
