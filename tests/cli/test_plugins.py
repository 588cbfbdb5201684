"""Plug-ins: a formulation and an integrator in a shared object, in every command; and objects that are none."""
import os
import pathlib
import subprocess
import sys
import tempfile

PROGRAM, ROOT = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()


def build(folder, name, source):
    (folder / f"{name}.c").write_text(source)
    made = folder / f"{name}.so"
    subprocess.run(["cc", "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", folder / f"{name}.c", "-I", ROOT / "include", "-lm",
                    "-o", made], check=True)
    return made


def sarrus(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=600)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        plugin = build(folder, "uk", (ROOT / "examples/plugins/udwadia_kalaba.c").read_text())
        listed = sarrus("methods", "--plugin", plugin)
        assert listed.returncode == 0 and "udwadia-kalaba" in listed.stdout and "heun" in listed.stdout, listed.stdout
        assert "udwadia-kalaba" not in sarrus("methods").stdout
        method = ["--coordinates", "natural", "--formulation", "udwadia-kalaba", "--integrator", "rk4"]
        rows = []
        for extra, file in ((["--plugin", plugin, *method], "uk.csv"), (["--plugin=" + str(plugin), "--preset", "auto"], "auto.csv")):
            step = ["--step", "1e-3"] if file == "uk.csv" else ["--tolerance", "1e-10"]
            ran = sarrus("run", "four-bar", *extra, *step, "--end", "0.8", "--sample", "0.1", "-o", folder / file)
            assert ran.returncode == 0, ran.stdout + ran.stderr
            rows.append([[float(x) for x in line.split(",")] for line in (folder / file).read_text().splitlines() if line[0] in "0123456789"])
        difference = max(abs(a - b) for x, y in zip(*rows) for a, b in zip(x, y))
        assert len(rows[0]) == 9 and difference < 1e-8, difference
        # where its rank drops the method is not defined, and the run says so
        stopped = sarrus("run", "four-bar", "--plugin", plugin, *method, "--step", "1e-3", "--end", "2")
        assert stopped.returncode in (1, 6) and "singular configuration" in stopped.stderr, stopped.stderr
        # rates drive other integrators too, and another integrator drives ours
        for pair in (["udwadia-kalaba", "heun"], ["al1", "heun"], ["udwadia-kalaba", "dop853"]):
            ran = sarrus("run", "four-bar", "--plugin", plugin, "--coordinates", "natural", "--formulation", pair[0], "--integrator", pair[1],
                         "--end", "0.2")
            assert ran.returncode == 0, ran.stderr
        refused = sarrus("run", "four-bar", "--plugin", plugin, "--formulation", "udwadia-kalaba", "--integrator", "trapezoidal")
        assert refused.returncode == 2, refused.returncode
        swept = sarrus("sweep", "four-bar", "--plugin", plugin, *method, "--end", "0.1", "--vary", "step=1e-3,2e-3")
        assert swept.returncode == 0, swept.stderr
        massless = sarrus("run", "bricard", "--plugin", plugin, *method, "--step", "1e-3")
        assert massless.returncode != 0 and "mass matrix is not positive definite" in massless.stderr, massless.stderr
        header = "#include <sarrus/plugin.h>\n"
        wrong = {"none": ("int nothing;", "no symbol `sarrus_plugin`"),
                 "old": (header + "const sar_plugin sarrus_plugin = {.version = 0};", "version 0"),
                 "empty": (header + "const sar_plugin sarrus_plugin = {.version = SAR_PLUGIN_VERSION};", "no members"),
                 "taken": (header + 'static const sar_plugin_formulation f = {.name = "al3"};\n'
                           "const sar_plugin sarrus_plugin = {.version = SAR_PLUGIN_VERSION, .formulations = &f, .formulation_count = 1};",
                           'there is a "al3" already'),
                 "lacks": (header + 'static const sar_plugin_formulation f = {.name = "mine"};\n'
                           "const sar_plugin sarrus_plugin = {.version = SAR_PLUGIN_VERSION, .formulations = &f, .formulation_count = 1};",
                           "no function `accelerations`")}
        for name, (source, words) in wrong.items():
            answer = sarrus("methods", "--plugin", build(folder, name, source))
            assert answer.returncode == 2 and words in answer.stderr, (name, answer.stderr)
        for missing in ("/nowhere.so", ""):
            answer = sarrus("methods", "--plugin", missing)
            assert answer.returncode == 2 and "--plugin" in answer.stderr, answer.stderr
    print("plug-ins: formulation and integrator in five commands, seven faults refused")
    if (pathlib.Path(PROGRAM).parent / "baseline/program.so").exists():
        in_python()
        print("methods in Python: in methods, run, sweep, tune and sarrus.bench, four faults refused")


LAGRANGE = """import numpy, sarrus

class Lagrange(sarrus.Formulation):
    name = "lagrange"

    def accelerations(self, at, multipliers):
        n, m = len(at.v), len(at.Phi)
        saddle = numpy.block([[at.M, at.Phi_q.T], [at.Phi_q, numpy.zeros((m, m))]])
        x = numpy.linalg.lstsq(saddle, numpy.concatenate([at.Q, -at.bias]), rcond=None)[0]
        return x[:n], x[n:]
"""
STUDY = """study: 1
name: own
title: a method in Python beside one of the library
problems: [pendulum]
rows:
  - {label: Python, method: {coordinates: natural, formulation: lagrange, integrator: rk4, step: 1e-2, end: 0.2}, max_total_error: 1e-6}
  - {label: library, method: {coordinates: natural, formulation: nullspace, integrator: rk4, step: 1e-2, end: 0.2}, max_total_error: 1e-6}
"""


def in_python(python=ROOT / "python", library=None, cwd=ROOT):
    """The program in Python, with a formulation of a file: in every command; and files that are wrong."""
    environment = {**os.environ, "PYTHONPATH": str(python), "SARRUS_CERTIFY": "no"}
    environment["SARRUS_LIBRARY"] = str(library or pathlib.Path(PROGRAM).resolve().parent / "libsarrus.so")

    def program(*words, module="sarrus"):
        return subprocess.run(["/usr/bin/python3", "-m", module, *map(str, words)], capture_output=True, text=True, timeout=600, env=environment, cwd=cwd)

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "mine.py").write_text(LAGRANGE)
        (folder / "study.yaml").write_text(STUDY)
        method = ["--plugin", folder / "mine.py", "--coordinates", "natural", "--formulation", "lagrange", "--integrator", "rk4"]
        assert "lagrange" in program("methods", *method[:2]).stdout and "lagrange" not in program("methods").stdout
        results = []
        for words in (method, ["--coordinates", "natural", "--formulation", "nullspace", "--integrator", "rk4"]):
            ran = program("run", "pendulum", *words, "--step", "1e-2", "--end", "0.2", "-o", folder / "run.csv")
            assert ran.returncode == 0, ran.stdout + ran.stderr
            results.append([float(x) for x in (folder / "run.csv").read_text().split()[-1].split(",")])
        assert max(abs(a - b) for a, b in zip(*results)) < 1e-7, results
        swept = program("sweep", "pendulum", *method, "--end", "0.1", "--vary", "step=1e-2,2e-2", "-o", folder / "sweep.csv", "--jobs", "2")
        assert swept.returncode == 0 and "valid 2 of 2" in swept.stdout, swept.stdout + swept.stderr
        (folder / "sweep.csv.journal").write_text((folder / "sweep.csv.journal").read_text().replace("finished\n", ""))
        (folder / "mine.py").write_text(LAGRANGE + "# changed\n")
        changed = program("sweep", "pendulum", *method, "--end", "0.1", "--vary", "step=1e-2,2e-2", "-o", folder / "sweep.csv")
        assert changed.returncode == 2 and "differ in the program or its plug-ins" in changed.stderr, changed.stderr
        tuned = program("tune", "pendulum", *method, "--end", "0.1", "--threshold", "eps_T=1e-6", "--over", "step=1e-2:5e-2", "--points", "2")
        assert tuned.returncode == 0 and "step=" in tuned.stdout, tuned.stdout + tuned.stderr
        judged = program(folder / "study.yaml", *method[:2], "--repeat", "1", module="sarrus.bench")
        assert judged.returncode == 0 and "2 passes" in judged.stdout, judged.stdout + judged.stderr
        for text, code, words in (("1/0", 2, "ZeroDivisionError"), (LAGRANGE.replace('"lagrange"', '"al3"'), 2, 'there is a "al3" already'),
                                  (LAGRANGE.replace("at.Phi_q.T", "at.Phi_x"), 1, "have no 'Phi_x'"), (LAGRANGE.replace("x[n:]", "x"), 1, "multipliers must have")):
            (folder / "wrong.py").write_text(text)
            answer = program("run", "pendulum", "--plugin", folder / "wrong.py", *method[2:], "--end", "0.1", "--step", "1e-2")
            assert answer.returncode == code and words in answer.stderr, (text, answer)
        alone = sarrus("run", "pendulum", "--plugin", folder / "mine.py")
        assert alone.returncode == 2 and "python3 -m sarrus" in alone.stderr, alone.stderr


if __name__ == "__main__":
    main()
