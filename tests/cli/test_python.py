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
import zipfile

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
    done = subprocess.run([sys.executable, "-m", "unittest", *names], capture_output=True, text=True, env=environment, cwd=python / "tests", timeout=3600)
    assert done.returncode == 0, done.stdout + done.stderr


def check_texts():
    for tool, arguments in [("mypy", ["--config-file", python / "pyproject.toml", "--cache-dir", "/dev/null", "--package", "sarrus"]),
                            ("pydocstyle", ["--select=D100,D101,D102,D103,D300,D400,D419", *sorted(
                                path for path in (python / "sarrus").rglob("*.py") if path.name != "_abi.py")])]:
        if shutil.which(tool):
            run(tool, *arguments, cwd=python)
        else:
            print(f"{tool} is not there (tools/setup.sh python): not checked")


def check_notebooks():
    """They run, and hold the code of their scripts."""
    if all(importlib.util.find_spec(name) for name in ("matplotlib", "scipy")):
        run(sys.executable, "-W", "ignore", root / "tools" / "notebooks.py", env=environment)
    else:
        print("matplotlib or scipy is not there (tools/setup.sh python): notebooks are not run")


def check_wheel():
    """It holds the library, what that needs, and the models that pages name, and works without the clone."""
    with tempfile.TemporaryDirectory() as name:
        code = f"import build_backend; print(build_backend.build_wheel({name!r}))"
        wheel = run(sys.executable, "-c", code, env=dict(environment, PYTHONPATH=str(python), SARRUS_BUILD=str(build))).strip()
        with zipfile.ZipFile(pathlib.Path(name, wheel)) as file:
            names = file.namelist()
            file.extractall(f"{name}/site")
        pathlib.Path(name, "site/sarrus/lib/sarrus").chmod(0o755)  # pip does so
        assert "sarrus/lib/libsarrus.so.0.2" in names and "sarrus/_abi.py" in names and any("libexpat" in entry for entry in names), names
        alone = {key: value for key, value in os.environ.items() if key not in ("SARRUS_LIBRARY", "PYTHONPATH")}
        code = f"import sarrus; from sarrus import _library; print(_library.path); sarrus.load({str(root / 'problems/four-bar/model.yaml')!r}).run(end=0.1)"
        code += "; import sys; sys.argv[1:] = ['000-table-1', '--rows', 'SI']; import sarrus.bench.__main__ as bench; assert bench.main() == 0"
        code += "; assert sarrus.command('run', 'vehicle', end=0.01, certify='no')['model'] and 'four-bar' in sarrus.command('describe', 'problems')"
        assert f"{name}/site/sarrus/lib" in run(sys.executable, "-W", "ignore", "-c", code, env=dict(alone, PYTHONPATH=f"{name}/site"), cwd=name)


check_layer()
check_tests()
if not built.sanitized(program):
    check_texts()
    check_notebooks()
    check_wheel()
