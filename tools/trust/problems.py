#!/usr/bin/python3
"""Certificates of the problems beside their references, and of chains, which are chaotic. Prints the tables of docs/trust.md.

    tools/trust/problems.py [--only NAME,...] [--program build/sarrus]

Every problem with a reference.csv is run by the method of its model and by the automatic one, with --certify. The error is the
largest difference from the reference at the reference's times, as a part of an output's range; the estimate is that of the
certificate, over the same outputs. Of chains of 16, 32 and 64 links, by steps of 1 ms and by the automatic method, the truth is
the automatic method in other coordinates and with a smaller tolerance, as long as two of those agree; what counts is the
error before the horizon that the certificate says. Exit code 1: an error above 1 % that is not told, or one
before the horizon.
"""
import argparse
import bisect
import os
import sys

import program

LIMIT = 1e-2


def common_times(run, reference):
    """Pairs of rows at the same time."""
    pairs, k = [], 0
    for i, t in enumerate(reference["time"]):
        k = bisect.bisect_left(run["time"], t - 1e-9, k)
        if k < len(run["time"]) and abs(run["time"][k] - t) < 1e-9:
            pairs.append((k, i))
    return pairs


def errors(run, reference, ranges):
    """Of each output that both have: times and errors as parts of its range."""
    pairs = common_times(run, reference)
    return {name: [(reference["time"][i], abs(run[name][k] - reference[name][i]) / ranges[name]) for k, i in pairs]
            for name in reference if name in run and name in ranges}


def judge(outcome, reference):
    """(true error, estimate, trusted until, end) of a run; None: it has no certificate, or nothing in common."""
    certificate = outcome.report.get("certificate")
    if certificate is None:
        return None
    ranges = {k: v["range"] for k, v in certificate["outputs"].items()}
    apart = {k: v for k, v in errors(outcome.rows, reference, ranges).items() if v}
    if not apart:
        return None
    true = max(e for v in apart.values() for _, e in v)
    before = max([e for v in apart.values() for t, e in v if t < certificate["trusted_until"]], default=0.0)
    said = max(certificate["outputs"][k]["error"] / ranges[k] for k in apart)
    return {"true": true, "before": before, "said": said, "until": certificate["trusted_until"], "trusted": certificate["trusted"],
            "tenfold": certificate["tenfold_s"], "end": outcome.rows["time"][-1], "beside": certificate["companion"]}


def show(name, method, v):
    if v is None:
        print(f"| {name} | {method} | | no certificate | |", flush=True)
        return True
    until = "to the end" if v["trusted"] else f"until {v['until']:.3g} s of {v['end']:.3g} s"
    print(f"| {name} | {method} | {v['true']:.1e} | {v['said']:.1e} | {until} |", flush=True)
    return v["trusted"] <= (v["true"] < LIMIT) and v["before"] < 1.5 * LIMIT


def problems(sarrus, root, only):
    folder, good = os.path.join(root, "problems"), True
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name, "reference.csv")
        if not os.path.exists(path) or (only and name not in only):
            continue
        reference = program.read_rows(path)
        interval = repr(reference["time"][1] - reference["time"][0])
        for method, options in (("the model's", []), ("auto", ["--tolerance", "1e-6"])):
            outcome = sarrus.run(os.path.join(folder, name), *options, "--sample", interval, "--end", repr(reference["time"][-1]), "--certify")
            good &= show(name, method, judge(outcome, reference))
    return good


def chains(sarrus, root):
    good, model = True, os.path.join(root, "problems", "chain")
    for n in (16, 32, 64):
        size = ["--set", f"n={n}", "--sample", "0.01"]
        truths = [sarrus.run(model, *size, "--tolerance", t, *more).rows
                  for t, more in (("1e-12", ["--coordinates", "relative"]), ("1e-11", ["--coordinates", "natural"]))]
        for method, options in (("1 ms", ["--step", "1e-3"]), ("auto", ["--tolerance", "1e-6"])):
            outcome = sarrus.run(model, *size, *options, "--certify")
            v = judge(outcome, truths[0])
            ranges = {k: c["range"] for k, c in outcome.report["certificate"]["outputs"].items()}
            known = min((t for c in errors(truths[1], truths[0], ranges).values() for t, e in c if e > 1e-3), default=float("inf"))
            grows = f"{v['tenfold']:.2g} s" if v["tenfold"] else "-"
            until = "the end" if v["trusted"] else f"{v['until']:.3g} s"
            print(f"| {n} | {method} | {until} | {v['before']:.1e} | {grows} | {'the end' if known > v['end'] else f'{known:.3g} s'} |", flush=True)
            good &= v["before"] < 1.5 * LIMIT or v["until"] > known
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    program.add_options(parser)
    parser.add_argument("--only", default="", help="these problems, by commas; 'none': chains alone")
    options = parser.parse_args()
    os.nice(10)
    sarrus = program.Program(options.program, max(options.timeout, 300))
    print("| problem | method | error | estimate | trusted to 1 % |\n| --- | --- | --- | --- | --- |")
    good = problems(sarrus, options.root, [n for n in options.only.split(",") if n])
    if not options.only or options.only == "none":
        print("\n| links | method | trusted until | largest error before | tenfold every | truth known until |\n| --- | --- | --- | --- | --- | --- |")
        good &= chains(sarrus, options.root)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
