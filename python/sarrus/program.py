"""The commands of the program, for what has no function of its own: tune, compare, methods, cite, draw, view."""
from __future__ import annotations

import json
import os
import subprocess
from typing import Any

from ._library import program
from .errors import SarrusError


def command(name: str, *operands: str | os.PathLike[str], **options: Any) -> Any:
    """Run a command of the program and return what it found.

    Options are those of `sarrus help NAME`, with '_' for '-': True is a switch, a list is an option that is repeated. The
    answer is that of --json where the command has it, else its text. Exit codes other than 0 and 6 (completed, but not to be
    trusted) raise SarrusError with the message of the program.

        sarrus.command("tune", "slider-crank-1", threshold="eps_T=2e-3", over="step=1e-4:2e-2")
        sarrus.command("compare", "run.csv", "reference.csv")["total_error"]
    """
    path = program()
    if path is None:
        raise SarrusError("the program 'sarrus' was not found: install Sarrus, or build it in the clone (make build)", verdict="no program")
    words = [path, name, *(os.fspath(operand) for operand in operands)]
    for key, value in options.items():
        option = "--" + key.replace("_", "-")
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is not None and one is not False:
                words += [option] if one is True else [f"{option}={one}"]
    has_json = "--json" in subprocess.run([path, name, "--help-all"], capture_output=True, text=True, check=False).stdout + subprocess.run(
        [path, name, "--help"], capture_output=True, text=True, check=False).stdout
    done = subprocess.run(words + ["--json"] * has_json, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 6):
        raise SarrusError(done.stderr.strip() or f"'sarrus {name}' ended with exit code {done.returncode}", verdict="failed", status=done.returncode)
    return json.loads(done.stdout) if has_json and done.stdout.strip() else done.stdout
