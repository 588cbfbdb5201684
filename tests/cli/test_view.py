"""sarrus view and report: pages as a browser shows them. Without chromium the files alone are looked at.

    python3 test_view.py PROGRAM SOURCE_ROOT
"""
import functools
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

import browser
import every_test

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
FOLDER = tempfile.TemporaryDirectory(prefix="sarrus-view-")
READY = "document.documentElement.dataset.ready === 'true'"
STILL = [{"name": "prefers-reduced-motion", "value": "reduce"}]


def sarrus(wanted, *arguments, text=None):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, cwd=ROOT, timeout=3600, check=False, input=text)
    assert done.returncode == wanted, (arguments, done.returncode, done.stdout, done.stderr)
    return done


def out(name):
    return os.path.join(FOLDER.name, name)


def has_pages():
    done = subprocess.run([PROGRAM, "report", out("none.csv"), "-o", out("none.html")], capture_output=True, text=True, cwd=ROOT, check=False)
    if "has no pages" not in done.stderr:
        return True
    assert "Install nodejs and npm" in done.stderr
    return False


def scene(path):
    with open(path, encoding="utf-8") as file:
        return json.loads(re.search(r'<script type="application/json" id="scene">(.*?)</script>', file.read(), re.S)[1])


class Shared:
    """One browser for all tests; started when the first asks for it."""
    browser = None

    @classmethod
    def open(cls, path, **options):
        if cls.browser is None:
            cls.browser = browser.Browser().__enter__()
        page = cls.browser.open(path, features=options.pop("features", STILL), **options)
        page.wait(READY, 60)
        return page

    @classmethod
    def end(cls):
        if cls.browser:
            cls.browser.__exit__(None, None, None)


def in_browser(test):
    @functools.wraps(test)
    def wrapped():
        if browser.find() is None:
            print(f"skipped {test.__name__}: no chromium ('tools/setup.sh browser' installs it)")
            return
        test()
    return wrapped


def clean(page, path):
    assert page.requests == ["file://" + path], page.requests
    assert page.complaints == [], page.complaints


MADE = {}


def page_of(model, *options, name="page", codes=(0,)):
    """The page of a run, made once; NAME.h5 is its result."""
    if MADE.get(name) != (model, *options):
        done = subprocess.run([PROGRAM, "run", model, "--all", "-q", "-o", out(f"{name}.h5"), *options], capture_output=True, text=True, cwd=ROOT, timeout=3600, check=False)
        assert done.returncode in codes, done.stderr
        sarrus(0, "view", out(f"{name}.h5"), "--no-open", "-o", out(f"{name}.html"))
        MADE[name] = (model, *options)
    return out(f"{name}.html")


def stored(path, dataset):
    import h5py
    with h5py.File(path) as file:
        return file["time"][:], file[dataset][:]


CHECK_CANVAS = """(() => { const c = sarrus.stage.canvas, f = document.createElement('canvas'); f.width = 200; f.height = 150;
  const x = f.getContext('2d'); sarrus.stage.render(); x.drawImage(c, 0, 0, 200, 150); const d = x.getImageData(0, 0, 200, 150).data, colours = new Set();
  for (let k = 0; k < d.length; k += 4) colours.add((d[k] << 16) | (d[k + 1] << 8) | d[k + 2]); return colours.size; })()"""


@in_browser
def test_scrubbing_moves_the_picture_to_the_pose_that_the_result_holds():
    path = page_of("slider-crank-1", "--end", "2")
    page = Shared.open(path)
    time, position = stored(out("page.h5"), "bodies/rod/position")
    _, quaternion = stored(out("page.h5"), "bodies/rod/quaternion")
    assert page.evaluate(CHECK_CANVAS) > 20
    rod = 2
    for part in (0, 2500, 7775, 10000):
        page.evaluate(f"(() => {{ const s = document.querySelector('input[type=range]'); s.value = {part}; s.dispatchEvent(new Event('input')); }})()")
        t = page.evaluate("sarrus.player.t")
        assert abs(t - 2 * part / 10000) < 1e-9
        shown = page.evaluate(f"Array.from(sarrus.stage.poses[0].slice({7 * rod}, {7 * rod + 7}))")
        row = int(round(t / 1e-3))
        for k in range(2):
            assert abs(shown[k] - position[row][k]) < 2e-5, (part, shown, position[row])
        angle = 2 * math.atan2(quaternion[row][3], quaternion[row][0])
        assert abs(math.remainder(2 * math.atan2(shown[5], shown[6]) - angle, 2 * math.pi)) < 4e-5
        # and so does what is drawn: the matrix of the rod's frame
        drawn = page.evaluate(f"sarrus.stage.mechanism.matrices[{rod}].elements.slice(12, 14)")
        assert all(abs(a - b) < 1e-6 for a, b in zip(drawn, shown))
    clean(page, path)


@in_browser
def test_curves_show_the_values_and_events_are_on_the_time_bar():
    page = Shared.open(page_of("slider-crank-1", "--end", "2"))
    time, xq = stored(out("page.h5"), "outputs/xQ")
    report = json.loads(sarrus(0, "run", "slider-crank-1", "--end", "2", "--json").stdout)
    page.evaluate("sarrus.player.go(0.5)")
    now = page.evaluate("[...document.querySelectorAll('.chip')].find((c) => c.textContent.startsWith('xQ')).querySelector('output').textContent")
    assert abs(float(now.split()[1]) - xq[500]) < 1e-4 * abs(xq[500])
    assert "xQ [m]" in page.evaluate("document.querySelector('.plots').textContent")
    worst = page.evaluate(f"(() => {{ const a = {json.dumps([float(x) for x in xq])}, b = sarrus.scene.runs[0].byName.get('xQ').values; "
                          "return Math.max(...a.map((x, k) => Math.abs(x - b[k]))); })()")
    assert worst < 1e-6
    events = page.evaluate("sarrus.timebar.events.map((e) => [e.kind, e.t])")
    assert [t for kind, t in events if kind == "singular"] == [e["t"] for e in report["singular_passes"]]
    assert str(report["rank"]["redundant"]) in page.evaluate("document.querySelector('.summary').textContent")


@in_browser
def test_keys():
    page = Shared.open(page_of("slider-crank-1", "--end", "2"))
    page.key("ArrowRight")
    assert abs(page.evaluate("sarrus.player.t") - 1e-3) < 1e-9
    page.key("End")
    assert page.evaluate("sarrus.player.t") == 2
    page.key("Home")
    page.key(" ", "Space", " ")
    page.wait("sarrus.player.t > 0.02")
    page.key(" ", "Space", " ")
    assert page.evaluate("sarrus.player.playing") is False
    page.key("e", "KeyE", "e")
    first = json.loads(sarrus(0, "run", "slider-crank-1", "--end", "2", "--json").stdout)["singular_passes"][0]["t"]
    assert page.evaluate("sarrus.player.t") >= first - 1e-9
    before = page.evaluate("sarrus.stage.camera.position.toArray()")
    page.key("3", "Digit3", "3")
    assert page.evaluate("sarrus.stage.camera.position.toArray()") != before
    for key, name in (("n", "names"), ("t", "traces"), ("a", "reactions"), ("w", "weights"), ("r", "frames"), ("c", "centers")):
        page.key(key, "Key" + key.upper(), key)
        assert page.evaluate(f"sarrus.switches.{name}.on") is True, key
    theme = page.evaluate("document.documentElement.dataset.theme")
    page.key("d", "KeyD", "d")
    assert page.evaluate("document.documentElement.dataset.theme") != theme
    page.key("?", "Slash", "?")
    assert page.evaluate("document.querySelector('dialog[open]') !== null")
    assert page.complaints == []


@in_browser
def test_picking_shows_values():
    page = Shared.open(page_of("slider-crank-1", "--end", "2"))
    x, y, *_ = page.evaluate("(() => { const b = sarrus.stage.canvas.getBoundingClientRect(), p = sarrus.stage.onScreen([0.5 * Math.cos(Math.PI / 4), 0.5 * Math.sin(Math.PI / 4), 0]); return [b.left + p[0], b.top + p[1]]; })()")
    page.click(x, y)
    assert page.evaluate("sarrus.panel.pickedName.textContent") == "body crank"
    assert "45" in page.evaluate("document.querySelector('.values').textContent")


@in_browser
def test_a_click_into_the_void_clears_the_heading():
    page = Shared.open(page_of("slider-crank-1", "--end", "2"))
    page.evaluate("sarrus.panel.pick(sarrus.scene.marks.find((mark) => mark.role === 'body'))")
    assert page.evaluate("sarrus.panel.pickedName.textContent").startswith("body ")
    x, y = page.evaluate("(() => { const b = sarrus.stage.canvas.getBoundingClientRect(); return [b.left + 3, b.top + 3]; })()")
    page.click(x, y)
    assert page.evaluate("sarrus.panel.pickedName.textContent") == "Nothing picked"


@in_browser
def test_names_do_not_overlap():
    """In a chain all of whose joints are near each other, and of a linkage at every quarter of its motion."""
    overlaps = """(() => { const r = sarrus.labels.map((label) => label.node.getBoundingClientRect()); let n = 0;
      for (let i = 0; i < r.length; i++) for (let j = 0; j < i; j++)
        n += r[i].left < r[j].right - 1 && r[i].right - 1 > r[j].left && r[i].top < r[j].bottom - 1 && r[i].bottom - 1 > r[j].top; return [r.length, n]; })()"""
    for model, options in (("n-four-bar", ["--end", "1", "--step", "1e-2"]), ("suspension", ["--end", "0.2"])):
        page = Shared.open(page_of(model, *options, name=f"names-{model}"))
        page.evaluate("sarrus.player.pause(); sarrus.flip('names')")
        for part in (0, 0.25, 0.5, 0.75, 1):
            page.evaluate(f"sarrus.player.go(sarrus.player.start + {part}*(sarrus.player.end - sarrus.player.start))")
            count, n = page.evaluate(overlaps)
            assert count > 5 and n == 0, (model, part, count, n)


@in_browser
def test_runs_of_any_length_play_for_some_seconds():
    for end in ("0.05", "0.5", "3", "8"):
        page = Shared.open(page_of("pendulum", "--end", end, "--step", "1e-3", name=f"length-{end}"))
        seconds = page.evaluate("(sarrus.player.end - sarrus.player.start)/sarrus.player.speed")
        assert 5 - 1e-6 <= seconds <= 10 + 1e-6, (end, seconds)
        assert page.evaluate("Number(document.querySelector('select[aria-label=Speed]').value) === sarrus.player.speed")


@in_browser
def test_automatic_runs_have_a_tolerance_and_no_step():
    page = Shared.open(page_of("suspension", "--end", "0.2", name="names-suspension"))
    table = page.evaluate("document.querySelector('.summary table').textContent")
    assert "tolerance1e-6" in table and "0.001 s" not in table, table
    page = Shared.open(page_of("pendulum", "--end", "0.5", "--step", "1e-3", name="length-0.5"))
    assert "step0.001 s" in page.evaluate("document.querySelector('.summary table').textContent")


FLOORS = {"hills": 34, "suspension": 1, "ball-on-slope": 1}


@in_browser
def test_floors_and_roads_are_drawn():
    """Under contacts and tyres, at the height that they have: planes, and lines of height fields."""
    for model, wanted in FLOORS.items():
        page = Shared.open(page_of(model, "--end", "0.2", name=f"names-{model}"))
        names = ["field", "tyre", "floor"]
        marks = page.evaluate(f"sarrus.scene.marks.filter((mark) => mark.role === 'guide' && {json.dumps(names)}.includes(mark.name)).map((mark) => mark.points)")
        assert len(marks) == wanted, (model, len(marks))
        if model == "hills":  # z = 0.05 y^2 + profile(x): along y a parabola
            for points in (points for points in marks if abs(points[0][0] - points[-1][0]) < 1e-6):
                heights = [p[2] - 0.05*p[1]**2 for p in points]
                assert max(heights) - min(heights) < 1e-4, heights
        if model == "suspension":
            assert all(abs(p[2]) < 1e-6 for p in marks[0]), marks


@in_browser
def test_a_second_run_is_a_ghost_with_differences():
    sarrus(0, "run", "slider-crank-1", "--end", "2", "--all", "-q", "--step", "0.01", "-o", out("coarse.h5"))
    page_of("slider-crank-1", "--end", "2")
    sarrus(0, "view", out("page.h5"), out("coarse.h5"), "--no-open", "-o", out("both.html"))
    page = Shared.open(out("both.html"))
    assert page.evaluate("sarrus.stage.ghost.group.visible && sarrus.switches.ghost.on")
    page.evaluate("sarrus.plots.add({y: ['difference of xQ']}); sarrus.player.go(1.5)")
    _, fine = stored(out("page.h5"), "outputs/xQ")
    _, coarse = stored(out("coarse.h5"), "outputs/xQ")
    shown = page.evaluate("sarrus.plots.variables.values('difference of xQ', sarrus.scene.runs[0])[1500]")
    assert abs(shown - (fine[1500] - coarse[150])) < 1e-6
    clean(page, out("both.html"))


@in_browser
def test_exports_are_what_they_say():
    page = Shared.open(page_of("slider-crank-1", "--end", "2"), script="HTMLAnchorElement.prototype.click = function () {}")
    heads = {"png": b"\x89PNG", "gif": b"GIF8", "webm": b"\x1a\x45\xdf\xa3", "mp4": b"ftyp", "svg": b"<svg"}
    page.evaluate("window.head = async (blob, at) => [...new Uint8Array(await blob.slice(at, at + 4).arrayBuffer()), blob.size]")
    page.evaluate("sarrus.player.speed = 10; sarrus.flip('names')")  # films of 6 frames
    # the menu does the same; its functions are reached through it
    for text, kind in (("PNG picture", "png"), ("SVG picture", "svg"), ("GIF film", "gif"), ("MP4 film", "mp4"), ("WebM film", "webm")):
        page.evaluate("(() => { window.saved = null; URL.createObjectURL = (blob) => { window.saved = blob; return 'blob:x'; }; URL.revokeObjectURL = () => {}; "
                      f"const s = document.querySelector('select[aria-label=Export]'); s.value = '{text}'; s.dispatchEvent(new Event('change')); }})()")
        page.wait("window.saved !== null || document.querySelector('.status').textContent.includes('not work')", 60)
        assert page.evaluate("window.saved !== null"), page.evaluate("document.querySelector('.status').textContent")
        *head, size = page.evaluate(f"head(window.saved, {4 if kind == 'mp4' else 0})")
        assert bytes(head) == heads[kind] and size > 2000, (kind, head, size)
        if kind == "svg":
            the_scene_is_in(page.evaluate("window.saved.text()"), page)
    # without an encoder it says so
    page.evaluate("window.VideoEncoder = undefined; (() => { const s = document.querySelector('select[aria-label=Export]'); s.value = 'MP4 film'; s.dispatchEvent(new Event('change')); })()")
    page.wait("document.querySelector('.status').textContent.includes('no encoder for MP4')")


def the_scene_is_in(text, page):
    """The pin between crank and rod is drawn where the page shows it, and names are texts."""
    root = ET.fromstring(text)
    x, y, *_ = page.evaluate("sarrus.stage.onScreen([Math.cos(Math.PI / 4), Math.sin(Math.PI / 4), 0])")
    places = [(float(a), float(b)) for path in root.iter("{http://www.w3.org/2000/svg}path") for a, b in re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", path.get("d"))]
    assert len(places) > 100 and min(math.dist((x, y), p) for p in places) < 25
    assert {"crank", "rod", "P"} <= {node.text for node in root.iter("{http://www.w3.org/2000/svg}text")}


@in_browser
def test_forces_are_arrows_of_one_scale():
    page = Shared.open(page_of("tests/models/spring.yaml", "--end", "0.5", name="spring"))
    _, force = stored(out("spring.h5"), "forces/coil/force")
    page.evaluate("sarrus.player.go(0.1); sarrus.flip('forces')")
    arrow, full, size = page.evaluate("(() => { const s = sarrus.stage, a = s.arrows[0]; return [[a.name, a.vector(0.1)], s.scales.force, s.model.size]; })()")
    assert arrow[0] == "coil" and abs(arrow[1][0] - force[100][0]) < 2e-4 * abs(force).max()
    # the shaft and its head reach as far as the scale says
    tip = page.evaluate("(() => { const e = sarrus.stage.arrowGroup.children[1].instanceMatrix.array; return e[12] + e[4] / 2; })()")
    block = page.evaluate("sarrus.stage.poses[0][7]")
    assert abs(tip - block - force[100][0] / full * size) < 0.01 * size, (tip, block)
    assert f"{full:.2g} N" in page.evaluate("document.querySelector('.arrow-legend').textContent")
    assert page.evaluate("sarrus.plots.variables.byName.has('coil.fx')")
    # a torque of a spring about a joint has two heads and a scale of its own
    page = Shared.open(page_of("tests/models/rotational-spring.yaml", "--end", "0.2", name="turn"))
    page.evaluate("sarrus.flip('forces')")
    assert page.evaluate("sarrus.stage.arrows.every((a) => a.torque)") and "N m" in page.evaluate("document.querySelector('.arrow-legend').textContent")


@in_browser
def test_a_certificate_is_shown():
    page = Shared.open(page_of("chain", "--set", "n=3", "--certify", "--errors", "--end", "20", "--step", "0.01", name="doubt", codes=(6,)))
    report = page.evaluate("sarrus.scene.runs[0].report")
    until = report["certificate"]["trusted_until"]
    assert 0 < until < 19 and [e["t"] for e in page.evaluate("sarrus.timebar.events") if e["kind"] == "trust"] == [until]
    assert "trusted until" in page.evaluate("document.querySelector('header .badge').textContent")
    assert "1 % of the ranges until" in page.evaluate("document.querySelector('.summary').textContent")
    solid, dashed = page.evaluate("(() => { const u = sarrus.plots.panels[0].uplot, last = (k) => { const d = u.data[k]; let r = d.length - 1; while (d[r] === null) r--; return u.data[0][r]; }; "
                                  "const first = (k) => u.data[0][u.data[k].findIndex((v) => v !== null)]; return [last(1), [first(2), u.series[2].dash]]; })()")
    assert abs(solid - until) < 0.02 and abs(dashed[0] - until) < 0.02 and dashed[1], (solid, dashed, until)
    assert not page.evaluate("sarrus.plots.panels.some((p) => p.y.some((name) => name.endsWith('.error')))")
    page.evaluate("sarrus.panel.open(2)")
    assert "±" in page.evaluate("document.querySelector('.values').textContent")
    assert page.complaints == []


@in_browser
def test_no_serious_fault_of_accessibility():
    axe = os.path.join(ROOT, "viewer/node_modules/axe-core/axe.min.js")
    path = page_of("slider-crank-1", "--end", "2")
    with open(axe, encoding="utf-8") as file:
        script = file.read()
    for theme in ("light", "dark"):
        page = Shared.open(path, features=[*STILL, {"name": "prefers-color-scheme", "value": theme}])
        page.evaluate(script + "; true")
        found = page.evaluate("axe.run(document).then((r) => r.violations.filter((v) => ['serious', 'critical'].includes(v.impact)).map((v) => v.id + ': ' + v.nodes.slice(0, 3).map((n) => n.html).join(' ')))")
        assert found == [], found


@in_browser
def test_without_webgl_and_with_motion():
    page = Shared.open(page_of("bricard", "--end", "0.5"), features=[], script="HTMLCanvasElement.prototype.getContext = new Proxy("
                       "HTMLCanvasElement.prototype.getContext, {apply: (f, self, [kind, ...rest]) => (kind.startsWith('webgl') ? null : Reflect.apply(f, self, [kind, ...rest]))})")
    assert page.evaluate("sarrus.stage.constructor.name !== undefined && sarrus.stage.context !== undefined")
    assert page.evaluate(CHECK_CANVAS) > 5
    page.wait("sarrus.player.t > 0")  # nobody asked for stillness
    page.evaluate("sarrus.stage.look('top'); sarrus.flip('names'); sarrus.flip('reactions')")


NASTY = "</script><script>window.broken=1</script>\"'&é∑<img src=x onerror=window.broken=1>"


@in_browser
def test_texts_cannot_break_the_page():
    with open(os.path.join(ROOT, "tests/models/spring.yaml"), encoding="utf-8") as file:
        text = file.read()
    text = re.sub(r"(?m)^name:.*$", lambda _: "name: " + json.dumps(NASTY, ensure_ascii=False), text)
    sarrus(0, "run", "-", "--all", "-q", "--end", "0.05", f"--view={out('nasty.html')}", "--title", NASTY, "--notes", NASTY, text=text)
    page = Shared.open(out("nasty.html"))
    assert page.evaluate("window.broken") is None
    assert page.evaluate("document.title") == NASTY == page.evaluate("document.querySelector('h1').textContent")
    assert page.evaluate("document.querySelector('.notes').textContent") == NASTY
    assert page.evaluate("document.images.length") == 0
    clean(page, out("nasty.html"))


@in_browser
def test_shapes_are_shown_and_can_be_picked():
    for model in ("tests/models/shapes/shapes.yaml", "tests/models/shapes/shapes-planar.yaml"):
        path = page_of(model, "--end", "0.2", name="shapes")
        page = Shared.open(path)
        assert page.evaluate(CHECK_CANVAS) > 20
        styles = page.evaluate("[...new Set(sarrus.scene.marks.map((m) => m.style ?? 'solid'))].sort()")
        assert styles == ["glass", "solid", "wire"], styles
        finite = page.evaluate("sarrus.stage.cloud.every((p) => p.every(Number.isFinite))")
        assert finite is True
        x, y = page.evaluate("(() => { const b = sarrus.stage.canvas.getBoundingClientRect(), p = sarrus.stage.onScreen(sarrus.stage.poses[0].slice(14, 17)); return [b.left + p[0], b.top + p[1]]; })()")
        page.click(x, y)
        assert page.evaluate("sarrus.panel.pickedName.textContent").startswith(("body ", "joint "))
        clean(page, path)


@in_browser
@in_browser
def test_the_ledger_is_two_stacks_of_one_height():
    path = out("ledger.html")
    sarrus(0, "run", "vehicle", "--end", "0.3", "--certify=no", "--energy-ledger", "-q", f"--view={path}")
    page = Shared.open(path)
    stacks = page.evaluate("sarrus.plots.panels.filter((p) => p.stack).map((p) => [p.title, p.y.length, p.shown[0].run.rows - 1,"
                           " p.shown.map((s) => s.areas.map(([from, to]) => Array.from(to)))])")
    assert [s[0] for s in stacks] == ["Energy stored since the start", "Energy that came in"], stacks
    # the areas behind the last reach up and down as far as all of them together
    heights = [[areas[-1][0][row] + areas[-1][1][row] for row in (last // 2, last)] for _, _, last, areas in stacks]
    largest = max(abs(v) for _, _, last, areas in stacks for side in areas[-1] for v in side)
    assert all(count <= 7 for _, count, _, _ in stacks) and largest > 1
    assert all(abs(a - b) < 1e-5 * largest for a, b in zip(*heights)), heights
    clean(page, path)


@in_browser
def test_a_mode_has_an_amplitude():
    sarrus(0, "view", "suspension", "--mode", "1", "--equilibrium", "--no-open", "-o", out("mode.html"))
    page = Shared.open(out("mode.html"))
    far = "(() => { const p = sarrus.scene.runs[0].poses, w = 7 * sarrus.scene.runs[0].bodies; let m = 0; for (let k = 0; k < w; k++) m = Math.max(m, Math.abs(p[k] - p[48 * w + k])); return m; })()"
    whole = page.evaluate(far)
    page.evaluate("(() => { const s = document.querySelector('.amplitude input'); s.value = '0.5'; s.dispatchEvent(new Event('input')); })()")
    half = page.evaluate(far)
    assert whole > 0.01 and abs(half - 0.5 * whole) < 1e-3 * whole, (whole, half)
    assert "mode 1: 11.203 Hz" in page.evaluate("document.querySelector('.badge').textContent")


@in_browser
def test_a_report_of_outputs_alone():
    sarrus(0, "run", "four-bar", "--end", "0.5", "-q", "-o", out("bare.csv"))
    sarrus(0, "report", out("bare.csv"), "--no-open", "-o", out("bare.html"))
    page = Shared.open(out("bare.html"))
    assert page.evaluate("sarrus.stage") is None
    assert "completed" in page.evaluate("document.querySelector('.summary').textContent")
    assert page.evaluate("document.querySelectorAll('.panel canvas').length") > 0
    clean(page, out("bare.html"))


@every_test.long
def test_a_large_run_makes_a_small_page():
    # 128 bodies, 10 000 rows: poses, reactions and all
    sarrus(0, "run", "chain", "--set", "n=128", "--end", "1", "--step", "1e-4", "--all", "-q", "--coordinates", "increments", "-o", out("large.h5"))
    sarrus(0, "view", out("large.h5"), "--no-open", "-o", out("large.html"))
    run = scene(out("large.html"))["runs"][0]
    assert run["of"] >= 10000 and os.path.getsize(out("large.html")) < 10e6, (run["of"], os.path.getsize(out("large.html")))


if __name__ == "__main__":
    if not has_pages():
        print("skipped: this build has no pages, and says so")
        sys.exit(0)
    try:
        outcome = every_test.run(globals())
    finally:
        Shared.end()
    sys.exit(outcome)
