// What the program stored in the page: a JSON description, and numbers packed behind it.
//
// A column of numbers is either quantised ("q": integers times a quantum, second differences, zigzag, seven bits a
// byte) or 32-bit floats whose bytes are sorted by significance ("f"). All columns of a run are one stream, deflated.

export function bytesOf(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let k = 0; k < text.length; k++) bytes[k] = text.charCodeAt(k);
  return bytes;
}

export async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  varint() {
    let value = 0, scale = 1;
    for (;;) {
      const byte = this.bytes[this.at++];
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      scale *= 128;
    }
  }

  quantised(n, quantum, out) {
    let value = 0, rate = 0;
    for (let k = 0; k < n; k++) {
      const code = this.varint();
      rate += code % 2 ? -(code + 1) / 2 : code / 2;
      value += rate;
      out[k] = value * quantum;
    }
    return out;
  }

  floats(n) {
    const raw = new Uint8Array(4 * n);
    for (let byte = 0; byte < 4; byte++)
      for (let k = 0; k < n; k++) raw[4 * k + byte] = this.bytes[this.at++];
    return new Float32Array(raw.buffer);
  }

  column(n, quantum) {
    return quantum > 0 ? this.quantised(n, quantum, new Float32Array(n)) : this.floats(n);
  }
}

// Poses as seven numbers per body and row: position, quaternion (x, y, z, w) as three.js wants it.
function readPoses(reader, run, bodies, dimension) {
  const n = run.rows, poses = new Float32Array(n * bodies * 7);
  const numbers = dimension === 2 ? 3 : 7;
  const column = new Float64Array(n);
  for (let b = 0; b < bodies; b++) {
    for (let row = 0; row < n; row++) poses[(row * bodies + b) * 7 + 6] = 1;
    if (b === 0) continue;
    for (let k = 0; k < numbers; k++) {
      const turns = dimension === 2 ? k === 2 : k >= 3;
      reader.quantised(n, turns ? run.turn_quantum : run.place_quantum, column);
      for (let row = 0; row < n; row++) {
        const at = (row * bodies + b) * 7;
        if (dimension === 2 && k === 2) {
          poses[at + 5] = Math.sin(column[row] / 2);
          poses[at + 6] = Math.cos(column[row] / 2);
        } else if (k < 3) poses[at + k] = column[row];
        else poses[at + (k === 3 ? 6 : k - 1)] = column[row];
      }
    }
  }
  return poses;
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

// Until when the certificate of a run trusts it; Infinity: to its end, or there is none.
function trustOf(run) {
  const until = run.report.certificate?.trusted_until, end = run.rows ? run.time[run.rows - 1] : 0;
  return Number.isFinite(until) && until < end - 1e-9 * Math.abs(end) ? until : Infinity;
}

async function readRun(run, k, scene) {
  let bytes = bytesOf(document.getElementById(`data${k}`).textContent.trim());
  if (run.deflated) bytes = await inflate(bytes);
  const reader = new Reader(bytes);
  run.time = reader.quantised(run.rows, run.time_quantum, new Float64Array(run.rows));
  for (let row = 0; row < run.rows; row++) run.time[row] += run.time_start;
  run.bodies = scene.model ? scene.model.bodies.length : 0;
  run.poses = run.moves ? readPoses(reader, run, run.bodies, scene.model.dimension) : null;
  for (const column of run.columns) column.values = reader.column(run.rows, column.quantum);
  run.byName = new Map(run.columns.map((column) => [column.name, column]));
  run.report = parse(run.report) ?? {};
  run.trustedUntil = trustOf(run);
  return run;
}

export async function readScene() {
  const scene = JSON.parse(document.getElementById('scene').textContent);
  scene.runs = await Promise.all(scene.runs.map((run, k) => readRun(run, k, scene)));
  return scene;
}

// The last row that is not after t.
export function rowAt(time, t) {
  let low = 0, high = time.length - 1;
  if (!(t > time[0])) return 0;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (time[middle] <= t) low = middle;
    else high = middle;
  }
  return t >= time[high] ? high : low;
}

// `values` may lack the last rows of a run that grows: then their last one.
export function valueAt(run, values, t) {
  const last = Math.min(run.rows, values.length) - 1, row = Math.min(rowAt(run.time, t), last), next = Math.min(row + 1, last);
  const span = run.time[next] - run.time[row];
  const part = span > 0 ? Math.min(Math.max((t - run.time[row]) / span, 0), 1) : 0;
  return part ? values[row] + part * (values[next] - values[row]) : values[row];
}

// Poses of all bodies at t into out[7 * bodies]: linear between rows, quaternions normalised.
export function posesAt(run, t, out) {
  const row = rowAt(run.time, t), next = Math.min(row + 1, run.rows - 1), width = run.bodies * 7;
  const span = run.time[next] - run.time[row];
  const part = span > 0 ? Math.min(Math.max((t - run.time[row]) / span, 0), 1) : 0;
  const p = run.poses, a = row * width, b = next * width;
  for (let at = 0; at < width; at += 7) {
    let same = 0, norm = 0;
    for (let k = 3; k < 7; k++) same += p[a + at + k] * p[b + at + k];
    const sign = same < 0 ? -1 : 1;
    for (let k = 0; k < 7; k++) {
      const to = (k >= 3 ? sign : 1) * p[b + at + k];
      out[at + k] = p[a + at + k] + part * (to - p[a + at + k]);
      if (k >= 3) norm += out[at + k] * out[at + k];
    }
    norm = 1 / Math.sqrt(norm || 1);
    for (let k = 3; k < 7; k++) out[at + k] *= norm;
  }
  return out;
}

// Where a point of a body is, from poses as above.
export function place(poses, body, p) {
  const at = 7 * body, [x, y, z, w] = [poses[at + 3], poses[at + 4], poses[at + 5], poses[at + 6]];
  const tx = 2 * (y * p[2] - z * p[1]), ty = 2 * (z * p[0] - x * p[2]), tz = 2 * (x * p[1] - y * p[0]);
  return [poses[at] + p[0] + w * tx + y * tz - z * ty, poses[at + 1] + p[1] + w * ty + z * tx - x * tz,
          poses[at + 2] + p[2] + w * tz + x * ty - y * tx];
}
