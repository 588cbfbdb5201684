"""Outputs that are constant, tiny, zero but for rounding or that jump raise no false alarm. A sample of tools/trust/alarms.py.

    python3 test_trust_alarms.py PROGRAM SOURCE_ROOT [--strict] [--list]
"""
import sys

import not_yet
import alarms
import program

SEEDS = [2]

NOT_YET = not_yet.names("""
""")


def results():
    sarrus = program.Program(not_yet.PROGRAM, environment={"SARRUS_CERTIFY": "short"})
    for name, _, fault, error, _ in alarms.survey(sarrus, alarms.KINDS, SEEDS, tolerances=(None,)):
        yield name, f"{fault}, error {error:.1e}" if fault else ""


sys.exit(not_yet.settle(results(), NOT_YET))
