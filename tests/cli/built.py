"""How the program was built."""
import pathlib
import re


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
