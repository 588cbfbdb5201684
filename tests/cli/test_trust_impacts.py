"""Impacts at bounds, loaded and unloaded, against an event-driven script. A sample of tools/trust/impacts.py.

    python3 test_trust_impacts.py PROGRAM SOURCE_ROOT [--strict] [--list]
"""
import sys

import built
import not_yet
import impacts
import program

AT_REST = 5480  # a door whose rate after the impact is rounding of rounding
SEEDS = [*range(1, 81 if built.full(not_yet.PROGRAM) else 21), AT_REST]

NOT_YET = not_yet.names("""
""")


def results():
    sarrus = program.Program(not_yet.PROGRAM)
    for seed in SEEDS:
        name, _, sentence, _ = impacts.trial(sarrus, seed)
        yield name, sentence or ""


sys.exit(not_yet.settle(results(), NOT_YET))
