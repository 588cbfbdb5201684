// An editor beside a page that runs what it holds: models are checked as they are written, by the program's own reader.
import {bytesOf, inflate} from './data.js';
import * as exports from './exports.js';
import {Live} from './live.js';
import {el} from './look.js';

const FIRST = 'slider-crank-1';

/* ---- links: the model, deflated, behind the # ---- */

const toText = (bytes) => btoa(Array.from(bytes, (b) => String.fromCharCode(b)).join('')).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');

async function through(stream, bytes) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

export async function linkOf(text) {
  return `model=${toText(await through(new CompressionStream('deflate'), new TextEncoder().encode(text)))}`;
}

export async function modelOf(hash) {
  const packed = new URLSearchParams(hash.replace(/^#/, '')).get('model');
  if (!packed) return null;
  try {
    const bytes = await through(new DecompressionStream('deflate'), bytesOf(packed.replaceAll('-', '+').replaceAll('_', '/')));
    return new TextDecoder('utf-8', {fatal: true}).decode(bytes);
  } catch {
    throw new Error('The link is damaged: it holds no model. Ask for it again, or take an example.');
  }
}

/* ---- words that the schema allows ---- */

// All keys of the schema's objects, and all words of its choices: few enough to offer by their beginning.
function wordsOf(schema) {
  const words = new Set();
  const walk = (node) => {
    if (!node || typeof node !== 'object') return;
    for (const key of Object.keys(node.properties ?? {})) words.add(`${key}:`);
    for (const value of [...(node.enum ?? []), ...(node.const === undefined ? [] : [node.const])]) if (typeof value === 'string') words.add(value);
    for (const value of Object.values(node)) walk(value);
  };
  walk(schema);
  return [...words].sort();
}

class Editor {
  constructor({onChange}) {
    this.onChange = onChange;
    this.area = el('textarea', {'aria-label': 'Model', spellcheck: 'false', autocapitalize: 'off', autocomplete: 'off', wrap: 'off', 'aria-describedby': 'editor-said'});
    this.lines = el('pre', {class: 'editor-lines', 'aria-hidden': 'true'});
    this.list = el('ul', {class: 'completions', role: 'listbox', 'aria-label': 'Words that fit', hidden: true});
    this.node = el('div', {class: 'editor-frame'}, this.lines, this.area, this.list);
    this.words = [];
    this.area.addEventListener('input', () => {
      this.number();
      this.complete();
      clearTimeout(this.later);
      this.later = setTimeout(() => onChange(this.area.value), 350);
    });
    this.area.addEventListener('scroll', () => { this.lines.scrollTop = this.area.scrollTop; });
    this.area.addEventListener('keydown', (event) => this.key(event));
    this.area.addEventListener('blur', () => { this.list.hidden = true; });
  }

  get text() {
    return this.area.value;
  }

  set text(text) {
    this.area.value = text;
    this.area.scrollTop = 0;
    this.mark([]);
  }

  number() {
    const count = this.area.value.split('\n').length;
    this.lines.replaceChildren(...Array.from({length: count}, (_, k) => el('div', {class: this.wrong?.has(k + 1) ? 'wrong' : ''}, String(k + 1))));
    this.lines.scrollTop = this.area.scrollTop;
  }

  // Lines with errors.
  mark(lines) {
    this.wrong = new Set(lines);
    this.number();
  }

  goTo(line) {
    const at = this.area.value.split('\n').slice(0, line - 1).join('\n').length + (line > 1 ? 1 : 0);
    this.area.focus();
    this.area.setSelectionRange(at, at);
    this.area.scrollTop = Math.max(0, (line - 5) * 18.75);
  }

  get word() {
    return /[\w-]+$/.exec(this.area.value.slice(0, this.area.selectionStart))?.[0] ?? '';
  }

  complete() {
    const {word} = this, found = word.length >= 2 ? this.words.filter((w) => w.startsWith(word) && w !== word).slice(0, 12) : [];
    this.list.hidden = !found.length;
    if (!found.length) return;
    this.at = 0;
    this.list.replaceChildren(...found.map((w, k) => el('li', {role: 'option', 'aria-selected': String(k === 0), onmousedown: (event) => {
      event.preventDefault();
      this.insert(w);
    }}, w)));
    const before = this.area.value.slice(0, this.area.selectionStart).split('\n'), line = before.length, column = before[line - 1].length;
    Object.assign(this.list.style, {left: `${Math.min(44 + 7.5 * column, this.node.clientWidth - 150)}px`, top: `${Math.min(8 + 18.75 * line - this.area.scrollTop, this.node.clientHeight - 60)}px`});
  }

  insert(word) {
    const end = this.area.selectionStart, begin = end - this.word.length;
    this.area.setRangeText(word.endsWith(':') ? `${word} ` : word, begin, end, 'end');
    this.list.hidden = true;
    this.area.dispatchEvent(new Event('input'));
    this.list.hidden = true;
  }

  // Tab leaves the editor, as everywhere; Enter and arrows choose while words are offered.
  key(event) {
    if (this.list.hidden) return;
    const items = [...this.list.children], step = {ArrowDown: 1, ArrowUp: -1}[event.key];
    if (step) {
      this.at = (this.at + step + items.length) % items.length;
      items.forEach((node, k) => node.setAttribute('aria-selected', String(k === this.at)));
      items[this.at].scrollIntoView({block: 'nearest'});
    } else if (event.key === 'Enter') this.insert(items[this.at].textContent);
    else if (event.key === 'Escape') this.list.hidden = true;
    else return;
    event.preventDefault();
  }
}

/* ---- the page ---- */

export class Playground {
  constructor(makeApp) {
    this.makeApp = makeApp;
    this.layout();
    this.start().catch((error) => this.tell(error.message));
  }

  layout() {
    this.editor = new Editor({onChange: () => this.run()});
    this.choose = el('select', {'aria-label': 'Examples', onchange: () => this.take(this.choose.value)}, el('option', {value: ''}, 'examples …'));
    const button = (text, title, act) => el('button', {type: 'button', title, onclick: act}, text);
    this.said = el('pre', {class: 'failure', id: 'editor-said', role: 'status', hidden: true});
    this.holder = el('div', {class: 'play'}, el('p', {class: 'hint'}, 'The solver is being started ...'));
    const tools = el('div', {class: 'editor-tools'}, this.choose, button('share', 'A link that holds this model', () => this.share()), button('save YAML', 'The model as a file', () => this.save('yaml')),
                     button('save page', 'This page with this model, as one file', () => this.save('html')));
    document.getElementById('app').replaceChildren(el('div', {class: 'playground'}, el('section', {class: 'editor', 'aria-label': 'Model'}, tools, this.editor.node, this.said), this.holder));
    document.documentElement.dataset.theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  }

  async start() {
    const packed = document.getElementById('live-examples');
    const {models, schema} = JSON.parse(new TextDecoder().decode(await inflate(bytesOf(packed.textContent.trim()))));
    this.models = models;
    this.editor.words = wordsOf(schema);
    for (const group of ['problems', 'examples'])
      this.choose.append(el('optgroup', {label: group}, ...models.filter((m) => m.group === group).map((m) => el('option', {value: m.name}, m.name))));
    const kept = JSON.parse(document.getElementById('live').textContent).text;
    let text = kept ?? models.find((m) => m.name === FIRST).text, trouble = '';
    try {
      text = (await modelOf(location.hash)) ?? text;
    } catch (error) {
      trouble = error.message;
    }
    this.editor.text = text;
    this.trouble = trouble; // of the link: until the model is another
    await this.open(text);
    window.addEventListener('hashchange', () => this.follow());
  }

  async follow() {
    try {
      const text = await modelOf(location.hash);
      if (text === null || text === this.editor.text) return;
      this.editor.text = text;
      this.run();
    } catch (error) {
      this.trouble = error.message;
      this.tell(error.message);
    }
  }

  async open(text) {
    this.live = new Live({name: 'model.yaml', text, files: [], settings: '', options: []}, {
      onScene: (scene, first) => this.show(scene, first), onFrames: (live, all) => this.app?.grow(all), onState: (live) => this.state(live), say: (words) => this.app?.say(words) ?? this.tell(words)});
    try {
      await this.live.open();
    } catch (error) {
      this.tell(`No solver here: ${error.message}.`);
    }
    document.documentElement.dataset.ready = 'true';
  }

  show(scene, first) {
    if (this.app && !this.fresh) {
      this.app.showLive(scene, first);
      return;
    }
    const theme = this.app?.themeName;
    this.app?.stage?.renderer?.dispose();
    if (this.app) this.app.closed = true;
    this.fresh = false;
    const whole = {...scene, title: scene.name, version: JSON.parse(document.getElementById('scene').textContent).version, notes: null, plots: []};
    this.app = this.makeApp(whole, {holder: this.holder, live: this.live});
    if (theme) this.app.setTheme(theme);
    this.app.player.live = this.live;
    window.sarrus = this.app;
    this.app.playground = this;
  }

  // The reader's messages: file:line:column: error: what.
  state(live) {
    this.tell(live.state === 'failed' ? live.failure : this.trouble || live.warnings);
    this.app?.liveState();
  }

  tell(text) {
    const lines = [...(text ?? '').matchAll(/^model\.yaml:(\d+):\d+: error/gm)].map((m) => Number(m[1]));
    this.said.hidden = !text;
    this.said.textContent = text ?? '';
    this.editor.mark(lines);
    this.said.onclick = () => lines.length && this.editor.goTo(lines[0]);
  }

  run() {
    this.trouble = '';
    this.live.model.text = this.editor.text;
    this.live.settings = {};
    this.live.starts = null;
    this.fresh = true;
    return this.live.restart();
  }

  take(name) {
    const model = this.models.find((m) => m.name === name);
    if (!model) return;
    this.choose.value = '';
    this.editor.text = model.text;
    this.live.options = {};
    this.run();
  }

  async share() {
    location.hash = await linkOf(this.editor.text);
    await navigator.clipboard?.writeText(location.href).then(() => this.app?.say('The link is in the clipboard.'), () => this.app?.say('The link is in the address bar.'));
  }

  save(kind) {
    const name = (/^name:\s*['"]?([\w-]+)/m.exec(this.editor.text)?.[1] ?? 'model') + (kind === 'html' ? '.html' : '.yaml');
    const text = kind === 'yaml' ? this.editor.text : exports.pageText({live: JSON.stringify({playground: true, text: this.editor.text})});
    return exports.save(new Blob([text], {type: kind === 'yaml' ? 'text/yaml' : 'text/html'}), name);
  }
}
