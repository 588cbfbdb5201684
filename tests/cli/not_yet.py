"""For tests of what is wanted and not all there yet: known failures are listed by name, others fail the test.

A listed case that passes is reported, so that it is taken off the list; with --strict behind the arguments of a test it fails.
--list prints what fails now, in the form of a list.
"""
import fnmatch
import os
import sys

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
sys.path.insert(0, os.path.join(ROOT, "tools", "trust"))


def settle(results, known):
    """Exit code for (name of the case, what is wrong with it or "") of all cases; known: names, with * for any text."""
    results = list(results)
    if "--list" in sys.argv:
        print("\n".join(f"    {name}" for name, fault in results if fault))
        return 0
    bad = [(name, fault) for name, fault in results if fault and not listed(name, known)]
    used = [pattern for pattern in known if any(fault and fnmatch.fnmatchcase(name, pattern) for name, fault in results)]
    stale = [pattern for pattern in known if pattern not in used]
    for name, fault in bad:
        print(f"{name}: {fault}")
    for pattern in stale:
        print(f"passes now, take it off the list NOT_YET: {pattern}")
    waiting = sum(1 for name, fault in results if fault) - len(bad)
    print(f"{len(results)} cases, {len(bad)} failures, {waiting} not yet right as listed, {len(stale)} entries that pass now")
    assert len(results) > waiting, "nothing is right: the test would show nothing"
    return 1 if bad or (stale and "--strict" in sys.argv) else 0


def listed(name, known):
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in known)


def names(text):
    """One name in each line."""
    return [line.strip() for line in text.splitlines() if line.strip()]
