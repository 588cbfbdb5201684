// Controls of time, and what happened when: singular passages, branch changes, phases, violations.
import {el, number} from './look.js';

export const EVENTS = {
  singular: {colour: '#e69f00', text: 'singular configuration'},
  branch: {colour: '#d62b2b', text: 'change of branch'},
  phase: {colour: '#3b82f6', text: 'phase'},
  trust: {colour: '#be123c', text: 'end of trust'},
};

export function eventsOf(run) {
  const report = run.report, events = [];
  for (const pass of report.singular_passes ?? []) events.push({kind: 'singular', t: pass.t, text: `rank ${pass.rank}${pass.joints?.length ? `: ${[].concat(pass.joints).join(', ')}` : ''}`});
  for (const change of report.branch_changes ?? []) events.push({kind: 'branch', t: change.t, text: [].concat(change.joints ?? []).join(', ')});
  for (const phase of report.phases ?? []) if (Number.isFinite(phase.t)) events.push({kind: 'phase', t: phase.t, text: ''});
  if (run.trustedUntil < Infinity) events.push({kind: 'trust', t: run.trustedUntil, text: `errors may exceed ${number(100 * report.certificate.accuracy, 3)} % of the range afterwards`});
  return events.filter((event) => Number.isFinite(event.t)).sort((a, b) => a.t - b.t);
}

const button = (label, key, symbol, onclick) => el('button', {type: 'button', title: `${label} (${key})`, 'aria-label': label, onclick}, symbol);

export class TimeBar {
  constructor(holder, player, run) {
    this.player = player;
    this.run = run;
    this.events = eventsOf(run);
    this.playButton = button('Play or pause', 'Space', '▶', () => player.toggle());
    this.slider = el('input', {type: 'range', min: 0, max: 10000, step: 1, value: 0, 'aria-label': 'Time'});
    this.slider.addEventListener('input', () => {
      player.pause();
      if (player.live?.state === 'running') player.live.pause();
      player.go(player.start + (Number(this.slider.value) / 10000) * (player.end - player.start));
    });
    this.clock = el('output', {class: 'clock'});
    this.speed = el('select', {'aria-label': 'Speed', onchange: () => player.setSpeed(Number(this.speed.value))},
                    ...player.speeds.map((s) => el('option', {value: s}, `${s} ×`)));
    this.loop = el('input', {type: 'checkbox', id: 'loop', onchange: () => { player.loop = this.loop.checked; }});
    this.loop.checked = player.loop;
    this.strip = el('canvas', {class: 'strip', role: 'img'});
    this.strip.addEventListener('pointermove', (event) => { this.strip.title = this.near(event)?.text ?? ''; });
    this.strip.addEventListener('click', (event) => {
      player.pause();
      player.go(this.near(event)?.t ?? this.timeAt(event));
    });
    this.legend = el('div', {class: 'legend'});
    this.pace = el('span', {}, this.speed, ' ', el('label', {for: 'loop'}, this.loop, ' loop'));
    holder.append(el('div', {class: 'controls'}, this.playButton, button('One row back', 'left arrow', '◀|', () => player.step(-1)),
                     button('One row on', 'right arrow', '|▶', () => player.step(1)), this.clock, el('span', {class: 'grow'}), this.pace),
                  el('div', {class: 'track'}, this.strip, this.slider), this.legend);
    this.describe();
    player.onChange(() => this.update(), {lazy: true});
    this.update();
  }

  // Another run, or more of it.
  setRun(run, theme) {
    this.run = run;
    this.events = eventsOf(run);
    this.legend.replaceChildren();
    this.describe();
    this.draw(theme);
    this.update();
  }

  // The strip says it with colours; the legend with words.
  describe() {
    const counts = new Map();
    for (const event of this.events) counts.set(event.kind, (counts.get(event.kind) ?? 0) + 1);
    const words = [...counts].map(([kind, n]) => `${n} × ${EVENTS[kind].text}`);
    this.strip.setAttribute('aria-label', words.length ? `On the time bar: ${words.join(', ')}` : 'Nothing happened that the time bar marks');
    for (const [kind, n] of counts) {
      const key = el('span', {class: 'key'});
      key.style.background = EVENTS[kind].colour;
      const first = this.events.find((event) => event.kind === kind);
      const jump = el('button', {type: 'button', class: 'link', title: `Go to the next one, first ${first.text}`, onclick: () => this.jump(kind)}, `${EVENTS[kind].text} (${n})`);
      this.legend.append(el('span', {}, key, jump));
    }
    const violation = this.run.byName.get('violation/position');
    if (violation) {
      let most = 0;
      for (const v of violation.values) if (v > most) most = v;
      this.legend.append(el('span', {}, el('span', {class: 'key scale'}), `violation of constraints, up to ${number(most, 2)}`));
    }
  }

  timeAt(event) {
    const box = this.strip.getBoundingClientRect(), {start, end} = this.player;
    return start + ((event.clientX - box.left) / box.width) * (end - start);
  }

  // The event under the pointer, with words for it.
  near(event) {
    const t = this.timeAt(event), within = (6 / this.strip.clientWidth) * (this.player.end - this.player.start);
    const found = this.events.filter((e) => Math.abs(e.t - t) <= within).sort((a, b) => Math.abs(a.t - t) - Math.abs(b.t - t))[0];
    return found && {t: found.t, text: `t = ${number(found.t, 6)} s: ${EVENTS[found.kind].text}${found.text ? `, ${found.text}` : ''}`};
  }

  jump(kind) {
    this.player.pause();
    const list = this.events.filter((event) => event.kind === kind);
    const next = list.find((event) => event.t > this.player.t + 1e-9) ?? list[0];
    this.player.go(next.t);
  }

  update() {
    const {player} = this, span = player.end - player.start || 1;
    this.slider.value = Math.round(((player.t - player.start) / span) * 10000);
    this.slider.setAttribute('aria-valuetext', `${number(player.t, 6)} seconds`);
    this.clock.textContent = `t = ${player.t.toFixed(Math.max(0, Math.min(6, 4 - Math.floor(Math.log10(span)))))} s`;
    this.playButton.textContent = player.playing || player.live?.state === 'running' ? '❚❚' : '▶';
    this.speed.value = player.speed;
    this.pace.hidden = Boolean(player.live); // the tab Live has its speed
  }

  draw(theme) {
    const ratio = window.devicePixelRatio || 1, width = this.strip.clientWidth || 300, height = 16;
    this.strip.width = width * ratio;
    this.strip.height = height * ratio;
    const c = this.strip.getContext('2d');
    c.scale(ratio, ratio);
    c.fillStyle = theme.grid;
    c.fillRect(0, 0, width, height);
    this.drawViolation(c, width, height);
    const {start, end} = this.player;
    this.drawDoubt(c, width, height);
    for (const event of this.events) {
      const x = ((event.t - start) / (end - start || 1)) * width;
      c.fillStyle = EVENTS[event.kind].colour;
      c.fillRect(x - 1, 0, 2, height);
      c.beginPath();
      c.moveTo(x - 4, 0);
      c.lineTo(x + 4, 0);
      c.lineTo(x, 6);
      c.fill();
    }
  }

  // Hatched where the certificate does not trust the run any more.
  drawDoubt(c, width, height) {
    const {start, end} = this.player, from = ((this.run.trustedUntil - start) / (end - start || 1)) * width;
    if (!(from < width)) return;
    c.save();
    c.beginPath();
    c.rect(from, 0, width - from, height);
    c.clip();
    c.strokeStyle = EVENTS.trust.colour;
    c.lineWidth = 1.5;
    c.beginPath();
    for (let x = from - height; x < width; x += 7) {
      c.moveTo(x, height);
      c.lineTo(x + height, 0);
    }
    c.stroke();
    c.restore();
  }

  // From 1e-12 (nothing) to 1e-3 (violet): the largest in every column of pixels.
  drawViolation(c, width, height) {
    const column = this.run.byName.get('violation/position');
    if (!column) return;
    const {start, end} = this.player, most = new Float64Array(Math.ceil(width));
    for (let row = 0; row < this.run.rows; row++) {
      const x = Math.min(Math.floor(((this.run.time[row] - start) / (end - start || 1)) * width), most.length - 1);
      if (column.values[row] > most[x]) most[x] = column.values[row];
    }
    let last = 0;
    for (let x = 0; x < most.length; x++) {
      if (most[x] > 0) last = most[x];
      const part = Math.min(Math.max((Math.log10(last || 1e-16) + 12) / 9, 0), 1);
      if (part <= 0) continue;
      c.fillStyle = `rgba(126, 34, 206, ${0.85 * part})`;
      c.fillRect(x, height - 6, 1, 6);
    }
  }
}
