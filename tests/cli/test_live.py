"""Live pages and the playground in a browser: sliders, the hand, mistakes, links, limits. Nothing is tested where there is no chromium or no
solver for browsers ('make wasm').

    python3 test_live.py PROGRAM SOURCE_ROOT
"""
import json
import os
import subprocess
import sys
import tempfile

import browser
import every_test

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
FOLDER = tempfile.TemporaryDirectory(prefix="sarrus-live-")
READY = "document.documentElement.dataset.ready === 'true' && window.sarrus?.live && sarrus.live.state !== 'loading' && !sarrus.live.busy"
STILL = [{"name": "prefers-reduced-motion", "value": "reduce"}]
OUTPUTS = "sarrus.live.run0.columns.map((c) => c.values[c.values.length - 1])"


def out(name):
    return os.path.join(FOLDER.name, name)


def sarrus(wanted, *arguments):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, cwd=ROOT, timeout=3600, check=False)
    assert done.returncode in wanted, (arguments, done.returncode, done.stdout, done.stderr)
    return done


class Shared:
    """One browser for all tests, and every page once."""
    browser = None
    pages = {}

    @classmethod
    def page(cls, model, *options):
        if model not in cls.pages:
            cls.pages[model] = out(f"{model or 'playground'}.html")
            sarrus((0, 3, 6), "view", *([model] if model else []), "--live", "--no-open", "-o", cls.pages[model], *options)
        return cls.pages[model]

    @classmethod
    def open(cls, model, *options, **how):
        if cls.browser is None:
            cls.browser = browser.Browser().__enter__()
        page = cls.browser.open(cls.page(model, *options), features=STILL, **how)
        page.wait(READY, 120)
        return page


def run_for(page, seconds):
    """Of simulated time."""
    page.evaluate("sarrus.live.run().then(() => 1)")
    page.wait(f"sarrus.player.end >= {seconds} || sarrus.live.state !== 'running'", 300)
    page.evaluate("sarrus.live.pause().then(() => 1)")


def pixels(page):
    """How many colours the picture has, and a hash of it."""
    return page.evaluate("""(() => {
      sarrus.stage.render();
      const flat = document.createElement('canvas'), {canvas} = sarrus.stage;
      flat.width = 200, flat.height = 100;
      const c = flat.getContext('2d');
      c.drawImage(canvas, 0, 0, 200, 100);
      const data = new Uint32Array(c.getImageData(0, 0, 200, 100).data.buffer);
      return [new Set(data).size, data.reduce((h, x) => (Math.imul(h, 31) + x) | 0, 7)];
    })()""")


def test_a_slider_gives_another_motion_and_the_eye_stays():
    page = Shared.open("n-four-bar")
    assert os.path.getsize(Shared.page("n-four-bar")) < 4e6
    assert page.evaluate("sarrus.live.state") == "paused" and pixels(page)[0] > 8
    eye, before = page.evaluate("JSON.stringify(sarrus.stage.state())"), pixels(page)[1]
    page.evaluate("""(() => {
      const slider = document.querySelector('input[data-name="L"]');
      slider.value = 0.7;
      slider.dispatchEvent(new Event('input'));
    })()""")
    page.wait("!sarrus.live.busy && sarrus.live.settings.L === '0.7'", 60)
    assert pixels(page)[1] != before and page.evaluate("JSON.stringify(sarrus.stage.state())") == eye
    assert page.evaluate("sarrus.timebar.pace.hidden")  # a live run has a speed of its own
    page.evaluate("""(() => {
      window.seen = [];
      const {update} = sarrus.plots.panels[0];
      sarrus.plots.panels[0].update = function () { update.call(this); if (sarrus.live.state === 'running') seen.push(this.now[0].textContent); };
    })()""")
    run_for(page, 0.5)
    seen = page.evaluate("seen")
    assert len(seen) > 3 and not [text for text in seen if "unknown" in text], seen  # values beside the names of curves, while it runs
    rows, end = page.evaluate("[sarrus.live.run0.rows, sarrus.player.end]")
    assert rows > 10 and end >= 0.5, (rows, end)
    assert page.evaluate("document.querySelectorAll('.panel').length") > 1
    assert not page.complaints, page.complaints


def test_curves_that_are_but_rounding_have_axes():
    page = Shared.open("n-four-bar")
    run_for(page, 0.1)
    for pair in ("[-1, -1 + 6e-8]", "[1e9, 1e9 + 64]", "[0, 1e-40]", "[5, 5]", "[-1, 1]"):
        page.evaluate("""(() => {
          const {plots, live} = sarrus, panel = plots.panels[0], run = live.run0, name = panel.y[0], old = run.byName.get(name);
          run.byName.set(name, {...old, values: Float32Array.from(run.time, (t, row) => %s[row %% 2])});
          panel.refresh();
          run.byName.set(name, old);
        })()""" % pair)
        page.evaluate("new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))")
        low, high = page.evaluate("[sarrus.plots.panels[0].uplot.scales.y.min, sarrus.plots.panels[0].uplot.scales.y.max]")
        assert high - low > 1e-6 * max(abs(low), abs(high)), (pair, low, high)
        assert not page.complaints, (pair, page.complaints)


def test_the_digits_are_those_of_the_program():
    page = Shared.open("n-four-bar")
    page.evaluate("sarrus.live.solver.call('again', {...sarrus.live.order(), options: 'preset=auto\\nend=0.5'}).then((a) => sarrus.live.begin(a)).then(() => sarrus.live.run()).then(() => 1)")
    page.wait("sarrus.live.state === 'ended'", 120)
    sarrus((0, 6), "run", "n-four-bar", "--preset", "auto", "--end", "0.5", "-q", "-o", out("n.csv"))
    with open(out("n.csv"), encoding="utf-8") as file:
        lines = [line for line in file if not line.startswith("#")]
    wanted = [float(x) for x in lines[-1].split(",")[1:]]
    got = page.evaluate(f"sarrus.live.run0.columns.slice(0, {len(wanted)}).map((c) => c.values[c.values.length - 1])")
    assert all(abs(a - b) <= 1e-6 * max(abs(b), 1e-6) for a, b in zip(got, wanted)), (got, wanted)  # columns are floats; test_one_file.py has the bits


def test_a_certificate_comes_by_itself():
    page = Shared.open("n-four-bar")
    run_for(page, 0.5)
    page.wait("sarrus.live.certificate?.value", 120)
    assert page.evaluate("sarrus.live.certificate.value.largest") < 0.01
    assert "rrors up to" in page.evaluate("sarrus.livePanel.trust.textContent")
    assert page.evaluate("[...sarrus.live.run0.byName.keys()].some((name) => name.endsWith('.error'))")


def drag(page, body, dx, dy):
    """From the body's mark on the screen by some pixels; where its centre was before and is after."""
    place = f"sarrus.stage.onScreen(sarrus.live.run0.poses.slice(-7 * sarrus.live.run0.bodies).slice({7 * body}, {7 * body + 3}))"
    found = page.evaluate(f"""(() => {{
      const box = sarrus.stage.canvas.getBoundingClientRect(), [x0, y0] = {place};
      for (let r = 0; r < 160; r += 4) for (let a = 0; a < 12; a++) {{
        const x = x0 + r * Math.cos(a / 2), y = y0 + r * Math.sin(a / 2);
        if (sarrus.stage.hit(x, y)?.mark.body === {body}) return [x + box.left, y + box.top];
      }}
      return null;
    }})()""")
    assert found, "the body is not in sight"
    x, y = found
    page.call("Input.dispatchMouseEvent", type="mousePressed", x=x, y=y, button="left", clickCount=1)
    for k in range(1, 6):
        page.call("Input.dispatchMouseEvent", type="mouseMoved", x=x + dx * k / 5, y=y + dy * k / 5, button="left", buttons=1)
        page.evaluate("new Promise((go) => setTimeout(go, 60))")
    return lambda: page.call("Input.dispatchMouseEvent", type="mouseReleased", x=x + dx, y=y + dy, button="left", clickCount=1)


def test_the_hand_moves_a_body():
    page = Shared.open("n-four-bar")
    before = page.evaluate("[...sarrus.live.run0.poses.slice(-35)]")
    release = drag(page, 1, 60, 40)  # paused: its pose
    page.wait("!sarrus.live.pulling", 60)
    after = page.evaluate("[...sarrus.live.run0.poses.slice(-35)]")
    release()
    assert max(abs(a - b) for a, b in zip(before, after)) > 0.02, (before[:14], after[:14])
    page.evaluate("sarrus.live.setSpeed(0.2); sarrus.live.run().then(() => 1)")
    release = drag(page, 1, -80, 40)
    page.wait("sarrus.live.held && sarrus.live.touched", 30)
    t = page.evaluate("sarrus.player.end")
    page.wait(f"sarrus.player.end > {t} + 0.02", 60)
    release()
    page.wait("!sarrus.live.held", 30)
    t = page.evaluate("sarrus.player.end")
    page.wait(f"sarrus.player.end > {t} + 0.02", 60)  # it goes on without the spring
    assert not page.complaints, page.complaints


def test_the_vehicle_runs_for_ten_seconds():
    page = Shared.open("vehicle", "--end", "0.1")
    page.evaluate("sarrus.live.setOption('end', 20)")
    page.wait("!sarrus.live.busy && sarrus.live.state === 'paused'", 120)
    page.evaluate("sarrus.live.run().then(() => 1)")
    page.evaluate("new Promise((go) => setTimeout(go, 10000))")
    state = page.evaluate("({state: sarrus.live.state, rows: sarrus.live.run0.rows, t: sarrus.player.end, factor: sarrus.live.factor})")
    print(f"- live: the vehicle ran for {state['t']:.2f} s in 10 s, {state['rows']} frames")
    assert state["state"] in ("running", "ended") and state["t"] > 0 and state["rows"] > 5 and pixels(page)[0] > 8, state
    page.evaluate("sarrus.live.pause().then(() => 1)")
    assert not page.complaints, page.complaints


def type_in(page, old, new):
    page.evaluate(f"""(() => {{
      const area = document.querySelector('textarea');
      area.value = area.value.replace({old!r}, {new!r});
      area.dispatchEvent(new Event('input'));
    }})()""")


def test_a_model_is_broken_and_repaired():
    page = Shared.open("")
    assert os.path.getsize(Shared.page("")) < 6e6
    type_in(page, "bodies:", "bodis:")
    page.wait("sarrus.playground.said.textContent.includes(\"did you mean 'bodies'?\")", 60)
    assert page.evaluate("document.querySelectorAll('.editor-lines .wrong').length") == 1
    assert page.evaluate("sarrus.live.run0.rows") > 0  # the last good one is still there
    type_in(page, "bodis:", "bodies:")
    page.wait("sarrus.live.state === 'paused' && !sarrus.live.busy && sarrus.playground.said.hidden", 60)
    run_for(page, 0.2)
    assert page.evaluate("sarrus.live.run0.rows") > 3
    assert not page.complaints, page.complaints


def test_a_link_holds_the_model():
    page = Shared.open("")
    page.evaluate("sarrus.playground.take('bricard')")
    page.wait("sarrus.scene.model.name === 'bricard' && !sarrus.live.busy", 60)
    page.evaluate("sarrus.playground.share().then(() => 1)")
    other = Shared.open("", hash=page.evaluate("location.hash")[1:])
    assert other.evaluate("sarrus.scene.model.name") == "bricard"
    bad = Shared.open("", hash="model=nonsense")
    bad.wait("sarrus.playground.said.textContent.includes('The link is damaged')", 60)
    assert bad.evaluate("sarrus.live.run0.rows") > 0
    saved = page.evaluate("sarrus.playground.save('html').text()")
    with open(out("saved.html"), "w", encoding="utf-8") as file:
        file.write(saved)
    Shared.pages["saved"] = out("saved.html")
    assert Shared.open("saved").evaluate("sarrus.scene.model.name") == "bricard"


PUSHED = """sarrus: 1
name: pushed
dimension: 2
inputs: {u: 0}
bodies: {car: {mass: 1, inertia: 1, position: [0, 0], angle: 0, shape: {type: box, size: [0.2, 0.1]}}}
joints: {rail: {type: prismatic, between: [ground.origin, car.origin], axis: [1, 0]}}
forces: {push: {type: actuator, joint: rail, force: 20*u}}
outputs: {x: car.origin.x}
method: {end: 1000000000}
"""


def take_text(page, text, name):
    page.evaluate(f"(sarrus.playground.editor.text = {json.dumps(text)}, sarrus.playground.run())")
    page.wait(f"sarrus.scene.model?.name === '{name}' && sarrus.live.state === 'paused' && !sarrus.live.busy", 60)
    page.evaluate("document.activeElement.blur()")


def test_inputs_act_and_the_eye_goes_along():
    page = Shared.open("")
    take_text(page, PUSHED, "pushed")
    run_for(page, 0.2)
    assert page.evaluate(OUTPUTS)[0] == 0
    for _ in range(3):
        page.key("l", "KeyL", "l")
    assert abs(page.evaluate("Number(document.querySelector('input[data-name=\"u\"]').value)") - 0.3) < 0.02
    page.evaluate("sarrus.live.setSpeed(5); sarrus.stage.follow(1, true)")
    grid = page.evaluate("document.querySelector('.grid-legend').textContent")
    run_for(page, 3)
    x = page.evaluate(OUTPUTS)[0]
    assert x > 5, x  # many times its size: it would be out of sight
    page.evaluate("(sarrus.player.go(sarrus.player.end), 1)")
    at, size = page.evaluate("[sarrus.stage.onScreen([sarrus.live.run0.poses.at(-7), 0, 0]), [sarrus.stage.canvas.clientWidth, sarrus.stage.canvas.clientHeight]]")
    assert all(0.2 * s < p < 0.8 * s for p, s in zip(at[:2], size)), (at, size)
    for _ in range(12):  # from further away the grid is another one
        page.call("Input.dispatchMouseEvent", type="mouseWheel", x=500, y=300, deltaX=0, deltaY=400)
    page.wait(f"document.querySelector('.grid-legend').textContent !== {json.dumps(grid)}", 60)
    page.evaluate("(sarrus.player.go(0), sarrus.keepView(), sarrus.player.go(1), sarrus.stage.look('iso'), sarrus.keepView())")
    kept = page.evaluate("sarrus.stage.views.map((view) => JSON.stringify(view.view))")
    page.evaluate("(sarrus.player.go(0), 1)")
    first = page.evaluate("JSON.stringify(sarrus.stage.state())")
    assert len(kept) == 2 and kept[0] != kept[1] and first != kept[1], kept
    assert not page.complaints, page.complaints


def test_a_model_that_never_ends_can_be_paused():
    page = Shared.open("")
    take_text(page, PUSHED.replace("1000000000}", "10, formulation: al3, integrator: trapezoidal, step: 1e-8}"), "pushed")
    page.evaluate("sarrus.live.run().then(() => 1)")
    page.wait("sarrus.live.factor < 0.1", 60)  # far slower than the clock, and the page says so
    page.evaluate("sarrus.live.pause().then(() => 1)")
    assert page.evaluate("sarrus.live.state") == "paused" and pixels(page)[0] > 4
    take_text(page, PUSHED.replace("name: pushed", "name: next"), "next")
    assert not page.complaints, page.complaints


def test_limits():
    page = Shared.open("")
    page.evaluate("(sarrus.playground.editor.text = 'sarrus: 1\\nname: x\\n', sarrus.playground.run())")
    page.wait("sarrus.live.state === 'failed'", 60)
    page.evaluate("sarrus.live.stop()")  # what does not answer is ended; the next run has another solver
    assert "reset" in page.evaluate("sarrus.live.failure")
    page.evaluate("sarrus.playground.take('bricard')")
    page.wait("sarrus.scene.model?.name === 'bricard' && sarrus.live.state === 'paused'", 60)
    huge = "sarrus: 1\\nname: huge\\ndimension: 2\\nbodies:\\n  - {repeat: i, from: 1, to: 3000000, name: b{i}, mass: 1, inertia: 1, position: [i, 0], angle: 0}\\n"
    page.evaluate(f"(sarrus.playground.editor.text = '{huge}', sarrus.playground.run())")
    page.wait("sarrus.live.state === 'failed'", 300)
    assert page.evaluate("sarrus.live.failure")
    page.evaluate("sarrus.playground.take('bricard')")
    page.wait("sarrus.scene.model?.name === 'bricard' && sarrus.live.state === 'paused'", 60)
    bare = Shared.open("n-four-bar", script="delete window.WebAssembly;")
    assert "recorded run" in bare.evaluate("sarrus.live.failure")
    assert bare.evaluate("sarrus.scene.runs[0].rows") > 1


def test_everybody_can_use_it():
    with open(os.path.join(ROOT, "viewer", "node_modules", "axe-core", "axe.min.js"), encoding="utf-8") as file:
        axe = file.read()
    for model in ["n-four-bar", ""]:
        page = Shared.open(model)
        page.evaluate(axe + "; 1")
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']}).then((r) => r.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html).join(' ')}`.slice(0, 400)))")
        assert not found, (model, found)
    page = Shared.open("n-four-bar")
    page.key(" ", "Space", " ")
    page.wait("sarrus.live.state === 'running'", 30)
    page.key(" ", "Space", " ")
    page.wait("sarrus.live.state === 'paused'", 30)


def missing():
    """Why nothing can be tested; None: it can."""
    said = subprocess.run([PROGRAM, "view", "--live", "--no-open", "-o", out("none.html")], capture_output=True, text=True, cwd=ROOT, check=False).stderr
    if "has no live pages" in said or "has no pages" in said:
        assert "make wasm" in said or "npm" in said, said
        return "this build has no solver for browsers ('make wasm')"
    return None if browser.find() else "there is no chromium"


if __name__ == "__main__":
    if missing():
        print(f"skipped: {missing()}")
        sys.exit(0)
    try:
        outcome = every_test.run(globals())
    finally:
        if Shared.browser:
            Shared.browser.__exit__(None, None, None)
    sys.exit(outcome)
