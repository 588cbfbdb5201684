#!/usr/bin/env python3
"""Run problems with several programs, or one in several surroundings, and compare the bits of what they compute.

    tools/same_bits.py build/sarrus 'env GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-FMA build/sarrus'
    tools/same_bits.py build/sarrus build-clang/sarrus 'qemu-aarch64-static -L ROOT build-arm64/sarrus' --problems four-bar andrews

Every command after the first is held against the first: outputs with all their digits, exit code. Prints what differs, and exits
with 1 if anything does.
"""
import argparse
import concurrent.futures
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
METHODS = {
    "default": [],
    "ALi3p": ["--preset", "ALi3p"],
    "ALi3p relative": ["--preset", "ALi3p", "--coordinates", "relative"],
    "ALi3p increments": ["--preset", "ALi3p", "--coordinates", "increments"],
    "LMD-midpoint cartesian": ["--preset", "LMD-midpoint", "--coordinates", "cartesian"],
    "al1 rk4": ["--formulation", "al1", "--integrator", "rk4", "--coordinates", "cartesian"],
    "tolerance": ["--tolerance", "1e-6"],
    "radau": ["--formulation", "nullspace", "--integrator", "radau", "--coordinates", "cartesian"],
    "BDF-DAE": ["--preset", "BDF-DAE"],
}


def outcome(command, model, options, end):
    """Exit code and the data of the outputs, or why there are none."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out.csv"
        try:
            done = subprocess.run([*shlex.split(command), "run", str(model), "--end", str(end), *options, "-o", str(out)],
                                  capture_output=True, text=True, timeout=60, env={**os.environ, "SARRUS_CERTIFY": "no"})
        except subprocess.TimeoutExpired:
            return "timeout", []
        rows = [line for line in out.read_text().splitlines() if not line.startswith("#")] if out.exists() else []
        return done.returncode, rows


def compared(task):
    commands, problem, method, end = task
    model = ROOT / "problems" / problem / "model.yaml"
    first, *others = [outcome(c, model, METHODS[method], end) for c in commands]
    differ = []
    for command, other in zip(commands[1:], others):
        if other == first:
            continue
        at = next((k for k, (a, b) in enumerate(zip(first[1], other[1])) if a != b), None)
        where = f"exit {first[0]} and {other[0]}, {len(first[1])} and {len(other[1])} rows" if at is None else \
            f"row {at} of {len(first[1])}: {first[1][at][:60]} and {other[1][at][:60]}"
        differ.append(f"{problem}, {method}: {command}: {where}")
    return len(first[1]) > 1, differ


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commands", nargs="+", metavar="COMMAND")
    parser.add_argument("--problems", nargs="+", default=sorted(p.parent.name for p in ROOT.glob("problems/*/model.yaml")))
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=METHODS, metavar="METHOD")
    parser.add_argument("--end", type=float, default=0.2, help="seconds of each run")
    parser.add_argument("-j", type=int, default=1)
    options = parser.parse_args()
    tasks = [(options.commands, p, m, options.end) for p in options.problems for m in options.methods]
    with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        done = list(pool.map(compared, tasks))
    different = [line for _, lines in done for line in lines]
    for line in different:
        print(line)
    print(f"{len(tasks)} runs, {sum(moves for moves, _ in done)} of them with results, {len(options.commands)} programs: "
          f"{len(different)} differ")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
