// A model that runs in the page: what its controls change, and what comes back.
import {GrowingRun} from './growing.js';
import {el, number} from './look.js';
import {Solver} from './solver.js';

const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5];
const lines = (values) => Object.entries(values).map(([name, value]) => `${name}=${value}`).join('\n');

export class Live {
  // `model`: {name, text, files, settings, options}; `onScene(scene)` when there is another mechanism to show, `onFrames()`, `say(text)`.
  constructor(model, {onScene, onFrames, onState, say}) {
    Object.assign(this, {model, onScene, onFrames, onState, say});
    this.settings = Object.fromEntries((model.settings ?? '').split('\n').filter(Boolean).map((line) => line.split(/=(.*)/s)));
    this.options = Object.fromEntries((model.options ?? []).map((line) => line.split(/=(.*)/s)));
    this.starts = null;
    this.speed = 1;
    this.state = 'loading';
    this.touched = false; // by hand: the certificate is of the motion without
  }

  async open() {
    this.solver = await this.make();
    this.watch ??= setInterval(() => this.look(), 1000);
    await this.restart({first: true});
  }

  make() {
    const solver = new Solver((data) => this.take(data), (why) => this.died(why));
    return solver.open(this.model.files);
  }

  order() {
    return {model: this.model.text, name: this.model.name, settings: lines(this.settings), options: lines(this.options), starts: this.starts};
  }

  setState(state) {
    this.state = state;
    this.onState?.(this);
  }

  // From the text on. Changes that come while one is on its way are taken together.
  async restart({first = false, keepRunning = this.state === 'running'} = {}) {
    if (this.busy) {
      this.again = {keepRunning: keepRunning || this.again?.keepRunning};
      return;
    }
    this.busy = true;
    try {
      if (!this.solver) this.solver = await this.make();
      const answer = await this.solver.call('again', {...this.order(), preview: first ? 0.3 : 0.01});
      this.touched = false;
      this.failure = '';
      this.begin(answer, first);
      this.setState('paused');
      if (keepRunning) await this.run();
      else this.certifyLater();
    } catch (error) {
      this.failure = error.message;
      this.setState('failed');
    } finally {
      this.busy = false;
    }
    if (this.again) {
      const next = this.again;
      this.again = null;
      await this.restart(next);
    }
  }

  begin({scene, frames, status, said}, first) {
    this.controls = scene;
    this.run_ = new GrowingRun(scene, scene.name);
    this.run_.add(frames);
    this.run_.report = status;
    this.end = scene.method.end;
    this.warnings = said;
    this.onScene({...scene, runs: [this.run_]}, first);
  }

  get run0() {
    return this.run_;
  }

  take(data) {
    if (!this.run_) return;
    if (data.frames?.rows) this.run_.add(data.frames);
    if (data.status) this.run_.report = {...data.status, certificate: this.run_.report.certificate};
    if (data.factor !== undefined) this.factor = data.factor;
    if (data.frames) this.onFrames(this);
    if (data.stopped !== undefined) {
      this.failure = this.run_.report.status === 'failed' ? data.stopped : '';
      this.setState(this.failure ? 'failed' : 'ended');
      this.certifyLater();
    }
  }

  async guarded(act) {
    try {
      return await act();
    } catch (error) {
      this.say(error.message);
      return null;
    }
  }

  run() {
    if (this.state === 'ended') return this.restart({keepRunning: true});
    this.factor = this.speed;
    return this.guarded(async () => {
      await this.solver.call('run', {speed: this.speed});
      this.setState('running');
    });
  }

  async pause() {
    const answer = await this.guarded(() => this.solver.call('pause'));
    if (!answer) return;
    this.take(answer);
    if (this.state === 'running') this.setState('paused');
    this.certifyLater();
  }

  toggle() {
    return this.state === 'running' ? this.pause() : this.run();
  }

  async step() {
    const answer = await this.guarded(() => this.solver.call('step'));
    if (answer) this.take(answer);
    this.setState('paused');
  }

  reset() {
    return this.restart({keepRunning: false});
  }

  setSpeed(speed) {
    this.speed = speed;
    if (this.state === 'running') this.guarded(() => this.solver.call('speed', {speed}));
  }

  setParameter(name, value) {
    this.settings[name] = String(value);
    return this.restart();
  }

  setOption(name, value) {
    if (value === '') delete this.options[name];
    else this.options[name] = String(value);
    return this.restart();
  }

  setStart(k, value) {
    this.starts ??= this.controls.starts.map((start) => start.value);
    this.starts[k] = value;
    return this.restart();
  }

  setInput(input, value) {
    this.touched = true;
    return this.guarded(() => this.solver.call('input', {input, value}));
  }

  /* ---- by hand ---- */

  async grab(body, point) {
    this.held = {body, point, running: this.state === 'running'};
    this.touched = true;
    if (this.held.running) await this.guarded(() => this.solver.call('drag', {body, point}));
  }

  async pull(place) {
    if (!this.held || this.pulling) return;
    this.pulling = true;
    const {body, point, running} = this.held;
    const answer = await this.guarded(() => this.solver.call(running ? 'dragTo' : 'poseTo', {body, point, place}));
    if (answer?.frames) this.take(answer);
    this.pulling = false;
  }

  async release() {
    const held = this.held;
    this.held = null;
    if (held?.running) await this.guarded(() => this.solver.call('drag', {body: 0}));
  }

  /* ---- the second worker ---- */

  certifyLater() {
    clearTimeout(this.later);
    this.later = setTimeout(() => this.certify(), 400);
  }

  // The motion again from the start to where it is, or a second of it, beside another method.
  async certify() {
    const run = this.run_;
    if (this.certifying || this.state === 'running' || !run?.columns.length) return;
    this.certifying = true;
    const reached = run.rows ? run.time[run.rows - 1] : 0, start = this.controls.method.start;
    const end = reached > start ? reached : Math.min(start + 1, this.end);
    try {
      this.second ??= await new Solver(null, () => { this.second = null; }).open(this.model.files);
      await this.second.call('open', this.order());
      const {certificate, said} = await this.second.call('certify', {...this.order(), end, rows: 200});
      if (certificate && run === this.run_) run.certify(certificate);
      this.certificate = {value: certificate, said, end, touched: this.touched};
      this.onFrames(this, true);
      this.onState?.(this);
    } catch (error) {
      this.certificate = {value: null, said: error.message, end};
    } finally {
      this.certifying = false;
    }
  }

  /* ---- trouble ---- */

  look() {
    const waits = this.solver?.silence > 6;
    if (waits !== this.waits) {
      this.waits = waits;
      this.onState?.(this);
    }
  }

  stop() {
    this.solver?.close('it was stopped');
    this.died('it was stopped, as it did not answer');
  }

  died(why) {
    this.solver = null;
    this.busy = false;
    this.failure = `The solver ended: ${why}. 'reset' starts another one.`;
    this.setState('failed');
  }

  close() {
    clearInterval(this.watch);
    clearTimeout(this.later);
    this.solver?.close();
    this.second?.close();
  }
}

/* ---- controls ---- */

const rangeOf = (value) => (value === 0 ? [-1, 1] : [value - 0.5 * Math.abs(value), value + 0.5 * Math.abs(value)]);

// Names that count things, in the entries that repeat: sliders of these have whole numbers.
const counts = (text, name) => new RegExp(`\\b(count|from|to|repeat)\\b[^\\n]*\\b${name}\\b`).test(text);
const isWritten = (text, name) => new RegExp(`(^|[\\s{,])${name}\\s*:`, 'm').test(text); // not the index of a repetition

function slider(label, unit, value, [least, most], change, whole = false) {
  const id = `live-${label}`.replace(/[^\w-]/g, '_');
  const out = el('output', {for: id}, `${number(value)} ${unit}`);
  const input = el('input', {type: 'range', id, min: least, max: most, step: whole ? 1 : (most - least) / 200, value, 'data-name': label});
  input.addEventListener('input', () => {
    out.textContent = `${number(Number(input.value))} ${unit}`;
    change(Number(input.value));
  });
  return el('div', {class: 'slider'}, el('label', {for: id}, label), input, out);
}

function field(label, node) {
  const id = `live-${label}`.replace(/[^\w-]/g, '_');
  node.id = id;
  return el('div', {class: 'slider'}, el('label', {for: id}, label), node);
}

export class LivePanel {
  constructor(holder, live) {
    Object.assign(this, {holder, live});
    const button = (text, title, act) => el('button', {type: 'button', title, onclick: act}, text);
    this.runButton = button('run', 'Run or pause (Space)', () => live.toggle());
    this.factor = el('output', {class: 'factor'});
    this.speed = el('select', {onchange: () => live.setSpeed(Number(this.speed.value))}, ...SPEEDS.map((s) => el('option', {value: s}, s === 1 ? 'real time' : `${s} × time`)));
    this.speed.value = String(live.speed);
    this.message = el('p', {class: 'failure', role: 'alert', hidden: true});
    this.stopButton = button('stop the solver', 'It has not answered for some seconds', () => live.stop());
    this.trust = el('p', {class: 'hint', 'aria-live': 'polite'});
    this.sliders = el('div');
    this.head = el('div', {class: 'controls', role: 'group', 'aria-label': 'Live run'}, this.runButton, button('step', 'One step of the method', () => live.step()),
                   button('reset', 'Back to the start', () => live.reset()));
    holder.append(this.head, field('speed', this.speed), this.factor, this.message, this.stopButton, this.trust, this.sliders);
    this.update();
  }

  // For another model: sliders around its values.
  build(scene) {
    const {live} = this, {method} = scene;
    const group = (title, nodes) => (nodes.length ? [el('h2', {}, title), ...nodes] : []);
    const {text} = live.model, whole = ({name, value}) => Number.isInteger(value) && counts(text, name), named = scene.parameters.filter(({name}) => isWritten(text, name));
    const parameters = named.map((p) => slider(p.name, '', p.value, whole(p) ? [1, Math.max(2 * p.value, 4)] : rangeOf(p.value), (v) => live.setParameter(p.name, v), whole(p)));
    this.inputs = scene.inputs.map(({name, unit, value}, k) => slider(name, unit, value, rangeOf(value), (v) => live.setInput(k, v)));
    const starts = scene.starts.map(({name, unit, value}, k) => slider(`start ${name}`, unit, value, rangeOf(value), (v) => live.setStart(k, v)));
    const preset = el('select', {onchange: () => live.setOption('preset', preset.value)}, el('option', {value: ''}, 'of the model'), ...scene.presets.map((p) => el('option', {value: p}, p)));
    preset.value = live.options.preset ?? '';
    const tolerance = el('select', {onchange: () => live.setOption('tolerance', tolerance.value)}, el('option', {value: ''}, 'of the model'), ...[3, 4, 5, 6, 7, 8, 9, 10, 11, 12].map((n) => el('option', {value: `1e-${n}`}, `1e-${n}`)));
    tolerance.value = live.options.tolerance ?? '';
    this.method = el('p', {class: 'hint'}, [method.coordinates, method.formulation, method.integrator].join(' / '));
    this.sliders.replaceChildren(...group('Inputs', this.inputs), ...(this.inputs.length ? [el('p', {class: 'hint'}, 'Keys: J and L change the first input, K and I the second.')] : []),
                                 ...group('Parameters', parameters), ...group('Start', starts), el('h2', {}, 'Method'), field('preset', preset), field('tolerance', tolerance), this.method);
  }

  // A key moves an input by a twentieth of its range.
  key(input, sign) {
    const range = this.inputs?.[input]?.querySelector('input');
    if (!range) return false;
    range.value = Number(range.value) + (sign * (range.max - range.min)) / 20;
    range.dispatchEvent(new Event('input'));
    return true;
  }

  update() {
    const {live} = this, {certificate: c, state} = live;
    this.runButton.textContent = state === 'running' ? 'pause' : state === 'ended' ? 'run again' : 'run';
    this.runButton.disabled = state === 'loading';
    this.message.hidden = !live.failure;
    this.message.textContent = live.failure ?? '';
    this.stopButton.hidden = !live.waits;
    const slow = state === 'running' && live.factor < 0.9 * live.speed;
    this.factor.textContent = state === 'loading' ? 'The solver is being started ...' : state === 'running' ? `${number(live.factor, 2)} × real time${slow ? ': as fast as it can be computed here' : ''}` : state;
    this.trust.textContent = !c ? '' : !c.value ? `No certificate: ${c.said}`
      : `${c.touched ? 'Without your hand: errors' : 'Errors'} up to ${number(100 * c.value.largest, 2)} % of the ranges until t = ${number(c.value.trusted_until, 4)} s${c.value.ended_by ? `, where ${c.value.ended_by} ends trust` : ''}.`;
  }
}
