#!/usr/bin/python3
"""Draws chart.svg: a motion in the chart of its base, and a singular configuration crossed from both sides."""
import math
import os

TEXT = 'font-family="sans-serif" font-size="14"'
out = []


def path(points, colour, width=2.0, extra=""):
    out.append(f'<polyline points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}" fill="none" stroke="{colour}" stroke-width="{width}" {extra}/>')


def arrow(a, b, colour):
    path([a, b], colour, 1.6)
    turn = math.atan2(b[1] - a[1], b[0] - a[0])
    path([(b[0] + 9 * math.cos(turn + s), b[1] + 9 * math.sin(turn + s)) for s in (2.7,)] + [b]
         + [(b[0] + 9 * math.cos(turn - s), b[1] + 9 * math.sin(turn - s)) for s in (2.7,)], colour, 1.6)


def dot(x, y, colour, r=4.0):
    out.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r}" fill="{colour}"/>')


def text(x, y, words, colour="#333", anchor="start"):
    out.append(f'<text x="{x}" y="{y}" fill="{colour}" text-anchor="{anchor}" {TEXT}>{words}</text>')


# left: the constraints as a curve over the tangent at the base
surface = lambda x: 175 + 0.0016 * (x - 130) ** 2 + 0.0000045 * (x - 130) ** 3  # noqa: E731
path([(x, surface(x)) for x in range(30, 335, 4)], "#1f5fa8", 2.5)
path([(30, 175), (380, 175)], "#999", 1.0, 'stroke-dasharray="5 4"')
arrow((130, 175), (215, 175), "#b8460e")
arrow((130, 175), (130, 95), "#b8460e")
text(160, 160, "V: what the joints allow", "#b8460e")
text(138, 100, "W: what they hold", "#b8460e")
x = 300
path([(x, 175), (x, surface(x))], "#2a7d3f", 1.6)
dot(130, 175, "#1f5fa8")
dot(x, 175, "#999")
path([(130, 182), (x, 182)], "#666", 1.0)
dot(x, surface(x), "#2a7d3f", 5)
text(122, 196, "base", "#1f5fa8", "end")
text(308, 205, "w(z)", "#2a7d3f")
text(235, 196, "z", "#666")
text(200, 262, "Phi(q) = 0", "#1f5fa8", "middle")
text(205, 30, "A chart: q = base + V z + W w(z)", anchor="middle")

# right: two branches that cross, and the places on both sides
cx, cy = 610, 160
branch = lambda s: (cx + s, cy - 0.22 * s + 0.0011 * s * s)  # noqa: E731
other = lambda s: (cx + s, cy + 0.62 * s)  # noqa: E731
path([other(s) for s in range(-110, 125, 5)], "#bbb", 2.0)
path([branch(s) for s in range(-165, 170, 5)], "#1f5fa8", 2.5)
for k in range(1, 7):
    for side in (-1, 1):
        dot(*branch(side * 22 * k), "#b8460e", 3.6)
dot(cx, cy, "#fff", 6)
out.append(f'<circle cx="{cx}" cy="{cy}" r="6" fill="none" stroke="#2a7d3f" stroke-width="2.2"/>')
text(cx + 12, cy - 18, "rank lost", "#2a7d3f")
text(cx - 100, cy - 74, "another motion", "#888")
text(610, 262, "f(0) = sum of c_k (f(k eps) + f(-k eps)), k = 1 ... 6", anchor="middle")
text(610, 30, "A singular configuration: rates from both sides", anchor="middle")

here = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(here, "chart.svg"), "w", encoding="ascii") as file:
    file.write('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 820 280" width="820" height="280">\n'
               '<rect width="820" height="280" fill="white"/>\n' + "\n".join(out) + "\n</svg>\n")
