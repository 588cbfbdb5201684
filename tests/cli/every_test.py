"""Calls the functions test_* of a script, in the order they are written; a third argument chooses those with it in their names.

Those marked @every_test.long run in `make soak` only; SARRUS_TIMES prints what each took of a processor, in seconds.
"""
import os
import sys
import traceback

import built


def long(test):
    """A test that is too long for every change."""
    test.long = True
    return test


def sample(cases, every):
    """Every so many of the cases; all of them in `make soak`."""
    cases = list(cases)
    return cases if built.full(sys.argv[1]) else cases[::every]


def processor_time():
    return sum(os.times()[:4])


def run(names):
    """Exit code for the globals() of a script."""
    passed = failed = skipped = 0
    for name, test in list(names.items()):
        if not name.startswith("test_") or (len(sys.argv) > 3 and sys.argv[3] not in name):
            continue
        if getattr(test, "long", False) and not built.full(sys.argv[1]):
            skipped += 1
            continue
        begin = processor_time()
        try:
            test()
            passed += 1
        except Exception:
            failed += 1
            print(f"FAILED {name}")
            traceback.print_exc(file=sys.stdout)
        if os.environ.get("SARRUS_TIMES"):
            print(f"{processor_time() - begin:8.2f} s {name}")
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed or not (passed or skipped) else 0
