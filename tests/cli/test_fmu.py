#!/usr/bin/env python3
"""FMUs: what export and check say, the rules of modelDescription.xml, models through singular configurations and made of files, and
the same bits in Python.

Usage: test_fmu.py PROGRAM SOURCE_ROOT
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import zipfile
from xml.etree import ElementTree

from runs import MODELS, PROGRAM, ROOT, expect, failures, finish

sys.path.insert(0, os.path.join(ROOT, "python"))
os.environ.setdefault("SARRUS_LIBRARY", os.path.join(os.path.dirname(PROGRAM), "libsarrus.so"))
HAS_RUNTIME = os.path.exists(os.path.join(os.path.dirname(PROGRAM), "sarrus-fmu.so"))
MOTOR = """sarrus: 1
name: "motor <1>"
dimension: 2
parameters: {m: 2, k: 5*m, limit: 30 deg}
inputs: {u: {start: 1, unit: N}, angle: {start: 0.1, unit: deg}}
bodies: {car: {mass: m, inertia: 1, position: [0, 0], angle: 0}}
joints: {rail: {type: prismatic, between: [ground, car], at: [0, 0], axis: [1, 0]}}
forces: {ram: {type: actuator, joint: rail, force: u - k*x}}
outputs: {x: car.origin.x, v: car.origin.vx, fy: rail.fy, both: car.origin.x + u}
method: {end: 1, step: 1e-2}
"""
# What may stand together: causality, variability, initial; and whether there is a start value.
ALLOWED = {("independent", "continuous", None, False), ("parameter", "fixed", "exact", True), ("calculatedParameter", "fixed", "calculated", False),
           ("input", "continuous", None, True), ("output", "continuous", "calculated", False), ("local", "continuous", "calculated", False)}
ORDER = ["ModelExchange", "CoSimulation", "UnitDefinitions", "LogCategories", "DefaultExperiment", "ModelVariables", "ModelStructure"]
STRUCTURE = ["Output", "ContinuousStateDerivative", "InitialUnknown"]


def program(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=600, check=False)


def exported(folder, model, *options):
    path = os.path.join(folder, "out.fmu")
    done = program("export", model, "--fmu", path, *options)
    expect(done.returncode == 0, f"export {model} {options}: {done.stderr}")
    return path, done.stdout


def checked(path, text):
    done = program("check", path, "--json")
    expect(done.returncode == 0, f"check {text}: {done.stderr}")
    said = json.loads(done.stdout or "{}")
    expect(said.get("passed") and said.get("same_bits") and said.get("messages") == 0, f"{text}: {said}")


# ---- the description -------------------------------------------------------------------------------------


def variables(root):
    """Name, reference, attributes and those of the value."""
    for v in root.find("ModelVariables"):
        inside = v.find("Real")
        yield {**v.attrib, **(inside.attrib if inside is not None else {})}


def check_variables(root, text):
    seen = list(variables(root))
    units = {u.attrib["name"] for u in root.find("UnitDefinitions")}
    for name in ("name", "valueReference"):
        expect(len({v[name] for v in seen}) == len(seen), f"{text}: {name} is not unique")
    for v in seen:
        kind = v["causality"], v["variability"], v.get("initial"), "start" in v
        expect(kind in ALLOWED, f"{text}: {v['name']}: {kind}")
        expect("unit" not in v or v["unit"] in units, f"{text}: {v['name']}: unit {v.get('unit')} is not defined")
        expect("start" not in v or abs(float(v["start"])) < 1e300, f"{text}: {v['name']}: start")
    expect([v["name"] for v in seen if v["causality"] == "independent"] == ["time"], f"{text}: one independent variable, time")
    return seen


def check_structure(root, seen, text):
    """Every output and derivative stands there once, with what it depends on; so does what is calculated at the start."""
    old = root.attrib["fmiVersion"] == "2.0"
    at = {str(k + 1) if old else v["valueReference"]: v for k, v in enumerate(seen)}
    inside = root.find("ModelStructure")
    key = "index" if old else "valueReference"
    found = {name: list(inside.find(part) if inside.find(part) is not None else []) if old else inside.findall(name)
             for name, part in zip(STRUCTURE, ("Outputs", "Derivatives", "InitialUnknowns"))}
    if not old:
        order = [STRUCTURE.index(child.tag) for child in inside]
        expect(order == sorted(order), f"{text}: order of the structure")
    derivatives = [k for k, v in at.items() if "derivative" in v]
    states = [at[k]["derivative"] for k in derivatives]
    wanted = {"Output": [k for k, v in at.items() if v["causality"] == "output"], "ContinuousStateDerivative": derivatives,
              "InitialUnknown": [k for k, v in at.items() if v.get("initial") == "calculated"]}
    for name, unknowns in found.items():
        expect([u.attrib[key] for u in unknowns] == wanted[name], f"{text}: {name}")
        for u in unknowns:
            for k in u.attrib.get("dependencies", "").split():
                expect(at[k]["causality"] == "input" or k in states, f"{text}: {name} depends on {at[k]['name']}")
    expect((root.find("ModelExchange") is not None) == bool(states), f"{text}: states without Model Exchange, or the other way round")


def check_description(path, version, text):
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        root = ElementTree.fromstring(archive.read("modelDescription.xml"))
    expect(names[0] == "modelDescription.xml" and not any("\\" in n or n.startswith("/") or ".." in n for n in names), f"{text}: names {names}")
    expect([child.tag for child in root if child.tag not in ORDER] == [] and sorted(root, key=lambda c: ORDER.index(c.tag)) == list(root), f"{text}: order")
    expect(root.attrib["fmiVersion"] == f"{version}.0", f"{text}: version")
    identifier = root.find("CoSimulation").attrib["modelIdentifier"]
    expect(re.fullmatch(r"[A-Za-z_]\w*", identifier), f"{text}: {identifier} is no name of C")
    expect(f"binaries/{'linux64' if version == 2 else 'x86_64-linux'}/{identifier}.so" in names, f"{text}: {names}")
    expect(re.fullmatch(r"\{[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\}", root.attrib["guid" if version == 2 else "instantiationToken"]), f"{text}: token")
    experiment = root.find("DefaultExperiment").attrib
    expect(float(experiment["startTime"]) < float(experiment["stopTime"]) and float(experiment["stepSize"]) > 0, f"{text}: {experiment}")
    seen = check_variables(root, text)
    check_structure(root, seen, text)
    return root, seen


def test_rules(folder):
    path = os.path.join(folder, "motor.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(MOTOR)
    for version in (2, 3):
        for options in ([], ["--formulation", "al1", "--integrator", "rk4"]):
            fmu, said = exported(folder, path, "--fmi", str(version), *options)
            root, seen = check_description(fmu, version, f"motor, FMI {version} {options}")
            by_name = {v["name"]: v for v in seen}
            expect(root.attrib["modelName"] == "motor <1>", "names are escaped")
            expect(by_name["k"]["causality"] == "calculatedParameter" and by_name["m"]["start"] == "2", "k follows from m")
            expect(by_name["angle"]["unit"] == "rad" and by_name["angle"]["displayUnit"] == "deg", "values are in SI units")
            expect(by_name["v"]["unit"] == "m/s", "units of outputs")
            expect(("Model Exchange with 2 states" in said) == bool(options), said)
            checked(fmu, f"motor {version} {options}")
            outputs = root.find("ModelStructure/Outputs") if version == 2 else root.findall("ModelStructure/Output")
            depends = dict(zip(("x", "v", "fy", "both"), (o.attrib["dependencies"] for o in outputs)))
            if not options:
                expect(depends["x"] == "" and depends["fy"] != "" and depends["both"] != "", f"positions do not depend on inputs: {depends}")
    again = os.path.join(folder, "again.fmu")
    program("export", path, "--fmu", again, "--fmi", "3", "--formulation", "al1", "--integrator", "rk4")
    with open(fmu, "rb") as a, open(again, "rb") as b:
        expect(a.read() == b.read(), "the same model gives the same file")
    with open(path, "w", encoding="utf-8") as file:
        file.write(MOTOR.replace("fy: rail.fy", "fy: rail.fy, W: ram.work"))
    said = program("export", path, "--fmu", again, "--formulation", "al1", "--integrator", "rk4", "--no-reference").stdout
    expect("no Model Exchange: its energy ledger" in said, f"works need the steps of the FMU: {said}")


# ---- models ----------------------------------------------------------------------------------------------


def test_models(folder):
    for model, *options in (["slider-crank-1"], ["n-four-bar", "--preset", "auto"], ["four-bar", "--formulation", "al1", "--integrator", "dopri5", "--end", "2"],
                            ["vehicle", "--end", "0.02"], [os.path.join(MODELS, "tyre-rig", "model.yaml"), "--end", "0.2"],
                            [os.path.join(ROOT, "examples", "robots", "five-bar.urdf"), "--end", "1"]):
        fmu, _ = exported(folder, model, *options)
        check_description(fmu, 3, model)
        checked(fmu, model)


def test_sources(folder):
    """What is to be compiled is there, and all that it includes."""
    for version in (2, 3):
        fmu, _ = exported(folder, "slider-crank-1", "--sources", "--no-reference", "--fmi", str(version))
        check_description(fmu, version, "sources")
        with zipfile.ZipFile(fmu) as archive:
            inside = {n[len("sources/"):]: archive.read(n).decode() for n in archive.namelist() if n.startswith("sources/")}
            text = archive.read("modelDescription.xml").decode() if version == 2 else inside.pop("buildDescription.xml")
        listed = re.findall(r'<(?:Source)?File name="([^"]+)"', text)
        expect(len(listed) > 300 and set(listed) == {n for n in inside if n.endswith(".c")}, f"FMI {version}: sources")
        for name, code in inside.items():
            for target in re.findall(r'^#\s*include "([^"]+)"', code, re.M):
                found = {f"src/{target}", f"include/{target}", os.path.join(os.path.dirname(name), target)} & set(inside)
                expect(found or "sundials" in target, f"{name} includes {target}, which is not there")
    done = program("export", "four-bar", "--fmu", fmu, "--sources", "--integrator", "dopri5", "--formulation", "al1")
    expect(done.returncode == 1 and "SUNDIALS" in done.stderr, done.stderr)


def test_damage(folder):
    fmu, _ = exported(folder, "slider-crank-1", "--end", "0.5")
    other = os.path.join(folder, "other.fmu")
    for name, change, wanted in (("resources/model.yaml", (b"m1: 1 ", b"m1: 3 "), "something else"), ("resources/sarrus.txt", (b"step 0.001", b"step 0.002"), "does"),
                                 ("modelDescription.xml", (b"slider_crank_1", b"nowhere"), "cannot be loaded"), ("resources/sarrus.txt", (b"token {", b"token {x"), "token")):
        with zipfile.ZipFile(fmu) as old, zipfile.ZipFile(other, "w") as new:
            for item in old.namelist():
                text = old.read(item)
                if item == name:
                    expect(change[0] in text, f"{name} has {change[0]}")
                    text = text.replace(*change)
                new.writestr(item, text)
        done = program("check", other)
        expect(done.returncode == (0 if wanted == "does" else 1) and wanted in done.stdout + done.stderr, f"{name}: {done.returncode} {done.stdout} {done.stderr}")
    with zipfile.ZipFile(other, "w") as new:
        new.writestr("../outside", "x")
    done = program("check", other)
    expect(done.returncode == 1 and "outside" in done.stderr and not os.path.exists(os.path.join(folder, "outside")), done.stderr)
    with open(other, "wb") as file:
        file.write(b"no archive")
    expect("no archive" in program("check", other).stderr, "what is no archive")
    os.remove(other)
    expect(program("check", other).stderr.count(other) == 1 and "No such file" in program("check", other).stderr, "what is not there")


def test_messages(folder):
    out = os.path.join(folder, "x.fmu")
    for words, code, said in ((["slider-crank-1"], 2, "--fmu"), (["slider-crank-1", "--fmu", out, "--fmi", "4"], 2, "from 2 to 3"), (["nothing", "--fmu", out], 3, "nothing"),
                              (["slider-crank-1", "--fmu", os.path.join(folder, "no", "x.fmu")], 1, "no")):
        done = program("export", *words)
        expect(done.returncode == code and said in done.stderr, f"export {words}: {done.returncode} {done.stderr}")
    expect(not os.path.exists(out), "nothing is left behind")
    fmu, said = exported(folder, "slider-crank-1", "--no-reference")
    expect("reference   none" in said, said)
    expect("--no-reference" in program("check", fmu).stderr, "an FMU without a motion is not checked")


def test_python(folder):
    """A PID controller beside the FMU and the library: the same bits."""
    import sarrus  # pylint: disable=import-outside-toplevel

    model = sarrus.parse(MOTOR)
    for version in (2, 3):
        path = os.path.join(folder, "motor.fmu")
        model.export_fmu(path, version, no_reference=True)
        with sarrus.Fmu(path, u=0.5) as fmu, model.simulation() as simulation:
            simulation.set_input("u", 0.5)
            total = before = 0.0
            for _ in range(60):
                error = 0.3 - fmu.outputs["x"]
                expect(fmu.outputs == simulation.outputs, f"FMI {version}: other bits at {fmu.t}")
                total += 0.013 * error
                torque = 60 * error + 20 * total + 8 * (error - before) / 0.013
                before = error
                fmu.set(u=torque)
                simulation.set_input("u", torque)
                fmu.step(0.013)
                simulation.advance_to(fmu.t)
            saved = fmu.save()
            fmu.step(0.1)
            after = fmu.outputs
            fmu.restore(saved)
            fmu.step(0.1)
            expect(after == fmu.outputs, "restored")
            try:
                fmu.restore(saved[:-20] + b"x" * 20)
                expect(False, "a damaged state is refused")
            except sarrus.StateError:
                pass
            for content in ({}, {"modelDescription.xml": "<no"}):
                with zipfile.ZipFile(os.path.join(folder, "odd.fmu"), "w") as odd:
                    for entry, text in content.items():
                        odd.writestr(entry, text)
                try:
                    sarrus.Fmu(os.path.join(folder, "odd.fmu"))
                    expect(False, "what is no FMU is refused")
                except sarrus.SarrusError as error:
                    expect("is no FMU" in str(error), str(error))
            try:
                fmu.set(m=3)
                expect(False, "parameters are fixed from initialisation on")
            except sarrus.SarrusError as error:
                expect("parameter m" in str(error), str(error))


if HAS_RUNTIME:
    with tempfile.TemporaryDirectory(prefix="sarrus-fmu-") as place:
        for test in (test_rules, test_models, test_sources, test_damage, test_messages, test_python):
            test(place)
finish()
