"""libsarrus.so as others see it: its name, its symbols and nothing else; from C, C++, CMake and pkg-config; the bits of the program."""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import built

program, root = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
build = program.parent
cache = (build / "CMakeCache.txt").read_text()
compiler = re.search(r"^CMAKE_C_COMPILER:\w+=(.*)$", cache, re.M).group(1)
library = build / "libsarrus.so"
extra = ["-fsanitize=address,undefined"] if built.sanitized(program) else []

# Runs a model and prints its outputs at the end, in C and in C++.
RUN = r"""#include <sarrus/sarrus.h>
#include <stdio.h>
#include <string.h>
int main(int count, char** argument)
{
    sar_model* model = NULL;
    sar_simulation* s = NULL;
    char* messages = NULL;
    sar_options options = sar_options_default();
    if (count != 2 || sar_model_load(argument[1], NULL, 0, &model, &options, &messages) != SAR_OK) return puts(messages), 1;
    sar_error error;
    memset(&error, 0, sizeof error);
    if (sar_simulation_create(model, &options, &s, &error) != SAR_OK) return puts(error.message), 1;
    if (sar_simulation_assemble(s, NULL) != SAR_OK) return puts(sar_simulation_failure(s)), 1;
    while (!sar_simulation_done(s))
        if (sar_simulation_advance(s) != SAR_OK) return puts(sar_simulation_failure(s)), 1;
    double values[64];
    sar_simulation_outputs(s, values);
    printf("%.17g", sar_simulation_time(s));
    for (int k = 0; k < sar_model_outputs(model); k++) printf(",%.17g", values[k]);
    printf("\n");
    sar_simulation_destroy(s);
    sar_model_destroy(model);
    sar_text_free(messages);
    return 0;
}
"""
PROJECT = """cmake_minimum_required(VERSION 3.22)
project(user C CXX)
find_package(sarrus 0.2 REQUIRED COMPONENTS shared)
add_executable(user %s)
target_link_libraries(user PRIVATE sarrus::shared)
"""


def run(*command, **more):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **more)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


def check_symbols():
    """The functions of the public headers, with the version of the library, and no others."""
    run(sys.executable, root / "tools" / "symbols.py")
    listed = (root / "cmake" / "symbols.txt").read_text().split()
    rows = [line.split() for line in run("nm", "-D", "--defined-only", library).splitlines()]
    exported = sorted(row[2] for row in rows if row[1] != "A")
    assert exported == [f"{name}@@SARRUS_0.2" for name in listed], sorted(set(exported) ^ {f"{name}@@SARRUS_0.2" for name in listed})
    about = run("readelf", "-d", library)
    assert "Library soname: [libsarrus.so.0.2]" in about, about
    assert "TEXTREL" not in about
    # functions that nobody exports are not looked for elsewhere: no undefined sari_ symbols
    assert "sari_" not in run("nm", "-D", library)


# Of libm: those whose results IEEE 754 or C define to the last bit. The others differ between processors.
EXACT = set("sqrt fabs floor ceil trunc round lround llround rint lrint llrint nearbyint fmod fmin fmax copysign ldexp frexp modf nextafter nextafterl".split())


def check_functions():
    """No function is taken from the C library whose last digits depend on the processor or the version of that library."""
    libm = next(line.split()[2] for line in run("ldd", program).splitlines() if line.strip().startswith("libm.so"))
    inexact = {row.split()[-1].split("@")[0] for row in run("nm", "-D", "--defined-only", libm).splitlines()} - EXACT
    assert {"sin", "pow", "exp"} < inexact
    for path in (library, program):
        used = {row.split()[-1].split("@")[0] for row in run("nm", "-D", "--undefined-only", path).splitlines()}
        assert not used & inexact, (path, used & inexact)
    if not built.sanitized(program) and shutil.which("objdump") and os.uname().machine == "x86_64":
        assert not re.search(r"\tvfn?m(add|sub)", run("objdump", "-d", "--no-show-raw-insn", library)), "fused multiply-adds"


def last_row(model):
    """Of a run by the program with the model's own method."""
    with tempfile.TemporaryDirectory() as name:
        run(program, "run", model, "-o", f"{name}/out.csv", "--quiet")
        return pathlib.Path(name, "out.csv").read_text().split()[-1]


def check_use(folder):
    prefix = folder / "prefix"
    run("cmake", "--install", build, "--prefix", prefix)
    [pc] = prefix.rglob("sarrus.pc")
    env = dict(os.environ, PKG_CONFIG_PATH=str(pc.parent))
    flags = shlex.split(run("pkg-config", "--cflags", "--libs", "sarrus", env=env))
    assert [flag for flag in flags if flag.startswith("-l")] == ["-lsarrus"], flags
    [where] = {path.parent for path in prefix.rglob("libsarrus.so")}
    for name, language, standard in [("c", compiler, "-std=c17"), ("cpp", os.environ.get("CXX", "c++"), "-std=c++17")]:
        (folder / f"use.{name}").write_text(RUN)
        run(language, standard, "-Wall", "-Wextra", "-Werror", "-Wno-missing-field-initializers", *extra, folder / f"use.{name}", *flags,
            f"-Wl,-rpath,{where}", "-o", folder / f"use_{name}")
    for model in [root / "tests" / "models" / "driven-crank.yaml", root / "problems" / "slider-crank-1" / "model.yaml"]:
        last = last_row(model)
        for name in ["c", "cpp"]:
            assert run(folder / f"use_{name}", model).strip() == last, (model, name, last)
    # CMake, which asks for nothing that the static libraries need
    (folder / "user").mkdir()
    (folder / "user" / "CMakeLists.txt").write_text(PROJECT % (folder / "use.cpp"))
    run("cmake", "-S", folder / "user", "-B", folder / "out", f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_CXX_FLAGS={' '.join(extra)}")
    run("cmake", "--build", folder / "out")
    assert run(folder / "out" / "user", root / "problems" / "slider-crank-1" / "model.yaml").strip() == last


def check_package(folder):
    """A Debian package with program, libraries, manual and completion, which runs where it is unpacked."""
    if built.sanitized(program) or not shutil.which("dpkg-shlibdeps") or not shutil.which("dpkg-deb"):
        return
    run("cmake", "--build", build, "--target", "sarrus_described")
    run("cpack", "-G", "DEB", "--config", build / "CPackConfig.cmake", "-B", folder / "package")
    [package] = (folder / "package").glob("*.deb")
    depends = run("dpkg-deb", "-f", package, "Depends")
    assert all(name in depends for name in ("libc6", "libexpat")), depends
    run("dpkg-deb", "-x", package, folder / "unpacked")
    usr = folder / "unpacked" / "usr"
    for path in ("share/man/man1/sarrus.1", "share/bash-completion/completions/sarrus", "share/sarrus/octave/sarrus_read.m", "include/sarrus/sarrus.h"):
        assert (usr / path).exists(), path
    assert "completed" in run(usr / "bin" / "sarrus", "run", "four-bar", "--end", "0.1", cwd=folder)


check_symbols()
check_functions()
with tempfile.TemporaryDirectory() as name:
    check_use(pathlib.Path(name))
    check_package(pathlib.Path(name))
