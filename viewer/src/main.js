// The page: a mechanism that moves, its curves, and what happened in its run.
import {arrowsOf, legendOf, scalesOf} from './arrows.js';
import {place, readScene} from './data.js';
import * as exports from './exports.js';
import {FlatStage} from './flatstage.js';
import {Live, LivePanel} from './live.js';
import {el, number, THEMES} from './look.js';
import {badge, SidePanel} from './panel.js';
import {Player} from './player.js';
import {Playground} from './playground.js';
import {Plots} from './plots.js';
import {Stage} from './stage.js';
import {hasSolver} from './solver.js';
import {TimeBar} from './timebar.js';

const KEYS = [['Space', 'play or pause'], ['← →', 'one row back, on (with Shift: ten)'], ['Home End', 'to the start, to the end'], ['+ −', 'faster, slower'], ['F', 'fit'],
              ['1 3 7', 'from the front, from the right, from above'], ['0', 'from an angle'], ['O', 'orthographic or perspective'], ['N', 'names of bodies and joints'], ['T', 'traces of all bodies'],
              ['R', 'frames of bodies'], ['C', 'centres of mass'], ['A L W', 'arrows of reactions, of forces, of weights'], ['G', 'the second run as a ghost'], ['V', 'keep this view at this time'], ['E', 'to the next singular configuration'], ['D', 'dark or light'],
              ['?', 'this help']];

// Where a name may be, the nearest places first: right below its point, then above, to the left, and farther away.
function offsetsOf(width, height) {
  const offsets = [[0, 0]];
  for (let ring = 1; ring <= 6; ring++)
    for (const x of [0, -width - 8]) offsets.push([x, -ring * height - 2], [x, (ring - 1) * height + (x ? 0 : height)]);
  return offsets;
}

class App {
  // `holder`: where in the page; `live`: a model that runs in it.
  constructor(scene, {holder = document.getElementById('app'), live = null} = {}) {
    Object.assign(this, {scene, holder});
    if (live) this.live = live;
    this.player = new Player(scene.runs.filter((run) => run.rows > 0));
    this.themeName = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
    this.layout();
    if (scene.runs[0].moves) this.makeStage();
    if (this.player.runs.length) {
      this.timebar = new TimeBar(this.parts.time, this.player, scene.runs[0]);
      this.plots = new Plots(this.parts.plots, scene, this.player, THEMES[this.themeName]);
      this.plots.onSave = (panel) => exports.save(exports.plotSvg(panel), `${scene.name}-plot.svg`);
    }
    this.makePanel();
    this.setTheme(this.themeName);
    this.listen();
    this.restore();
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches || location.hash.includes('paused');
    if (this.stage && !still && !live && !location.hash.includes('t=')) this.player.play();
    document.documentElement.dataset.ready = 'true';
  }

  layout() {
    const {scene} = this, parts = this.parts = {};
    parts.scene = el('div', {class: 'scene', id: 'scene-holder'});
    parts.tools = el('div', {class: 'tools', role: 'toolbar', 'aria-label': 'View'});
    parts.time = el('section', {class: 'time', 'aria-label': 'Time'});
    parts.plots = el('section', {class: 'plots-holder', 'aria-label': 'Curves'});
    parts.side = el('aside', {class: 'side', 'aria-label': 'About the run'});
    parts.status = el('div', {class: 'status', role: 'status'});
    parts.legend = el('div', {class: 'arrow-legend'});
    parts.labels = el('div', {class: 'labels', 'aria-hidden': 'true'});
    const moves = scene.runs[0].moves;
    const header = el('header', {}, el('h1', {}, scene.title), parts.badge = badge(scene.runs[0]), el('span', {class: 'grow'}), this.exportMenu(moves),
                      el('button', {type: 'button', title: 'Dark or light (D)', onclick: () => this.toggleTheme()}, 'theme'),
                      el('button', {type: 'button', title: 'Keys (?)', onclick: () => this.help()}, 'keys'));
    const main = el('main', {class: moves ? '' : 'still'}, el('div', {class: 'stage'}, moves ? parts.scene : null, moves ? parts.tools : null, moves ? parts.time : null), parts.side, parts.plots);
    if (!moves && scene.why) parts.side.append(el('p', {class: 'hint'}, scene.why));
    this.holder.replaceChildren(header, main, el('footer', {}, `Sarrus ${scene.version}`, parts.status));
    parts.grid = el('div', {class: 'grid-legend'});
    parts.scene.append(parts.labels, parts.legend, parts.grid);
  }

  makeStage() {
    const {scene, parts} = this;
    try {
      if (location.hash.includes('flat')) throw new Error('asked for');
      this.stage = new Stage(parts.scene, scene);
    } catch {
      this.stage = new FlatStage(parts.scene, scene);
      this.say('No WebGL here: a flat picture in its place.');
    }
    const what = `Picture of ${scene.model.name}, ${scene.model.bodies.length - 1} bodies. The tab Values says where they are.`;
    this.stage.canvas.setAttribute('role', 'img');
    this.stage.canvas.setAttribute('aria-label', what);
    this.stage.onGrid = (step) => { parts.grid.textContent = `grid ${number(step)} m`; };
    if (scene.views?.length) this.stage.setViews?.(scene.views);
    this.stage.onRender = () => this.placeLabels();
    this.player.onChange((player) => this.stage.show(player.t));
    if (this.stage.software) this.player.patience = 100; // texts cost a processor as much as the scene
    const tool = (text, title, act) => el('button', {type: 'button', title, onclick: act}, text);
    this.switches = {};
    const toggle = (name, text, title, act) => {
      const node = el('button', {type: 'button', title, 'aria-pressed': 'false', onclick: () => this.flip(name)}, text);
      this.switches[name] = {node, act, on: false};
      return node;
    };
    parts.tools.append(tool('fit', 'All in sight (F)', () => this.stage.fit()), tool('front', 'From the front (1)', () => this.stage.look('front')),
                       tool('right', 'From the right (3)', () => this.stage.look('right')), tool('top', 'From above (7)', () => this.stage.look('top')),
                       tool('angle', 'From an angle (0)', () => this.stage.look('iso')),
                       toggle('names', 'names', 'Names of bodies and joints (N)', (on) => this.setLabels(on)), toggle('traces', 'traces', 'Traces of all bodies (T)', (on) => this.setTraces(on)),
                       toggle('frames', 'frames', 'Frames of bodies (R)', (on) => this.stage.setFrames(on)), toggle('centers', 'centres', 'Centres of mass (C)', (on) => this.stage.setCenters(on)));
    if (this.stage.extent) {
      const follow = toggle('follow', 'follow', 'The eye goes along with the mechanism', (on) => this.stage.follow(on ? this.stage.heaviest : 0, true));
      this.stage.onFollow = (body) => {
        this.switches.follow.on = Boolean(body);
        follow.setAttribute('aria-pressed', String(Boolean(body)));
      };
      this.stage.onFollow(this.stage.followed);
      parts.tools.append(follow, tool('keep view', 'Keep this view at this time (V)', () => this.keepView()));
    }
    this.arrows = arrowsOf(scene);
    for (const [kind, title] of [['reactions', 'Arrows of reactions (A)'], ['forces', 'Arrows of the forces of the model (L)'], ['weights', 'Arrows of weights (W)']])
      if (this.arrows[kind].length) parts.tools.append(toggle(kind, kind, title, () => this.showArrows()));
    if (scene.runs[0].mode) parts.tools.append(this.amplitude());
    if (scene.runs.length > 1 && scene.runs[1].moves) {
      parts.tools.append(toggle('ghost', 'ghost', 'The second run as a ghost (G)', (on) => this.stage.setGhost(on)));
      this.flip('ghost');
    }
  }

  // Of a mode: how far bodies are from the middle of their motion, which is that of opposite phases.
  amplitude() {
    const run = this.scene.runs[0], whole = Float32Array.from(run.poses), width = 7 * run.bodies;
    const middle = (k) => (whole[k] + whole[((run.rows - 1) / 2) * width + k]) / 2;
    const scale = (by) => {
      for (let at = 0; at < whole.length; at++) {
        const rest = middle(at % width);
        run.poses[at] = rest + by * (whole[at] - rest);
      }
      this.stage.show(this.player.t);
    };
    const slider = el('input', {type: 'range', min: '0', max: '3', step: '0.05', value: '1', 'aria-label': 'Amplitude', oninput: (event) => scale(Number(event.target.value))});
    return el('label', {class: 'amplitude', title: 'Amplitude of the mode'}, 'amplitude ', slider);
  }

  // Views at times: the eye moves between them as the motion plays, and they stay in a page that is saved.
  keepView() {
    const views = [...(this.stage.views ?? []), {t: this.player.t, view: this.stage.state()}];
    this.stage.setViews(views);
    this.say(`${views.length} ${views.length === 1 ? 'view is' : 'views are'} kept: 'page with views' of the exports saves them.`);
  }

  makePanel() {
    this.parts.side.replaceChildren();
    const pane = this.live ? el('div', {class: 'live'}) : null;
    this.panel = new SidePanel(this.parts.side, this.scene, this.player, this.stage, pane);
    if (!pane) return;
    this.livePanel = new LivePanel(pane, this.live);
    if (this.live.controls) this.livePanel.build(this.live.controls);
  }

  /* ---- a model that runs here ---- */

  goLive(model) {
    this.live = new Live(model, {onScene: (scene, first) => this.showLive(scene, first), onFrames: (live, all) => this.grow(all), onState: () => this.liveState(), say: (text) => this.say(text)});
    this.makePanel();
    this.live.open().catch((error) => {
      this.live.failure = `No solver here, so this is the recorded run: ${error.message}.`;
      this.live.setState('failed');
    });
  }

  // Another motion from its start. Where nothing but lengths has changed, the eye and the curves stay.
  showLive(scene, first) {
    const same = (a, b, of) => a.length === b.length && a.every((x, k) => of(x) === of(b[k]));
    const before = this.scene, alike = !first && before.columns && same(before.columns, scene.columns, (c) => c.name) && same(before.model.bodies, scene.model.bodies, (b) => b.name);
    this.scene = {...this.scene, ...scene, title: this.scene.title, name: this.scene.name ?? scene.name};
    this.player.pause();
    this.player.live = this.live;
    this.player.setRuns(scene.runs);
    this.stage.setScene(this.scene);
    this.timebar.setRun(scene.runs[0], THEMES[this.themeName]);
    if (alike) this.plots.setScene(this.scene);
    else {
      this.parts.plots.replaceChildren();
      this.plots = new Plots(this.parts.plots, this.scene, this.player, THEMES[this.themeName]);
      this.plots.onSave = (panel) => exports.save(exports.plotSvg(panel), `${this.scene.name}-plot.svg`);
      this.arrows = arrowsOf(this.scene);
      this.makePanel();
    }
    if (first) this.stage.look(this.scene.model.dimension === 2 ? 'front' : 'iso');
    if (!this.livePanel.sliders.childElementCount) this.livePanel.build(scene);
    this.panel.setScene(this.scene);
    this.showArrows();
    this.player.go(this.player.start);
  }

  // Frames have come: the last one is shown now, curves and lists a few times a second.
  grow(all = false) {
    const run = this.live.run0, now = performance.now();
    this.player.setRuns([run]);
    this.frames = (this.frames ?? 0) + 1;
    if (!all) this.player.go(this.player.end);
    if (!all && this.live.state === 'running' && now - (this.grown ?? 0) < (this.stage.software ? 500 : 200)) return;
    this.grown = now;
    this.plots.refresh();
    this.timebar.setRun(run, THEMES[this.themeName]);
    this.panel.setScene(this.scene);
    this.livePanel.update();
    const before = this.parts.badge;
    this.parts.badge = badge(run, this.live.state === 'paused' ? 'paused' : undefined);
    before.replaceWith(this.parts.badge);
  }

  liveState() {
    this.livePanel?.update();
    this.timebar?.update();
    if (this.live.state !== 'running' && this.live.run0) this.grow(true);
    this.onLiveState?.(this.live);
  }

  // A body is taken by the pointer: a spring pulls it while it runs, its position changes while it is paused.
  listenForHand(canvas) {
    let held = null;
    const at = (event) => {
      const box = canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    canvas.addEventListener('pointerdown', (event) => {
      if (!this.live?.run0 || !this.stage.hit || event.button !== 0 || !['running', 'paused'].includes(this.live.state)) return;
      const hit = this.stage.hit(...at(event));
      if (!hit || hit.mark.body <= 0) return;
      held = {place: hit.place, body: hit.mark.body};
      event.stopImmediatePropagation();
      canvas.setPointerCapture(event.pointerId);
      this.live.grab(held.body, unplace(this.stage.poses[0], held.body, held.place));
    }, {capture: true});
    canvas.addEventListener('pointermove', (event) => {
      if (!held) return;
      const place = this.stage.placeAt(...at(event), held.place);
      if (place) this.live.pull(place);
    });
    for (const end of ['pointerup', 'pointercancel']) canvas.addEventListener(end, () => {
      if (held) this.live.release();
      held = null;
    });
  }

  close() {
    this.live?.close();
    this.stage?.renderer?.dispose();
    this.closed = true;
  }

  flip(name) {
    const item = this.switches?.[name];
    if (!item) return;
    item.on = !item.on;
    item.node.setAttribute('aria-pressed', String(item.on));
    item.act(item.on);
  }

  setTraces(on) {
    this.scene.model.bodies.slice(0, 60).forEach((body, b) => { if (b) this.stage.setTrace(b, body.center ?? [0, 0, 0], on); });
  }

  showArrows() {
    const shown = Object.keys(this.arrows).filter((kind) => this.switches[kind]?.on).flatMap((kind) => this.arrows[kind]);
    const scales = scalesOf(shown), {legend} = this.parts;
    this.stage.setArrows(shown, scales);
    legend.replaceChildren(...legendOf(shown, scales, this.scene.model).map(({colour, text}) => {
      const key = el('span', {class: 'key'});
      if (colour) key.style.background = colour;
      return el('div', {}, colour ? key : null, text);
    }));
  }

  setLabels(on) {
    const {labels} = this.parts;
    labels.replaceChildren();
    this.labels = [];
    if (!on) return;
    this.scene.model.bodies.slice(1, 80).forEach((body, k) => this.labels.push({node: el('span', {class: 'of-body'}, body.name), body: k + 1, point: body.center ?? [0, 0, 0]}));
    this.scene.model.joints.slice(0, 80).forEach((joint) => {
      if (joint.body !== undefined) this.labels.push({node: el('span', {}, joint.name), body: joint.body, point: joint.point});
    });
    labels.append(...this.labels.map((label) => label.node));
    for (const label of this.labels) [label.width, label.height] = [label.node.offsetWidth + 4, label.node.offsetHeight + 1];
    this.placeLabels();
  }

  placeLabels() {
    const taken = [];
    for (const label of this.labels ?? []) {
      const [x, y] = this.stage.onScreen(place(this.stage.poses[0], label.body, label.point)), {width, height} = label;
      const meets = ([dx, dy]) => taken.some((t) => x + dx < t.right && x + dx + width > t.left && y + dy < t.bottom && y + dy + height > t.top);
      const [dx, dy] = offsetsOf(width, height).find((offset) => !meets(offset)) ?? [0, 0];
      taken.push({left: x + dx, right: x + dx + width, top: y + dy, bottom: y + dy + height});
      label.node.style.transform = `translate(${(x + dx).toFixed(1)}px, ${(y + dy).toFixed(1)}px)`;
    }
  }

  exportMenu(moves) {
    const {scene} = this, name = () => scene.name;
    const item = (text) => el('option', {value: text}, text);
    const film = (kind) => async () => exports.save(await exports[kind.toLowerCase()](this.stage, this.player, (p) => this.say(`${kind}: ${Math.round(100 * p)} %`)), `${name()}.${kind.toLowerCase()}`);
    const motion = {
      'PNG picture': async () => exports.save(await exports.png(this.stage), `${name()}.png`),
      'SVG picture': async () => exports.save(exports.svg(this.stage, this.labels ?? []), `${name()}.svg`),
      'GIF film': film('GIF'), 'MP4 film': film('MP4'), 'WebM film': film('WebM'),
      'link to this view': async () => this.link(),
      'page with views': async () => exports.save(new Blob([exports.pageText({views: JSON.stringify(this.stage.views ?? [{t: this.player.t, view: this.stage.state()}])})], {type: 'text/html'}), `${name()}.html`),
    };
    if (!moves || !document.getElementById('scene')) delete motion['page with views'];
    const acts = {...(moves ? motion : {}), 'CSV table': async () => exports.save(exports.csv(scene), `${name()}.csv`)};
    const select = el('select', {'aria-label': 'Export'}, el('option', {value: ''}, 'export …'), ...Object.keys(acts).map((text) => item(text)));
    select.addEventListener('change', async () => {
      const act = acts[select.value];
      select.value = '';
      try {
        await act?.();
        this.say('');
      } catch (error) {
        this.say(`That did not work: ${error.message}`);
      }
    });
    return select;
  }

  link() {
    location.hash = `t=${this.player.t}&view=${encodeURIComponent(JSON.stringify(this.stage.state()))}`;
    navigator.clipboard?.writeText(location.href).catch(() => {});
  }

  restore() {
    const parameters = new URLSearchParams(location.hash.slice(1)), t = Number.parseFloat(parameters.get('t'));
    try {
      if (this.stage && parameters.has('view')) this.stage.restore(JSON.parse(parameters.get('view')));
    } catch {
      this.say('The link does not say how to look.');
    }
    if (Number.isFinite(t)) this.player.go(t);
  }

  say(text) {
    this.parts.status.textContent = text;
  }

  setTheme(name) {
    this.themeName = name;
    document.documentElement.dataset.theme = name;
    this.stage?.setTheme(name);
    this.plots?.setTheme(THEMES[name]);
    this.timebar?.draw(THEMES[name]);
  }

  toggleTheme() {
    this.setTheme(this.themeName === 'dark' ? 'light' : 'dark');
  }

  help() {
    const dialog = el('dialog', {'aria-label': 'Keys'}, el('h2', {}, 'Keys'), el('table', {}, el('tbody', {}, ...KEYS.map(([key, text]) => el('tr', {}, el('th', {scope: 'row'}, el('kbd', {}, key)), el('td', {}, text))))),
                      el('p', {}, 'Drag turns, with the right button it shifts, the wheel zooms. A click on a curve goes to its time.'),
                      el('button', {type: 'button', autofocus: true, onclick: () => dialog.close()}, 'Close'));
    dialog.addEventListener('close', () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
  }

  listen() {
    window.addEventListener('resize', () => this.resize());
    document.addEventListener('keydown', (event) => this.key(event));
    const canvas = this.stage?.canvas;
    if (canvas) this.listenForHand(canvas);
    let down = null;
    canvas?.addEventListener('pointerdown', (event) => { down = [event.clientX, event.clientY]; });
    canvas?.addEventListener('click', (event) => {
      if (down && Math.hypot(event.clientX - down[0], event.clientY - down[1]) > 4) return;
      const box = canvas.getBoundingClientRect();
      this.panel.pick(this.stage.pick(event.clientX - box.left, event.clientY - box.top));
    });
  }

  resize() {
    this.stage?.resize();
    this.plots?.resize();
    this.timebar?.draw(THEMES[this.themeName]);
  }

  inputKeys() {
    const move = (input, sign) => () => this.livePanel.key(input, sign);
    return this.livePanel?.inputs?.length ? {j: move(0, -1), l: move(0, 1), k: move(1, -1), i: move(1, 1)} : {};
  }

  key(event) {
    const tag = event.target.tagName, typing = tag === 'INPUT' || tag === 'SELECT' || tag === 'TEXTAREA';
    if (this.closed || event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog')) return;
    if (typing && !(tag === 'INPUT' && event.target.type === 'range' && event.key === ' ')) return;
    if (tag === 'BUTTON' && (event.key === ' ' || event.key === 'Enter')) return;
    const {player, stage} = this, step = event.shiftKey ? 10 : 1;
    const acts = {' ': () => player.toggle(), ArrowLeft: () => player.step(-step), ArrowRight: () => player.step(step), Home: () => player.go(player.start), End: () => player.go(player.end),
                  '+': () => player.changeSpeed(1), '=': () => player.changeSpeed(1), '-': () => player.changeSpeed(-1), f: () => stage?.fit(), 1: () => stage?.look('front'), 3: () => stage?.look('right'),
                  7: () => stage?.look('top'), 0: () => stage?.look('iso'), o: () => stage?.toggleProjection(), n: () => this.flip('names'), t: () => this.flip('traces'), r: () => this.flip('frames'),
                  c: () => this.flip('centers'), a: () => this.flip('reactions'), l: () => this.flip('forces'), w: () => this.flip('weights'), g: () => this.flip('ghost'), e: () => this.timebar?.events.some((x) => x.kind === 'singular') && this.timebar.jump('singular'),
                  d: () => this.toggleTheme(), v: () => stage?.setViews && this.keepView(), ...this.inputKeys(), '?': () => this.help()};
    const act = acts[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!act || (!this.timebar && event.key !== '?' && event.key !== 'd')) return;
    event.preventDefault();
    act();
  }
}

// A point of the world in the axes of a body: the inverse of place().
function unplace(poses, body, p) {
  const at = 7 * body, d = [0, 1, 2].map((k) => p[k] - poses[at + k]), back = Float32Array.from(poses);
  back.set([0, 0, 0], at);
  for (const k of [3, 4, 5]) back[at + k] = -poses[at + k];
  return place(back, body, d);
}

async function boot() {
  const text = (id) => document.getElementById(id)?.textContent, live = hasSolver() ? JSON.parse(text('live')) : null;
  if (live?.playground) {
    window.sarrus = new Playground((scene, options) => new App(scene, options));
    return;
  }
  const scene = await readScene();
  scene.views = JSON.parse(text('views') ?? '[]');
  window.sarrus = new App(scene);
  if (live) window.sarrus.goLive(live);
}

boot().catch((error) => {
  document.getElementById('app').replaceChildren(el('p', {role: 'alert'}, `This page cannot be shown: ${error.message}`));
  throw error;
});
