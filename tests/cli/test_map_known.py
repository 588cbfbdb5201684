"""sarrus map: larger linkages with known answers, and a run through every node along every curve.

Usage: test_map_known.py PROGRAM SOURCE_ROOT
"""
import fractions
import math
import pathlib
import random
import sys
import unittest

import built
from linkages import (bricard_line, bricard_plane, common_slider, five_bar, four_bar, geared_five_bar, parallelograms, peaucellier, rccc,
                      sarrus_linkage, slider_crank, spherical)
from test_map import PROGRAM, ROOT, graph, mapped, passes_with_its_energy, write

sys.path.insert(0, str(pathlib.Path(ROOT) / "tools" / "trust"))
from maps import pieces_of  # noqa: E402

FEW = not built.full(PROGRAM) or built.sanitized(PROGRAM)


class Known(unittest.TestCase):
    def expect(self, linkage, nodes, arcs, closed, components):
        found = mapped(linkage)
        self.assertEqual(graph(found), (nodes, arcs, closed, components))
        self.assertEqual(found["verdict"], "mapped")
        return found

    def test_parallelograms(self):
        """Unit squares, whose neighbours may be flat; rods of half the spacing, where each square is a parallelogram or crossed."""
        for n in (2,) if FEW else (4, 5, 6):
            found = self.expect(parallelograms(n), {2 * n + 2: n + 2}, (n + 1) * (n + 2), 0, [1])
            self.assertTrue(all(node["motions"] == n + 1 for node in found["nodes"]))
            self.expect(parallelograms(n, rod=.5), {2**(n + 1): 2}, 2**(n + 1), 0, [1])

    def test_plane_symmetric_bricards(self):
        counts = set()
        for seed in range(1, 4 if FEW else 13):
            linkage, count = bricard_plane(random.Random(seed))
            with self.subTest(seed=seed):
                self.expect(linkage, {}, count, count, [1] * count)
            counts.add(count)
        self.assertEqual(counts, {1, 2})

    def test_geared_five_bars(self):
        """Bars between the tips of two cranks that a gear couples: the distance of the tips says where they reach."""
        rng, tried = random.Random(31), 0
        while tried < (3 if FEW else 30):
            ratio = fractions.Fraction(rng.choice([-3, -2, -1, 1, 2, 3]), rng.choice([1, 1, 2, 3]))
            lengths = [rng.uniform(.2, 1) for _ in range(5)]
            path, distance = geared_five_bar(*lengths, rng.uniform(0, 6), rng.uniform(0, 6), ratio)
            count, doubt = pieces_of(distance, lengths[2], lengths[3])
            if path is None or doubt < 1e-3:
                continue
            tried += 1
            with self.subTest(lengths=lengths, ratio=ratio):
                found = mapped(str(write(path, "geared.yaml")))
                self.assertEqual((graph(found)[:3], found["verdict"]), (({}, count, count), "mapped"))

    def test_fast_gear(self):
        """Ten pieces, equally wide, all around the slower crank: starts find each of them."""
        path, distance = geared_five_bar(1, .4351, .8982, .2354, .8150, .65, 4.5118 + 5 * .65, fractions.Fraction(5))
        found = mapped(str(write(path, "geared.yaml")))
        self.assertEqual((pieces_of(distance, .8982, .2354)[0], graph(found)[:3]), (10, ({}, 10, 10)))
        self.assertGreater(min(c["seen"] for c in found["components"]), 1)

    def test_symmetric_geared_five_bar(self):
        """Tips that meet: the bars turn about both, in two positions of the cranks; tips that bars reach just stretched."""
        for crank, nodes, arcs in ((.8, {4: 4}, 8), (.4, {4: 1}, 2)):
            path, _ = geared_five_bar(1, crank, .9, .9, crank, 1.7, math.pi - 1.7, fractions.Fraction(-1))
            self.assertEqual(graph(mapped(str(write(path, "geared.yaml")))), (nodes, arcs, 0, [1]))

    def test_rccc(self):
        """Cylindrical joints turn as the spherical linkage of their directions, and slide to infinity at dead points of the crank."""
        for seed in range(1, 3 if FEW else 9):
            rng = random.Random(seed)
            while True:
                sides = [rng.uniform(.3, 1.4) for _ in range(4)]
                try:
                    ball = spherical(rng, sides)
                except ValueError:
                    continue
                turns = mapped(ball)
                if not turns["nodes"] and turns["arcs"]:
                    break
            count = sum(max(1, sum(d["quantity"] == "J1.angle" for d in a["dead_points"])) for a in turns["arcs"])
            with self.subTest(seed=seed):
                found = mapped(rccc(rng, ball))
                self.assertEqual((len(found["arcs"]), found["nodes"], found["verdict"]), (count, [], "mapped"))


class AssemblyModes(unittest.TestCase):
    def test_stewart_platform(self):
        """With universal joints legs may be rolled: the placements are the 8 real modes of the homotopy (tools/trust/platforms.py)."""
        found = mapped("stewart-platform", "--locked")
        self.assertEqual((found["placements"], found["verdict"]), (8, "mapped"))
        self.assertGreater(len(found["components"]), 64)
        self.assertLessEqual(found["unseen"], .01)


class TwoFreedoms(unittest.TestCase):
    def test_boundaries(self):
        """Corners of the workspace of a five-bar are where circles of both legs meet; in each four curves do."""
        rng, tried = random.Random(5), 0
        while tried < (1 if FEW else 6):
            g, a, b, c, d = lengths = [rng.uniform(.3, 1) for _ in range(5)]
            legs = (a + b, abs(a - b)), (c + d, abs(c - d))
            gaps = [abs(s - y) for one, two in (legs, legs[::-1]) for r in one for s in two for y in (abs(g - r), g + r)]
            try:
                linkage = five_bar(*lengths)
            except ValueError:
                continue
            tips = [p for name, _, _, _, p, _ in linkage.joints if name in ("J2", "J4")]
            if min(gaps) < .02 or not abs(b - c) + .02 < math.dist(*tips) < b + c - .02:
                continue
            tried += 1
            corners = sum(2 * (abs(r - s) < g < r + s) for r in legs[0] for s in legs[1])
            whole = sum(two[1] < abs(g - r) and g + r < two[0] for one, two in (legs, legs[::-1]) for r in one)
            with self.subTest(lengths=lengths):
                found = mapped(linkage, "--boundary", "bar1.J3")
                self.assertEqual((len(found["nodes"]), len(found["arcs"])), (corners, 2 * corners + 2 * whole))


class EveryMotion(unittest.TestCase):
    def test_through_every_node(self):
        """A run along each curve into its node goes on through it, names it and keeps its energy."""
        rng = random.Random(17)
        linkages = (four_bar(1, .4, .9, .5), four_bar(1, .5, 1, .5), four_bar(1, 1, .5, .5), four_bar(1, 1, 1, 1), slider_crank(1, 1),
                    parallelograms(2, rod=.5), parallelograms(3, rod=.5), parallelograms(2), parallelograms(3), sarrus_linkage(),
                    spherical(rng, (1, .5, .9, .6)), spherical(rng, [math.pi / 2] * 4), bricard_line(random.Random(5), (0, 0, 0)),
                    peaucellier(), common_slider(2), common_slider(3))
        kinds = ("natural", "cartesian", "increments", "relative")
        tried = 0
        for linkage in linkages[:3] if built.sanitized(PROGRAM) else linkages:
            path = write(linkage.text(), "moving.yaml")
            for arc in mapped(str(path))["arcs"][::3 if FEW else 1]:
                if arc["freedoms"] > 1:
                    continue
                tried += 1
                with self.subTest(model=linkage.name, arc=arc["name"]):
                    passes_with_its_energy(self, path, arc, kinds[tried % 4])
        self.assertGreater(tried, 5)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
