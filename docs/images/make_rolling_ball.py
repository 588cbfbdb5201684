#!/usr/bin/env python3
"""docs/images/rolling-ball.svg: the ball of problems/rolling-ball, seen in the room and on the table.

    python3 docs/images/make_rolling_ball.py build/sarrus
"""
import csv
import math
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
RADIUS, SIZE, GAP, MARGIN, SCALE = 0.85, 250, 40, 20, 250 / 1.8
W = 2 * math.pi


def run(program, *options):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "ball.csv")
        model = os.path.join(HERE, "..", "..", "problems", "rolling-ball", "model.yaml")
        subprocess.run([program, "run", model, *options, "-o", out], check=True, capture_output=True)
        with open(out, newline="", encoding="utf-8") as file:
            return [(float(r["time"]), float(r["x"]), float(r["y"])) for r in csv.DictReader(file)]


def path(points, left):
    at = [f"{left + SIZE / 2 + SCALE * x:.1f},{MARGIN + SIZE / 2 - SCALE * y:.1f}" for x, y in points]
    return "M" + " L".join(at)


def panel(points, left, title):
    middle = left + SIZE / 2
    return f'''<circle cx="{middle}" cy="{MARGIN + SIZE / 2}" r="{SCALE * RADIUS:.1f}" fill="#f2f2f2" stroke="#bbb"/>
<circle cx="{middle}" cy="{MARGIN + SIZE / 2}" r="2" fill="#888"/>
<path d="{path(points, left)}" fill="none" stroke="#1f77b4" stroke-width="1.6"/>
<text x="{middle}" y="{MARGIN + SIZE + 22}" text-anchor="middle">{title}</text>
'''


rows = run(sys.argv[1], "--step", "0.005", "--preset", "LMD-midpoint")
turned = [(x * math.cos(W * t) + y * math.sin(W * t), y * math.cos(W * t) - x * math.sin(W * t)) for t, x, y in rows]
width, height = 2 * SIZE + GAP + 2 * MARGIN, SIZE + 2 * MARGIN + 24
with open(os.path.join(HERE, "rolling-ball.svg"), "w", encoding="utf-8") as file:
    file.write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
               'font-family="sans-serif" font-size="13" fill="#333">\n<rect width="100%" height="100%" fill="white"/>\n'
               + panel([(x, y) for _, x, y in rows], MARGIN, "in the room: a circle, two turns in 7 s")
               + panel(turned, MARGIN + SIZE + GAP, "on the table, which turns once a second") + "</svg>\n")
