"""The check of the layers passes on the sources, and can fail."""
import pathlib
import subprocess
import sys
import tempfile

root = pathlib.Path(sys.argv[2])
tool = root / "tools" / "check_layers.py"


def check(folder):
    return subprocess.run([sys.executable, tool, folder], capture_output=True, text=True)


real = check(root)
assert real.returncode == 0, real.stderr

with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    for layer, text, wanted in [
        ("base", "#include <math.h>", None),
        ("system", '#include "model/model.h"\n#include "sarrus/model.h"', None),
        ("formulations", '#include "system/equations.h"\n#include "sarrus/options.h"', None),
        ("formulations", '#include "system/system.h"', "formulations sees of system only"),
        ("base", 'int a;\n\n#include "math/vec3.h"', "x.c:3: base must not include math/vec3.h"),
        ("linalg", '#include "sarrus/model.h"', "linalg must not include sarrus/model.h"),
        ("linalg", "#include <sarrus/model.h>", "linalg must not include sarrus/model.h"),
        ("coordinates", '#include "formulations/formulation.h"', "coordinates must not include"),
        ("formulations", '#include "coordinates/natural.h"', "formulations must not include"),
        ("system", '#include "simulation/simulation.h"', "system must not include"),
        ("math", '#include "vec3.h"', '"vec3.h" is not in this folder'),
        ("model", '#include "nowhere/x.h"', "no layer 'nowhere'"),
        ("nowhere", "", "the layer 'nowhere' is not in the table"),
        ("model", '#include "elements/element.h"', None),
        ("linalg", '#include "elements/element.h"', "linalg must not include elements/element.h"),
        ("elements", "int type = SAR_JOINT_FIXED;", None),
        ("system", "\n\nint type = SAR_JOINT_FIXED;", "x.c:3: system must not know SAR_JOINT_FIXED"),
        ("system", "int type = SARI_FORCE_TYRE;", "x.c:1: system must not know SARI_FORCE_TYRE"),
        ("cli/run", '#include "base/memory.h"', "the program's folder 'run' must not include base/memory.h"),
        ("cli/run", '#include "sweep/pool.h"', "the program's folder 'run' must not include sweep/pool.h"),
        ("cli/run", '#include "common/text.h"', None),
        ("cli/sweep", '#include "studies/sweeps.h"', None),
        ("cli/sweep", '#include "studies/sweep_range.h"', "the program's folder 'sweep' must not include studies/sweep_range.h"),
        ("cli/run", '#include "studies/sweeps.h"', "the program's folder 'run' must not include studies/sweeps.h"),
    ]:
        (folder / "src").mkdir(exist_ok=True)
        (folder / "cli").mkdir(exist_ok=True)
        place = folder / layer if layer.startswith("cli") else folder / "src" / layer
        place.mkdir(exist_ok=True)
        source = place / "x.c"
        source.write_text(text)
        done = check(folder)
        if wanted is None:
            assert done.returncode == 0, (text, done.stderr)
        else:
            assert done.returncode == 1 and wanted in done.stderr, (text, done.stderr)
        source.unlink()
        place.rmdir()
