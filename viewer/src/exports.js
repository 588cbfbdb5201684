// Pictures, films and tables of what is shown. Films have a fixed number of frames a second, however slow the machine.
import {applyPalette, GIFEncoder, quantize} from 'gifenc';
import {ArrayBufferTarget as Mp4Target, Muxer as Mp4Muxer} from 'mp4-muxer';
import {ArrayBufferTarget as WebmTarget, Muxer as WebmMuxer} from 'webm-muxer';

import {place} from './data.js';
import {number} from './look.js';
import {Painter} from './painter.js';
import {SvgContext} from './svg.js';

export function save(blob, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  return blob;
}

// This page as a file again, with other contents of some of its elements: {id: text}.
export function pageText(changes) {
  const copy = document.documentElement.cloneNode(true);
  copy.querySelector('#app').innerHTML = '<p>Loading ...</p>';
  copy.querySelectorAll('dialog').forEach((node) => node.remove());
  copy.removeAttribute('data-ready');
  for (const [id, text] of Object.entries(changes)) {
    let node = copy.querySelector(`#${id}`);
    if (!node) {
      node = document.createElement('script');
      Object.assign(node, {type: 'application/json', id});
      copy.querySelector('#scene').after(node);
    }
    node.textContent = text.replaceAll('<', '\\u003c');
  }
  return `<!doctype html>\n${copy.outerHTML}\n`;
}

export async function png(stage) {
  stage.render();
  return new Promise((done) => stage.canvas.toBlob(done, 'image/png'));
}

// The canvas on a flat one of at most this width, with even sides as encoders want them.
function copier(stage, width) {
  const {canvas} = stage, scale = Math.min(1, width / canvas.width);
  const flat = document.createElement('canvas');
  flat.width = 2 * Math.round((canvas.width * scale) / 2);
  flat.height = 2 * Math.round((canvas.height * scale) / 2);
  const context = flat.getContext('2d', {willReadFrequently: true});
  return {flat, context, take: () => context.drawImage(canvas, 0, 0, flat.width, flat.height)};
}

function timesOf(player, fps, most) {
  const seconds = (player.end - player.start) / player.speed, count = Math.max(2, Math.min(Math.round(seconds * fps), most));
  return Array.from({length: count}, (_, k) => player.start + ((player.end - player.start) * k) / count);
}

async function film(stage, player, fps, most, width, take, tell) {
  const before = player.t, copy = copier(stage, width), times = timesOf(player, fps, most);
  player.pause();
  stage.film = true;
  try {
    for (let k = 0; k < times.length; k++) {
      stage.show(times[k]);
      copy.take();
      await take(copy, k, times.length);
      tell?.((k + 1) / times.length);
      if (k % 5 === 4) await new Promise((go) => setTimeout(go));
    }
  } finally {
    stage.film = false;
    player.go(before);
  }
}

export async function gif(stage, player, tell, most = 240) {
  const encoder = GIFEncoder(), fps = 20;
  let palette = null;
  await film(stage, player, fps, most, 720, ({flat, context}) => {
    const {data} = context.getImageData(0, 0, flat.width, flat.height);
    palette ??= quantize(data, 128);
    encoder.writeFrame(applyPalette(data, palette), flat.width, flat.height, {palette, delay: 1000 / fps});
  }, tell);
  encoder.finish();
  return new Blob([encoder.bytes()], {type: 'image/gif'});
}

// The first of some codecs that this browser encodes, or null.
async function encoderOf(codecs, settings) {
  if (typeof VideoEncoder === 'undefined') return null;
  for (const [codec, name] of codecs) {
    const config = {...settings, codec};
    try {
      if ((await VideoEncoder.isConfigSupported(config)).supported) return {config, name};
    } catch {
      // it does not know the word
    }
  }
  return null;
}

// A film through WebCodecs. `kind`: {codecs: [[codec, the muxer's name]], muxer(name, width, height, fps), type, without: what to say}
async function encoded(stage, player, tell, most, {codecs, muxer: make, type, without}) {
  const fps = 30;
  let encoder, muxer, failure = null;
  await film(stage, player, fps, most, 1280, async ({flat}, k) => {
    if (!encoder) {
      const found = await encoderOf(codecs, {width: flat.width, height: flat.height, bitrate: 4e6, framerate: fps});
      if (!found) throw new Error(without);
      muxer = make(found.name, flat.width, flat.height, fps);
      encoder = new VideoEncoder({output: (chunk, meta) => muxer.addVideoChunk(chunk, meta), error: (error) => { failure = error; }});
      encoder.configure(found.config);
    }
    const frame = new VideoFrame(flat, {timestamp: (k * 1e6) / fps, duration: 1e6 / fps});
    encoder.encode(frame, {keyFrame: k % 60 === 0});
    frame.close();
    while (encoder.encodeQueueSize > 10 && !failure) await new Promise((go) => setTimeout(go, 5));
    if (failure) throw failure;
  }, tell);
  await encoder.flush();
  if (failure) throw failure;
  muxer.finalize();
  return new Blob([muxer.target.buffer], {type});
}

export const webm = (stage, player, tell, most = 1800) => encoded(stage, player, tell, most, {
  codecs: [['vp09.00.10.08', 'V_VP9'], ['vp8', 'V_VP8']],
  muxer: (codec, width, height, frameRate) => new WebmMuxer({target: new WebmTarget(), video: {codec, width, height, frameRate}}),
  type: 'video/webm', without: 'this browser encodes neither VP9 nor VP8; GIF films need no encoder',
});

// H.264 where the browser has it: every player shows that. Others are in the same box.
export const mp4 = (stage, player, tell, most = 1800) => encoded(stage, player, tell, most, {
  codecs: [['avc1.4d0028', 'avc'], ['avc1.42e028', 'avc'], ['av01.0.08M.08', 'av1'], ['vp09.00.40.08', 'vp9']],
  muxer: (codec, width, height, frameRate) => new Mp4Muxer({target: new Mp4Target(), fastStart: 'in-memory', video: {codec, width, height, frameRate}}),
  type: 'video/mp4', without: 'this browser has no encoder for MP4 (H.264, AV1, VP9); GIF films need none',
});

// The scene as lines and areas: what is near covers what is far.
export function svg(stage, labels) {
  const context = new SvgContext(stage.width, stage.height, stage.theme.background);
  stage.paint(new Painter(context, stage.eye, stage.theme));
  for (const {node, body, point} of labels) {
    const [x, y] = stage.onScreen(place(stage.poses[0], body, point));
    context.text(x + 4, y + 12, node.textContent, stage.theme.text);
  }
  return context.blob();
}

export function csv(scene) {
  const run = scene.runs[0], columns = run.columns.filter((c) => !/^(joints|forces)\//.test(c.name));
  const lines = [['time', ...columns.map((c) => c.name)].join(',')];
  for (let row = 0; row < run.rows; row++) lines.push([run.time[row], ...columns.map((c) => c.values[row])].map((v) => String(v)).join(','));
  return new Blob([lines.join('\n') + '\n'], {type: 'text/csv'});
}

const escape = (text) => text.replace(/[&<>"]/g, (c) => ({'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;'})[c]);

// A plot as it is shown, as lines and texts.
export function plotSvg(panel) {
  const u = panel.uplot, W = 640, H = 320, box = {x: 70, y: 20, w: W - 90, h: H - 70}, theme = panel.plots.theme;
  const {min: x0, max: x1} = u.scales.x, {min: y0, max: y1} = u.scales.y, log = panel.log;
  const X = (v) => box.x + ((v - x0) / (x1 - x0)) * box.w;
  const Y = (v) => box.y + box.h * (1 - (log ? Math.log10(v / y0) / Math.log10(y1 / y0) : (v - y0) / (y1 - y0)));
  const ticks = (a, b) => Array.from({length: 6}, (_, k) => a + ((b - a) * k) / 5);
  const out = [`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${W} ${H}" width="${W}" height="${H}" font-family="Helvetica,Arial,sans-serif" font-size="12"><rect width="100%" height="100%" fill="#fff"/>`];
  for (const v of ticks(x0, x1)) out.push(`<path d="M${X(v)} ${box.y}v${box.h}" stroke="#ddd"/><text x="${X(v)}" y="${box.y + box.h + 16}" text-anchor="middle">${number(v, 4)}</text>`);
  for (const v of log ? ticks(Math.log10(y0), Math.log10(y1)).map((e) => 10 ** e) : ticks(y0, y1))
    out.push(`<path d="M${box.x} ${Y(v)}h${box.w}" stroke="#ddd"/><text x="${box.x - 6}" y="${Y(v) + 4}" text-anchor="end">${number(v, 3)}</text>`);
  panel.shown.forEach(({run, values, areas, label}, k) => {
    const xs = panel.x === 't' ? run.time : panel.plots.variables.values(panel.x, run);
    const colour = theme.curves[k % theme.curves.length], path = {on: '', late: ''};
    for (let row = 0; row < run.rows; row++) {
      if (!Number.isFinite(values[row]) || (log && !(values[row] > 0))) continue;
      const which = run.time[row] > run.trustedUntil ? 'late' : 'on';
      path[which] += `${path[which] ? 'L' : 'M'}${X(xs[row]).toFixed(1)} ${Y(values[row]).toFixed(1)}`;
    }
    const edge = (side) => Array.from(side, (v, row) => `${X(xs[row]).toFixed(1)} ${Y(v).toFixed(1)}`);
    for (const [from, to] of areas ?? []) out.push(`<path d="M${[...edge(to), ...edge(from).reverse()].join('L')}Z" fill="${colour}" fill-opacity="0.5"/>`);
    for (const which of ['on', 'late']) if (path[which]) out.push(`<path d="${path[which]}" fill="none" stroke="${colour}" stroke-width="1.5"${which === 'late' ? ' stroke-dasharray="2 4"' : ''}/>`);
    out.push(`<text x="${box.x + 8 + 180 * k}" y="14" fill="${colour}">${escape(label)}</text>`);
  });
  const xlabel = panel.x === 't' ? 't [s]' : panel.x;
  out.push(`<text x="${box.x + box.w / 2}" y="${H - 12}" text-anchor="middle">${escape(xlabel)}</text></svg>`);
  return new Blob([out.join('\n')], {type: 'image/svg+xml'});
}
