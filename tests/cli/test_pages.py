"""sarrus view and report: the files they write and what they refuse. test_view.py opens them in a browser.

    python3 test_pages.py PROGRAM SOURCE_ROOT
"""
import base64
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import unittest.mock
import zlib

import every_test

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
FOLDER = tempfile.TemporaryDirectory(prefix="sarrus-pages-")


def sarrus(wanted, *arguments):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, cwd=ROOT, timeout=3600, check=False)
    assert done.returncode == wanted, (arguments, done.returncode, done.stdout, done.stderr)
    return done


def out(name):
    return os.path.join(FOLDER.name, name)


def test_files_that_are_no_motions():
    sarrus(0, "run", "four-bar", "--end", "0.1", "-q", "-o", out("bare.csv"))
    sarrus(0, "run", "four-bar", "--end", "0.1", "--all", "-q", "-o", out("a.h5"))
    sarrus(0, "run", "bricard", "--end", "0.1", "--all", "-q", "-o", out("b.h5"))
    assert "sarrus report" in sarrus(1, "view", out("bare.csv"), "-o", out("x.html")).stderr
    assert "of another model" in sarrus(1, "view", out("a.h5"), out("b.h5"), "-o", out("x.html")).stderr
    assert "is no result of the model 'bricard'" in sarrus(1, "view", out("a.h5"), "--model", "bricard", "-o", out("x.html")).stderr
    assert "needs the poses" in sarrus(2, "run", "four-bar", "--view", "-o", out("x.csv")).stderr
    assert "which results" in sarrus(2, "report").stderr
    assert not os.path.exists(out("x.html"))


def test_too_many_bodies_are_refused_before_the_run():
    said = sarrus(1, "view", "chain", "--set", "n=10000", "--no-open", "-o", out("x.html")).stderr
    assert "has 10000 bodies; a page shows the motion of at most 2000" in said and "sarrus draw" in said
    assert not os.path.exists(out("x.html"))


def test_the_page_is_below_a_megabyte_plus_data():
    sarrus(0, "run", "four-bar", "--end", "0.1", "--all", "-q", "-o", out("a.h5"))
    sarrus(0, "view", out("a.h5"), "--no-open", "-o", out("a.html"))
    assert os.path.getsize(out("a.html")) < 1e6
    with open(out("a.html"), encoding="utf-8") as file:
        assert not re.search(r'(src|href)=["\']?https?:', file.read())


def test_a_run_leaves_nothing_but_the_page():
    with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.dict(os.environ, TMPDIR=folder):
        sarrus(0, "view", "four-bar", "--end", "0.1", "--no-open", "-o", out("run.html"))
        assert os.listdir(folder) == []
    assert os.path.getsize(out("run.html")) > 500_000


def unpacked(path):
    """Of the first run in a page: its times, and its columns by name. See viewer/src/data.js."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    scene = json.loads(re.search(r'<script type="application/json" id="scene">(.*?)</script>', text, re.S)[1])
    data = base64.b64decode(re.search(r'id="data0">(.*?)</script>', text, re.S)[1])
    run = scene["runs"][0]
    data, at, n = zlib.decompress(data) if run["deflated"] else data, 0, run["rows"]

    def integers():
        nonlocal at
        value, rate, out = 0, 0, []
        for _ in range(n):
            code = shift = 0
            while True:
                byte, at = data[at], at + 1
                code |= (byte & 127) << shift
                shift += 7
                if byte < 128:
                    break
            rate += -(code + 1) // 2 if code % 2 else code // 2
            value += rate
            out.append(value)
        return out

    time = [run["time_start"] + k * run["time_quantum"] for k in integers()]
    for _ in range((len(scene["model"]["bodies"]) - 1) * (3 if scene["model"]["dimension"] == 2 else 7)):
        integers()
    columns = {}
    for column in run["columns"]:
        if column["quantum"] > 0:
            columns[column["name"]] = [k * column["quantum"] for k in integers()]
        else:
            raw = data[at:at + 4 * n]
            columns[column["name"]] = [struct.unpack("<f", bytes(raw[byte * n + k] for byte in range(4)))[0] for k in range(n)]
            at += 4 * n
    return run, time, columns


def test_a_thinned_page_keeps_events_and_peaks():
    import h5py
    sarrus(0, "run", "slider-crank-1", "--end", "2", "--all", "-q", "-o", out("long.h5"))
    events = {"singular_passes": [0.0113, 0.777], "branch_changes": [0.3337, 1.2349], "phases": [1.0003, 1.9777]}  # between rows, and not at even ones
    with h5py.File(out("long.h5"), "r+") as file:
        report = json.loads(file.attrs["json"])
        for kind, times in events.items():
            report[kind] = [{"t": t, "rank": 1, "joints": []} for t in times]
        file.attrs["json"] = json.dumps(report)
        rows, outputs = file["time"][:], {name: file["outputs"][name][:] for name in file["outputs"]}
        spike = file["outputs/xQ"][:]
        spike[1234] = 99.0  # a peak of a single row
        file["outputs/xQ"][:] = spike
        outputs["xQ"] = spike
    sarrus(0, "view", out("long.h5"), "--no-open", "--rows", "50", "-o", out("thin.html"))
    run, time, columns = unpacked(out("thin.html"))
    assert run["thinned"] and run["of"] == len(rows) and 50 <= run["rows"] <= 50 + 2 * 6 + 2 * len(columns) + 2, run["rows"]
    for t in (t for times in events.values() for t in times):
        for row in (int(t / 1e-3), int(t / 1e-3) + 1):  # before and after
            assert min(abs(x - rows[row]) for x in time) < 1e-8, t
    for name, values in outputs.items():
        assert abs(max(columns[name]) - max(values)) < 1e-6 * abs(max(values)) and abs(min(columns[name]) - min(values)) < 1e-6 * (abs(min(values)) + 1), name
    assert time[0] == rows[0] and abs(time[-1] - rows[-1]) < 1e-8
    assert "expected a whole number" in sarrus(2, "view", out("long.h5"), "--rows", "many", "-o", out("x.html")).stderr
    assert "--sample" in sarrus(2, "view", "four-bar", "--rows", "50", "-o", out("x.html")).stderr


def has_pages():
    done = subprocess.run([PROGRAM, "report", out("none.csv"), "-o", out("none.html")], capture_output=True, text=True, cwd=ROOT, check=False)
    if "has no pages" not in done.stderr:
        return True
    assert "Install nodejs and npm" in done.stderr
    return False


if __name__ == "__main__":
    if not has_pages():
        print("skipped: this build has no pages, and says so")
        sys.exit(0)
    sys.exit(every_test.run(globals()))
