#!/usr/bin/env python3
"""Instances per second of whole `sarrus sweep` commands on one core, beside another release in turns.

    tools/bench_sweep.py --program build/sarrus [--previous PATH/sarrus] [--instances 256] [--rounds 3]

CPU time of the command and its worker, least of the rounds; ratios within one call are what counts. Tables of the two programs
are compared: where their steps have the same bits, so have these.
"""
import argparse
import csv
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROBLEMS = [("slider-crank-1", "m1"), ("four-bar", "m"), ("bricard", "m")]


def cpu_seconds(program, problem, parameter, instances, table):
    """Of one sweep with varied masses."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([program, "sweep", ROOT / "problems" / problem / "model.yaml", "--vary", f"{parameter}=lin:0.5:2:{instances}", "--jobs", "1", "-q",
                    "--restart", "-o", table], check=True, env={**os.environ, "SARRUS_CERTIFY": "no"})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def numbers(table):
    """Rows without the column that words may change."""
    with open(table, encoding="utf-8") as file:
        return [{k: v for k, v in row.items() if k != "verdict"} for row in csv.DictReader(file)]


def compare(a, b):
    """How many rows are the same, in the columns that both have."""
    common = a[0].keys() & b[0].keys()
    return sum(all(x[k] == y[k] for k in common) for x, y in zip(a, b))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--program", required=True)
    parser.add_argument("--previous", default="")
    parser.add_argument("--instances", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=3)
    wanted = parser.parse_args()
    programs = [p for p in (wanted.previous, wanted.program) if p]
    print(f"{'instances/s':16}" + "".join(f" {'previous' if len(programs) > k + 1 else 'now':>10}" for k in range(len(programs))) +
          (f" {'ratio':>8}   same rows" if len(programs) > 1 else ""))
    with tempfile.TemporaryDirectory() as folder:
        for problem, parameter in PROBLEMS:
            least = [float("inf")] * len(programs)
            tables = [f"{folder}/{k}.csv" for k in range(len(programs))]
            for _ in range(wanted.rounds):
                for k, program in enumerate(programs):
                    least[k] = min(least[k], cpu_seconds(program, problem, parameter, wanted.instances, tables[k]))
            line = f"{problem:16}" + "".join(f" {wanted.instances / s:10.1f}" for s in least)
            if len(programs) > 1:
                line += f" {least[0] / least[1]:8.2f}   {compare(*map(numbers, tables))} of {wanted.instances}"
            print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
