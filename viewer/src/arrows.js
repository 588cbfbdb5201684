// Arrows of what acts on bodies: reactions of joints, forces of the model, weights. Forces have one scale, torques another.
import {place, valueAt} from './data.js';
import {number} from './look.js';

export const KINDS = {
  reactions: {colour: '#e11d48', text: 'reactions (on the second body of each joint)'},
  forces: {colour: '#2563eb', text: 'forces'},
  weights: {colour: '#8a6d00', text: 'weights'},
};
const TORQUE = '#9333ea';

function columnsOf(run, path) {
  const columns = [0, 1, 2].map((k) => run.byName.get(`${path}[${k}]`));
  return columns.every(Boolean) ? columns : null;
}

const isZero = (columns) => columns.every((c) => c.values.every((v) => !(Math.abs(v) > 0)));

function varying(run, columns, more) {
  return {vector: (t) => columns.map((c) => valueAt(run, c.values, t)), sizes: () => sizesOf(columns), up: 0, torque: false, ...more};
}

function sizesOf(columns) {
  const {length} = columns[0].values, sizes = [];
  for (let row = 0; row < length; row += Math.ceil(length / 200)) sizes.push(Math.hypot(...columns.map((c) => c.values[row])));
  return sizes;
}

// {reactions: [...], forces: [...], weights: [...]}, none of those that a run does not hold.
export function arrowsOf(scene) {
  const run = scene.runs[0], {model} = scene, all = {reactions: [], forces: [], weights: []};
  for (const joint of model.joints) {
    const columns = columnsOf(run, `joints/${joint.name}/force`);
    if (columns && joint.body !== undefined) all.reactions.push(varying(run, columns, {kind: 'reactions', name: joint.name, body: joint.body, point: joint.point}));
  }
  for (const force of model.forces ?? []) {
    const at = {kind: 'forces', name: force.name, body: force.body, point: force.point};
    const pull = columnsOf(run, `forces/${force.name}/force`), turn = columnsOf(run, `forces/${force.name}/torque`);
    if (pull && !isZero(pull)) all.forces.push(varying(run, pull, {...at, up: force.radius ?? 0})); // a wheel is pushed where it touches the ground
    else if (turn && !isZero(turn)) all.forces.push(varying(run, turn, {...at, torque: true}));
  }
  const g = model.gravity ?? [0, 0, 0];
  if (Math.hypot(...g) > 0) model.bodies.forEach((body, b) => {
    const weight = g.map((x) => x * body.mass);
    if (body.mass > 0) all.weights.push({kind: 'weights', name: body.name, body: b, point: body.center, vector: () => weight, sizes: () => [Math.hypot(...weight)], up: 0, torque: false});
  });
  return all;
}

export const colourOf = (arrow) => (arrow.torque ? TORQUE : KINDS[arrow.kind].colour);

// What an arrow as long as a body stands for. Almost all shall fit: at singular configurations reactions may be huge.
export function scalesOf(arrows) {
  const full = (torque) => {
    const sizes = arrows.filter((a) => a.torque === torque).flatMap((a) => a.sizes()).filter(Number.isFinite).sort((a, b) => a - b);
    return sizes[Math.floor(0.97 * (sizes.length - 1))] || sizes[sizes.length - 1] || 1;
  };
  return {force: full(false), torque: full(true)};
}

// Where an arrow begins and ends at a time; null: it is too short to be seen.
export function spanOf(arrow, t, poses, scales, model) {
  const v = arrow.vector(t), size = Math.hypot(...v), length = Math.min((size / (arrow.torque ? scales.torque : scales.force)) * model.size, 3 * model.size);
  if (!(length > 0.02 * model.size)) return null;
  const from = place(poses, arrow.body, arrow.point).map((x, k) => x - arrow.up * model.up[k]);
  return {from, to: from.map((x, k) => x + (length * v[k]) / size), length};
}

// Words for the legend: [{colour, text}].
export function legendOf(arrows, scales, model) {
  if (!arrows.length) return [];
  const size = number(model.size, 2), kinds = Object.keys(KINDS).filter((kind) => arrows.some((a) => a.kind === kind && !a.torque));
  const lines = kinds.map((kind) => ({colour: KINDS[kind].colour, text: KINDS[kind].text}));
  if (kinds.length) lines.push({text: `${size} m of arrow: ${number(scales.force, 2)} N`});
  if (arrows.some((a) => a.torque)) lines.push({colour: TORQUE, text: `torques, ${size} m of arrow: ${number(scales.torque, 2)} N m`});
  return lines;
}
