"""docs/papers.md: every row has a status, every command of the page runs, every test that it names is there.

Usage: test_papers.py PROGRAM SOURCE_ROOT

Studies are run by their first row alone, so that a name that does not exist or a method that is refused is found; what they say
is tested in test_bench.py.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

PROGRAM, ROOT = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
LONGEST = 300  # seconds, for a row of a study on a busy machine
SLOW = {"002-figure-7", "004-figure-12", "004-figure-13"}  # many seconds a row: only listed


def rows():
    for line in (ROOT / "docs/papers.md").read_text(encoding="utf-8").splitlines():
        cells = [c.strip() for c in line.strip("|").split("|")]
        if line.startswith("|") and len(cells) == 4 and cells[1] not in ("status", "---"):
            yield cells


def run(command):
    words = command.split()[1:]
    if words[0] == "bench":
        words = ["bench"] if words[1] in SLOW else [*words, "--rows", "1", "--repeat", "1"]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([PROGRAM, *words], cwd=folder, capture_output=True, text=True, timeout=LONGEST)
    if done.returncode not in (0, 6):
        return f"{command}: {done.returncode}: {done.stderr.strip()[-300:]}"
    return "" if words != ["bench"] or command.split()[2] in done.stdout else f"{command}: no such study"


def find(test):
    path, _, function = test.partition(": ")
    if not (ROOT / path).exists():
        return f"{path} is not there"
    text = (ROOT / path).read_text(encoding="utf-8")
    return "" if not function or f"cmocka_unit_test({function})" in text else f"{path} has no {function}"


table = list(rows())
wrong = [f"{r[0]}: status '{r[1]}'" for r in table if r[1] not in ("as published", "ours, after", "not")]
wrong += [f"{r[0]}: nothing shows it" for r in table if r[1] != "not" and not r[3]]
wrong += [f"{r[0]}: no reason" for r in table if not r[2]]
shown = {s for r in table for s in re.findall(r"`([^`]+)`", r[3])}
assert len(table) > 60 and len(shown) > 40, (len(table), len(shown))
wrong += filter(None, (run(s) if s.startswith("sarrus ") else find(s) for s in sorted(shown)))
if wrong:
    sys.exit("\n".join(wrong))
print(f"{len(table)} items, {len(shown)} commands and tests: all there")
