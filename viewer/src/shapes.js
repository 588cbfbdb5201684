// Marks as copies of a few unit bodies (cylinder, tube, ball, cap, box), and as geometries of their own where they are unique.
import * as THREE from 'three';

const UP = new THREE.Vector3(0, 1, 0);
const vector = (p) => new THREE.Vector3(p[0], p[1], p[2]);

// A matrix that takes the unit cylinder (radius 1, height 1 along y, around the origin) to that from a to b.
export function cylinderMatrix(a, b, radius, out = new THREE.Matrix4()) {
  const axis = b.clone().sub(a), length = axis.length();
  const turn = length > 0 ? new THREE.Quaternion().setFromUnitVectors(UP, axis.multiplyScalar(1 / length)) : new THREE.Quaternion();
  return out.compose(a.clone().add(b).multiplyScalar(0.5), turn, new THREE.Vector3(radius, Math.max(length, 1e-9), radius));
}

function ballMatrix(at, radius) {
  return new THREE.Matrix4().compose(at, new THREE.Quaternion(), new THREE.Vector3(radius, radius, radius));
}

// The unit half ball (towards y) at the end `to` of a rod.
function capMatrix(from, to, radius) {
  const axis = to.clone().sub(from), length = axis.length();
  const turn = length > 0 ? new THREE.Quaternion().setFromUnitVectors(UP, axis.multiplyScalar(1 / length)) : new THREE.Quaternion();
  return new THREE.Matrix4().compose(to, turn, new THREE.Vector3(radius, radius, radius));
}

function boxMatrix(points) {
  const [at, ...corners] = points.map(vector);
  const [x, y, z] = corners.map((corner) => corner.sub(at));
  return new THREE.Matrix4().makeBasis(x, y, z).setPosition(at);
}

// Instances of a mark in the frame of its body: [{unit, matrix}].
export function instancesOf(mark) {
  const p = mark.points;
  switch (mark.kind) {
  case 'capsule':
    return [{unit: 'tube', matrix: cylinderMatrix(vector(p[0]), vector(p[1]), mark.radius)},
            {unit: 'cap', matrix: capMatrix(vector(p[1]), vector(p[0]), mark.radius)}, {unit: 'cap', matrix: capMatrix(vector(p[0]), vector(p[1]), mark.radius)}];
  case 'cylinder':
    return [{unit: 'cylinder', matrix: cylinderMatrix(vector(p[0]), vector(p[1]), mark.radius)}];
  case 'ball':
    return [{unit: 'ball', matrix: ballMatrix(vector(p[0]), mark.radius)}];
  case 'box':
    return [{unit: 'box', matrix: boxMatrix(p)}];
  default:
    return null;
  }
}

// Axes of the plane in which points lie, and the points there.
function flatten(points) {
  const at = vector(points[0]);
  const x = vector(points[1]).sub(at).normalize();
  const normal = new THREE.Vector3();
  for (let k = 2; k < points.length; k++) {
    const n = x.clone().cross(vector(points[k]).sub(at));
    if (n.lengthSq() > normal.lengthSq()) normal.copy(n);
  }
  normal.normalize();
  const y = normal.clone().cross(x);
  const flat = points.map((p) => {
    const d = vector(p).sub(at);
    return new THREE.Vector2(d.dot(x), d.dot(y));
  });
  return {flat, basis: new THREE.Matrix4().makeBasis(x, y, normal).setPosition(at)};
}

// A convex polygon, counter-clockwise, widened by a radius with round corners.
function rounded(flat, radius) {
  const out = [], n = flat.length, steps = 6;
  for (let k = 0; k < n; k++) {
    const before = flat[(k + n - 1) % n], here = flat[k], after = flat[(k + 1) % n];
    let from = Math.atan2(here.y - before.y, here.x - before.x) - Math.PI / 2;
    let to = Math.atan2(after.y - here.y, after.x - here.x) - Math.PI / 2;
    if (to < from) to += 2 * Math.PI;
    for (let s = 0; s <= steps; s++) {
      const angle = from + ((to - from) * s) / steps;
      out.push(new THREE.Vector2(here.x + radius * Math.cos(angle), here.y + radius * Math.sin(angle)));
    }
  }
  return out;
}

function sheet(outline, half, basis) {
  const geometry = new THREE.ExtrudeGeometry(new THREE.Shape(outline), {depth: 2 * half, bevelEnabled: false});
  return geometry.translate(0, 0, -half).applyMatrix4(basis);
}

function area(flat) {
  return flat.reduce((sum, p, k) => {
    const q = flat[(k + 1) % flat.length];
    return sum + p.x * q.y - q.x * p.y;
  }, 0);
}

// Geometry of marks that are no instances, in the frame of their body.
export function geometryOf(mark) {
  if (mark.kind === 'plate') {
    const {flat, basis} = flatten(mark.points);
    return sheet(rounded(area(flat) < 0 ? flat.reverse() : flat, mark.radius), mark.radius * (mark.role === 'guide' ? 1 : 0.8), basis);
  }
  if (mark.kind === 'polygon') {
    const {flat, basis} = flatten(mark.points);
    return sheet(flat, mark.radius, basis);
  }
  if (mark.kind === 'mesh') {
    const geometry = new THREE.BufferGeometry();
    const corners = new Float32Array(mark.triangles.length * 3);
    mark.triangles.forEach((p, k) => corners.set(mark.points[p], 3 * k));
    geometry.setAttribute('position', new THREE.BufferAttribute(corners, 3));
    geometry.computeVertexNormals();
    return geometry;
  }
  return null;
}

// A coil of length 1 along y, drawn out by its matrix; its wire is round where it is `slender` times as long as its radius.
export function coilGeometry(slender) {
  const turns = Math.round(Math.min(Math.max(0.9 * slender, 4), 14));
  class Helix extends THREE.Curve {
    getPoint(s) {
      const inner = (s - 0.14) / 0.72, R = inner > 0 && inner < 1 ? Math.min(1, 12 * Math.min(inner, 1 - inner)) : 0;
      const angle = 2 * Math.PI * turns * inner;
      return new THREE.Vector3(R * Math.cos(angle), slender * (s - 0.5), R * Math.sin(angle));
    }
  }
  return new THREE.TubeGeometry(new Helix(), 22 * turns, 0.13, 5).scale(1, 1 / slender, 1);
}

// What a mark between two bodies is made of: parts of its length and of its radius.
export function spansOf(mark) {
  switch (mark.kind) {
  case 'coil':
    return [{unit: 'coil', from: 0, to: 1, radius: mark.radius}];
  case 'pot':
    return [{unit: 'cylinder', from: 0, to: 0.45, radius: 0.3 * mark.radius}, {unit: 'cylinder', from: 0.3, to: 0.7, radius: mark.radius},
            {unit: 'cylinder', from: 0.7, to: 1, radius: 0.3 * mark.radius}];
  case 'bar':
    return [{unit: 'cylinder', from: 0, to: 1, radius: mark.radius}];
  default:
    return null;
  }
}
