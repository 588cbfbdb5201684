// The solver in a worker of its own: the page never waits for it. It answers calls {id, call, ...} in order, and while it runs it
// sends frames by itself. `createSolver` is emscripten's.
/* global createSolver */
let solver = null, running = null, said = '';

const text = (pointer) => solver.UTF8ToString(pointer);

function withTexts(texts, act) {
  const pointers = texts.map((t) => {
    const size = solver.lengthBytesUTF8(t) + 1, at = solver._malloc(size);
    solver.stringToUTF8(t, at, size);
    return at;
  });
  try {
    return act(...pointers);
  } finally {
    pointers.forEach((at) => solver._free(at));
  }
}

function withNumbers(numbers, act) {
  if (!numbers) return act(0);
  const at = solver._malloc(8 * numbers.length + 8);
  solver.HEAPF64.set(numbers, at / 8);
  try {
    return act(at);
  } finally {
    solver._free(at);
  }
}

function checked(failed) {
  said = text(solver._live_said());
  if (failed) throw new Error(said || 'the model cannot be read');
}

function writeFiles(files) {
  const {FS} = solver;
  for (const {path, text: content} of files ?? []) {
    const folder = path.split('/').slice(0, -1).join('/');
    if (folder) FS.mkdirTree(folder);
    if (content !== null) FS.writeFile(path, content);
  }
}

// All frames since the last time, as one array that moves to the page.
function takeFrames() {
  const rows = solver._live_frames(), width = solver._live_width(), at = solver._live_take() / 8;
  return {rows, width, values: rows ? solver.HEAPF64.slice(at, at + rows * width) : new Float64Array(0)};
}

function send(message) {
  postMessage(message, message.frames ? [message.frames.values.buffer] : []);
}

const status = () => JSON.parse(text(solver._live_status()));

// The simulation follows the clock, times `speed`. Where it cannot, the clock waits.
function slice() {
  if (!running) return;
  const now = performance.now() / 1000;
  running.target = Math.min(running.target + Math.min(now - running.last, 0.1) * running.speed, running.until);
  running.last = now;
  let ended;
  try {
    ended = solver._live_advance(running.target, 0.014, running.speed / 60, 0);
  } catch (error) {
    running = null;
    postMessage({stopped: `the solver stopped: ${error.message}`, fatal: true});
    return;
  }
  const frames = takeFrames(), tells = now - running.since > 0.5; // how fast it is, also where steps are so short that no frame comes
  if (frames.rows || tells) {
    const t = frames.rows ? frames.values[(frames.rows - 1) * frames.width] : status().time.end;
    if (tells) {
      running.factor = (t - running.from) / (now - running.since);
      [running.since, running.from] = [now, t];
    }
    running.target = Math.min(running.target, t + 0.1 * running.speed);
  }
  const finished = ended || running.target >= running.until;
  if (frames.rows || tells || finished) send({frames, factor: running.factor, status: finished || now - running.told > 0.2 ? status() : null});
  if (now - running.told > 0.2) running.told = now;
  if (finished) {
    said = text(solver._live_said());
    running = null;
    postMessage({stopped: said});
  } else setTimeout(slice, frames.rows ? 4 : 0);
}

function begin({options, starts, preview = 0.05}) {
  checked(withTexts([options], (o) => withNumbers(starts, (s) => solver._live_start(o, s, preview))));
  return {scene: JSON.parse(text(solver._live_scene())), frames: takeFrames(), status: status(), said};
}

const CALLS = {
  async load({wasm, files}) {
    solver = await createSolver({wasmBinary: wasm, print: () => {}, printErr: () => {}});
    solver.FS.mkdirTree('/model/of/this/page');
    solver.FS.chdir('/model/of/this/page');
    writeFiles(files);
    return {};
  },
  open({model, name, settings, files}) {
    running = null;
    writeFiles(files);
    checked(withTexts([model, name, settings], (m, n, s) => solver._live_open(m, n, s)));
    return {said};
  },
  start: begin,
  // Other parameters: the whole way from the text to the first frames.
  again(order) {
    CALLS.open(order);
    return begin(order);
  },
  run({speed, until = Infinity}) {
    const now = performance.now() / 1000, t = status().time.end;
    running = {speed, until, target: t, last: now, since: now, from: t, told: 0, factor: speed};
    setTimeout(slice, 0);
    return {};
  },
  pause() {
    running = null;
    return {frames: takeFrames(), status: status()};
  },
  step() {
    running = null;
    solver._live_advance(Infinity, 60, 0, 1);
    return {frames: takeFrames(), status: status(), said: text(solver._live_said())};
  },
  speed({speed}) {
    if (running) Object.assign(running, {speed, since: performance.now() / 1000, from: status().time.end});
    return {};
  },
  input({input, value}) {
    solver._live_set_input(input, value);
    return {};
  },
  drag({body, point}) {
    checked(withNumbers(point ?? [0, 0, 0], (p) => solver._live_drag(body, p)));
    return {};
  },
  dragTo({place}) {
    withNumbers(place, (p) => solver._live_drag_to(p));
    return {};
  },
  poseTo({body, point, place}) {
    const failed = withNumbers(point, (p) => withNumbers(place, (q) => solver._live_pose_to(body, p, q)));
    return {frames: takeFrames(), said: failed ? text(solver._live_said()) : ''};
  },
  certify({options, starts, end, rows}) {
    const answer = withTexts([options], (o) => withNumbers(starts, (s) => text(solver._live_certify(o, s, end, rows))));
    return {certificate: JSON.parse(answer), said: text(solver._live_said())};
  },
};

onmessage = async ({data}) => {
  try {
    const answer = await CALLS[data.call](data);
    postMessage({id: data.id, answer}, answer.frames ? [answer.frames.values.buffer] : []);
  } catch (error) {
    const fatal = error instanceof WebAssembly.RuntimeError || /abort|memory/i.test(error.message);
    postMessage({id: data.id, error: error.message, fatal});
  }
};
