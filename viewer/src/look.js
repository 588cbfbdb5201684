// Colours of bodies and of the two themes. Bodies: Okabe and Ito, told apart by every kind of colour vision.
export const PALETTE = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9'];

export const bodyColour = (body) => (body <= 0 ? '#8a8f98' : PALETTE[(body - 1) % PALETTE.length]);

export const THEMES = {
  light: {background: '#f7f8fa', grid: '#d6dae1', axis: '#aab2bf', line: '#30363f', joint: '#f4f5f7', guide: '#9aa3b0',
          ground: '#7b828d', force: '#4a525e', center: '#ffd54a', text: '#1c2127', curves: ['#0072b2', '#c24e00', '#00805d', '#a8457b', '#8f6200', '#2f7fb0', '#444444']},
  dark: {background: '#14171c', grid: '#2a303a', axis: '#465062', line: '#cfd6e0', joint: '#dfe4ea', guide: '#6c7685',
         ground: '#8b94a3', force: '#aeb7c4', center: '#ffd54a', text: '#e6e9ee', curves: ['#56b4e9', '#ff8b3d', '#2fd6a3', '#e59ac4', '#f0b429', '#8fc7ff', '#cccccc']},
};

export function markColour(mark, theme) {
  if (mark.colour) return mark.colour;
  if (mark.role === 'body') return bodyColour(mark.body);
  return {joint: theme.joint, guide: theme.guide, ground: theme.ground, hatch: theme.line, force: theme.force,
          stripe: theme.line, center: theme.center}[mark.role] ?? theme.line;
}

export function number(value, digits = 5) {
  if (value === null || value === undefined || Number.isNaN(value)) return 'unknown';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  const size = Math.abs(value);
  return size !== 0 && (size < 1e-3 || size >= 1e7) ? Number(value.toPrecision(digits)).toExponential().replace('e+', 'e') : String(Number(value.toPrecision(digits)));
}

// el('button', {class: 'a', onclick: f}, 'text', child): texts are always texts, never markup.
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}
