// A drawing of the mechanism in three.js that takes poses: all marks, or a ghost of them.
import * as THREE from 'three';

import {place} from './data.js';
import {markColour} from './look.js';
import {coilGeometry, cylinderMatrix, geometryOf, instancesOf, spansOf} from './shapes.js';

// So many triangles for all instances of a unit: large models stay quick without a graphics card.
const TRIANGLES = 14000;
const within = (least, value, most) => Math.round(Math.min(Math.max(value, least), most));

const UNITS = {
  cylinder: (each) => new THREE.CylinderGeometry(1, 1, 1, within(6, each / 4, 28)),
  ball: (each) => new THREE.SphereGeometry(1, within(6, Math.sqrt(each / 1.2), 24), within(4, 0.6 * Math.sqrt(each / 1.2), 14)),
  box: () => new THREE.BoxGeometry(2, 2, 2),
  coil: () => coilGeometry(),
};

const LINES = new Set(['line']);

export class Mechanism {
  constructor(marks, bodies, ghost = false) {
    this.group = new THREE.Group();
    this.marks = marks;
    this.bodies = bodies;
    this.ghost = ghost;
    this.hidden = new Set();
    this.instanced = [];
    this.frames = Array.from({length: bodies}, () => {
      const frame = new THREE.Group();
      frame.matrixAutoUpdate = false;
      return frame;
    });
    this.material = new THREE.MeshLambertMaterial(ghost ? {transparent: true, opacity: 0.28, depthWrite: false} : {});
    this.build();
  }

  build() {
    const units = new Map();
    this.marks.forEach((mark, index) => {
      if (this.ghost && mark.body === 0 && !(mark.other > 0)) return;
      const parts = instancesOf(mark) ?? spansOf(mark);
      if (parts) for (const part of parts) {
        if (!units.has(part.unit)) units.set(part.unit, []);
        units.get(part.unit).push({...part, mark, index});
      }
      else if (LINES.has(mark.kind)) this.addLine(mark);
      else this.addSheet(mark, index);
    });
    for (const [unit, parts] of units) this.addInstances(unit, parts);
    for (const frame of this.frames) if (frame.children.length) this.group.add(frame);
  }

  addInstances(unit, parts) {
    const mesh = new THREE.InstancedMesh(UNITS[unit](TRIANGLES / parts.length), this.material, parts.length);
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
    const flat = mark.role === 'guide';
    const material = new THREE.MeshLambertMaterial({side: THREE.DoubleSide, transparent: flat || this.ghost, opacity: this.ghost ? 0.28 : flat ? 0.35 : 1,
                                                    depthWrite: !flat && !this.ghost});
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
