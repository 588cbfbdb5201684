// The time that everything shows, and how it goes on.
import {rowAt} from './data.js';

const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];
const SHORTEST = 5, LONGEST = 10; // a run plays for so many seconds, unless somebody chooses otherwise

// A round speed at which a run of this length [s] takes 5 to 10 s: 1 if it does so by itself.
export function speedFor(length) {
  if (!(length > 0) || (length >= SHORTEST && length <= LONGEST)) return 1;
  const power = 10 ** Math.floor(Math.log10(length / LONGEST));
  return [1, 2, 3, 5, 10].map((m) => Number((m * power).toPrecision(1))).find((speed) => length / speed <= LONGEST * (1 + 1e-9)) ?? length / LONGEST;
}

export class Player {
  constructor(runs) {
    this.runs = runs;
    const times = runs.filter((run) => run.rows > 0).map((run) => run.time);
    this.start = times.length ? Math.min(...times.map((time) => time[0])) : 0;
    this.end = times.length ? Math.max(...times.map((time) => time[time.length - 1])) : 0;
    this.t = this.start;
    this.playing = false;
    this.loop = true;
    this.speed = speedFor(this.end - this.start);
    this.speeds = [...new Set([...SPEEDS, this.speed])].sort((a, b) => a - b);
    this.listeners = [];
    this.patience = 0; // while it plays, `lazy` listeners hear of the time every so many milliseconds
    this.told = 0;
    this.last = null;
    this.tick = this.tick.bind(this);
  }

  // Other runs, or more of them.
  setRuns(runs) {
    this.runs = runs;
    this.start = runs[0].time[0];
    this.end = runs[0].time[runs[0].rows - 1];
    if (this.t < this.start || this.t > this.end) this.t = this.start;
  }

  onChange(listener, {lazy = false} = {}) {
    this.listeners.push({listener, lazy});
  }

  tell(now = Infinity) {
    const all = now - this.told >= this.patience;
    if (all && now < Infinity) this.told = now;
    for (const {listener, lazy} of this.listeners) if (all || !lazy) listener(this);
  }

  go(t) {
    const next = Math.min(Math.max(t, this.start), this.end);
    this.t = Number.isFinite(next) ? next : this.start;
    this.tell();
  }

  // To the row before or after, of the first run.
  step(count) {
    this.pause();
    if (this.live?.state === 'running') this.live.pause();
    const time = this.runs[0].time;
    let row = rowAt(time, this.t);
    if (count < 0 && time[row] < this.t - 1e-12) row++;
    row = Math.min(Math.max(row + count, 0), time.length - 1);
    this.go(time[row]);
  }

  play() {
    if (this.playing || !(this.end > this.start)) return;
    if (this.t >= this.end) this.t = this.start;
    this.playing = true;
    this.last = null;
    requestAnimationFrame(this.tick);
    this.tell();
  }

  pause() {
    if (!this.playing) return;
    this.playing = false;
    this.tell();
  }

  toggle() {
    if (this.live) this.live.toggle();
    else if (this.playing) this.pause();
    else this.play();
  }

  changeSpeed(steps) {
    const near = this.speeds.reduce((best, s, k) => (Math.abs(Math.log(s / this.speed)) < Math.abs(Math.log(this.speeds[best] / this.speed)) ? k : best), 0);
    this.setSpeed(this.speeds[Math.min(Math.max(near + steps, 0), this.speeds.length - 1)]);
  }

  setSpeed(speed) {
    this.speed = speed;
    this.tell();
  }

  // By the clock, whatever the number of frames: a slow machine shows fewer of them.
  tick(now) {
    if (!this.playing) return;
    if (this.last !== null) {
      let t = this.t + Math.min((now - this.last) / 1000, 0.25) * this.speed;
      if (t >= this.end) {
        if (this.loop) t = this.start + ((t - this.end) % (this.end - this.start));
        else {
          t = this.end;
          this.playing = false;
        }
      }
      this.t = t;
      this.tell(now);
    }
    this.last = now;
    if (this.playing) requestAnimationFrame(this.tick);
  }
}
