"""Line plots as SVG inside a page: no program, no file, no network."""
from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy

# Told apart by every kind of colour vision (Okabe and Ito), without the yellow that white paper swallows.
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]
DASHES = ["", "7,3", "2,3", "9,3,2,3"]
_numbers = itertools.count()
LEFT, RIGHT, TOP, BOTTOM, LINE, COLUMN = 64, 14, 26, 40, 17, 190
STYLE = ("svg{font:11px system-ui,sans-serif;max-width:100%;height:auto}svg .g{stroke:#e6e6e6;fill:none}svg .a{stroke:#666;fill:none}"
         "svg text{fill:#333}svg .t{font-size:13px;font-weight:600}svg .u{font-weight:400;fill:#666}")


@dataclass
class Series:
    """A curve; what cannot be shown leaves a gap."""

    name: str
    x: Any
    y: Any
    style: int = 0  #: colour and dashes; -1: grey and wide, something to compare with
    points: bool = False
    pale: float = 0.0  #: 0: the full colour; towards 1: paler
    tag: bool = False  #: the name stands at the last point


@dataclass
class Axis:
    """From numbers to pixels."""

    logarithm: int  #: base, 10 or 2; 0: none
    start: float  #: [pixels]
    stop: float
    low: float = 0.0  #: as a logarithm, if it is
    high: float = 1.0

    def shown(self, values: Any) -> Any:
        """What is drawn: logarithms, if they are."""
        values = numpy.asarray(values, dtype=float)
        if not self.logarithm:
            return values
        return numpy.log(numpy.where(values > 0, values, numpy.nan)) / math.log(self.logarithm)

    def place(self, shown: Any) -> Any:
        """Pixels."""
        return self.start + (shown - self.low) / (self.high - self.low) * (self.stop - self.start)

    def fit(self, columns: list[Any], margin: bool = True) -> None:
        """Show all of these. Logarithms go to whole decades or doublings, and over no more than twelve decades: below that is rounding."""
        values = numpy.concatenate([self.shown(column) for column in columns] or [[]])
        values = values[numpy.isfinite(values)]
        low, high = (values.min(), values.max()) if len(values) else (0.0, 1.0)
        if not margin and low < high:
            pass
        elif self.logarithm == 2:
            high, low = math.ceil(high - 1e-9), math.floor(low + 1e-9)
            low, high = min(low, high - 1) - 0.15, high + 0.15  # room for the marks of the first and the last point
        elif self.logarithm:
            high = math.ceil(high - 1e-9)
            low = min(max(math.floor(low + 1e-9), high - 12), high - 1)
        else:
            space = 0.04 * (high - low) if high > low else 0.1 + 0.1 * abs(high)
            low, high = low - space, high + space
        self.low, self.high = float(low), float(high)

    def ticks(self, wanted: int) -> list[tuple[float, str]]:
        """Places in pixels, and their texts."""
        span = (self.high - self.low) / wanted
        power = 10.0 ** math.floor(math.log10(span))
        step = max(1.0, math.ceil(span)) if self.logarithm else power * next(k for k in (1, 2, 5, 10) if span <= k * power * (1 + 1e-12))
        ticks, found = range(math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9) + 1), []
        for v in (k * step for k in ticks):
            text = f"{2 ** v:.6g}" if self.logarithm == 2 else f'10<tspan dy="-4" font-size="9">{v:.0f}</tspan>' if self.logarithm else f"{v:.6g}"
            found.append((float(self.place(v)), text))
        return found


@dataclass
class Plot:
    """What is drawn, and how."""

    title: str
    xlabel: str
    ylabel: str = ""
    series: list[Series] = field(default_factory=list)
    log_x: int = 0
    log_y: int = 0
    width: int = 1080
    height: int = 330
    most_y: float = math.inf  #: larger values are out of the picture
    from_zero: bool = False
    true_scale: bool = False  #: the same for x and y
    legend: bool = False


def _stroke(style: int) -> str:
    if style < 0:
        return 'stroke="#b8b8b8" stroke-width="4"'
    dash = DASHES[style // len(COLOURS) % len(DASHES)]
    return f'stroke="{COLOURS[style % len(COLOURS)]}" stroke-width="1.4"' + (f' stroke-dasharray="{dash}"' if dash else "")


def _axes(p: Plot, x: Axis, y: Axis) -> str:
    out = [f'<path class="g" d="M{at:.1f} {y.start:.1f}V{y.stop:.1f}"/><text x="{at:.1f}" y="{y.start + 15:.1f}" text-anchor="middle">{text}</text>'
           for at, text in x.ticks(p.width // 90)]
    out += [f'<path class="g" d="M{x.start:.1f} {at:.1f}H{x.stop:.1f}"/><text x="{x.start - 6:.1f}" y="{at + 4:.1f}" text-anchor="end">{text}</text>'
            for at, text in y.ticks(p.height // 45)]
    out.append(f'<path class="a" d="M{x.start:.1f} {y.stop:.1f}V{y.start:.1f}H{x.stop:.1f}"/>'
               f'<text x="{(x.start + x.stop) / 2:.1f}" y="{y.start + 31:.1f}" text-anchor="middle">{escape(p.xlabel)}</text>'
               f'<text x="6" y="15" class="t">{escape(p.title)}' + (f' <tspan class="u">{escape(p.ylabel)}</tspan>' if p.ylabel else "") + "</text>")
    return "".join(out)


def _curve(s: Series, x: Axis, y: Axis) -> str:
    px, py = x.place(x.shown(s.x)), y.place(y.shown(s.y))
    there = numpy.isfinite(px) & numpy.isfinite(py) & (abs(py) <= 1e5)  # what lies far outside would only spoil the rendering
    path = "".join(f"{'L' if k and there[k - 1] else 'M'}{px[k]:.1f} {py[k]:.1f}" for k in numpy.flatnonzero(there))
    pale = f' stroke-opacity="{1 - 0.8 * s.pale:.2f}"' if s.pale > 0 else ""
    out = f'<g><title>{escape(s.name)}</title><path fill="none" stroke-linejoin="round" {_stroke(s.style)}{pale} d="{path}"/>'
    if s.points:
        out += "".join(f'<circle cx="{px[k]:.1f}" cy="{py[k]:.1f}" r="3.2" fill="{COLOURS[s.style % len(COLOURS)]}"/>' for k in numpy.flatnonzero(there))
    if s.tag and there.any():  # beyond the end of the curve, seen from where it begins
        last = numpy.flatnonzero(there)[-1]
        left = px[last] < px[0]
        out += (f'<text x="{px[last] + (-5 if left else 4):.1f}" y="{py[last] + 4:.1f}"' + (' text-anchor="end"' if left else "")
                + f">{escape(s.name)}</text>")
    return out + "</g>\n"


def _legend(p: Plot) -> str:
    columns, out = max(1, (p.width - LEFT) // COLUMN), ""
    for k, s in enumerate(p.series):
        px, py = LEFT + COLUMN * (k % columns), p.height + 8 + LINE * (k // columns)
        out += f'<path d="M{px} {py - 4}h24" {_stroke(s.style)}/><text x="{px + 30}" y="{py}">{escape(s.name)}</text>'
    return out


def draw(p: Plot) -> str:
    """One plot."""
    number = next(_numbers)  # its clipping has a name of its own
    lines = -(-len(p.series) // max(1, (p.width - LEFT) // COLUMN)) if p.legend else 0
    height = p.height + (LINE * lines + 6 if lines else 0)
    x, y = Axis(p.log_x, LEFT, p.width - RIGHT), Axis(p.log_y, p.height - BOTTOM, TOP)
    x.fit([s.x for s in p.series], margin=bool(p.log_x) or p.true_scale)  # time fills the width
    y.fit([numpy.where(numpy.asarray(s.y) <= p.most_y, s.y, numpy.nan) for s in p.series])
    y.low = min(y.low, 0.0) if p.from_zero else y.low
    if p.true_scale:  # the axis with room to spare shows more than it has to
        per = max((a.high - a.low) / abs(a.stop - a.start) for a in (x, y))
        for a in (x, y):
            middle, half = (a.low + a.high) / 2, per * abs(a.stop - a.start) / 2
            a.low, a.high = middle - half, middle + half
    return (f'<svg viewBox="0 0 {p.width} {height}" width="{p.width}" height="{height}" role="img">{_axes(p, x, y)}<clipPath id="c{number}">'
            f'<rect x="{x.start:g}" y="{y.stop:g}" width="{x.stop - x.start:g}" height="{y.start - y.stop:g}"/></clipPath><g clip-path="url(#c{number})">\n'
            + "".join(_curve(s, x, y) for s in p.series) + "</g>" + (_legend(p) if p.legend else "") + "</svg>\n")
