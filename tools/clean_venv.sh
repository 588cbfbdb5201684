#!/bin/sh
# The wheel in a Python environment that has nothing else: pip fetches NumPy, the package runs a model.
#
#     tools/clean_venv.sh WHEEL [FOLDER]
#
# Ends with 77, and the reason, where there is no venv or no package index.
set -eu
wheel=$(readlink -f "$1")
folder=${2:-$(mktemp -d)/venv}
skip() {
    echo "not run: $1"
    exit 77
}
if ! ${PYTHON:-python3} -m venv "$folder" >/dev/null 2>&1; then
    ${PYTHON:-python3} -m virtualenv "$folder" >/dev/null 2>&1 || skip "neither venv nor virtualenv makes an environment"
fi
env -u PYTHONPATH "$folder/bin/pip" install -q "$wheel" 2>"$folder/log" || {
    grep -qiE 'could not find a version|connection|network' "$folder/log" && skip "no package index: $(tail -n 1 "$folder/log")"
    cat "$folder/log"
    exit 1
}
cd /
env -u PYTHONPATH -u SARRUS_LIBRARY SARRUS_CERTIFY=no "$folder/bin/python" - <<'END'
import sys

import numpy
import sarrus

model = sarrus.Model("pendulum", 2, gravity=[0, -9.81])
model.body("bob", mass=1, inertia=0, position=[1, 0])
model.joint("rod", "distance", ["ground.origin", "bob.origin"], distance=1)
model.output("x", "bob.origin.x")
result = model.run(end=1)
assert numpy.isfinite(result["x"]).all() and result["x"].min() < -0.9
where = sarrus.__file__
assert where.startswith(sys.prefix), where
print(f"Python {sys.version.split()[0]}, NumPy {numpy.__version__}: sarrus {sarrus.__version__} runs, {len(result.time)} rows")
END
