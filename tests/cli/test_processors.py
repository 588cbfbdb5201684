"""Which of the installed programs runs: the fastest that the processor can, or the one that SARRUS_CPU names."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

program, root = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
compiler = re.search(r"^CMAKE_C_COMPILER:\w+=(.*)$", (program.parent / "CMakeCache.txt").read_text(), re.M).group(1)
SAY = '#include <stdio.h>\nint sarrus_main(int n, char** a) { (void)a; return printf("%s %%d\\n", n), 7; }\n'


def run(*command, **more):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, **more)


def built(folder):
    """cli/main.c with programs that only say who they are."""
    (folder / "bin").mkdir()
    for name, where, flags in [("baseline", "bin/sarrus", [root / "cli" / "main.c", '-DSARRUS_LEVELS="../lib/sarrus"', "-I", root / "cli", "-ldl"]),
                               ("x86-64-v3", "lib/sarrus/x86-64-v3/program.so", ["-shared", "-fPIC"])]:
        (folder / where).parent.mkdir(parents=True, exist_ok=True)
        (folder / "who.c").write_text(SAY % name)
        done = run(compiler, "-D_DEFAULT_SOURCE", "-std=c17", folder / "who.c", *flags, "-o", folder / where)
        assert done.returncode == 0, done.stderr
    return folder / "bin" / "sarrus"


def who(sarrus, *before, **environment):
    done = run(*before, sarrus, "run", "x", env={**{k: v for k, v in os.environ.items() if k != "SARRUS_CPU"}, **environment})
    assert done.returncode == 7, done  # what the program returns is what the shell gets
    name, count = done.stdout.split()
    assert count == "3", "all arguments arrive"
    return name, done.stderr


def check():
    with tempfile.TemporaryDirectory() as name:
        sarrus = built(pathlib.Path(name).resolve())
        flags = re.search(r"^flags\s*:(.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
        fast = "x86-64-v3" if flags and {"avx2", "bmi1", "bmi2"} <= set(flags[1].split()) else "baseline"
        assert who(sarrus) == (fast, ""), who(sarrus)
        assert who(sarrus, SARRUS_CPU="baseline") == ("baseline", "")
        assert who(sarrus, SARRUS_CPU="x86-64-v3") == (fast, "")
        got, warning = who(sarrus, SARRUS_CPU="fastest")
        assert got == fast and "SARRUS_CPU is 'fastest', not baseline, x86-64-v3 or x86-64-v4" in warning, warning
        emulator = shutil.which("qemu-x86_64-static") or shutil.which("qemu-x86_64")
        if emulator:  # a processor without AVX2, whatever this one has
            assert who(sarrus, emulator, "-cpu", "qemu64", SARRUS_CPU="x86-64-v3")[0] == "baseline"
        else:
            print("no qemu-x86_64: processors without AVX2 are not tried")
        shutil.rmtree(sarrus.parent.parent / "lib")
        assert who(sarrus) == ("baseline", ""), "without modules the program is complete"


if os.uname().machine == "x86_64":
    check()
else:
    print("not an x86-64: there is one program")
