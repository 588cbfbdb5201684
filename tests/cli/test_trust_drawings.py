"""Drawings with few digits run right to their precision, or are refused by name. A sample of tools/trust/drawings.py.

    python3 test_trust_drawings.py PROGRAM SOURCE_ROOT [--strict] [--list]
"""
import sys

import every_test
import not_yet
import drawings
import program

LINKAGES = ["door", "sarrus-linkage", "bennett"]
AUTOMATIC = ["--preset", "auto", "--tolerance", "1e-8"]

# linkage, way to draw it, digits, coordinates, precision asked for
NOT_YET = not_yet.names("""
    bennett common 4 digits natural
""")


def results():
    sarrus = program.Program(not_yet.PROGRAM)
    every = list(drawings.cases(not_yet.ROOT, LINKAGES, [4, 9], drawings.COORDINATES, sarrus.knows("--drawing")))
    every += drawings.cases(not_yet.ROOT, ["bricard"], [6], drawings.COORDINATES, False)
    every += drawings.cases(not_yet.ROOT, ["bricard", "ladder"], [4], drawings.COORDINATES, sarrus.knows("--drawing"))
    for case in every_test.sample(every, 3):  # each of the coordinates in turn
        kind, text = drawings.verdict(sarrus, case)
        yield case.label(), "" if drawings.fits(case, kind) else f"{kind}: {text}"
    for case in drawings.cases(not_yet.ROOT, ["door"], [6, 9], ["relative"], False):  # a hinge that is there twice says nothing but these digits
        kind, text = drawings.verdict(sarrus, case)
        yield f"hinges {case.label()}", "" if drawings.fits(case, kind) else f"{kind}: {text}"
    for case in drawings.cases(not_yet.ROOT, ["door", "bricard", "four-bar", "ladder"], [4, 6, 9], ["relative"], True):
        kind, text = drawings.verdict(sarrus, case, AUTOMATIC)
        yield f"{case.label()} auto", "" if drawings.fits(case, kind) else f"{kind}: {text}"
    for case in drawings.cases(not_yet.ROOT, ["door", "bricard", "bennett", "goldberg", "schatz", "octahedron"], [6], drawings.COORDINATES, False):
        kind, text = drawings.verdict(sarrus, case, ["--preset", "LMD-midpoint"])
        yield f"{case.label()} LMD-midpoint", "" if drawings.fits(case, kind) else f"{kind}: {text}"


sys.exit(not_yet.settle(results(), NOT_YET))
