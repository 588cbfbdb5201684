// Many small bodies in one geometry: a draw call for all that look alike, their corners moved by the page itself. A
// processor that plays the graphics card draws instances one by one, and each costs it as much as some hundred triangles.
import * as THREE from 'three';

// Corners of a part in the frame that moves it, from a geometry.
const cornersOf = (geometry) => ({
  positions: geometry.attributes.position.array,
  normals: geometry.attributes.normal?.array ?? null,
  index: geometry.index?.array ?? Uint32Array.from({length: geometry.attributes.position.count}, (_, k) => k),
});

// Light from everywhere, brighter from above (y), and from a lamp: as the scene has it for graphics cards.
export const SKY = {from: '#ffffff', below: '#8893a5', strength: 2.1}, LAMP = {strength: 1.5};
const GROUND = new THREE.Color(SKY.below);

export class Batch {
  // `shaded`: the page computes the light at the corners too, where a processor would at every pixel.
  constructor(Object3D, material, {shaded = false} = {}) {
    this.Object3D = Object3D;
    this.material = material;
    this.shaded = shaded;
    this.parts = [];
    this.corners = this.indices = 0;
  }

  // `about`: whatever the owner wants to know of the part again.
  add(geometry, about) {
    const shape = cornersOf(geometry), n = shape.positions.length / 3;
    const part = {...about, ...shape, first: this.corners, count: n, start: this.indices, end: this.indices + shape.index.length};
    this.corners += n;
    this.indices += shape.index.length;
    this.parts.push(part);
    return part;
  }

  build() {
    const geometry = this.geometry = new THREE.BufferGeometry(), index = new Uint32Array(this.indices);
    const room = () => new THREE.BufferAttribute(new Float32Array(3 * this.corners), 3);
    this.positions = room().setUsage(THREE.DynamicDrawUsage);
    this.normals = room().setUsage(THREE.DynamicDrawUsage);
    this.colours = room();
    for (const part of this.parts) for (let k = 0; k < part.index.length; k++) index[part.start + k] = part.first + part.index[k];
    geometry.setIndex(new THREE.BufferAttribute(index, 1));
    geometry.setAttribute('position', this.positions);
    if (this.shaded) this.base = new Float32Array(3 * this.corners);
    else if (this.parts[0].normals) geometry.setAttribute('normal', this.normals);
    geometry.setAttribute('color', this.colours);
    this.object = new this.Object3D(geometry, this.material);
    this.object.frustumCulled = false;
    this.object.userData.batch = this;
    return this.object;
  }

  paint(part, colour) {
    const array = this.base ?? this.colours.array;
    for (let k = 3 * part.first; k < 3 * (part.first + part.count); k += 3) {
      array[k] = colour.r;
      array[k + 1] = colour.g;
      array[k + 2] = colour.b;
    }
    this.colours.needsUpdate = true;
  }

  hide(part) {
    this.positions.array.fill(0, 3 * part.first, 3 * (part.first + part.count));
    this.positions.needsUpdate = true;
  }

  // To where the matrix takes it; normals turn, and are not stretched.
  move(part, {elements: m}) {
    const to = this.positions.array, from = part.positions, start = 3 * part.first;
    for (let k = 0, at = start; k < from.length; k += 3, at += 3) {
      const x = from[k], y = from[k + 1], z = from[k + 2];
      to[at] = m[0] * x + m[4] * y + m[8] * z + m[12];
      to[at + 1] = m[1] * x + m[5] * y + m[9] * z + m[13];
      to[at + 2] = m[2] * x + m[6] * y + m[10] * z + m[14];
    }
    this.positions.needsUpdate = true;
    if (part.normals) this.turn(part, m, start);
  }

  turn(part, m, start) {
    const to = this.normals.array, from = part.normals;
    const a = 1 / (Math.hypot(m[0], m[1], m[2]) || 1), b = 1 / (Math.hypot(m[4], m[5], m[6]) || 1), c = 1 / (Math.hypot(m[8], m[9], m[10]) || 1);
    for (let k = 0, at = start; k < from.length; k += 3, at += 3) {
      const x = a * from[k], y = b * from[k + 1], z = c * from[k + 2];
      to[at] = m[0] * x + m[4] * y + m[8] * z;
      to[at + 1] = m[1] * x + m[5] * y + m[9] * z;
      to[at + 2] = m[2] * x + m[6] * y + m[10] * z;
    }
    this.normals.needsUpdate = true;
  }

  // Lambert's law at the corners; `lamp` is the direction towards the lamp.
  shade(lamp) {
    if (!this.shaded) return;
    const {base} = this, n = this.normals.array, to = this.colours.array, all = SKY.strength / Math.PI, one = LAMP.strength / Math.PI;
    for (let k = 0; k < base.length; k += 3) {
      const above = 0.5 + 0.5 * n[k + 1], spot = one * Math.max(0, n[k] * lamp.x + n[k + 1] * lamp.y + n[k + 2] * lamp.z);
      to[k] = base[k] * (all * (GROUND.r + above * (1 - GROUND.r)) + spot);
      to[k + 1] = base[k + 1] * (all * (GROUND.g + above * (1 - GROUND.g)) + spot);
      to[k + 2] = base[k + 2] * (all * (GROUND.b + above * (1 - GROUND.b)) + spot);
    }
    this.colours.needsUpdate = true;
  }

  // The part whose triangle a ray met.
  partOf(face) {
    const at = 3 * face;
    let low = 0, high = this.parts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.parts[middle].start <= at) low = middle;
      else high = middle - 1;
    }
    return this.parts[low];
  }
}
