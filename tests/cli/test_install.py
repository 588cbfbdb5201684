"""What is installed can be used: by pkg-config, by CMake, as sarrus.h shows, and the program finds its problems."""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

import built

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
find_package(sarrus 0.1 REQUIRED)
add_executable(user %s)
target_link_libraries(user PRIVATE sarrus::io m)
"""


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
    assert "000-table-1" in run(prefix / "bin" / "sarrus", "bench", cwd=folder)
    assert "2 passes" in run(prefix / "bin" / "sarrus", "bench", "000-table-1", "--rows", "SI", cwd=folder)

    # pkg-config
    found = [p.parent for p in prefix.rglob("sarrus.pc")]
    assert len(found) == 1, found
    env = dict(os.environ, PKG_CONFIG_PATH=str(found[0]))
    flags = shlex.split(run("pkg-config", "--cflags", "--libs", "sarrus", env=env))
    run(compiler, "-std=c17", *shlex.split(extra), example, *flags, "-o", folder / "pendulum")
    assert "energy drift" in run(folder / "pendulum")

    # the program that the header shows, beside the reference of its mirror image after ten seconds
    (folder / "shown.c").write_text(program_of_the_header())
    run(compiler, "-std=c17", "-Wall", "-Wextra", "-Werror", *shlex.split(extra), folder / "shown.c", *flags, "-o", folder / "shown")
    x, y = map(float, run(folder / "shown").split())
    _, mirrored, height = map(float, (root / "problems" / "pendulum" / "reference.csv").read_text().split()[-1].split(","))
    assert abs(x + mirrored) < 2e-4 and abs(y - height) < 2e-4, (x, y)

    # The HDF5 that it was built with, whatever pkg-config calls hdf5 here, also when everything behind it is linked too.
    def hdf5_of(binary):
        return sorted(set(re.findall(r"libhdf5\w*\.so\.\d+", run("ldd", binary))))

    if hdf5_of(program):
        flags = shlex.split(run("pkg-config", "--cflags", "--libs", "--static", "sarrus", env=env))
        assert not [flag for flag in flags if "mpi" in flag], flags
        run(compiler, "-std=c17", *shlex.split(extra), "-Wl,--no-as-needed", example, *flags, "-o", folder / "all")
        assert hdf5_of(folder / "all") == hdf5_of(program), (flags, run("ldd", folder / "all"))
        assert "energy drift" in run(folder / "all")

    # CMake; nothing in the package may point back to where it was built
    for path in [*prefix.rglob("*.cmake"), *prefix.rglob("*.pc")]:
        text = path.read_text()
        assert str(build) not in text and str(root) not in text, path
    (folder / "user").mkdir()
    (folder / "user" / "CMakeLists.txt").write_text(PROJECT % example)
    run("cmake", "-S", folder / "user", "-B", folder / "out", f"-DCMAKE_PREFIX_PATH={prefix}",
        f"-DCMAKE_C_COMPILER={compiler}", f"-DCMAKE_C_FLAGS={extra}")
    run("cmake", "--build", folder / "out")
    assert "energy drift" in run(folder / "out" / "user")
