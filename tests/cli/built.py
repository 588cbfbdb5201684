"""How the program was built."""
import pathlib
import re


def sanitized(program):
    """With sanitizers: it is slow, and what a test repeats for its numbers is left to other builds."""
    cache = pathlib.Path(program).resolve().parent / "CMakeCache.txt"
    return bool(cache.exists() and re.search(r"^SARRUS_SANITIZE:\w+=(ON|1|TRUE)$", cache.read_text(), re.M))


def take_turns(program, things, kinds):
    """All pairs; of a sanitized program each thing with one of the kinds, which take turns."""
    if sanitized(program):
        return [(thing, kinds[k % len(kinds)]) for k, thing in enumerate(things)]
    return [(thing, kind) for thing in things for kind in kinds]
