// Curves under the scene: any variable over time or over another one, with the common time as a line.
import uPlot from 'uplot';

import {place, valueAt} from './data.js';
import {ledgerPanels, stacked} from './ledger.js';
import {el, number} from './look.js';

// Variables of a run by name: columns, sizes of reactions, coordinates of bodies, differences of two runs.
export class Variables {
  constructor(scene) {
    this.scene = scene;
    this.list = [];
    const add = (name, unit, values) => this.list.push({name, unit, values});
    scene.runs.slice(0, 1).forEach((run) => {
      for (const column of run.columns) if (!/^(joints|forces)\//.test(column.name)) add(column.name, column.unit, (r) => r.byName.get(column.name)?.values);
      for (const [path, name] of this.actions(run)) {
        add(`|${name}.force|`, 'N', (r) => this.norm(r, `${path}/force`));
        add(`|${name}.torque|`, 'N m', (r) => this.norm(r, `${path}/torque`));
        'xyz'.split('').forEach((c, k) => add(`${name}.f${c}`, 'N', (r) => r.byName.get(`${path}/force[${k}]`)?.values));
      }
      if (run.moves) this.addBodies(add);
      if (scene.runs.length > 1) for (const column of run.columns)
        if (!column.name.includes('/') && !column.name.endsWith('.error') && scene.runs[1].byName.has(column.name)) add(`difference of ${column.name}`, column.unit, (r) => (r === run ? this.difference(column.name) : undefined));
    });
    this.byName = new Map(this.list.map((variable) => [variable.name, variable]));
    this.cache = new Map();
  }

  add(name, unit, values) {
    const variable = {name, unit, values};
    this.list.push(variable);
    this.byName.set(name, variable);
  }

  // Joints and forces: their path in the result, and their name.
  actions(run) {
    const of = /^((?:joints|forces)\/(.+))\/force\[0\]$/;
    return run.columns.map((c) => of.exec(c.name)).filter(Boolean).map(([, path, name]) => [path, name]);
  }

  norm(run, prefix) {
    const [x, y, z] = [0, 1, 2].map((k) => run.byName.get(`${prefix}[${k}]`)?.values);
    return x && Float32Array.from(x, (v, k) => Math.hypot(v, y[k], z[k]));
  }

  addBodies(add) {
    const {model} = this.scene;
    model.bodies.slice(0, 200).forEach((body, b) => {
      if (b === 0) return;
      const center = body.center ?? [0, 0, 0];
      (model.dimension === 2 ? 'xy' : 'xyz').split('').forEach((c, k) => add(`${body.name} ${c}`, 'm', (r) => this.coordinate(r, b, center, k)));
    });
  }

  coordinate(run, body, point, k) {
    if (!run.moves) return undefined;
    const out = new Float32Array(run.rows), width = run.bodies * 7;
    for (let row = 0; row < run.rows; row++) out[row] = place(run.poses.subarray(row * width, (row + 1) * width), body, point)[k];
    return out;
  }

  difference(name) {
    const [a, b] = this.scene.runs, y = a.byName.get(name).values, z = b.byName.get(name).values;
    return Float32Array.from(y, (v, k) => (a.time[k] > b.time[b.rows - 1] ? NaN : v - valueAt(b, z, a.time[k])));
  }

  // Columns as they are now; what is computed from them is kept until the curves are drawn again.
  values(name, run) {
    const column = run.byName.get(name);
    if (column) return column.values;
    const key = `${name}\n${run.label}\n${this.scene.runs.indexOf(run)}`;
    if (!this.cache.has(key)) this.cache.set(key, this.byName.get(name)?.values(run));
    return this.cache.get(key);
  }

  unit(name) {
    return this.byName.get(name)?.unit ?? '';
  }
}

export const withUnit = (name, unit) => (unit ? `${name} [${unit}]` : name);

// A curve, dashed where its run is not trusted any more.
function strokesOf(s) {
  const {run, values} = s, end = run.trustedUntil;
  if (!(end < Infinity)) return [s];
  const last = run.time.findIndex((t) => t > end);
  return [{...s, values: Float64Array.from(values, (v, row) => (row <= last ? v : NaN))}, {...s, late: true, values: Float64Array.from(values, (v, row) => (row >= last ? v : NaN))}];
}

// What an axis shows of values in a range. One that is but rounding of 32-bit floats is a single value: there are no ticks for it.
function wholeRange(least, most, pad = 0.1) {
  if (least === null || least === undefined) return [0, 1];
  const size = Math.max(Math.abs(least), Math.abs(most)), middle = 0.5 * (least + most);
  if (size < 1e-30) return uPlot.rangeNum(0, 0, pad, true);
  return most - least > 1e-6 * size ? uPlot.rangeNum(least, most, pad, true) : uPlot.rangeNum(middle, middle, pad, true);
}

class Panel {
  constructor(plots, {y, x = 't', log = false, stack = false, title = ''}) {
    Object.assign(this, {plots, y, x, log, stack, title});
    this.node = el('section', {class: 'panel', 'aria-label': title || `Plot of ${y.join(', ')} over ${x}`});
    this.head = el('div', {class: 'panel-head'});
    this.body = el('div', {class: 'panel-body'});
    this.node.append(this.head, this.body);
    this.build();
  }

  // Areas are over time, of one run.
  isStacked() {
    return this.stack && this.x === 't' && !this.log;
  }

  series() {
    const {variables} = this.plots, runs = this.isStacked() ? this.plots.runs.slice(0, 1) : this.plots.runs, series = [];
    for (const name of this.y) runs.forEach((run, k) => {
      const values = variables.values(name, run);
      if (values) series.push({run, k, name, values, label: withUnit(name, variables.unit(name)) + (runs.length > 1 ? `, ${run.label}` : '')});
    });
    return this.isStacked() ? stacked(series) : series;
  }

  build() {
    const {plots} = this, theme = plots.theme;
    this.uplot?.destroy();
    this.uplot = this.line = null;
    this.drawHead();
    const shown = this.series(), series = shown.flatMap((s, curve) => strokesOf({...s, curve}));
    const data = this.data = this.dataOf(series);
    this.shown = shown;
    const options = {
      mode: this.x === 't' && series.every(({run}) => run === series[0].run) ? 1 : 2,
      width: Math.max(this.body.clientWidth || 300, 160), height: 190, pxAlign: 0, legend: {show: false}, padding: [8, 12, 0, 0],
      cursor: {drag: {x: true, y: this.x !== 't', setScale: true}, points: {show: false}},
      scales: {x: {time: false}, y: this.log ? {distr: 3} : {range: (u, least, most) => wholeRange(least, most)}},
      axes: [this.axis(theme, this.x === 't' ? 't [s]' : withUnit(this.x, plots.variables.unit(this.x))), this.axis(theme, null, 58)],
      hooks: {drawAxes: [(u) => this.drawBands(u)], draw: [() => this.mark()], ready: [(u) => u.over.addEventListener('click', (event) => this.jump(u, event))]},
    };
    const style = (s) => ({label: s.label, stroke: this.colourOf(s, shown), width: 1.5, dash: s.late ? [2, 4] : s.k ? [6, 4] : undefined, points: {show: false}});
    if (options.mode === 2) {
      options.series = [{}, ...series.map((s, k) => ({...style(s, k), facets: [{scale: 'x', auto: true}, {scale: 'y', auto: true}], paths: facetPath}))];
      const range = (axis) => () => {
        let least = Infinity, most = -Infinity;
        for (const d of this.data) for (const v of d[axis]) if (v !== null && Number.isFinite(v)) [least, most] = [Math.min(least, v), Math.max(most, v)];
        if (this.log && axis) return least <= most ? [least, most] : [0, 1];
        return wholeRange(least <= most ? least : null, most, 0.04);
      };
      options.scales.x = {time: false, range: range(0)};
      options.scales.y = {...options.scales.y, range: range(1)};
      this.uplot = new uPlot(options, [null, ...data], this.body);
    } else {
      options.series = [{}, ...series.map(style)];
      this.uplot = new uPlot(options, [Array.from(series[0]?.run.time ?? [0, 1]), ...data.map((d) => d[1])], this.body);
    }
    this.mark();
  }

  // Of each stroke the abscissas and the ordinates, null where there is none.
  dataOf(series) {
    return series.map(({run, values}) => {
      const x = this.x === 't' ? run.time : this.plots.variables.values(this.x, run);
      return [Array.from(x ?? []), Array.from(values, (v) => (Number.isFinite(v) && (!this.log || v > 0) ? v : null))];
    });
  }

  // The same curves of a run that has grown or begun anew.
  refresh() {
    const shown = this.series();
    if (!this.uplot || !shown.length || shown.length + 1 !== this.uplot.series.length || shown.some(({run}) => run.trustedUntil < Infinity)) {
      this.build();
      return;
    }
    this.shown = shown;
    const data = this.data = this.dataOf(shown);
    this.uplot.setData(this.uplot.mode === 2 ? [null, ...data] : [Array.from(shown[0].run.time), ...data.map((d) => d[1])]);
    this.update();
  }

  colourOf({curve}, shown) {
    const {curves} = this.plots.theme;
    return curves[(shown.length > this.y.length ? Math.floor(curve / this.plots.runs.length) : curve) % curves.length];
  }

  // Areas of a stack; values and what the certificate thinks that they are wrong by, up and down.
  drawBands(u) {
    const {shown} = this;
    if (this.x !== 't' || this.log) return;
    const c = u.ctx;
    shown.forEach(({run, values, areas, name}, curve) => {
      const errors = run.byName.get(`${name}.error`)?.values;
      const by = (sign) => Array.from(values, (v, row) => v + sign * errors[row]);
      for (const [from, to] of areas ?? (errors ? [[by(-1), by(1)]] : [])) {
        const edge = (side) => Array.from(side, (v, row) => [u.valToPos(run.time[row], 'x', true), u.valToPos(v, 'y', true)]).filter((p) => p.every(Number.isFinite));
        c.save();
        c.beginPath();
        c.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
        c.clip();
        c.beginPath();
        for (const [x, y] of [...edge(to), ...edge(from).reverse()]) c.lineTo(x, y);
        c.fillStyle = this.colourOf({curve}, shown);
        c.globalAlpha = areas ? 0.5 : 0.22;
        c.fill();
        c.restore();
      }
    });
  }

  axis(theme, label, size) {
    return {stroke: theme.text, grid: {stroke: theme.grid, width: 1}, ticks: {stroke: theme.grid}, label: label ?? undefined, labelSize: 18, labelFont: '12px system-ui, sans-serif',
            font: '11px system-ui, sans-serif', ...(size ? {size} : {size: 30}), values: (u, ticks) => ticks.map((v) => (v === null ? '' : number(v, 6)))};
  }

  drawHead() {
    const {plots} = this, theme = plots.theme;
    this.head.replaceChildren(...(this.title ? [el('strong', {}, this.title)] : []), ...this.y.map((name, k) => {
      const key = el('span', {class: 'key'});
      key.style.background = theme.curves[k % theme.curves.length];
      this.now ??= [];
      const now = el('output', {class: 'now'});
      this.now[k] = now;
      return el('span', {class: 'chip'}, key, withUnit(name, plots.variables.unit(name)), ' ', now,
                el('button', {type: 'button', class: 'link', 'aria-label': `Remove the curve of ${name}`, onclick: () => this.remove(name)}, '×'));
    }), el('span', {class: 'grow'}), this.chooser('+', (name) => {
      if (!this.y.includes(name)) this.y.push(name);
    }), this.chooser('over ' + this.x, (name) => { this.x = name; }, ['t']),
    el('button', {type: 'button', class: 'link', 'aria-pressed': String(this.log), onclick: () => { this.log = !this.log; this.build(); }}, 'log'),
    el('button', {type: 'button', class: 'link', onclick: () => this.save()}, 'SVG'));
    this.update();
  }

  chooser(text, take, more = []) {
    const title = text === '+' ? 'Add a curve' : 'Variable of the horizontal axis';
    const select = el('select', {title, 'aria-label': title, class: text === '+' ? 'add' : ''}, el('option', {value: ''}, text),
                      ...[...more, ...this.plots.variables.list.map((v) => v.name)].map((name) => el('option', {value: name}, name)));
    select.addEventListener('change', () => {
      take(select.value);
      this.build();
    });
    return select;
  }

  remove(name) {
    this.y = this.y.filter((other) => other !== name);
    if (this.y.length) this.build();
    else this.plots.drop(this);
  }

  // The time and the values now, as elements over the plot: curves need not be drawn again.
  mark() {
    const {player, variables} = this.plots, u = this.uplot;
    if (!u || !this.shown || !this.shown.every(({run}) => run.rows > 0)) return;
    if (!this.line?.isConnected) {
      this.line = el('div', {class: 'cursor-line'});
      this.dots = this.shown.map(() => el('div', {class: 'cursor-dot'}));
      u.over.append(this.line, ...this.dots);
    }
    const ratio = window.devicePixelRatio || 1, width = u.bbox.width / ratio, height = u.bbox.height / ratio; // asks no layout
    const at = (node, x, y) => {
      const inside = x >= -1 && x <= width + 1 && y >= -1 && y <= height + 1;
      node.style.display = inside ? '' : 'none';
      node.style.transform = `translate(${x}px, ${y}px)`;
    };
    at(this.line, this.x === 't' ? u.valToPos(player.t, 'x') : -9, 0);
    this.shown.forEach(({run, values}, k) => {
      const xs = this.x === 't' ? null : variables.values(this.x, run);
      at(this.dots[k], u.valToPos(xs ? valueAt(run, xs, player.t) : player.t, 'x'), u.valToPos(valueAt(run, values, player.t), 'y'));
    });
  }

  // Time under the pointer; of an x-y plot the row whose point is nearest.
  jump(u, event) {
    const {player} = this.plots, box = u.over.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    if (this.x === 't') {
      player.pause();
      player.go(u.posToVal(x, 'x'));
      return;
    }
    const {run, values} = this.shown[0], xs = this.plots.variables.values(this.x, run);
    let best = 0, least = Infinity;
    for (let row = 0; row < run.rows; row++) {
      const d = Math.hypot(u.valToPos(xs[row], 'x') - x, u.valToPos(values[row], 'y') - y);
      if (d < least) [best, least] = [row, d];
    }
    player.pause();
    player.go(run.time[best]);
  }

  update() {
    this.y.forEach((name, k) => {
      const values = this.plots.variables.values(name, this.plots.runs[0]);
      if (values && this.now[k]) this.now[k].textContent = `= ${number(valueAt(this.plots.runs[0], values, this.plots.player.t), 5)}`;
    });
    this.mark();
  }

  save() {
    this.plots.onSave?.(this);
  }
}

function facetPath(u, index) {
  const [xs, ys] = u.data[index], path = new Path2D();
  let pen = false;
  for (let k = 0; k < xs.length; k++) {
    if (ys[k] === null || !Number.isFinite(xs[k])) {
      pen = false;
      continue;
    }
    const x = u.valToPos(xs[k], 'x', true), y = u.valToPos(ys[k], 'y', true);
    if (pen) path.lineTo(x, y);
    else path.moveTo(x, y);
    pen = true;
  }
  u.ctx.save();
  const series = u.series[index];
  u.ctx.strokeStyle = series.stroke();
  u.ctx.lineWidth = 1.5 * (window.devicePixelRatio || 1);
  u.ctx.setLineDash(series.dash ?? []);
  u.ctx.beginPath();
  u.ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
  u.ctx.clip();
  u.ctx.stroke(path);
  u.ctx.restore();
  return null;
}

export class Plots {
  constructor(holder, scene, player, theme) {
    Object.assign(this, {scene, player, theme});
    this.runs = scene.runs;
    this.variables = new Variables(scene);
    this.panels = [];
    this.grid = el('div', {class: 'plots'});
    this.search = el('input', {list: 'variables', placeholder: 'variable …', 'aria-label': 'Variable of a new plot'});
    const add = () => {
      if (this.variables.byName.has(this.search.value)) this.add({y: [this.search.value]});
      this.search.value = '';
    };
    this.search.addEventListener('change', add);
    holder.append(el('div', {class: 'plots-head'}, el('h2', {}, 'Curves'), this.search,
                     el('datalist', {id: 'variables'}, ...this.variables.list.map((v) => el('option', {value: v.name}))),
                     el('button', {type: 'button', onclick: add}, 'Add plot')), this.grid);
    for (const panel of this.usual()) this.add(panel);
    player.onChange(() => this.panels.forEach((panel) => panel.update()), {lazy: true});
  }

  // What the page was told to show, or the outputs, a pair of x and y over each other, and the drift of the energy.
  usual() {
    const names = this.scene.runs[0].columns.map((c) => c.name), outputs = names.filter((name) => !name.includes('/') && !(name.endsWith('.error') && names.includes(name.slice(0, -6))));
    const panels = outputs.slice(0, 4).map((name) => ({y: [name]}));
    const xy = outputs.map((name) => [name, name.replace(/x/, 'y')]).find(([x, y]) => x !== y && outputs.includes(y) && this.isPath(x, y));
    if (xy) panels.splice(Math.min(panels.length, 2), 0, {x: xy[0], y: [xy[1]]});
    if (names.includes('energy/drift')) panels.push({y: ['energy/drift']});
    if (names.includes('violation/position')) panels.push({y: ['violation/position'], log: true});
    const chosen = (this.scene.plots ?? []).filter((p) => p.y.every((name) => this.variables.byName.has(name)));
    return [...(chosen.length ? chosen : panels.slice(0, 6)), ...ledgerPanels(this.scene.runs[0], this.variables)];
  }

  // Two lengths, neither of which is but rounding beside the other.
  isPath(x, y) {
    const columns = [x, y].map((name) => this.scene.runs[0].byName.get(name)), spans = columns.map(({values}) => {
      let least = Infinity, most = -Infinity;
      for (const v of values) [least, most] = [Math.min(least, v), Math.max(most, v)];
      return most - least;
    });
    return columns.every(({unit}) => unit === 'm') && Math.min(...spans) >= 1e-12 * Math.max(...spans);
  }

  add(definition) {
    const panel = new Panel(this, definition);
    this.panels.push(panel);
    this.grid.append(panel.node);
    panel.build();
    return panel;
  }

  drop(panel) {
    panel.uplot.destroy();
    panel.node.remove();
    this.panels = this.panels.filter((other) => other !== panel);
  }

  setScene(scene) {
    this.scene = this.variables.scene = scene;
    this.runs = scene.runs;
    this.refresh();
  }

  // Of a run that grows: where it has changed since it was shown last.
  refresh() {
    const [run] = this.runs;
    if (this.last?.run === run && this.last.changes === run.changes) return;
    this.last = {run, changes: run.changes};
    this.variables.cache.clear();
    this.panels.forEach((panel) => panel.refresh());
  }

  setTheme(theme) {
    this.theme = theme;
    this.panels.forEach((panel) => panel.build());
  }

  resize() {
    for (const panel of this.panels) panel.uplot.setSize({width: Math.max(panel.body.clientWidth, 160), height: 190});
  }
}
