#!/usr/bin/env python3
"""How fast live pages react, in chromium: from the move of a slider to the new motion on the screen, and frames a second while it runs.

    bench/live.py [--program build/sarrus] [--moves 20] [--seconds 5]

Frames are drawn without a graphics processor here, so that what is measured is the least. Beside the clock it takes the processor's time of
the threads of the browser.
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "cli"))
import browser  # noqa: E402  pylint: disable=wrong-import-position

READY = "document.documentElement.dataset.ready === 'true' && window.sarrus?.live && sarrus.live.state !== 'loading' && !sarrus.live.busy"
MOVE = """(async () => {
  const slider = document.querySelector('input[data-name="%s"]'), began = performance.now();
  slider.value = Number(slider.min) + (Number(slider.max) - Number(slider.min)) * %g;
  slider.dispatchEvent(new Event('input'));
  const wanted = slider.value;
  while (sarrus.live.busy || sarrus.live.settings['%s'] !== wanted || sarrus.live.state !== 'paused') await new Promise((go) => setTimeout(go, 1));
  const solved = performance.now();
  await new Promise((go) => requestAnimationFrame(go));
  return [solved - began, performance.now() - began];
})()"""
FRAMES = """(async () => {
  const times = [];
  await sarrus.live.run();
  const end = performance.now() + %d;
  while (performance.now() < end) times.push(await new Promise((go) => requestAnimationFrame(go)));
  await sarrus.live.pause();
  return [times.slice(1).map((t, k) => t - times[k]), sarrus.live.factor];
})()"""


def processor_times(session):
    """[ms] of what computes a page: the solver's worker, the thread of the page, and the others of the browser but the process that draws in the
    place of a graphics processor. The first two work one after the other: their sum is what a move takes where nothing else runs."""
    times = dict.fromkeys(("solver", "page", "others"), 0)
    for stat in pathlib.Path("/proc").glob("[0-9]*/task/[0-9]*/stat"):
        try:
            name, words = stat.read_text().split("(", 1)[1].rsplit(")", 1)
            kind = (stat.parents[2] / "cmdline").read_bytes()
        except OSError:
            continue
        words = words.split()
        if int(words[3]) != session or b"--type=gpu-process" in kind:
            continue
        main = b"--type=renderer" in kind and stat.parent.name == stat.parents[2].name
        times["solver" if name == "DedicatedWorker" else "page" if main else "others"] += 1000 * (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
    return times


def spent(session, before, count):
    now = processor_times(session)
    return ", ".join(f"{name} {(now[name] - before[name]) / count:.1f}" for name in now) + " ms of a processor"


def page_of(program, model, folder, chromium):
    path = pathlib.Path(folder) / f"{model}.html"
    subprocess.run([program, "view", model, "--live", "--no-open", "-o", path, "--end", "1000" if model == "bricard" else "10", "--sample", "0.1"],
                   check=False, capture_output=True, cwd=ROOT)
    page = chromium.open(str(path))
    page.wait(READY, 300)
    return page


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--program", default=str(ROOT / "build" / "sarrus"))
    parser.add_argument("--moves", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=5)
    wanted = parser.parse_args()
    if not browser.find():
        sys.exit("live: there is no chromium")
    with tempfile.TemporaryDirectory(prefix="sarrus-live-") as folder, browser.Browser() as chromium:
        page = page_of(os.path.abspath(wanted.program), "n-four-bar", folder, chromium)
        page.evaluate(MOVE % ("L", 0.5, "L"))
        session, before = chromium.process.pid, processor_times(chromium.process.pid)
        moves = [page.evaluate(MOVE % ("L", 0.2 + 0.6 * k / wanted.moves, "L")) for k in range(wanted.moves)]
        solved, shown = (sorted(column) for column in zip(*moves))
        work = spent(session, before, len(moves))
        print(f"slider of the n-four-bar: a new motion after {statistics.median(solved):.0f} ms (best {solved[0]:.0f}), drawn after {statistics.median(shown):.0f} ms (best {shown[0]:.0f}); {work}")
        page = page_of(os.path.abspath(wanted.program), "bricard", folder, chromium)
        page.evaluate(FRAMES % 1000)
        before = processor_times(session)
        gaps, factor = page.evaluate(FRAMES % (1000 * wanted.seconds))
        print(f"bricard runs live: {1000 / statistics.mean(gaps):.0f} frames a second (median gap {statistics.median(gaps):.1f} ms; {spent(session, before, len(gaps) + 1)} each), at {factor:.2f} of real time")
    print(f"load of this machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
