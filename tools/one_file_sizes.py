#!/usr/bin/env python3
"""Bytes of code and data in the one C file, whole and with parts left out: the table of docs/live.md.

    tools/one_file_sizes.py [--write] [--compiler cc]
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "live.md"
PARTS = {"READER": "model files (`load.h`)", "ANALYSIS": "modes, state space, self-stress (`analysis.h`)",
         "CITATIONS": "the texts of `sar_bibtex`", "PICTURES": "drawings (`drawing.h`)"}


def size_of(folder, compiler, parts):
    target = folder / "sarrus.o"
    subprocess.run([compiler, "-std=c17", "-O1", *[f"-DSARRUS_OMIT_{part}" for part in parts], "-c", folder / "sarrus.c", "-o", target], check=True)
    text, data, zero = subprocess.run(["size", target], check=True, capture_output=True, text=True).stdout.splitlines()[1].split()[:3]
    return int(text) + int(data) + int(zero)


def table(compiler):
    version = subprocess.run([compiler, "-dumpversion"], check=True, capture_output=True, text=True).stdout.strip().split(".")[0]
    with tempfile.TemporaryDirectory(prefix="sarrus-sizes-") as name:
        folder = pathlib.Path(name)
        subprocess.run([sys.executable, ROOT / "tools" / "amalgamate.py", folder], check=True)
        whole = size_of(folder, compiler, [])
        rows = [(f"`SARRUS_OMIT_{part}`", text, whole - size_of(folder, compiler, [part])) for part, text in PARTS.items()]
        rows.append(("all of these", "", whole - size_of(folder, compiler, list(PARTS))))
    lines = [f"| defined when it is compiled | leaves out | bytes (gcc {version}, -O1, x86-64; all: {whole / 1e6:.2f} MB) |", "| --- | --- | --- |"]
    return "\n".join(lines + [f"| {switch} | {text} | {round(size / 1000)} 000 |" for switch, text, size in rows])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--write", action="store_true", help="into docs/live.md")
    parser.add_argument("--compiler", default="cc")
    wanted = parser.parse_args()
    text = table(wanted.compiler)
    print(text)
    if wanted.write:
        page = PAGE.read_text(encoding="utf-8")
        there = re.search(r"\| defined when it is compiled \|.*\n(\|.*\n)+", page)
        PAGE.write_text(page.replace(there[0], text + "\n"), encoding="utf-8")


if __name__ == "__main__":
    main()
