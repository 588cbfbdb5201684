"""Shapes of bodies: what pictures make of them, meshes that are broken, and every model without a shape.

    python3 test_shapes.py PROGRAM SOURCE_ROOT
"""
import glob
import json
import math
import os
import re
import struct
import subprocess
import sys
import tempfile

import every_test

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
FOLDER = tempfile.TemporaryDirectory(prefix="sarrus-shapes-")


def sarrus(wanted, *arguments):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, cwd=FOLDER.name, timeout=3600, check=False)
    assert done.returncode in (wanted if isinstance(wanted, tuple) else (wanted,)), (arguments, done.returncode, done.stdout, done.stderr)
    return done


def write(name, content):
    path = os.path.join(FOLDER.name, name)
    with open(path, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())
    return path


def model_with(shape, dimension=3):
    points = "[0, 0, 0]" if dimension == 3 else "[0, 0]"
    return write("m.yaml", f"sarrus: 1\nname: m\ndimension: {dimension}\nbodies:\n  b:\n    mass: 1\n    inertia: {'[1, 1, 1]' if dimension == 3 else 1}\n"
                           f"    position: {points}\n    points: {{P: {points}}}\n    shape: {shape}\nmethod: {{end: 0.01, step: 0.01}}\n")


def has_pages():
    return "has no pages" not in subprocess.run([PROGRAM, "report", "none.csv", "-o", os.path.join(FOLDER.name, "none.html")], capture_output=True, text=True, check=False).stderr


def scene_of(model, *options):
    path = os.path.join(FOLDER.name, "page.html")
    sarrus((0, 6), "view", model, *options, "--no-open", "-o", path)
    with open(path, encoding="utf-8") as file:
        return json.loads(re.search(r'<script type="application/json" id="scene">(.*?)</script>', file.read(), re.S)[1])


def marks_of(shape, dimension=3):
    return [mark for mark in scene_of(model_with(shape, dimension))["marks"] if mark["role"] == "body"]


def binary_stl(triangles):
    return bytes(80) + struct.pack("<I", len(triangles)) + b"".join(struct.pack("<12fH", 0, 0, 0, *[x for p in t for x in p], 0) for t in triangles)


TRIANGLES = [((0, 0, 0), (1, 0, 0), (0, 1, 0)), ((0, 0, 0), (0, 1, 0), (0, 0, 1))]


def test_where_shapes_are():
    if not has_pages():
        return
    turned = marks_of("{type: box, size: [2, 4, 6], center: [10, 0, 0], rotation: {axis: [0, 0, 1], angle: pi/2}}")[0]
    for got, wanted in zip(turned["points"], [(10, 0, 0), (10, 1, 0), (8, 0, 0), (10, 0, 3)]):
        assert all(abs(a - b) < 1e-9 for a, b in zip(got, wanted)), turned["points"]
    capsule, = marks_of("{type: capsule, from: P, to: [0, 0, 2], radius: 0.5, colour: '#12ab34', style: wire}")
    assert capsule["kind"] == "capsule" and capsule["points"] == [[0, 0, 0], [0, 0, 2]] and capsule["colour"] == "#12ab34" and capsule["style"] == "wire"
    assert [m["kind"] for m in marks_of("[{type: sphere, radius: 1}, {type: polygon, points: [[0, 0], [1, 0], [0, 1]]}]", 2)] == ["ball", "polygon"]


def test_lengths_take_units():
    if not has_pages():
        return
    box, = marks_of("{type: box, size: [20 mm, 4 cm, 0.06], center: [10 mm, 0, 0]}")
    for got, wanted in zip(box["points"], [(0.01, 0, 0), (0.02, 0, 0), (0.01, 0.02, 0), (0.01, 0, 0.03)]):
        assert all(abs(a - b) < 1e-12 for a, b in zip(got, wanted)), box["points"]
    assert marks_of("{type: sphere, radius: 12 mm}")[0]["radius"] == 0.012
    flat, = marks_of("{type: polygon, points: [[0, 0], [30 mm, 0], [0, 2 cm]], angle: 90 deg, thickness: 4 mm}", 2)
    assert abs(flat["points"][1][1] - 0.03) < 1e-12 and flat["radius"] == 0.002
    assert "kg" in sarrus(3, "check", model_with("{type: sphere, radius: 12 kg}")).stderr


def test_shapes_in_mirrored_assemblies():
    if not has_pages():
        return
    write("corner.stl", binary_stl(TRIANGLES))
    write("side.yaml", "sarrus: 1\nname: side\ndimension: 3\nbodies:\n  arm:\n    mass: 1\n    inertia: [1, 1, 1]\n    position: [0, 1, 0]\n    rotation: {rpy: [0, 0, 0.3]}\n    points: {P: [0.5, 0.2, 0.1]}\n"
                       "    shape: [{type: capsule, from: P, to: [1, 2, 3], radius: 0.1}, {type: box, size: [1, 2, 4], center: [0, 0.5, 0], rotation: {rpy: [0.2, 0.4, 0.6]}}, {type: mesh, file: corner.stl}]\n")
    pair = write("pair.yaml", "sarrus: 1\nname: pair\ndimension: 3\nuse:\n  left: {file: side.yaml}\n  right: {file: side.yaml, mirror: y}\noutputs: {x: left.arm.origin.x}\nmethod: {end: 0.01, step: 0.01}\n")
    scene = scene_of(pair)
    path = os.path.join(FOLDER.name, "pair.h5")
    sarrus((0, 6), "run", pair, "--all", "-q", "-o", path)
    import h5py
    import numpy as np
    with h5py.File(path) as file:
        poses = {side: (file[f"bodies/{side}.arm/position"][0], file[f"bodies/{side}.arm/quaternion"][0]) for side in ("left", "right")}

    def world(side, points):
        position, (w, *v) = poses[side]
        points, v = np.array(points, float), np.array(v)
        turn = 2 * np.cross(v, points)
        return position + points + w * turn + np.cross(v, turn)

    marks = {side: [m for m in scene["marks"] if m["role"] == "body" and m["name"] == f"{side}.arm"] for side in ("left", "right")}
    assert [m["kind"] for m in marks["left"]] == ["capsule", "box", "mesh"] == [m["kind"] for m in marks["right"]]
    for one, other in zip(marks["left"], marks["right"]):
        a, b = world("left", one["points"]), world("right", other["points"])
        image = a * [1, -1, 1]
        if one["kind"] == "box":  # the third edge may point either way, and both are right-handed
            image[3] = 2 * image[0] - image[3]
            assert np.linalg.det(b[1:] - b[0]) > 0
        assert np.abs(image - b).max() < 1e-6, (one["kind"], image, b)
        if one["kind"] == "mesh":  # the same side is outside
            (p, q, r), (x, y, z) = (a[one["triangles"][:3]], b[other["triangles"][:3]])
            assert np.abs(np.cross(q - p, r - p) * [1, -1, 1] - np.cross(y - x, z - x)).max() < 1e-6


def test_meshes_of_both_formats_are_the_same():
    if not has_pages():
        return
    write("t.stl", binary_stl(TRIANGLES))
    write("a.stl", "solid a\n" + "".join("facet normal 0 0 0\nouter loop\n" + "".join("vertex %g %g %g\n" % p for p in t) + "endloop\nendfacet\n" for t in TRIANGLES) + "endsolid\n")
    write("o.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf -4/1 3//2 4/5/6\n")
    meshes = [marks_of(f"{{type: mesh, file: {name}, scale: 0.5, center: [0, 0, 1]}}")[0] for name in ("t.stl", "a.stl", "o.obj")]
    for mesh in meshes:
        assert mesh["triangles"] == [0, 1, 2, 0, 2, 3] and mesh["points"] == [[0, 0, 1], [0.5, 0, 1], [0, 0.5, 1], [0, 0, 1.5]], mesh
    write("square.obj", "v 0 0 0\r\nv 1 0 0\r\nv 1 1 0\r\nv 0 1 0\r\n# a square\r\nf 1 2 3 4\r\n")
    assert marks_of("{type: mesh, file: square.obj}")[0]["triangles"] == [0, 1, 2, 0, 2, 3]


def test_broken_meshes_are_errors_at_their_line():
    good = binary_stl(TRIANGLES)
    for name, content, said in (
            ("cut.stl", good[:150], "its head says 2 triangles, which are 184 bytes; it has 150"), ("short.stl", b"abc", "it is no STL file"), ("none.stl", bytes(84), "it has no triangles"),
            ("nan.stl", good[:96] + struct.pack("<f", math.nan) + good[100:], "triangle 1 of 2: a corner is not finite"), ("two.stl", "solid\nvertex 0 0 0\nvertex 1 0 0\nendloop\n", "line 4: a facet with 2 corners"),
            ("word.stl", "solid\nvertex 0 zero 0\n", "line 2: 'zero' is not a finite number"), ("end.stl", "solid\nvertex 0 0 0\n", "it ends within a facet"), ("empty.stl", "solid\nendsolid\n", "it has no triangles"),
            ("far.obj", "v 0 0 0\nf 1 2 3\n", "line 2: there is no point 2"), ("text.obj", "v 0 0 0\nf a b c\n", "line 2: 'a' is not the number of a point"), ("thin.obj", "v 0 0 0\nv 1 0 0\nf 1 2\n", "line 3: a face has three corners"),
            ("inf.obj", "v 0 0 1e999\n", "line 1: '1e999' is not a finite number"), ("empty.obj", "", "it has no triangles")):
        write(name, content)
        error = sarrus(3, "check", model_with(f"{{type: mesh, file: {name}}}")).stderr
        assert said in error and "m.yaml:10:31: error: the mesh" in error, (name, error)


def test_wrong_shapes_are_errors_at_their_key():
    for shape, at, said in (
            ("{type: mesh, file: nothing.stl}", "nothing", "cannot read the mesh"), ("{type: mesh, file: m.yaml}", "m.yaml", "an .stl or .obj file"), ("{type: boxx}", "boxx", "'boxx' is not a valid type"),
            ("{}", "{", "lacks the key 'type'"), ("{type: box, size: [1, -1, 1]}", "[1, -1", "must be positive"), ("{type: box}", "{", "lacks the key 'size'"), ("{type: box, size: [1, 1]}", "[1, 1", "3"),
            ("{type: capsule, from: Q, to: P, radius: 1}", "Q", "'b' has no point 'Q'"), ("{type: capsule, from: P, to: P, radius: 1}", "P, radius", "both ends are at the same place"),
            ("{type: sphere, radius: -1}", "-1", "positive"), ("{type: sphere, radius: 1, colour: blurple}", "blurple", "'#rrggbb' or a name"), ("{type: sphere, radius: 1, colour: '#12345'}", "'#12345", "'#rrggbb' or a name"),
            ("{type: sphere, radius: 1, style: gold}", "gold", "solid, glass, wire"), ("{type: polygon, points: [[0, 0, 0], [1, 0, 0], [2, 0, 0]]}", "[[0", "on a line"),
            ("{type: polygon, points: [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 1]]}", "[[0", "not in the plane"), ("{type: cylinder, radius: 1}", "{", "lacks the key 'from'"), ("sphere", "sphere", "{type: box"),
            ("{type: sphere, radius: 1, size: [1, 1, 1]}", "size", "has no key 'size'")):
        error = sarrus(3, "check", model_with(shape)).stderr
        column = len("    shape: ") + shape.index(at) + 1
        assert f"m.yaml:10:{column}: error:" in error and said in error, (shape, error)


def is_part(path):
    """A file that others use: it has ports, or says nothing of a method."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    return re.search(r"(?m)^ports:", text) or not re.search(r"(?m)^method:", text)


def test_every_body_of_every_model_is_visible():
    """Those without a shape, which are all but a few: each body has a mark of some size, and all numbers are finite."""
    if not has_pages():
        return
    models = sorted(path for where in ("problems/*/model*.yaml", "tests/models/*.yaml", "tests/models/shapes/*.yaml", "tests/models/automatic/*.yaml", "examples/**/*.yaml")
                    for path in glob.glob(os.path.join(ROOT, where), recursive=True) if not is_part(path))
    assert len(models) > 75
    for model in models:
        scene = scene_of(model, "--end", "1e-3", "--step", "1e-3") if "phases" not in model else scene_of(model)
        size, seen = scene["model"]["size"], {0}
        assert size > 0 and all(math.isfinite(x) for point in scene["model"]["bounds"] for x in point), model
        for mark in scene["marks"]:
            assert all(isinstance(x, (int, float)) and math.isfinite(x) for point in mark["points"] for x in point), (model, mark)
            spread = max(math.dist(p, mark["points"][0]) for p in mark["points"])
            if mark["role"] in ("body", "force") and max(spread, mark["radius"]) > 1e-3 * size:
                seen.add(mark["body"])
        # rotors of shaft lines turn, and are nowhere
        missing = [body["name"] for b, body in enumerate(scene["model"]["bodies"]) if b not in seen and not body["name"].endswith("_rotor")]
        assert not missing, (model, missing)


if __name__ == "__main__":
    sys.exit(every_test.run(globals()))
