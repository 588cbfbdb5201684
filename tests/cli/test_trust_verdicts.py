"""Every verdict is true: conflicts, rest, singular starts. A sample of tools/trust/verdicts.py.

    python3 test_trust_verdicts.py PROGRAM SOURCE_ROOT [--strict] [--list]
"""
import sys

import not_yet
import verdicts
import program

TRIALS = ["conflict", "alpha 1e-300 slider", "alpha 1e-300 four", "rest", "branch", "cranks eps 1e-10", "cranks eps 1e-08", "cranks eps 0.0001"]
PRESETS = ["default", "LMD-midpoint", "hybrid", "ALi3pvs", "limit", "AL", "stabilised"]

# trial, preset, coordinates
NOT_YET = not_yet.names("""
""")


def results():
    sarrus = program.Program(not_yet.PROGRAM)
    for run, fault in verdicts.survey(sarrus, not_yet.ROOT, TRIALS, PRESETS):
        yield f"{run.trial.name}, {run.preset or 'default'}, {run.coordinates}", fault


sys.exit(not_yet.settle(results(), NOT_YET))
