#!/usr/bin/env python3
"""What is left of a run when something goes wrong, at random moments of it.

    tools/faults.py PROGRAM [--moments 200] [--seed 1] [--only kill,hangup,...]

Each fault is tried on HDF5 and CSV. An old result has the name already. Afterwards exit code, messages and files have to agree:
the old result is untouched, or the new file is whole, has complete rows that are those of an undisturbed run, its model and a
true verdict; what was in it at any time is in it still.
"""
import argparse
import csv
import fcntl
import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

os.environ.setdefault("SARRUS_CERTIFY", "no")  # reference runs have tests of their own
USUAL = dict(os.environ)  # for the program
os.environ["HDF5_USE_FILE_LOCKING"] = "FALSE"  # we look while the program writes

import h5py
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODEL = ROOT / "problems/n-four-bar/model.yaml"
PATIENCE = 3600  # [s], with programs that do not end; no verdict depends on it
RUN = ["--best-effort", "--sample", "0.01", "--step", "0.01"]
ENDLESS = ["--end", "1e6", "--sample", "5"]  # few rows a second: files stay small, however late they are looked at


class Wrong(AssertionError):
    """Something false was said, or something was lost."""


def need(condition, text):
    if not condition:
        raise Wrong(text)


# ---- files ------------------------------------------------------------------------------------

class Result:
    """Rows and texts of a result, whatever its format."""

    def __init__(self, path):
        self.texts, self.columns = {}, {}
        if path.suffix == ".h5":
            with h5py.File(path, "r") as file:
                self.texts = {name: text for name, text in file.attrs.items()}
                file.visititems(self._take)
        else:
            text = path.read_text()
            side = path.with_name(path.name + ".json")
            if side.exists():
                self.texts = json.loads(side.read_text())["attributes"]
            if self.verdict == "unfinished":  # the last line may be cut off
                text = text[:text.rfind("\n") + 1]
            need(text.endswith("\n"), f"{path.name} ends in the middle of a line")
            lines = list(csv.reader(text.splitlines()))
            need(all(len(line) == len(lines[0]) for line in lines), f"{path.name} has a broken row")
            table = np.array([[float(x) for x in line] for line in lines[1:]]).reshape(-1, len(lines[0]))
            self.columns = {("" if name == "time" else "outputs/") + name: table[:, k] for k, name in enumerate(lines[0])}
        lengths = {len(column) for column in self.columns.values()}
        need(len(lengths) == 1, f"{path.name} has datasets with {sorted(lengths)} rows")
        self.rows = lengths.pop()

    def _take(self, name, item):
        if isinstance(item, h5py.Dataset):
            self.columns[name] = item[:]

    @property
    def verdict(self):
        return self.texts.get("verdict")

    def is_start_of(self, other):
        rows = min(self.rows, other.rows)
        if self.verdict == "interrupted" and rows and self.columns["time"][rows - 1] != other.columns["time"][rows - 1]:
            rows -= 1  # the last one is that of the signal
        for name, column in self.columns.items():
            need(name in other.columns, f"column {name} is not that of this run")
            need(np.array_equal(column[:rows], other.columns[name][:rows], equal_nan=True), f"column {name} has false rows")


class Place:
    """A folder with an old result, and the truth about the run that is to replace it."""

    def __init__(self, bench, ending, folder=None):
        self.bench, self.truth = bench, bench.truth
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=folder or bench.folder))
        self.path = self.folder / f"x{ending}"
        for source in bench.old[ending]:
            shutil.copy2(source, self.folder / source.name)
        self.before = self.bytes()

    def bytes(self):
        return {path.name: path.read_bytes() for path in self.folder.iterdir() if not path.name.endswith(".part")}

    def is_old(self):
        return self.path.exists() and self.path.read_bytes() == self.before[self.path.name]

    def check_old(self):
        need(self.bytes() == self.before, "the old result was touched")

    def check_new(self, verdicts, rows=None):
        result = Result(self.path)
        need(result.verdict in verdicts, f"verdict {result.verdict}, wanted one of {verdicts}")
        for name in ("model", "model_text", "command", "version", "json"):
            need(name in result.texts, f"the file does not say its {name}")
        result.is_start_of(self.truth)
        need(rows is None or rows == result.rows, f"{result.rows} rows where {rows} were reported")
        return result

    def remove(self):
        shutil.rmtree(self.folder, ignore_errors=True)


COMPLETED = (0, 6)  # long steps: the file is complete, whether or not the motion is to be trusted


def complete(*command):
    code = subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode
    if code not in COMPLETED:
        raise RuntimeError(f"{command}: exit code {code}")


class Bench:
    """The program, the old results, the undisturbed run."""

    def __init__(self, program, folder):
        self.program, self.folder = program, pathlib.Path(folder)
        self.old = {}
        store = self.folder / "old"
        store.mkdir()
        for ending in (".h5", ".csv"):
            subprocess.run([program, "run", MODEL, "--set", "n=1", "--end", "0.5", *RUN, "-q", "-o", store / f"x{ending}"],
                           check=True)
            self.old[ending] = [path for path in store.iterdir() if path.name.startswith(f"x{ending}")]
        truth = self.folder / "truth.h5"
        complete(program, "run", MODEL, *RUN, "--end", "400", "--all", "-q", "-o", truth)
        self.truth = Result(truth)
        complete(program, "run", MODEL, *RUN, *ENDLESS, "--end", "20000", "--all", "-q", "-o", truth)
        self.endless = Result(truth)

    def start(self, place, *more, end=None, limit=None, user=None):
        def prepare():
            signal.signal(signal.SIGHUP, signal.SIG_DFL)  # this tool may run under nohup
            if limit is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
            if user is not None:
                os.setuid(user)
        extra = ["--all"] if place.path.suffix == ".h5" else []
        span = ["--end", end] if end else ENDLESS
        place.truth = self.truth if end else self.endless
        return subprocess.Popen([self.program, "run", MODEL, *RUN, *extra, *span, "--json", "-o", place.path, *more],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=prepare, env=USUAL)


def answer(running):
    try:
        out, err = running.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired as late:
        running.kill()
        running.communicate()
        raise Wrong("the run does not end") from late
    return running.returncode, json.loads(out) if out.strip() else None, err


def rows_now(place):
    """Of a file that is being written; 0 as long as it is the old one."""
    try:
        if place.is_old():
            return 0
        if place.path.suffix == ".h5":
            with h5py.File(place.path, "r") as file:
                return len(file["time"])
        return place.path.read_bytes().count(b"\n") - 1
    except (OSError, RuntimeError, ValueError, KeyError, Wrong):
        return 0  # exchanged while we looked


# ---- faults -----------------------------------------------------------------------------------

def wait_for_rows(running, place, more_than=0):
    """The handshake: the run has put rows into its file, and goes on. Returns how many."""
    while (rows := rows_now(place)) <= more_than:
        need(running.poll() is None, f"the run ended by itself: {running.returncode}")
        time.sleep(0.01)
    return rows


def stop(bench, place, chance, number):
    """Send a signal at a random moment, or after the file has grown once or twice; what was in the file before is in it afterwards."""
    running = bench.start(place)
    moment, growths = chance.uniform(0, 0.5), chance.choice([0, 0, 0, 1, 2])
    time.sleep(0.7 * moment)
    seen = rows_now(place)
    for _ in range(growths):
        seen = wait_for_rows(running, place, seen)
    time.sleep(0.3 * moment)
    need(running.poll() is None, f"the run ended by itself: {running.returncode}")
    running.send_signal(number)
    return (*answer(running), seen)


def kill(bench, place, chance):
    code, said, _, seen = stop(bench, place, chance, signal.SIGKILL)
    need(code == -signal.SIGKILL and said is None, f"exit code {code}")
    if place.is_old():
        need(seen == 0, "rows that were there are gone")
        return
    result = place.check_new(["unfinished"])
    need(result.rows >= seen, f"{seen} rows were there, {result.rows} are left")


def hangup(bench, place, chance, number=signal.SIGHUP):
    code, said, err, seen = stop(bench, place, chance, number)
    if code == -number:  # it had not begun
        place.check_old()
        return
    need(code == 130 and said["status"] == "interrupted" and "interrupted" in err, f"exit code {code}: {err}")
    result = place.check_new(["interrupted"], said["rows"])
    need(result.rows >= seen, f"{seen} rows were there, {result.rows} are left")
    need(result.columns["time"][-1] == said["time"]["end"], "the last row is not that of the last time")


def terminate(bench, place, chance):
    hangup(bench, place, chance, signal.SIGTERM)


def check_failed_write(place, code, said, err):
    """A run that could not write: either nothing happened, or it says how many rows there are."""
    need(code == 1 and "cannot" in err, f"exit code {code}: {err}")
    need(said is None or said["status"] == "failed", f"status {said and said['status']}")
    named = re.search(r"has the first (\d+) rows", err)
    if named or "has no rows" in err:
        place.check_new(["unfinished"], int(named.group(1)) if named else 0)
        need(said["rows"] == (int(named.group(1)) if named else 0), f"{said['rows']} rows reported")
    else:
        place.check_old()


def full_by_limit(bench, place, chance):
    """A limit on the size of a file stands for a full disk where nobody can mount one."""
    code, said, err = answer(bench.start(place, end="20", limit=int(10 ** chance.uniform(2, 6.5))))
    if code == 0:
        place.check_new(["completed"], said["rows"])
    else:
        check_failed_write(place, code, said, err)


def full_disk(bench, _, chance, ending):
    """A small disk of its own. Needs the right to mount one."""
    disk = pathlib.Path(tempfile.mkdtemp(dir=bench.folder))
    old = sum(path.stat().st_size for path in bench.old[ending])
    size = old + int(10 ** chance.uniform(4, 6.7))
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", disk], check=True)
    try:
        place = Place(bench, ending, disk)
        code, said, err = answer(bench.start(place, end="20"))
        if code == 0:
            place.check_new(["completed"], said["rows"])
        else:
            check_failed_write(place, code, said, err)
    finally:
        subprocess.run(["umount", disk], check=True)


def open_elsewhere(bench, place, chance):
    """Another program has the old result open when the run starts, and lets go at some moment."""
    with open(place.path, "rb") as held:
        fcntl.flock(held, chance.choice([fcntl.LOCK_SH, fcntl.LOCK_EX]))
        running = bench.start(place, end="2")
        time.sleep(chance.uniform(0, 0.05))
    code, said, err = answer(running)
    if code == 0:
        place.check_new(["completed"], said["rows"])
        return
    need(code == 1 and "another program has it open" in err, f"exit code {code}: {err}")
    place.check_old()


def two_writers(bench, place, chance):
    """Whoever says that it completed has its rows in the file, unless the other came after it."""
    first = bench.start(place, end="60")
    time.sleep(chance.uniform(0, 0.2))
    second = bench.start(place, end="62")
    answers = [answer(running) for running in (first, second)]
    done = [said["rows"] for code, said, _ in answers if code == 0]
    for code, _, err in answers:
        need(code in COMPLETED or (code == 1 and "another program has it open" in err), f"exit code {code}: {err}")
    need(len(done) > 0, "both were refused")
    result = place.check_new(["completed"])
    need(result.rows in done, f"{result.rows} rows, reported were {done}")


def read_only(bench, place, chance):
    """The folder becomes read-only at a random moment, for a user who is bound by that."""
    user = 65534 if os.getuid() == 0 else None
    for path in [place.folder, *place.folder.iterdir()]:
        if user is not None:
            os.chown(path, user, -1)
    os.chmod(bench.folder, 0o755)
    running = bench.start(place, end="20", user=user)
    time.sleep(chance.choice([0, chance.uniform(0, 0.3)]))
    os.chmod(place.folder, 0o555)
    code, said, err = answer(running)
    os.chmod(place.folder, 0o755)
    if code == 0:
        place.check_new(["completed"], said["rows"])
    elif place.is_old():
        need(code == 1 and "cannot" in err, f"exit code {code}: {err}")
    else:
        need(code == 1 and said["status"] == "failed" and "cannot" in err, f"exit code {code}: {err}")
        place.check_new(["unfinished"])


def meddle(bench, place, chance):
    """Another program changes, replaces or removes the file while it is written, by a run that does not end before it notices."""
    running = bench.start(place)
    wait_for_rows(running, place)
    how = chance.randrange(4)
    if how == 0:
        with open(place.path, "r+b") as file:
            file.truncate(chance.randrange(1000))
    elif how == 1:
        with open(place.path, "r+b") as file:
            file.seek(chance.randrange(1000))
            file.write(b"something else")
    elif how == 2:
        place.path.unlink()
    else:
        shutil.copy2(bench.old[place.path.suffix][0], place.folder / "other")
        os.replace(place.folder / "other", place.path)
    code, said, err = answer(running)
    need(code == 1 and said["status"] == "failed" and "by another program" in err, f"exit code {code}: {err}")
    if place.path.suffix != ".h5":
        return
    if str(place.path) + ".part" not in err:  # it hit the part, just after an exchange
        place.check_new(["unfinished"], said["rows"])
        return
    kept = place.folder / "kept.h5"
    os.replace(place.path.with_name("x.h5.part"), kept)
    result = Result(kept)
    need(result.rows > 0 and result.verdict == "unfinished", "no results were kept")
    result.is_start_of(place.truth)


FAULTS = {"kill": kill, "hangup": hangup, "terminate": terminate, "limit": full_by_limit, "disk": full_disk,
          "open": open_elsewhere, "writers": two_writers, "readonly": read_only, "meddle": meddle}


def can_mount():
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", folder], capture_output=True, check=False)
        return done.returncode == 0 and subprocess.run(["umount", folder], check=False).returncode == 0


def attempt(bench, name, ending, chance):
    place = Place(bench, ending)
    try:
        if name == "disk":
            full_disk(bench, place, chance, ending)
        else:
            FAULTS[name](bench, place, chance)
        return None
    except Wrong as wrong:
        return str(wrong)
    except (OSError, RuntimeError, KeyError, ValueError) as broken:
        return f"a file cannot be read: {broken}"
    finally:
        os.chmod(place.folder, 0o755)
        place.remove()


def measure(program, names, moments, seed=1):
    """For each fault and format: what went wrong, as a list of texts."""
    found = {}
    with tempfile.TemporaryDirectory(prefix="sarrus-faults-") as folder:
        bench = Bench(program, folder)
        for name in names:
            for ending in (".h5", ".csv"):
                chance = random.Random(f"{seed} {name} {ending}")
                answers = [attempt(bench, name, ending, chance) for _ in range(moments)]
                found[name, ending] = [text for text in answers if text]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--moments", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="faults, with commas between them: " + ", ".join(FAULTS))
    given = parser.parse_args()
    names = given.only.split(",") if given.only else [name for name in FAULTS if name != "disk" or can_mount()]
    failed = 0
    for name in names:
        for (fault, ending), wrong in measure(pathlib.Path(given.program).resolve(), [name], given.moments, given.seed).items():
            print(f"{fault:10} {ending:5} {given.moments} moments, {len(wrong)} wrong", flush=True)
            for text in sorted(set(wrong)):
                print(f"    {wrong.count(text)} x {text.strip()}")
            failed += len(wrong)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
