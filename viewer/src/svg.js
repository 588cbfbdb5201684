// A drawing context, as far as painter.js uses one, that writes SVG.
const escape = (text) => String(text).replace(/[&<>"]/g, (c) => ({'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;'})[c]);
const n = (x) => String(Number(x.toFixed(2)));

export class SvgContext {
  constructor(width, height, background) {
    this.parts = [`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${n(width)} ${n(height)}" width="${n(width)}" height="${n(height)}" ` +
                  `font-family="Helvetica,Arial,sans-serif" font-size="12" stroke-linecap="round" stroke-linejoin="round"><rect width="100%" height="100%" fill="${background}"/>`];
    this.globalAlpha = 1;
    this.lineWidth = 1;
    this.beginPath();
  }

  beginPath() {
    this.d = '';
    this.filled = -1;
  }

  moveTo(x, y) {
    this.d += `M${n(x)} ${n(y)}`;
  }

  lineTo(x, y) {
    this.d += `L${n(x)} ${n(y)}`;
  }

  closePath() {
    this.d += 'Z';
  }

  // All round.
  arc(x, y, r) {
    this.d += `M${n(x - r)} ${n(y)}a${n(r)} ${n(r)} 0 1 0 ${n(2 * r)} 0a${n(r)} ${n(r)} 0 1 0 ${n(-2 * r)} 0Z`;
  }

  put(paint) {
    this.parts.push(`<path d="${this.d}" ${paint}${this.globalAlpha < 1 ? ` opacity="${n(this.globalAlpha)}"` : ''}/>`);
  }

  fill() {
    this.filled = this.parts.length;
    this.put(`fill="${this.fillStyle}"`);
  }

  // What was filled before gets its edge in the same figure.
  stroke() {
    const edge = `stroke="${this.strokeStyle}" stroke-width="${n(this.lineWidth)}"`;
    if (this.filled < 0) this.put(`fill="none" ${edge}`);
    else this.parts[this.filled] = this.parts[this.filled].replace('/>', ` ${edge}/>`);
  }

  text(x, y, text, colour, more = '') {
    this.parts.push(`<text x="${n(x)}" y="${n(y)}" fill="${colour}"${more}>${escape(text)}</text>`);
  }

  blob() {
    return new Blob([`${this.parts.join('\n')}\n</svg>\n`], {type: 'image/svg+xml'});
  }
}
