"""Mechanisms of other sizes and masses, elsewhere and turned, make the same motion. A sample of tools/trust/size_and_place.py.

    python3 test_trust_size.py PROGRAM SOURCE_ROOT [--strict] [--list]
"""
import glob
import math
import os
import sys
import types

import not_yet
import models
import program
import size_and_place

PROBLEMS = ["bricard", "four-bar", "slider-crank-1", "n-four-bar", "rolling-disc", "chain", "pendulum", "flyball-governor"]
OPTIONS = types.SimpleNamespace(methods=["default", "LMD-midpoint", "hybrid", "variable"], coordinates=[""], jobs=1, longest=0.6,
                                changes=["length 1e-3", "length 1e3", "mass 1e-6", "mass 1e6", "askew", "turned", "exchanged", "all"])

# problem, method, change
NOT_YET = not_yet.names("""
""")


def flat_models(sarrus):
    """What is transformed is the model of the file: the same outputs at the start."""
    for path in sorted(glob.glob(os.path.join(not_yet.ROOT, "problems", "*", "*.yaml"))
                       + glob.glob(os.path.join(not_yet.ROOT, "tests", "models", "*.yaml"))):
        if not models.stands_alone(path):
            continue
        drawn, flat = (sarrus.run(m, command="check").report.get("outputs", {}) for m in (path, models.load_flat(path)))
        close = [math.isclose(flat.get(k, math.nan), v, rel_tol=1e-6, abs_tol=1e-6 * abs(max(drawn.values(), key=abs)))
                 for k, v in drawn.items()]
        yield f"{models.name_of(path)}, flat", "" if close and all(close) else f"{drawn} became {flat}"


def results():
    sarrus = program.Program(not_yet.PROGRAM)
    yield from flat_models(sarrus)
    paths = [os.path.join(not_yet.ROOT, "problems", p, "model.yaml") for p in PROBLEMS]
    for case, found, _ in size_and_place.survey(sarrus, paths, OPTIONS):
        if found is not None:
            yield f"{case.problem}, {case.method}, {case.change.name if case.change else 'as it is'}", "; ".join(found)


sys.exit(not_yet.settle(results(), NOT_YET))
