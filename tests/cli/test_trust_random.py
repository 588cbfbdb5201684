"""Random mechanisms: what the program says of them is true. A sample of tools/trust/random_mechanisms.py.

    python3 test_trust_random.py PROGRAM SOURCE_ROOT [--strict] [--list]
"""
import sys

import not_yet
import mechanisms
import program
import random_mechanisms

SEEDS = range(40)

# seed, kind, variant, coordinates
NOT_YET = not_yet.names("""
""")


def results():
    sarrus = program.Program(not_yet.PROGRAM)
    for seed in SEEDS:
        m = mechanisms.draw(seed)
        faults = random_mechanisms.survey_one(sarrus, seed, random_mechanisms.VARIANTS, random_mechanisms.COORDINATES)
        for variant in random_mechanisms.VARIANTS:
            for kind in random_mechanisms.COORDINATES:
                fault = "; ".join(f[4] for f in faults if f[2:4] == (variant, kind))
                yield f"{seed} {m.kind}, {variant}, {kind}", fault


sys.exit(not_yet.settle(results(), NOT_YET))
