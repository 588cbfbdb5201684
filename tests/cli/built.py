"""How the program was built."""
import os
import pathlib
import re
import subprocess


def _is_on(program, option):
    cache = pathlib.Path(program).resolve().parent / "CMakeCache.txt"
    return bool(cache.exists() and re.search(rf"^{option}:\w+=(ON|1|TRUE)$", cache.read_text(), re.M))


def sanitized(program):
    """With sanitizers: it is slow, and other programs that load its library need their run-time."""
    return _is_on(program, "SARRUS_SANITIZE")


def full(program):
    """All cases of every test run, as in `make soak`; otherwise a sample of those that are many."""
    return _is_on(program, "SARRUS_FULL_TESTS")


def take_turns(program, things, kinds):
    """All pairs; in a sample each thing with one of the kinds, which take turns."""
    if full(program):
        return [(thing, kind) for thing in things for kind in kinds]
    return [(thing, kinds[k % len(kinds)]) for k, thing in enumerate(things)]


def python_environment(program, root):
    """For the Python package of the clone with the library of this build."""
    build = pathlib.Path(program).resolve().parent
    found = dict(os.environ, PYTHONPATH=str(root / "python"), SARRUS_LIBRARY=str(build / "libsarrus.so"), SARRUS_CERTIFY="no", PYTHONDONTWRITEBYTECODE="1")
    if sanitized(program):  # its run-time has to be there before Python
        compiler = re.search(r"^CMAKE_C_COMPILER:\w+=(.*)$", (build / "CMakeCache.txt").read_text(), re.M)[1]
        runtime = subprocess.run([compiler, "-print-file-name=libasan.so"], check=True, text=True, capture_output=True).stdout
        found.update(LD_PRELOAD=runtime.strip(), ASAN_OPTIONS="detect_leaks=0")
    return found
