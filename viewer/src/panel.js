// Beside the scene: what happened in the run, the bodies, and the values of what was picked.
import {place, posesAt, valueAt} from './data.js';
import {bodyColour, el, number} from './look.js';

const row = (name, value) => el('tr', {}, el('th', {scope: 'row'}, name), el('td', {}, value));

function verdictOf(run) {
  const status = run.report.status ?? run.verdict ?? 'unknown', warned = (run.report.warnings ?? []).length > 0;
  if (status === 'completed' && run.trustedUntil < Infinity) return {text: `trusted until t = ${number(run.trustedUntil, 4)} s`, kind: 'warned'};
  if (status === 'completed' && run.report.trusted === false) return {text: 'not to be trusted', kind: 'warned'};
  return {text: status, kind: status === 'running' ? 'good' : status === 'completed' ? (warned ? 'warned' : 'good') : status === 'unknown' ? 'warned' : 'bad'};
}

export function badge(run, paused) {
  const {text, kind} = run.mode ? {text: run.verdict, kind: 'mode'} : verdictOf(run);
  return el('span', {class: `badge ${kind}`}, paused && text === 'running' ? paused : kind === 'warned' && text === 'completed' ? 'completed, with warnings' : text);
}

function methodOf(report) {
  const m = report.method ?? {};
  return [m.preset, [m.coordinates, m.formulation, m.integrator, m.solver].filter(Boolean).join(' / ')].filter(Boolean).join(': ');
}

// Methods with a tolerance choose their steps: then there is no step, but the mean of them.
function stepOf(report) {
  const {method, time} = report;
  if (method.tolerance === undefined) return row('step', `${number(method.step)} s`);
  const mean = time?.steps > 0 ? `; steps of ${number((time.end - time.start) / time.steps, 3)} s on average` : '';
  return row('tolerance', `${number(method.tolerance)}${mean}`);
}

// What the certificate says: {name, value} of rows.
function certificateOf(run) {
  const c = run.report.certificate;
  if (!c) return [];
  const percent = `${number(100 * c.accuracy, 3)} %`, rows = [];
  const ended = c.ended_by ? ` (${c.ended_by}${c.ended_by === c.undefined ? ' has no finite value then' : ''})` : '';
  rows.push(row('trust', run.trustedUntil < Infinity ? `to ${percent} of the ranges until t = ${number(run.trustedUntil, 5)} s${ended}`
    : run.report.trusted === false ? 'none: see the warnings' : `to ${percent} of the ranges, to the end`));
  if (Number.isFinite(c.largest)) rows.push(row('errors', `${c.largest < 1e-12 ? 'below 1e-10' : `up to ${number(100 * c.largest, 2)}`} % of the range${c.largest_output ? `: ${c.largest_output} at t = ${number(c.largest_time, 4)} s` : ''}`));
  if (Number.isFinite(c.tenfold_s)) rows.push(row('growth', `tenfold in ${number(c.tenfold_s, 3)} s`));
  if (c.companion) rows.push(row('second run', `${c.companion}${c.steps ? `; ${c.steps} steps, compared at ${c.samples} times` : ''}`));
  return rows;
}

function eventList(title, events) {
  if (!events?.length) return null;
  const some = events.slice(0, 12).map((event) => el('li', {}, `t = ${number(event.t, 6)} s${event.rank >= 0 ? `, rank ${event.rank}` : ''}${event.joints?.length ? `: ${[].concat(event.joints).join(', ')}` : ''}`));
  if (events.length > 12) some.push(el('li', {}, `and ${events.length - 12} more`));
  return el('details', {}, el('summary', {}, `${title}: ${events.length}`), el('ul', {}, ...some));
}

export function summaryOf(run) {
  const r = run.report, e = r.energy ?? {}, v = r.violation ?? {}, rank = r.rank ?? {}, time = r.time ?? {};
  const rows = [];
  if (r.method) rows.push(row('method', methodOf(r)), stepOf(r));
  if (time.end !== undefined) rows.push(row('time', `${number(time.start)} to ${number(time.end)} s, ${time.steps} steps, ${time.iterations} iterations`));
  if (e.initial !== undefined) rows.push(row('energy', `${number(e.initial)} J, drift up to ${number(e.max_drift, 3)} J, at the end ${number(e.final_drift, 3)} J`));
  if (v.position !== undefined) rows.push(row('violations', `position ${number(v.position, 2)}, velocity ${number(v.velocity, 2)}, acceleration ${number(v.acceleration, 2)}`));
  if (rank.coordinates !== undefined) rows.push(row('rank', `${rank.coordinates} coordinates, ${rank.constraints} constraints, rank ${rank.rank}: ${rank.dof} ${rank.dof === 1 ? 'degree' : 'degrees'} of freedom, ${rank.redundant} redundant`));
  rows.push(...certificateOf(run));
  if (run.thinned) rows.push(row('rows', `${run.rows} of ${run.of}: thinned for this page; those at events and peaks of outputs are kept`));
  const warnings = (r.warnings ?? []).map((text) => el('li', {}, String(text)));
  return el('div', {class: 'summary'}, el('h3', {}, run.label, ' ', badge(run)), r.failure ? el('p', {class: 'failure'}, r.failure) : null,
            warnings.length ? el('ul', {class: 'warnings'}, ...warnings) : null, rows.length ? el('table', {}, el('tbody', {}, ...rows)) : el('p', {}, run.mode ? 'One period of a mode, with an amplitude that can be seen.' : 'This file says nothing of its run.'),
            eventList('singular passages', r.singular_passes), eventList('changes of branch', r.branch_changes),
            run.command ? el('pre', {class: 'command', 'aria-label': 'Command of the run'}, run.command) : null);
}

export class SidePanel {
  constructor(holder, scene, player, stage, live = null) {
    Object.assign(this, {scene, player, stage});
    const notes = scene.notes ? el('p', {class: 'notes'}, scene.notes) : null;
    this.summary = el('div', {}, notes, ...scene.runs.map(summaryOf));
    this.tabs = [['Summary', this.summary]];
    if (stage) this.tabs.push(['Bodies', this.bodies()], ['Values', this.values()]);
    if (live) this.tabs.push(['Live', live]);
    this.buttons = this.tabs.map(([name], k) => el('button', {type: 'button', role: 'tab', id: `tab${k}`, 'aria-controls': `pane${k}`, onclick: () => this.open(k)}, name));
    this.panes = this.tabs.map(([, node], k) => el('div', {role: 'tabpanel', id: `pane${k}`, 'aria-labelledby': `tab${k}`, tabindex: 0}, node));
    const list = el('div', {role: 'tablist', 'aria-label': 'About the run'}, ...this.buttons);
    list.addEventListener('keydown', (event) => {
      const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
      if (!step) return;
      event.stopPropagation();
      this.open((this.at + step + this.tabs.length) % this.tabs.length);
      this.buttons[this.at].focus();
    });
    holder.append(list, ...this.panes);
    this.open(live ? this.tabs.length - 1 : 0);
    player.onChange(() => this.update(), {lazy: true});
  }

  open(k) {
    this.at = k;
    this.buttons.forEach((b, i) => {
      b.setAttribute('aria-selected', String(i === k));
      b.tabIndex = i === k ? 0 : -1;
    });
    this.panes.forEach((pane, i) => { pane.hidden = i !== k; });
    this.update();
  }

  // The run has grown, or is another one.
  setScene(scene) {
    this.scene = scene;
    const open = [...this.summary.querySelectorAll('details')].map((node) => node.open);
    this.summary.replaceChildren(...scene.runs.map(summaryOf));
    this.summary.querySelectorAll('details').forEach((node, k) => { node.open = open[k] ?? false; });
    this.update();
  }

  bodies() {
    const rows = this.scene.model.bodies.slice(0, 400).map((body, b) => {
      const key = el('span', {class: 'key'});
      key.style.background = bodyColour(b);
      const box = (label, on, change) => {
        const input = el('input', {type: 'checkbox', 'aria-label': `${label} ${body.name}`, onchange: () => change(input.checked)});
        input.checked = on;
        return input;
      };
      const name = el('button', {type: 'button', class: 'link', onclick: () => this.pick({body: b, joint: -1, name: body.name})}, body.name);
      return el('tr', {}, el('th', {scope: 'row'}, key, name), el('td', {}, box('Show', true, (on) => this.stage.setHidden(b, !on))),
                el('td', {}, b ? box('Trace', false, (on) => this.stage.setTrace(b, body.center ?? [0, 0, 0], on)) : ''),
                el('td', {}, b ? box('Follow', false, (on) => this.stage.follow(on ? b : 0, true)) : ''));
    });
    const more = this.scene.model.bodies.length - rows.length;
    return el('div', {}, el('table', {class: 'bodies'}, el('thead', {}, el('tr', {}, ...['body', 'show', 'trace', 'follow'].map((t) => el('th', {scope: 'col'}, t)))), el('tbody', {}, ...rows)),
              more > 0 ? el('p', {}, `and ${more} more`) : null);
  }

  values() {
    this.table = el('tbody');
    this.pickedName = el('h3', {}, 'Nothing picked');
    return el('div', {}, this.pickedName, el('p', {class: 'hint'}, 'Click a body or a joint, or its name under Bodies.'), el('table', {class: 'values', 'aria-label': 'Values now'}, this.table));
  }

  pick(mark) {
    this.picked = mark;
    this.stage.setPicked(mark);
    if (mark) this.open(2);
    this.update();
  }

  rowsOfBody(b) {
    const run = this.scene.runs[0], poses = posesAt(run, this.player.t, new Float32Array(run.bodies * 7)), at = 7 * b;
    const center = this.scene.model.bodies[b].center ?? [0, 0, 0], [x, y, z] = place(poses, b, center);
    const rows = [row('centre of mass', `${number(x)}, ${number(y)}, ${number(z)} m`), row('origin', `${number(poses[at])}, ${number(poses[at + 1])}, ${number(poses[at + 2])} m`)];
    const [qx, qy, qz, qw] = [3, 4, 5, 6].map((k) => poses[at + k]);
    if (this.scene.model.dimension === 2) rows.push(row('angle', `${number((2 * Math.atan2(qz, qw) * 180) / Math.PI)}°`));
    else rows.push(row('quaternion', [qw, qx, qy, qz].map((q) => number(q, 4)).join(', ')));
    return rows;
  }

  rowsOfJoint(name) {
    const run = this.scene.runs[0];
    return ['force', 'torque'].flatMap((what) => {
      const v = [0, 1, 2].map((k) => run.byName.get(`joints/${name}/${what}[${k}]`)).map((c) => c && valueAt(run, c.values, this.player.t));
      if (v[0] === undefined) return [];
      const unit = what === 'force' ? 'N' : 'N m';
      return [row(what, `${v.map((x) => number(x, 4)).join(', ')} ${unit}`), row(`|${what}|`, `${number(Math.hypot(...v))} ${unit}`)];
    });
  }

  update() {
    if (!this.stage || this.at !== 2) return;
    const run = this.scene.runs[0], outputs = run.columns.filter((c) => !c.name.includes('/') && !c.name.endsWith('.error')).slice(0, 30);
    const rows = [row('t', `${number(this.player.t, 7)} s`)];
    if (this.picked) {
      this.pickedName.textContent = this.picked.joint >= 0 && this.picked.role !== 'body' ? `joint ${this.picked.name}` : `body ${this.scene.model.bodies[this.picked.body].name}`;
      if (this.picked.joint >= 0) rows.push(...this.rowsOfJoint(this.scene.model.joints[this.picked.joint].name));
      rows.push(...this.rowsOfBody(this.picked.body));
    } else this.pickedName.textContent = 'Nothing picked';
    for (const column of outputs) {
      const error = run.byName.get(`${column.name}.error`), now = (c) => number(valueAt(run, c.values, this.player.t), c === error ? 2 : 5);
      rows.push(row(column.name, `${now(column)}${error ? ` ± ${now(error)}` : ''} ${column.unit}`));
    }
    this.table.replaceChildren(...rows);
  }
}
