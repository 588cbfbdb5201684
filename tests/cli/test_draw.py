"""sarrus draw: pictures of all models, and what it refuses.

    python3 test_draw.py PROGRAM SOURCE_ROOT
"""
import glob
import math
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

import every_test

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
FOLDER = tempfile.TemporaryDirectory(prefix="sarrus-draw-")
SVG = "{http://www.w3.org/2000/svg}"


def sarrus(wanted, *arguments):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, cwd=ROOT, timeout=3600, check=False)
    assert done.returncode == wanted, (arguments, done.returncode, done.stdout, done.stderr)
    return done


def out(name):
    return os.path.join(FOLDER.name, name)


def picture(*arguments, name="p.svg"):
    path = out(name)
    if os.path.exists(path):
        os.remove(path)
    sarrus(0, "draw", *arguments, "-o", path)
    return ET.parse(path).getroot()


def points(path):
    """Of a line in steps from each point to the next one."""
    at, out = (0.0, 0.0), []
    for x, y in re.findall(r"[Ml](-?[\d.]+) ?(-?[\d.]+)", path.get("d")):
        at = (at[0] + float(x), at[1] + float(y))
        out.append(at)
    return out


def paths(root):
    return [path for path in root.iter(f"{SVG}path") if "v-5" not in path.get("d")]  # without the scale bar


def test_every_model_is_drawn_inside_the_picture():
    models = sorted(glob.glob(os.path.join(ROOT, "problems/*/model.yaml")) + glob.glob(os.path.join(ROOT, "tests/models/*.yaml")))
    assert len(models) > 60
    for model in models:
        root = picture(model)
        _, _, width, height = map(float, root.get("viewBox").split())
        shown = paths(root)
        assert shown and not any("n" in path.get("d") for path in shown), model  # nan, inf
        for path in shown:
            for x, y in points(path):
                assert -2 <= x <= width + 2 and -2 <= y <= height + 2, (model, x, y, width, height)


def test_every_body_is_visible():
    # each body of a palette of six has its own fill: as many colours as bodies
    for model, bodies in (("four-bar", 3), ("slider-crank-1", 3), ("andrews", 7), ("rolling-disc", 1), ("bricard", 5)):
        fills = {path.get("fill") for path in paths(picture(model))}
        tints = fills - {"none", "#ffffff", "#d5d9df", "#eceff3", "#dfe3e8", None}
        assert len(tints) >= min(bodies, 6), (model, tints)


def test_the_crank_is_where_the_angle_says():
    # scale by the bar: the rod of slider-crank-1 is 1 m long and its crank stands at 45 degrees
    root = picture("slider-crank-1", "--trace", "crank.P", "--end", "1")
    bar = next(path for path in root.iter(f"{SVG}path") if "v-5" in path.get("d"))
    pixels = float(re.search(r"h([\d.]+)", bar.get("d"))[1])
    length = next(text.text for text in root.iter(f"{SVG}text") if text.text.endswith("m"))
    metre = pixels / (float(length.split()[0]) * (1e-3 if "mm" in length else 1))
    trace = points(max(paths(root), key=lambda path: len(points(path))))
    assert len(trace) > 20
    xs = [x for x, _ in trace]
    # the tip of the crank goes round a circle of 1 m, starting at (cos 45, sin 45)
    top = min(y for _, y in trace)
    assert abs((trace[0][1] - top) / metre - (1 - 2 ** -0.5)) < 0.01
    assert max(xs) - min(xs) <= 2 * metre + 1


def test_several_times_and_labels():
    one, five = picture("slider-crank-1", "--at", "0"), picture("slider-crank-1", "--at", "0,0.1,0.2,0.3,0.4", "--labels")
    assert len(paths(five)) > 2.5 * len(paths(one))
    texts = {text.text for text in five.iter(f"{SVG}text")}
    assert {"crank", "rod", "slider", "O", "P", "t = 0 to 0.4 s"} <= texts
    assert any(float(path.get("opacity", 1)) < 1 for path in paths(five))


def test_a_moving_picture_stays_small_and_keeps_still_for_those_who_want_it():
    root = picture("slider-crank-1", "--move", "--end", "2")
    frames = [g for g in root.iter(f"{SVG}g") if g.get("transform")]
    assert 20 <= len(frames) <= 120 and os.path.getsize(out("p.svg")) < 400_000
    assert "prefers-reduced-motion" in ET.tostring(root, encoding="unicode")
    assert "moving picture is an .svg" in sarrus(2, "draw", "four-bar", "--move", "-o", out("p.png")).stderr


def arrows(root):
    """By colour: lengths of the shafts with their heads, in pixels."""
    lines = [path for path in paths(root) if path.get("stroke") in ("#2563eb", "#e11d48", "#8a6d00")]
    found = {}
    for shaft, head in ((path, other) for path, other in zip(lines, lines[1:]) if path.get("fill") == "none" and other.get("fill") != "none"):
        found.setdefault(shaft.get("stroke"), []).append(math.dist(points(shaft)[0], points(head)[0]))
    return found


def test_arrows_of_forces():
    # a block of 1.5 kg on a spring of 40 N/m that is stretched by 0.5 m: 20 N, from the model and from a result
    sarrus(0, "run", "tests/models/spring.yaml", "--end", "0.2", "--all", "-q", "-o", out("s.h5"))
    for name in ("tests/models/spring.yaml", out("s.h5")):
        root = picture(name, "--forces", "--at", "0")
        assert any("20 N" in text.text for text in root.iter(f"{SVG}text")), name
        assert list(map(len, arrows(root).values())) == [1]
    root = picture("four-bar", "--forces=reactions,weights", "--at", "0.1")
    assert set(arrows(root)) == {"#e11d48", "#8a6d00"}
    assert not arrows(picture("four-bar"))
    assert "wanted forces, reactions, weights" in sarrus(2, "draw", "four-bar", "--forces=loads", "-o", out("p.svg")).stderr


def test_other_formats():
    for ending, begin in ((".png", b"\x89PNG"), (".pdf", b"%PDF")):
        sarrus(0, "draw", "bricard", "--from", "30,20", "-o", out("p" + ending))
        with open(out("p" + ending), "rb") as file:
            assert file.read(4) == begin


def test_a_result_is_drawn_as_it_was_run():
    sarrus(0, "run", "n-four-bar", "--set", "n=4", "--end", "0.5", "--all", "-q", "-o", out("r.h5"))
    texts = {text.text for text in picture(out("r.h5"), "--at", "0.25", "--labels=bodies").iter(f"{SVG}text")}
    assert "coupler4" in texts and "t = 0.25 s" in texts


def test_shapes_of_the_model_are_drawn():
    for model in ("tests/models/shapes/shapes.yaml", "tests/models/shapes/shapes-planar.yaml"):
        shown = paths(picture(model))
        assert any(path.get("fill") == "none" for path in shown) and any(float(path.get("opacity", 1)) < 1 for path in shown), model  # wire and glass
    fills = {path.get("fill") for path in shown}
    assert len(fills) >= 5, fills


def test_a_plot_begins_with_the_mechanism():
    size = {}
    for name, model, *options in (("one.svg", "slider-crank-1"), ("xy.svg", "slider-crank-1", "--plot-xy", "xP:yP")):
        sarrus(0, "run", model, "--end", "0.5", "-q", "--plot", out(name), *options)
        with open(out(name), encoding="utf-8") as file:
            text = file.read()
        size[name] = float(re.search(r'viewBox="0 0 \d+ (\d+)"', text)[1])
        assert "500 mm" in text or "200 mm" in text, "no scale bar"
        assert "xQ [m]" in text
    assert size["xy.svg"] > size["one.svg"] + 200  # one panel more
    assert "two outputs of the model" in sarrus(2, "run", "slider-crank-1", "--plot", out("p.svg"), "--plot-xy", "xP:nope").stderr
    assert "belongs to --plot or --view" in sarrus(2, "run", "slider-crank-1", "--plot-xy", "xP:yP").stderr


def test_modes_move():
    sarrus(0, "draw", "suspension", "--mode", "1", "--equilibrium", "-o", out("mode.svg"))
    with open(out("mode.svg"), encoding="utf-8") as file:
        text = file.read()
    assert "mode 1: 11.203 Hz" in text and "animat" in text
    assert "has 1 mode" in sarrus(2, "draw", "suspension", "--mode", "7", "-o", out("p.svg")).stderr
    assert "about the start" in sarrus(2, "draw", "suspension", "--mode", "1", "--at", "1", "-o", out("p.svg")).stderr


def test_distances_are_shown():
    sarrus(0, "draw", "stewart-platform", "--clearance", "leg1.lower,leg2.lower", "-o", out("gap.svg"))
    with open(out("gap.svg"), encoding="utf-8") as file:
        assert re.search(r"[\d.]+ m<", file.read())
    assert "two bodies with shapes" in sarrus(2, "draw", "four-bar", "--clearance", "crank,rod", "-o", out("p.svg")).stderr


def test_refusals():
    sarrus(0, "run", "four-bar", "--end", "0.1", "-q", "-o", out("bare.csv"))
    sarrus(0, "run", "four-bar", "--end", "0.1", "-q", "-o", out("bare.h5"))
    sarrus(0, "run", "bricard", "--end", "0.1", "--all", "-q", "-o", out("other.h5"))
    with open(out("foreign.csv"), "w", encoding="utf-8") as file:
        file.write("time,x\n0,1\n1,2\n")
    for wanted, said, *arguments in (
            (1, "has no poses of bodies", out("bare.csv")), (1, "sarrus run ... --all", out("bare.h5")), (1, "keeps no model", out("foreign.csv")),
            (1, "is no result of the model 'four-bar'", out("other.h5"), "--model", "four-bar"), (2, "the motion goes from t = 0 to 0.1", out("other.h5"), "--at", "7"),
            (2, "no such point", "four-bar", "--trace", "nobody.P"), (2, "wanted front, back", "four-bar", "--from", "behind"),
            (2, "separated by commas", "four-bar", "--at", "now")):
        assert said in sarrus(wanted, "draw", *arguments, "-o", out("p.svg")).stderr, arguments
    assert "use .svg, .png or .pdf" in sarrus(2, "draw", "four-bar", "-o", out("p.bmp")).stderr
    assert "where to?" in sarrus(2, "draw", "four-bar").stderr


if __name__ == "__main__":
    sys.exit(every_test.run(globals()))
