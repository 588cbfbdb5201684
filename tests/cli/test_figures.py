"""Numbers of the pages are those of runs: a sample of docs/figures.yaml; and the tool sees a wrong one.

    python3 test_figures.py PROGRAM SOURCE_ROOT
"""
import pathlib
import subprocess
import sys

import built

program, root = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
sys.path.insert(0, str(root / "tools"))
import figures  # noqa: E402

for shown, now, right in (("0.0917", 0.09166, True), ("0.0917", 0.0945, False), ("30", 30.0, True), ("30", 31.0, False), ("6.8e-6", 6.9e-6, True), ("-3.05", -3.2, False)):
    assert figures.near(shown, now) == right, (shown, now)
for shown, now, text in (("0.0917", 0.1234, "0.1234"), ("6.8e-6", 1.234e-5, "1.2e-5"), ("30", 31.2, "31"), ("2.4e-06", 3.456e-7, "3.5e-07"), ("-3.05", -4.1, "-4.10")):
    assert figures.written(shown, now) == text, (shown, figures.written(shown, now))
if not built.sanitized(program):  # runs are others' work then
    done = subprocess.run(["/usr/bin/python3", root / "tools" / "figures.py", program, "--quick"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    print(done.stdout, end="")
