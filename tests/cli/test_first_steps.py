"""The first steps of a new user: what `make build` builds, Python from a clone, the package for pip, help, names of models.

    python3 test_first_steps.py PROGRAM SOURCE_ROOT
"""
import importlib.util
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import every_test

PROGRAM, ROOT = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
BUILD = PROGRAM.parent


# ---- make and Python -------------------------------------------------------------------------

def test_make_build_builds_what_python_needs():
    plan = subprocess.run(["make", "-n", "build"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    built = next(shlex.split(line) for line in plan.splitlines() if "--target" in line)
    assert {"sarrus", "sarrus_shared"} <= set(built[built.index("--target") + 1:]), built


def clone_without_library(folder):
    """A folder that looks like a clone before `make build`, and the environment of somebody who uses Python there."""
    shutil.copytree(ROOT / "python" / "sarrus", folder / "python" / "sarrus", ignore=shutil.ignore_patterns("__pycache__", "lib"))
    for name in ("Makefile", "CMakeLists.txt"):
        shutil.copy(ROOT / name, folder)
    outside = {name: value for name, value in os.environ.items() if name not in ("SARRUS_LIBRARY", "PYTHONPATH", "LD_LIBRARY_PATH")}
    return dict(outside, PYTHONPATH=str(folder / "python"), PYTHONDONTWRITEBYTECODE="1")


def test_python_in_a_clone_says_what_is_missing():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        environment = clone_without_library(folder)
        ask = [sys.executable, "-c", "import sarrus"]
        done = subprocess.run(ask, env=environment, cwd="/", capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return  # the system has a library of this version
        assert f"'make build' in {folder} builds it" in done.stderr, done.stderr
        wrong = subprocess.run(ask, env=dict(environment, SARRUS_LIBRARY="/nowhere.so"), cwd="/", capture_output=True, text=True, check=False)
        assert "SARRUS_LIBRARY names this file" in wrong.stderr and "make build" not in wrong.stderr, wrong.stderr
        (folder / "build").symlink_to(BUILD)
        if "SARRUS_SANITIZE:BOOL=ON" not in (BUILD / "CMakeCache.txt").read_text():
            subprocess.run(ask, env=environment, cwd="/", check=True)


def backend():
    spec = importlib.util.spec_from_file_location("build_backend", ROOT / "python" / "build_backend.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_pip_compiles_every_source_once():
    """The plan of the build that pip makes where there is none: as many compilers as processors, no source twice."""
    if not shutil.which("ninja"):
        return
    module, commands = backend(), []
    with tempfile.TemporaryDirectory() as name:
        real = subprocess.run

        def run(command, **more):
            commands.append([str(word) for word in command])
            return real(command, **more, capture_output=True) if "--build" not in commands[-1] else None
        module.subprocess = type("recorder", (), {"run": staticmethod(run)})
        module.build(pathlib.Path(name))
        build = next(command for command in commands if "--build" in command)
        jobs = build[build.index("-j") + 1]
        assert 1 <= int(jobs) <= (os.cpu_count() or 1), build
        targets = build[build.index("--target") + 1:]
        plan = real(["ninja", "-C", name, "-t", "commands", *targets], capture_output=True, text=True, check=True).stdout
    sources = re.findall(r" -c (\S+\.c)\b", plan)
    # but for what uses OpenMP, which the runtime of FMUs does without
    twice = {pathlib.Path(source).name for source in sources if sources.count(source) > 1}
    assert len(sources) > 300 and twice <= {"parallel.c", "dca.c"}, (len(sources), twice)


def test_pip_takes_the_build_that_is_there():
    module = backend()
    module.subprocess = None  # nothing is built
    os.environ["SARRUS_BUILD"] = str(BUILD)
    try:
        if (BUILD / "libsarrus.so").exists():
            assert module.folder_with_library() == BUILD
        os.environ["SARRUS_BUILD"] = "/nowhere"
        try:
            module.folder_with_library()
            raise AssertionError("a folder without a library is taken")
        except RuntimeError as refused:
            assert "no libsarrus.so" in str(refused)
    finally:
        del os.environ["SARRUS_BUILD"]


# ---- the words of the report -----------------------------------------------------------------

MOVED = """sarrus: 1
name: moved
dimension: 2
gravity: [0, -9.81]
bodies: {rod: {mass: 1, center: [0.5, 0], inertia: 0.1, position: [0, 0.053], angle: 0}}
joints: {pin: {type: revolute, between: [ground.origin, rod.origin]}}
outputs: {x: pin.angle}
method: {end: 0.5}
"""


def report(*arguments, model=None):
    environment = {name: value for name, value in os.environ.items() if name != "SARRUS_CERTIFY"}
    done = subprocess.run([PROGRAM, "run", *arguments], cwd=ROOT, env=environment, input=model, capture_output=True, text=True, check=False)
    return re.sub(r"\s+", " ", done.stdout)


def test_the_report_is_in_plain_words():
    text = report("bricard")
    assert re.search(r"estimated error: worst output y3, [\d.e-]+ % of its range \(limit 1 %\)", text), text
    assert re.search(r"checked against a second run \(automatic method: relative, chart, [^)]*\)", text), text
    text = report("n-four-bar", "--step", "1e-2")
    assert re.search(r"worst output x1, 2\.\d % of its range \(limit 1 %\); trust it until t = 6\.5\d* s, when y1 exceeds the limit", text), text
    text = report("-", model=MOVED)
    assert re.search(r"bodies were moved to close the joints: rod by [\d.]+ mm, [\d.]+ deg", text) and "no penalty factor" in text, text


if __name__ == "__main__":
    sys.exit(every_test.run(globals()))
