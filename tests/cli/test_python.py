"""The Python package with the library of this build: its tests, its types and its texts; its layer over C is what the headers say."""
import ctypes
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import built

program, root = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
build = program.parent
python = root / "python"
compiler = re.search(r"^CMAKE_C_COMPILER:\w+=(.*)$", (build / "CMakeCache.txt").read_text(), re.M).group(1)
environment = dict(os.environ, PYTHONPATH=f"{python}:{python / 'tests'}", SARRUS_LIBRARY=str(build / "libsarrus.so"), SARRUS_CERTIFY="no",
                   PYTHONDONTWRITEBYTECODE="1")


def run(*command, **more):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **more)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}"
    return done.stdout


def check_layer():
    """Sizes and offsets of all structures are the compiler's."""
    run(sys.executable, root / "tools" / "python_abi.py")
    spec = importlib.util.spec_from_file_location("abi", python / "sarrus" / "_abi.py")
    abi = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(abi)
    with tempfile.TemporaryDirectory() as name:
        source = pathlib.Path(name, "layout.c")
        source.write_text(run(sys.executable, root / "tools" / "python_abi.py", "--layout"))
        run(compiler, "-std=c17", "-I", root / "include", source, "-o", f"{name}/layout")
        rows = [line.split() for line in run(f"{name}/layout").splitlines()]
    assert len(rows) > 500
    for what, number in rows:
        structure, _, field = what.partition(".")
        kind = getattr(abi, structure)
        assert int(number) == (getattr(kind, field).offset if field else ctypes.sizeof(kind)), what


def check_tests():
    if built.sanitized(program):  # its run-time has to be there before Python
        environment.update(LD_PRELOAD=run(compiler, "-print-file-name=libasan.so").strip(), ASAN_OPTIONS="detect_leaks=0")
    names = [path.stem for path in sorted((python / "tests").glob("test_*.py"))]
    done = subprocess.run([sys.executable, "-m", "unittest", *names], capture_output=True, text=True, env=environment, cwd=python / "tests", timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


def check_texts():
    for tool, arguments in [("mypy", ["--config-file", python / "pyproject.toml", "--cache-dir", "/dev/null", "--package", "sarrus"]),
                            ("pydocstyle", ["--select=D100,D101,D102,D103,D300,D400,D419", *sorted(
                                path for path in (python / "sarrus").glob("*.py") if path.name != "_abi.py")])]:
        if shutil.which(tool):
            run(tool, *arguments, cwd=python)
        else:
            print(f"{tool} is not there (tools/setup.sh python): not checked")


check_layer()
check_tests()
if not built.sanitized(program):
    check_texts()
