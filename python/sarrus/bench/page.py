"""The report: tables and plots of the studies in one web page that needs nothing else."""
from __future__ import annotations

import math
import time
from html import escape
from types import SimpleNamespace

from .. import _abi
from . import svg
from .judge import cost, digits, findings, is_quantity, quantity, titles
from .runs import Run, Table, processor
from .studies import NAN, Row, Study
from .svg import Series
from .tables import CORES, LOOKS, SIZES, Layout, by_energy, cost_text, notes, parameters, show, source, summary, verdict

STYLE = ("body{font:15px/1.45 system-ui,sans-serif;color:#1a1a1a;max-width:1200px;margin:2em auto;padding:0 1em}h1{font-size:1.6em;margin-bottom:.2em}"
         "h2{font-size:1.2em;margin:2.2em 0 .2em}p.m{color:#555;margin:.1em 0}div.w{overflow-x:auto}table{border-collapse:collapse;margin:.8em 0;"
         "font-size:13.5px;white-space:nowrap}th{text-align:left;border-bottom:1.5px solid #333;padding:.25em .6em}td{border-bottom:1px solid #e2e2e2;"
         "padding:.22em .6em}td:last-child:not(.n){white-space:normal;min-width:11em}.n{text-align:right;font-variant-numeric:tabular-nums}"
         ".good{color:#00704f}.bad{color:#b3261e;font-weight:600}.odd{color:#8a5a00}.none{color:#777}dl{font-size:13.5px;display:grid;"
         "grid-template-columns:max-content 1fr;gap:.2em 1em}dt{color:#777;max-width:9em}dd{margin:0}.small{display:flex;flex-wrap:wrap;gap:4px}")

# ---- tables -------------------------------------------------------------------------------------


def _table(heads: list[str], numbers: list[str], last: str, rows: list[tuple[list[str], list[tuple[float, int]], str, str]]) -> str:
    """Of rows of texts, numbers with their digits, and a verdict with its look."""
    out = "".join(f"<th>{head}" for head in heads) + "".join(f'<th class="n">{escape(head)}' for head in numbers) + f"<th>{last}" * bool(last) + "</tr>\n"
    for texts, values, words, look in rows:
        out += "<tr>" + "".join(f"<td>{escape(text)}</td>" for text in texts)
        out += "".join(f'<td class="n">{show(value, count) or "&ndash;"}</td>' for value, count in values)
        out += (f'<td class="{look}">{escape(words)}</td>' if last else "") + "</tr>\n"
    return f'<div class="w"><table><tr>{out}</table></div>\n' if rows else ""


def _tables(study: Study) -> str:
    layout, found, c = Layout(study), findings(study), cost(study)
    out = "".join(f'<p class="m">Passes: {escape(words)}.</p>\n' for words in layout.passes)
    rows = [([str(row.number), row.label, parameters(row)], [cell[1:] for cell in layout.cells(row)], verdict(row), LOOKS[row.verdict]) for row in study.wanted()]
    out += _table(["#", "method", "parameters"], [head for head, _, _ in layout.cells(None)], "verdict", rows)
    about = "".join(f"<dt>{numbers}</dt><dd>{escape(text)}</dd>\n" for text, numbers in notes(study).items())
    out += f"<dl>{about}</dl>\n" if about else ""
    out += _table(["statement", "method"], ["ours", "published"], "verdict",
                  [([x.text, x.label], [(x.value, digits(x.of)), (x.published, digits(x.of))], x.verdict, LOOKS[x.verdict]) for x in found])
    out += f"<p>Cost model, {escape(cost_text(study, c))}.</p>\n" if c else ""
    if c and c.predicts:
        out += '<p class="m">By this the speed-up on</p>' + _table(["n"], [f"{p} cores" for p in CORES], "",
                                                                  [([str(n)], [(c.speedup(n, p), 3) for p in CORES], "", "") for n in SIZES])
    return out


# ---- plots --------------------------------------------------------------------------------------


def _series(table: Table | None, plot: SimpleNamespace, name: str, style: int) -> list[Series]:
    """The part of a column that the plot shows; nothing where there is no such column."""
    y, x = (table.column(plot.y), table.column(plot.orbit)) if table else (None, None)
    if table is None or y is None:
        return []
    keep = ~(table.time < plot.from_) & ~(table.time > plot.until)  # NaN: all
    return [Series(name, (table.time if x is None else x)[keep], y[keep], style)]


def _small(runs: list[tuple[Row, Run]], plot: SimpleNamespace) -> list[str]:
    """Each run over the reference in a small plot of its own: where they part is seen at once."""
    over = plot.orbit or "time"
    out = [f"<h3>{escape(plot.title or plot.y)}: {escape(plot.y)} over {escape(over)}, the reference in grey</h3><div class=\"small\">\n"]
    for row, run in runs:
        ours = _series(run.history, plot, row.label, 0)
        if ours:
            out.append(svg.draw(svg.Plot(f"{row.number}  {row.label}", plot.orbit or "t [s]", "", _series(run.reference, plot, "reference", -1) + ours, width=355,
                                         height=355 if plot.orbit else 190, true_scale=bool(plot.orbit))))
    return [*out, "</div>\n"]


def _joint(runs: list[tuple[Row, Run]], plot: SimpleNamespace) -> list[str]:
    """All runs in one plot. A logarithm shows how small magnitudes are, not their sign."""
    series = [each for row, run in runs for each in _series(run.history, plot, f"{row.number}  {row.label}", 0)]
    for k, each in enumerate(series):
        each.style, each.y = k, abs(each.y) if plot.logarithmic else each.y
    return [svg.draw(svg.Plot(plot.title or plot.y, plot.orbit or "t [s]", "", series, log_y=10 * plot.logarithmic, true_scale=bool(plot.orbit),
                              most_y=plot.most if plot.most > 0 else math.inf, legend=True))] * bool(series)


def _scatter(study: Study, runs: list[tuple[Row, Run]], plot: SimpleNamespace) -> list[str]:
    """A quantity of the runs over another, or over an option or a parameter."""
    curves: dict[str, list[tuple[float, float]]] = {}
    for row, _ in runs:
        name, y = row.label if plot.by == "label" else f"{plot.by} = {row.setting(plot.by):g}", quantity(study, row, plot.y)
        curves.setdefault(name, []).append((quantity(study, row, plot.x), abs(y) if plot.logarithmic else y))
    series = [Series(name, [x for x, _ in points], [y for _, y in points], k, points=True) for k, (name, points) in enumerate(curves.items())]
    values = [row.setting(plot.x) for row in study.rows]
    doubled = not is_quantity(plot.x) and all(math.isnan(x) or x == math.floor(x) for x in values)  # counts are mostly doubled from run to run
    return [svg.draw(svg.Plot(plot.title or plot.y, titles(plot.x)[0], titles(plot.y)[0], series, log_x=2 if doubled else 10 * plot.logarithmic,
                              log_y=10 * plot.logarithmic, from_zero=not plot.logarithmic, height=420, legend=True))] * bool(series)


def _snapshots(row: Row, run: Run, plot: SimpleNamespace) -> str:
    """The mechanism of one run, paler the longer ago."""
    series = [Series(f"{t:.3g} s", lines[:, 0], lines[:, 1], pale=1 - (k + 1) / len(run.sketches), tag=True) for k, (t, lines) in enumerate(run.sketches)]
    return svg.draw(svg.Plot(f"{plot.title}: {row.number}  {row.label}", "x [m]", "y [m]", series, height=660, true_scale=True))


def _plots(study: Study) -> str:
    """All plots of a study; where methods or codes are compared, time over precision too."""
    plots, out, runs = list(study.plots), [], [(row, row.run) for row in study.wanted() if row.run]
    if (study.tuned or any(row.outside for row in study.rows)) and all(plot.y != "seconds" for plot in plots):
        x = "energy.max_drift" if by_energy(study) else "total_error"
        plots.insert(0, SimpleNamespace(title="Time over precision", x=x, y="seconds", by="label", logarithmic=True, snapshots=NAN))
    for plot in plots:
        if plot.snapshots > 0:
            out += [_snapshots(row, run, plot) for row, run in runs if run.sketches]
        elif plot.x != "t":
            out += _scatter(study, runs, plot)
        elif any(run.reference and run.reference.column(plot.y) is not None for _, run in runs):
            out += _small(runs, plot)
        else:
            out += _joint(runs, plot)
    return "".join(out)


# ---- the page -----------------------------------------------------------------------------------


def _study(study: Study) -> str:
    about = escape(". ".join(filter(None, [source(study), summary([study])])))
    return f'<h2 id="{study.name}">{study.name} &middot; {escape(study.title)}</h2>\n<p class="m">{about}.</p>\n' + _tables(study) + _plots(study)


def page(studies: list[Study], tuned: bool) -> str:
    """All of it."""
    links = " &middot; ".join(f'<a href="#{each.name}">{each.name}</a>' for each in studies)
    how = "the best setting of its method that was found" if tuned else "the published method and parameters"
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n<meta name="viewport" content="width=device-width"><title>Sarrus: published '
            f"figures and ours</title>\n<style>{STYLE}{svg.STYLE}</style></head><body>\n<h1>Published figures and ours</h1>\n"
            f'<p class="m">Sarrus {_abi.VERSION} on {escape(processor())}, {time.strftime("%Y-%m-%d")}. {summary(studies)}.</p>\n'
            f'<p class="m">Every row was run with {how} and is judged by the limit of its source, or of the study where that gives none. Times are CPU times of '
            "the steps; the published ones were taken on other machines, so ratios are indicative.</p>\n"
            + (f"<p>{links}</p>\n" if len(studies) > 1 else "") + "".join(map(_study, studies)) + "</body></html>\n")
