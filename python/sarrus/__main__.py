"""The program with methods written in Python.

    python -m sarrus run MODEL --plugin my_method.py --formulation mine --integrator rk4 --step 1e-3

is `sarrus run ...` with the classes of my_method.py among the methods: in methods, run, sweep and tune.
"""
from __future__ import annotations

import ctypes
import os
import pathlib
import runpy
import sys
import traceback

from . import _library
from .methods import Formulation, Integrator, register, registered

def _module() -> pathlib.Path | None:
    """Find the program as a module: beside the library in the package or a build, or in an installation."""
    levels = ["x86-64-v3", "baseline"] if _library._has_avx2() else ["baseline"]
    folder = pathlib.Path(_library.path).resolve().parent
    if folder.parent.name == "glibc-hwcaps":
        folder = folder.parent.parent
    found = pathlib.Path(_library.program() or "none").resolve().parent
    for base in (folder, folder / "sarrus", found, found.parent / "lib" / "sarrus", *found.parent.glob("lib/*/sarrus")):
        for level in levels:
            if (base / level / "program.so").is_file():
                return base / level / "program.so"
    return None

def _plugins(arguments: list[str]) -> list[str]:
    """Files of --plugin that are written in Python."""
    given = [word[9:] for word in arguments if word.startswith("--plugin=")]
    given += [value for word, value in zip(arguments, arguments[1:]) if word == "--plugin"]
    return [path for path in given if path.endswith(".py")]

def _register(path: str) -> None:
    """Run a file, and register the methods that it defines and does not register itself."""
    for value in runpy.run_path(path).values():
        if isinstance(value, type) and issubclass(value, (Formulation, Integrator)) and value.name and not registered(value):
            register(value)

def main() -> int:
    """Run the program in this process."""
    if pathlib.Path(_library.path).name != "program.so":  # the library is to be that of the program: begin again with it
        module, program = _module(), _library.program()
        if module is None or program is None:
            print("sarrus: error: the program, also as a module (baseline/program.so), was not found: install Sarrus, or build it in the clone ('make all')",
                  file=sys.stderr)
            return 2
        os.environ.update({"SARRUS_LIBRARY": str(module), "SARRUS_PROGRAM": program})
        os.execv(sys.executable, [sys.executable, "-m", "sarrus", *sys.argv[1:]])
    for path in _plugins(sys.argv[1:]):
        try:
            _register(path)
        except Exception as error:  # noqa: BLE001  (whatever a user's file does)
            print("sarrus: error: --plugin", path + ":", "".join(traceback.format_exception_only(type(error), error)).strip(), file=sys.stderr)
            return 2
    words = [b"sarrus", *map(os.fsencode, sys.argv[1:])]
    sys.stdout.flush()
    return int(_library.library.sarrus_main(len(words), (ctypes.c_char_p * (len(words) + 1))(*words, None)))

if __name__ == "__main__":
    outcome = main()
    os._exit(outcome)  # standard output is closed by the program
