"""Runs of the program: what it answered, and the rows it wrote."""
import argparse
import concurrent.futures
import csv
import dataclasses
import json
import os
import subprocess
import tempfile

import models


@dataclasses.dataclass
class Outcome:
    """Exit code (negative: a signal; None: out of time), the JSON report, the outputs by name, what it said on stderr."""
    code: int | None
    report: dict
    rows: dict
    said: str

    @property
    def verdict(self):
        if self.code is None:
            return "out of time"
        if self.code < 0:
            return f"signal {-self.code}"
        return {0: "completed", 1: "failed", 2: "usage", 3: "invalid", 4: "impossible", 6: "doubtful"}.get(self.code, f"exit {self.code}")

    def message(self):
        return (self.report.get("failure") or self.said or "").strip()

    def conflicts(self):
        """What an assembly names as contradicting."""
        return [c["name"] for c in self.report.get("assembly", {}).get("conflicts", [])]


def read_rows(path):
    if not os.path.exists(path):
        return {}
    with open(path, newline="", encoding="utf-8") as file:
        lines = list(csv.reader(file))
    return {name: [float(line[k]) for line in lines[1:]] for k, name in enumerate(lines[0])} if lines else {}


class Program:
    def __init__(self, path, timeout=3600, environment=None):
        self.path, self.timeout = os.path.abspath(path), timeout
        self.environment = {**os.environ, "OMP_NUM_THREADS": "1", "SARRUS_CERTIFY": "no", **(environment or {})}

    def call(self, *arguments, cwd=None):
        """Exit code, stdout, stderr."""
        try:
            done = subprocess.run([self.path, *arguments], capture_output=True, text=True, cwd=cwd, timeout=self.timeout,
                                  env=self.environment, check=False)
        except subprocess.TimeoutExpired:
            return None, "", f"not done after {self.timeout} s"
        return done.returncode, done.stdout, done.stderr

    def knows(self, option):
        return option in self.call("run", "--help-all")[1] + self.call("run", "--help")[1]

    def run(self, model, *options, command="run"):
        """Runs or checks a model: a path, or a dictionary."""
        with tempfile.TemporaryDirectory(prefix="sarrus-trust-") as folder:
            out = os.path.join(folder, "out.csv")
            if isinstance(model, str):
                path = os.path.abspath(model)
            else:
                path = os.path.join(folder, "model.yaml")
                models.save(model, path)
            more = ["-o", out] if command == "run" else []
            code, text, said = self.call(command, path, "--json", *options, *more, cwd=folder)
            try:
                report = json.loads(text)
            except ValueError:
                report = {}
            return Outcome(code, report, read_rows(out), said.replace(folder, "").strip())


def in_parallel(jobs, function, tasks):
    """Results in the order of the tasks."""
    pool = concurrent.futures.ThreadPoolExecutor(max_workers=jobs)
    try:
        yield from pool.map(function, tasks)
    finally:
        pool.shutdown(cancel_futures=True)


def add_options(parser):
    """Options that all instruments have."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    parser.add_argument("--program", default=os.path.join(root, "build", "sarrus"), help="default: build/sarrus")
    parser.add_argument("--root", default=root, help=argparse.SUPPRESS)
    parser.add_argument("-j", "--jobs", type=int, default=1, help="runs at a time (default 1)")
    parser.add_argument("--timeout", type=float, default=60, help="seconds for one run (default 60)")
    parser.add_argument("--keep", metavar="DIR", help="write the models that fail there")


def keep(folder, name, model, note):
    """Writes a model that failed, with what happened in its first lines."""
    if not folder:
        return
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, name.replace("/", "-").replace(" ", "_") + ".yaml")
    models.save(model, path)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write("".join(f"# {line}\n" for line in note.splitlines()) + text)
