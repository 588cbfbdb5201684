"""What is installed can be used: by pkg-config, by CMake, as sarrus.h shows, and the program finds its problems."""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import built
import test_plugins

program, root = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
build = program.parent
cache = (build / "CMakeCache.txt").read_text()
# A library built with sanitizers or coverage needs their run-time.
extra = "-fsanitize=address,undefined" if built.sanitized(program) else ""
if re.search(r"^CMAKE_C_FLAGS:.*--coverage", cache, re.M):
    extra += " --coverage"
compiler = re.search(r"^CMAKE_C_COMPILER:\w+=(.*)$", cache, re.M).group(1)
# The libraries can be linked without the linker's optimiser, which would take a minute for each of the programs below.
extra += " -fno-lto"
example = root / "examples" / "pendulum.c"

PROJECT = """cmake_minimum_required(VERSION 3.22)
project(user C)
find_package(sarrus 0.2 REQUIRED)
add_executable(user %s)
target_link_libraries(user PRIVATE sarrus::io m)
"""
CODES = """study: 1
name: codes
title: rows of another code
problems: [slider-crank-1]
metric: {variables: [xQ, theta1], weights: [1, 1], sample: 0.01, low_precision: 2e-3}
rows:
  - {label: ours, method: {preset: ALi3p, step: 2e-3}, precision: low}
  - {label: X, precision: low, results: {file: x.csv, code: X, version: "9.0", seconds: [0.5, 0.6]}}
  - {label: Y, precision: low, results: {file: x.csv, code: Y, failure: stops at t = 3 s}}
"""
hdf5 = "SARRUS_WITH_HDF5:BOOL=ON" in cache

# Writes a result and reads it, or says why not.
WRITE = """#include <sarrus/sarrus.h>
#include <stdio.h>
int main(int count, char** path) {
    const sar_dataset sets[] = {{"time", 1, "s", ""}, {"outputs/x", 1, "m", ""}};
    sar_writer* w;
    sar_result* r;
    sar_error error = {0};
    if (count != 2 || sar_writer_open(path[1], sets, 2, &w, &error) != SAR_OK) return puts(error.message), 1;
    for (int k = 0; k < 3; k++) sar_writer_append(w, (double[]){k, 0.1 * k});
    if (sar_writer_close(w, &error) != SAR_OK) return puts(error.message), 1;
    if (sar_result_read(path[1], &r, &error) != SAR_OK) return puts(error.message), 1;
    printf("%d rows, %g\\n", sar_result_rows(r), sar_result_column(r, 0)[2]);
    sar_result_destroy(r);
}
"""


def hdf5_of(binary):
    """The libraries of HDF5 that are linked."""
    return sorted(set(re.findall(r"libhdf5\w*\.so\.\d+", run("ldd", binary))))


def loaded_hdf5():
    """The name of the library that is loaded on use; None where HDF5 is linked."""
    found = re.search(r'SARRUS_HDF5_SONAME=[\\"]*(libhdf5[\w.]*)', (build / "compile_commands.json").read_text())
    return found and found[1]


def check_hdf5(binary, folder):
    """Results in HDF5 can be written and read, and where its library is another one the message says which is meant."""
    assert run(binary, folder / "result.h5") == "3 rows, 0.2\n"
    library = loaded_hdf5()
    if not library:
        return
    assert not hdf5_of(binary), run("ldd", binary)
    (folder / "empty").mkdir(exist_ok=True)
    fake, away = folder / "empty" / library, dict(os.environ, LD_LIBRARY_PATH=str(folder / "empty"))
    fake.write_text("this is no library\n")
    assert run(binary, folder / "result.h5", env=away) == "3 rows, 0.2\n"  # the one of the build is still there
    run(compiler, "-shared", "-x", "c", "/dev/null", "-o", fake)
    got = subprocess.run([binary, folder / "none.h5"], capture_output=True, text=True, env=away)
    assert got.returncode == 1 and library in got.stdout and "cannot be loaded: it has no H5" in got.stdout and ".csv" in got.stdout, got
    assert run(binary, folder / "result.csv", env=away) == "3 rows, 0.2\n"
    assert not list(folder.glob("none.h5*"))
    fake.unlink()


def program_of_the_header():
    """The pendulum in the comment of sarrus.h, which tells where it is in the end."""
    text = (root / "include" / "sarrus" / "sarrus.h").read_text()
    lines = [line[len("///     "):] for line in text.splitlines() if line.startswith("///     ")]
    at = next(k for k, line in enumerate(lines) if "sar_simulation_pose(" in line)
    tell = 'last[0] = 1 - 2*quat[3]*quat[3], last[1] = 2*quat[0]*quat[3];'  # of the axis that points to the bob
    return "\n".join(["#include <sarrus/sarrus.h>", "#include <stdio.h>", "int main(void) {", "double last[2] = {0};", *lines[:at + 1], tell,
                      *lines[at + 1:], 'printf("%.17g %.17g\\n", last[0], last[1]);', "}"])


def run(*command, **more):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **more)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    prefix = folder / "prefix"
    # made by the build as a whole, which may not be what was asked for before this test
    run("cmake", "--build", build, "--target", "sarrus_described")
    if "sarrus_program" in run("cmake", "--build", build, "--target", "help"):
        run("cmake", "--build", build, "--target", "sarrus_program")
    run("cmake", "--install", build, "--prefix", prefix)
    for path in ["share/man/man1/sarrus.1", "share/bash-completion/completions/sarrus", "share/zsh/site-functions/_sarrus",
                 "share/fish/vendor_completions.d/sarrus.fish", "bin/sarrus", "include/sarrus/sarrus.h", "share/sarrus/sarrus.schema.json", "share/sarrus/problems/bricard/model.yaml",
                 "share/sarrus/studies/000-table-1.yaml"]:
        assert (prefix / path).exists(), path

    # public headers are installed and need no others
    headers = sorted(path.name for path in (prefix / "include" / "sarrus").iterdir())
    assert headers == sorted(path.name for path in (root / "include" / "sarrus").iterdir()) and "study.h" not in headers, headers
    for header in headers:
        run(compiler, "-std=c17", "-fsyntax-only", "-x", "c", "-I", prefix / "include", "-", input=f"#include <sarrus/{header}>\n")

    # the program, from a folder where there are no problems
    assert "valid" in run(prefix / "bin" / "sarrus", "check", "bricard", cwd=folder)
    assert "valid" in run(prefix / "bin" / "sarrus", "check", "robot", cwd=folder) and "miura-fold" in run(prefix / "bin" / "sarrus", "help", cwd=folder)
    # tables of papers, by the package with the library and the data that are installed
    package = folder / "package"
    shutil.copytree(root / "python" / "sarrus", package / "sarrus", ignore=shutil.ignore_patterns("__pycache__"))
    python = dict(built.python_environment(program, root), PYTHONPATH=str(package), SARRUS_LIBRARY=str(next(prefix.rglob("libsarrus.so"))))
    bench = [sys.executable, "-m", "sarrus.bench"]
    assert "000-table-1" in run(*bench, cwd=folder, env=python)
    assert "2 passes" in run(*bench, "000-table-1", "--rows", "SI", cwd=folder, env=python)

    # FMUs: the runtime and its sources are there
    if "sarrus_fmu" in run("cmake", "--build", build, "--target", "help"):
        run(prefix / "bin" / "sarrus", "export", "bricard", "--end", "0.1", "--fmu", folder / "bricard.fmu", "--sources", cwd=folder)
        assert "to the last bit" in run(prefix / "bin" / "sarrus", "check", folder / "bricard.fmu", cwd=folder)

    # pkg-config
    found = [p.parent for p in prefix.rglob("sarrus.pc")]
    assert len(found) == 1, found
    env = dict(os.environ, PKG_CONFIG_PATH=str(found[0]))
    flags = shlex.split(run("pkg-config", "--cflags", "--libs", "sarrus-static", env=env))
    run(compiler, "-std=c17", *shlex.split(extra), example, *flags, "-o", folder / "pendulum")
    assert "energy drift" in run(folder / "pendulum")

    # methods and results of others, from an empty folder
    empty = folder / "empty-handed"
    empty.mkdir()
    sarrus = prefix / "bin" / "sarrus"
    source = root / "examples" / "plugins" / "udwadia_kalaba.c"
    run(compiler, "-O1", "-fPIC", "-shared", source, *shlex.split(run("pkg-config", "--cflags", "sarrus", env=env)), "-lm", "-o", empty / "uk.so")
    assert "completed" in run(sarrus, "run", "four-bar", "--plugin", "./uk.so", "--coordinates", "natural", "--formulation", "udwadia-kalaba", "--integrator", "rk4",
                              "--step", "1e-3", "--end", "0.2", cwd=empty)
    run(sarrus, "run", "slider-crank-1", "--preset", "ALi3p", "--step", "1e-3", "--sample", "0.01", "-o", "x.csv", cwd=empty)
    (empty / "codes.yaml").write_text(CODES)
    assert "2 passes, 1 fails" in run(*bench, "codes.yaml", cwd=empty, env=python)
    if (build / "baseline" / "program.so").exists():
        test_plugins.PROGRAM = str(sarrus)
        test_plugins.in_python(library=next(prefix.rglob("libsarrus.so")), cwd=empty)

    # the program that the header shows, beside the reference of its mirror image after ten seconds
    (folder / "shown.c").write_text(program_of_the_header())
    run(compiler, "-std=c17", "-Wall", "-Wextra", "-Werror", *shlex.split(extra), folder / "shown.c", *flags, "-o", folder / "shown")
    x, y = map(float, run(folder / "shown").split())
    _, mirrored, height = map(float, (root / "problems" / "pendulum" / "reference.csv").read_text().split()[-1].split(","))
    assert abs(x + mirrored) < 2e-4 and abs(y - height) < 2e-4, (x, y)

    # The HDF5 that it was built with, whatever pkg-config calls hdf5 here, also when everything behind it is linked too.
    if hdf5:
        (folder / "write.c").write_text(WRITE)
        flags = shlex.split(run("pkg-config", "--cflags", "--libs", "--static", "sarrus-static", env=env))
        assert not [flag for flag in flags if "mpi" in flag], flags
        run(compiler, "-std=c17", *shlex.split(extra), "-Wl,--no-as-needed", folder / "write.c", *flags, "-o", folder / "write")
        if hdf5_of(program):
            assert hdf5_of(folder / "write") == hdf5_of(program), (flags, run("ldd", folder / "write"))
        check_hdf5(folder / "write", folder)

    # CMake; nothing in the package may point back to where it was built
    for path in [*prefix.rglob("*.cmake"), *prefix.rglob("*.pc")]:
        text = path.read_text()
        assert str(build) not in text and str(root) not in text, path
    (folder / "user").mkdir()
    (folder / "user" / "CMakeLists.txt").write_text(PROJECT % (folder / "write.c" if hdf5 else example))
    run("cmake", "-S", folder / "user", "-B", folder / "out", f"-DCMAKE_PREFIX_PATH={prefix}",
        f"-DCMAKE_C_COMPILER={compiler}", f"-DCMAKE_C_FLAGS={extra}")
    run("cmake", "--build", folder / "out")
    if hdf5:
        check_hdf5(folder / "out" / "user", folder)
    else:
        assert "energy drift" in run(folder / "out" / "user")
