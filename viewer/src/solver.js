// The solver of the page: a worker that is made of what the page holds. One that does not answer is ended, and a new one made.
import {bytesOf, inflate} from './data.js';

let parts = null; // unpacked once

async function unpack() {
  const read = (id) => inflate(bytesOf(document.getElementById(id).textContent.trim()));
  const [worker, wasm] = await Promise.all([read('live-worker'), read('live-wasm')]);
  return {url: URL.createObjectURL(new Blob([worker], {type: 'text/javascript'})), wasm};
}

export const hasSolver = () => document.getElementById('live-wasm') !== null;

export class Solver {
  constructor(onMessage, onDeath) {
    Object.assign(this, {onMessage, onDeath});
    this.waiting = new Map();
    this.last = 0;
  }

  async open(files) {
    if (typeof WebAssembly !== 'object' || typeof Worker !== 'function') throw new Error('this browser allows no WebAssembly');
    parts ??= unpack();
    const {url, wasm} = await parts;
    this.worker = new Worker(url);
    this.worker.onmessage = ({data}) => this.take(data);
    this.worker.onerror = (event) => this.die(event.message || 'the worker could not be started');
    await this.call('load', {wasm, files});
    return this;
  }

  // Every call has an answer, or the reason why not.
  call(call, order = {}) {
    return new Promise((resolve, reject) => {
      const id = ++this.last;
      this.waiting.set(id, {resolve, reject, since: performance.now()});
      this.worker.postMessage({id, call, ...order});
    });
  }

  // How long the oldest call has been waiting, in seconds.
  get silence() {
    const first = this.waiting.values().next().value;
    return first ? (performance.now() - first.since) / 1000 : 0;
  }

  take(data) {
    if (!data.id) {
      this.onMessage?.(data);
      if (data.fatal) this.die(data.stopped);
      return;
    }
    const {resolve, reject} = this.waiting.get(data.id) ?? {};
    this.waiting.delete(data.id);
    if (data.error === undefined) resolve?.(data.answer);
    else reject?.(new Error(data.error));
    if (data.fatal) this.die(data.error);
  }

  die(why) {
    this.close(why);
    this.onDeath?.(why);
  }

  close(why = 'it was ended') {
    this.worker?.terminate();
    for (const {reject} of this.waiting.values()) reject(new Error(why));
    this.waiting.clear();
  }
}
