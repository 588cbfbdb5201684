"""Drawings of mechanisms through singular configurations: right to their precision, or reported; exact ones are not touched. A sample of
tools/trust/crossings.py.

    python3 test_trust_crossings.py PROGRAM SOURCE_ROOT [--strict] [--list]
"""
import sys

import every_test
import not_yet
import crossings
import program

SEED = 3
KINDS = ["parallelogram", "kite-space", "driven", "spherical"]
EXACT = ["slider-space", "row"]

NOT_YET = not_yet.names("""
""")


def by_multipliers(sarrus, coordinates):
    """LMD-midpoint goes through exact singular configurations, and its errors are those of its step."""
    model = crossings.model_of(crossings.made("pendulum", 0, 77), None)
    wanted = sarrus.run(model, "--tolerance", "1e-10", "--sample", "0.02")
    got = sarrus.run(model, "--preset", "LMD-midpoint", "--coordinates", coordinates, "--step", "5e-4", "--sample", "0.02")
    if got.code != 0:
        return f"exit {got.code}: {got.message()}"
    error = crossings.distance(got.rows, wanted.rows)
    return f"off by {error:.1e}" if error > 2e-3 else ""


def results():
    sarrus = program.Program(not_yet.PROGRAM)
    for coordinates in every_test.sample(crossings.COORDINATES, 3):
        yield f"exact pendulum LMD-midpoint {coordinates}", by_multipliers(sarrus, coordinates)
    for number, kind in enumerate(KINDS):
        case = crossings.Case(sarrus, kind, number, SEED)
        assert case.truth is not None, f"{case.name}: {case.why}"
        cases = [(digits, coordinates, method) for k, coordinates in enumerate(crossings.COORDINATES) for method in ("auto", "fixed")
                 for digits in sorted({6, (5, 6, 7, 9)[(number + k) % 4]})]
        for digits, coordinates, method in every_test.sample(cases, 5):
            word, text = crossings.verdict(sarrus, case, digits, coordinates, method)
            good = word in ("right", "rough") or (word == "told" and digits <= 6) or (word == "alarm" and digits == 5)
            yield f"{kind} {digits} digits {coordinates} {method}", "" if good else f"{word}: {text}"
    case = crossings.Case(sarrus, "spherical", 1, 907)  # joints contradict each other there by more than the gap
    word, text = crossings.verdict(sarrus, case, 5, "natural", "auto")
    yield "contradicting spherical 5 digits natural auto", "" if word == "right" else f"{word}: {text}"
    # natural coordinates, those of the first reference run, refuse this drawing: the automatic method in the run's own sees the error all the same
    case = crossings.Case(sarrus, "braced", 1, 71824)
    word, text = crossings.verdict(sarrus, case, 5, "relative", "fixed")
    yield "braced 5 digits relative fixed", "" if word == "told" else f"{word}: {text}"
    for number, kind in enumerate(EXACT):
        model = crossings.model_of(crossings.made(kind, number, SEED), None)
        for coordinates, method in every_test.sample([(c, m) for c in crossings.COORDINATES for m in ("auto", "fixed")], 3):
            word, text, _ = crossings.same_bits(sarrus, model, coordinates, method)
            yield f"exact {kind} {coordinates} {method}", "" if word == "same" else text


sys.exit(not_yet.settle(results(), NOT_YET))
