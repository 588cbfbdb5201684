#!/usr/bin/env python3
"""Write a page on where the time of a step goes, for every problem in all coordinates.

    tools/bench_page.py --parts build/bench_parts --program build/sarrus [--previous OTHER/sarrus] -o build/steps.html [PROBLEM ...]

Times per step and their parts come from bench_parts. With the program of another release the same runs are made by
both in turns, and the CPU times per step are set beside each other: ratios hold on a busy machine too.
"""
import argparse
import html
import json
import os
import pathlib
import subprocess
import sys

PARTS = ["rows", "forces", "factor", "solve", "projections", "observation", "rest"]
COLOURS = ["#4878a8", "#d08050", "#7a9a4a", "#b8b050", "#8a6aa0", "#9a9a9a", "#d8d8d8"]
TEXT = {"rows": "constraints and their Jacobian", "forces": "forces, mass and their tangents", "factor": "step matrix, factored",
        "solve": "residual and solution", "projections": "velocities and accelerations led back, rows included",
        "observation": "energies, violations, search for singular configurations, run", "rest": "all else within a step"}
TURNS = 4
SECONDS = 0.1  # of CPU time for a run beside another release
MOST_STEPS = 100000


def measure_parts(program, problems):
    out = subprocess.run([program, *problems], check=True, stdout=subprocess.PIPE, env=environment()).stdout
    return [json.loads(line) for line in out.splitlines()]


def environment():
    return dict(os.environ, SARRUS_CERTIFY="no", OMP_NUM_THREADS="1")


def split(row):
    """What a step is made of, in microseconds. Steps in one piece take less than their parts: these are scaled then."""
    per_correction = sum(row[k] for k in PARTS[:4])
    parts = {k: row["corrections"] * row[k] for k in PARTS[:4]}
    parts["projections"] = row["projections"]
    alone = row["alone"] if row["alone"] is not None else None
    parts["observation"] = max(0.0, row["advance"] - alone) if alone is not None else 0.0
    room = row["advance"] - parts["observation"]
    known = sum(parts[k] for k in PARTS[:5])
    row["in_one_piece"] = known > room
    factor = room / known if known > room else 1.0
    for k in PARTS[:5]:
        parts[k] *= factor
    parts["rest"] = max(0.0, room - factor * known)
    row["per_correction"] = factor * per_correction
    return parts


def cpu_time(program, root, row, steps):
    """CPU seconds of a run with so many steps, or None."""
    command = [program, "run", str(root / "problems" / row["problem"]), "--coordinates", row["coordinates"], "--formulation", "al3",
               "--integrator", "trapezoidal", "--step", "%.12g" % row["step"], "--end", "%.12g" % (steps * row["step"]), "--json"]
    run = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment())
    _, status, used = os.wait4(run.pid, 0)
    run.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime if run.returncode == 0 else None


def in_turns(programs, root, row):
    """Microseconds per step of each: a long run less a short one, the least of some turns. None: one of them fails."""
    steps = int(min(MOST_STEPS, max(50, 1e6 * SECONDS / row["advance"])))
    least = {}
    for _ in range(TURNS):
        for program in programs:
            for length in (1, 1 + steps):
                used = cpu_time(program, root, row, length)
                if used is None:
                    return None
                least[program, length] = min(used, least.get((program, length), used))
    return [1e6 * (least[p, 1 + steps] - least[p, 1]) / steps for p in programs]


def bar(parts, widest):
    total = sum(parts.values())
    pieces = "".join(f'<i style="width:{100 * parts[k] / total:.2f}%;background:{c}" title="{k} {parts[k]:.3g} us"></i>'
                     for k, c in zip(PARTS, COLOURS) if parts[k] > 0)
    return f'<span class="bar" style="width:{max(4.0, 100 * (total / widest) ** 0.5):.1f}%">{pieces}</span>'


def cells(row, parts, widest, previous, beside):
    yield html.escape(row["coordinates"])
    yield f'{row["n"]}, {row["m"]}'
    yield html.escape(row["solver"])
    yield f'{row["corrections"]:.2f}'
    yield f'<b>{row["advance"]:.3g}</b>' + ("*" if row["in_one_piece"] else "")
    yield bar(parts, widest)
    yield f'{row["per_correction"]:.3g}'
    for k in PARTS:
        yield "-" if k == "observation" and row["alone"] is None else f"{parts[k]:.3g}"
    if previous:
        yield from ("-", "-", "-") if not beside else (f"{beside[0]:.3g}", f"{beside[1]:.3g}", f"<b>{beside[0] / beside[1]:.2f}</b>")


STYLE = """body{font:14px/1.45 sans-serif;margin:2em auto;max-width:92em;padding:0 1em;color:#222}table{border-collapse:collapse;width:100%}
th,td{padding:.25em .45em;text-align:right;border-bottom:1px solid #ddd;white-space:nowrap}th{font-weight:600;vertical-align:bottom}
td:first-child,th:first-child{text-align:left}tr.problem td{font-weight:600;padding-top:.9em;text-align:left}
.bar{display:flex;height:1em;min-width:2em}.bar i{display:block;height:100%}td:nth-child(6){width:13em;min-width:9em}.key i{display:inline-block;width:1em;height:1em;vertical-align:-.15em;margin:0 .35em 0 1em}
@media(prefers-color-scheme:dark){body{background:#181818;color:#ddd}th,td{border-color:#444}}"""


def page(rows, compared, previous):
    heads = ["coordinates", "n, m", "solver", "correc-<br>tions", "step", "", "a correc-<br>tion", "rows", "forces", "factor", "solve", "projec-<br>tions", "observa-<br>tion", "rest"]
    heads += ["run", "previous", "ratio"] if previous else []
    key = "".join(f'<span title="{TEXT[k]}"><i style="background:{c}"></i>{k}</span>' for k, c in zip(PARTS, COLOURS))
    yield f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Sarrus: time of a step</title><style>{STYLE}</style></head><body>'
    yield "<h1>Where the time of a step goes</h1>"
    yield ("<p>al3 with the trapezoidal rule, each problem with its own step, in all coordinates; microseconds of CPU time on one core, the least of "
           "several blocks. A step is its corrections (rows, forces, factor and solve each time), the projections, and what is observed after it. "
           "Parts are timed by themselves at states along the run. * The parts take longer by themselves than the step that "
           "they are in, which comes in one piece or evaluates once what several of them need: they are scaled to fit. "
           "Bars are as long as the root of the time.</p>")
    if previous:
        yield f"<p>Beside <code>{html.escape(previous)}</code>: the same runs by both programs in turns, CPU time of long runs less that of short ones, the least of {TURNS}.</p>"
    yield f'<p class="key">{key}</p><table><tr>' + "".join(f"<th>{h}</th>" for h in heads) + "</tr>"
    widest, last = max(r["advance"] for r in rows), None
    for row, beside in zip(rows, compared):
        if row["problem"] != last:
            last = row["problem"]
            yield f'<tr class="problem"><td colspan="{len(heads)}">{html.escape(last)}, step {row["step"]:g} s</td></tr>'
        parts = split(row)
        yield "<tr>" + "".join(f"<td>{c}</td>" for c in cells(row, parts, widest, previous, beside)) + "</tr>"
    yield "</table></body></html>"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--parts", default="build/bench_parts")
    parser.add_argument("--program", default="build/sarrus")
    parser.add_argument("--previous", default="", help="program of another release, to be run in turns")
    parser.add_argument("-o", "--output", default="build/steps.html")
    parser.add_argument("problems", nargs="*")
    args = parser.parse_args()
    root = pathlib.Path(__file__).resolve().parent.parent
    if args.previous and not os.access(args.previous, os.X_OK):
        sys.exit(f"{args.previous}: no program; --previous wants the path of a built `sarrus`")
    rows = measure_parts(args.parts, args.problems)
    refused = [r for r in rows if not r["steps"]]
    rows = [r for r in rows if r["steps"] and r["rows"] is not None]
    if not rows:
        sys.exit("no such problem")
    compared = [in_turns([args.program, args.previous], root, r) if args.previous else None for r in rows]
    pathlib.Path(args.output).write_text("\n".join(page(rows, compared, args.previous)), encoding="utf-8")
    for r in refused:
        print(f'{r["problem"]} in {r["coordinates"]}: does not run by al3')
    print(f"{len(rows)} rows in {args.output}")


if __name__ == "__main__":
    main()
