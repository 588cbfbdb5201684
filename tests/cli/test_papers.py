"""docs/papers.md: every item has a status and something that shows it, every test that it names is there, and its commands run.

Usage: test_papers.py PROGRAM SOURCE_ROOT

A sample of the commands runs, in `make soak` all of them. Studies are run by their first row alone, so that a name that does not exist or a method that is
refused is found; what they say is tested in test_bench.py.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

import built
import every_test

PROGRAM, ROOT = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
LONGEST = 600  # seconds, for a row of a study on a busy machine
SLOW = {"002-figure-7", "002-figure-7-swept", "004-figure-12", "004-figure-13"}  # many seconds a row: only listed
ITEMS, AS_PUBLISHED = 218, 200  # at least


def read():
    """Items, [[item, status, here, letters]], with the letters of their section replaced by what they stand for."""
    items, keys, unused = [], {}, []
    for line in (ROOT / "docs/papers.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            unused += [f"{k}: no item names it" for k in keys if not keys[k][1]]
            keys = {}
        if match := re.fullmatch(r"- \*\*(\w+)\*\* `([^`]+)`", line):
            keys[match[1]] = [match[2], 0]
        cells = [c.strip() for c in line.strip("|").split("|")]
        if line.startswith("|") and len(cells) == 4 and cells[1] not in ("status", "---"):
            for k in cells[3].split():
                keys[k][1] += 1
            items.append([*cells[:3], [keys[k][0] for k in cells[3].split()]])
    return items, unused + [f"{k}: no item names it" for k in keys if not keys[k][1]]


def run(command):
    words, listed = [PROGRAM, *command.split()[1:]], ""
    if command.startswith("python3 "):
        listed = command.split()[3] if command.split()[3] in SLOW else ""
        words = [sys.executable, "-m", "sarrus.bench"] + ([] if listed else [*command.split()[3:], "--rows", "1", "--repeat", "1"])
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=LONGEST, env=built.python_environment(PROGRAM, ROOT))
    if done.returncode not in (0, 6):
        return f"{command}: {done.returncode}: {done.stderr.strip()[-300:]}"
    return "" if listed in done.stdout else f"{command}: no such study"


def find(test):
    name, _, function = test.partition(": ")
    files = list((ROOT / "tests").glob(f"**/{name}.c")) + list((ROOT / "python/tests").glob(f"{name}.py"))
    if not files:
        return f"there is no {name}"
    there = [word for word in (f"TEST({function})", f"def {function}(") for file in files if word in file.read_text(encoding="utf-8")]
    return "" if not function or there else f"{name} has no {function}"


items, wrong = read()
number = {s: sum(i[1] == s for i in items) for s in ("as published", "ours, after", "not")}
said = f"{len(items)} items: {number['as published']} as published, {number['ours, after']} ours, after, {number['not']} not reproduced."
wrong += [] if said in (ROOT / "docs/papers.md").read_text(encoding="utf-8") else [f"the page does not say: {said}"]
wrong += [f"{i[0]}: status '{i[1]}'" for i in items if i[1] not in number]
wrong += [f"{i[0]}: nothing shows it" for i in items if i[1] != "not" and not i[3]]
wrong += [f"{i[0]}: no reason" for i in items if i[1] != "as published" and not i[2]]
if len(items) < ITEMS or number["as published"] < AS_PUBLISHED:
    wrong.append(said)
shown = sorted({s for i in items for s in i[3]})
commands = [s for s in shown if s.startswith(("sarrus ", "python3 "))]
wrong += filter(None, (find(s) for s in shown if s not in commands))
wrong += filter(None, map(run, every_test.sample(commands, 6)))
if wrong:
    sys.exit("\n".join(wrong))
print(said)
