#!/usr/bin/env python3
"""How fast a page of `sarrus view` moves where there is no graphics card: frames and processor time, in chromium without a window.

    tools/frames.py PAGE.html [SECONDS]

Prints frames a second by the clock, and the time of all of chromium's processes for a frame: the clock says nothing on a machine that has other work.
"""
import json
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tests/cli"))
import browser  # noqa: E402

TICK = os.sysconf("SC_CLK_TCK")


def family(root):
    """The process and all that it started."""
    parents = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                parents[int(name)] = file.read().rsplit(")", 1)[1].split()
        except OSError:
            pass
    found = {root}
    while True:
        more = {pid for pid, stat in parents.items() if int(stat[1]) in found} - found
        if not more:
            return {pid: parents[pid] for pid in found if pid in parents}
        found |= more


def seconds(root):
    """Processor time, by the kind of chromium's processes."""
    spent = {}
    for pid, stat in family(root).items():
        with open(f"/proc/{pid}/cmdline", encoding="utf-8", errors="replace") as file:
            words = file.read().replace("\0", " ")
        kind = words.split("--type=")[1].split()[0] if "--type=" in words else "browser"
        spent[kind] = spent.get(kind, 0) + (int(stat[11]) + int(stat[12])) / TICK
    return spent


def measure(page, root, length):
    page.evaluate("(() => { window.frames_ = 0; const tick = () => { window.frames_++; requestAnimationFrame(tick); }; requestAnimationFrame(tick); sarrus.player.setSpeed(sarrus.player.end / 20); sarrus.player.play(); })()")
    time.sleep(3)  # shaders, and whatever adapts to the machine
    before, frames, start = seconds(root), page.evaluate("window.frames_"), time.monotonic()
    time.sleep(length)
    frames, wall, after = page.evaluate("window.frames_") - frames, time.monotonic() - start, seconds(root)
    cpu = {kind: 1e3 * (after[kind] - before.get(kind, 0)) / frames for kind in after}
    return {"frames_per_second": frames / wall, "cpu_ms_per_frame": sum(cpu.values()), "of": {k: round(v, 1) for k, v in cpu.items()},
            "canvas": page.evaluate("[sarrus.stage.canvas.width, sarrus.stage.canvas.height]"), "calls": page.evaluate("sarrus.stage.renderer?.info.render.calls"),
            "triangles": page.evaluate("sarrus.stage.renderer?.info.render.triangles")}


def main():
    path, length = sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 10
    with browser.Browser() as chromium:
        page = chromium.open(path)
        page.wait("document.documentElement.dataset.ready === 'true'", 120)
        print(json.dumps(measure(page, chromium.process.pid, length), indent=1))


if __name__ == "__main__":
    main()
