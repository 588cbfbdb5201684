"""sarrus map: graphs of linkages that are known by closed form, Grashof's rule or the literature."""
import collections
import json
import math
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import built
from linkages import (Linkage, bennett, bricard_line, common_slider, five_bar, four_bar, hexapod, parallelograms, peaucellier, random_rotation,
                      sarrus_linkage, slider_crank, spherical, three_rrr)

PROGRAM, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
FOLDER = tempfile.TemporaryDirectory()


def sarrus(*words):
    return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, check=False)


def write(text, name="model.yaml"):
    path = pathlib.Path(FOLDER.name) / name
    path.write_text(text, encoding="utf-8")
    return path


def mapped(linkage, *options, **placed):
    model = linkage if isinstance(linkage, str) else write(linkage.text(**placed))
    run = sarrus("map", model, "--json", *options)
    found = json.loads(run.stdout)
    assert "arcs" in found, found.get("failure", run.stderr)
    return found


def graph(found):
    """Half-branches of nodes and how many such there are; curves; closed ones; dimensions of components."""
    nodes = collections.Counter(n["halves"] for n in found["nodes"])
    return (dict(nodes), len(found["arcs"]), sum(a["closed"] for a in found["arcs"]),
            sorted(c["dimension"] for c in found["components"]))


def passes_with_its_energy(test, path, arc, coordinates):
    run = sarrus("run", path, "--from", f"{arc['name']}@0.9", "--speed", 1, "--end", 1.5, "--json", "--preset", "auto",
                 "--tolerance", "1e-11", "--coordinates", coordinates)
    result = json.loads(run.stdout)
    test.assertEqual(result["status"], "completed", run.stderr)
    test.assertGreater(len(result["singular_passes"]), 0)
    test.assertEqual(result["singular_passes"][0].get("node"), arc["to"])
    test.assertLess(result["energy"]["max_drift"], 1e-8 * result["energy"]["initial"])


class KnownGraphs(unittest.TestCase):
    def expect(self, linkage, nodes, arcs, closed, components, **placed):
        found = mapped(linkage, **placed)
        self.assertEqual(graph(found), (nodes, arcs, closed, components))
        self.assertEqual(found["verdict"], "mapped")
        return found

    def test_four_bars(self):
        for dimensions, expected in (((1, .4, .9, .8), ({}, 2, 2, [1, 1])), ((1, .8, .9, .8), ({}, 1, 1, [1])),
                                     ((1, .4, .9, .5), ({4: 1}, 2, 0, [1])), ((1, .5, 1, .5), ({4: 2}, 4, 0, [1])),
                                     ((1, 1, .5, .5), ({4: 2}, 4, 0, [1])), ((1, 1, 1, 1), ({4: 3}, 6, 0, [1]))):
            with self.subTest(dimensions):
                self.expect(four_bar(*dimensions), *expected)

    def test_in_space_anywhere(self):
        rng = random.Random(3)
        for scale in (1e-3, 1, 1e3):
            place = {"scale": scale, "rotation": random_rotation(rng), "shift": (1000 * scale, -300 * scale, 7),
                     "space": True}
            with self.subTest(scale=scale):
                self.expect(four_bar(1, .4, .9, .8), {}, 2, 2, [1, 1], **place)
                self.expect(four_bar(1, 1, 1, 1), {4: 3}, 6, 0, [1], **place)

    def test_isolated(self):
        found = self.expect(four_bar(1, .3, .3, .4, angle=0.0), {0: 1}, 0, 0, [0])
        self.assertEqual(found["start"], "S1")

    def test_slider_cranks(self):
        self.expect(slider_crank(1, 1), {4: 2}, 4, 0, [1])
        self.expect(slider_crank(.5, 1), {}, 2, 2, [1, 1])

    def test_parallelograms(self):
        """Unit squares: n + 2 nodes of n + 1 motions; lengths are pi sqrt(moving points)."""
        for n in (2, 3):
            found = self.expect(parallelograms(n), {2 * n + 2: n + 2}, (n + 1) * (n + 2), 0, [1])
            for arc in found["arcs"]:
                self.assertAlmostEqual((arc["length"] / math.pi)**2, round((arc["length"] / math.pi)**2), places=2)
            self.assertTrue(all(node["motions"] == n + 1 for node in found["nodes"]))
        self.assertEqual(sum(a["freedoms"] > 1 for a in mapped(parallelograms(2))["arcs"]), 4)
        for n in (2, 3):
            self.expect(parallelograms(n, rod=.5), {2**(n + 1): 2}, 2**(n + 1), 0, [1])

    def test_kinematotropic(self):
        self.expect(peaucellier(), {4: 4, 2: 4}, 12, 0, [2])
        self.expect(common_slider(2), {4: 2, 2: 4}, 8, 0, [2])
        self.expect(common_slider(3), {8: 2, 2: 8}, 16, 0, [3])

    def test_overconstrained(self):
        rng = random.Random(5)
        self.expect(sarrus_linkage(), {4: 2}, 4, 0, [1])
        self.expect(sarrus_linkage((.6, .9)), {}, 2, 2, [1, 1])
        self.expect(bennett(rng), {}, 1, 1, [1])
        self.expect("bricard", {}, 1, 1, [1])
        self.expect(bricard_line(rng), {}, 1, 1, [0, 0, 0, 0, 1])

        self.expect(bricard_line(rng, (0, 0, 0)), {4: 4}, 8, 0, [1])

    def test_algebraic_curves(self):
        """A particle on a plane curve: crossings, cusps, contact of higher order, isolated and double points."""
        for curve, at, nodes, motions, arcs in (
                ("X*Y", (.3, 0), {4: 1}, [2], 4), ("Y^2 - X^3", (.25, .125), {2: 1}, [0], 2),
                ("Y^2 - X^5", (.25, .03125), {2: 1}, [0], 2), ("Y^3 - X^4", (1, 1), {2: 1}, [0], 2),
                ("Y*(Y - X^2)", (.3, 0), {4: 1}, [2], 4), ("Y^2 - X^6", (.5, .125), {4: 1}, [2], 4),
                ("X*Y*(X - Y)", (.3, 0), {6: 1}, [3], 6), ("X^2 + Y^2 - X^3", (1, 0), {0: 1}, [0], 1),
                ("Y^2", (.3, 0), {}, [], 1), ("Y^2 - X^2*(1 - X^2)", (1, 0), {4: 1}, [2], 2),
                ("(X^2 + Y^2 - 1)^3 + 27*X^2*Y^2", (1, 0), {2: 4}, [0] * 4, 4),
                ("(X^2 + Y^2 - 1)*((X - 2)^2 + Y^2 - 1)", (-1, 0), {4: 1}, [2], 2)):
            path = write(f"""
sarrus: 1
name: curve
dimension: 2
bodies: {{p: {{particle: yes, mass: 1, position: [{at[0]}, {at[1]}]}}}}
constraints: {{C: {{position: "{curve.replace('X', 'p.origin.x').replace('Y', 'p.origin.y')}"}}}}
""")
            with self.subTest(curve):
                found = mapped(str(path))
                self.assertEqual(graph(found)[:2], (nodes, arcs))
                self.assertEqual([n["motions"] for n in found["nodes"]], motions)
                self.assertEqual(found["verdict"], "mapped")
                self.assertIn("p.origin.x", found["arcs"][0]["ranges"])

    def test_spherical(self):
        rng = random.Random(7)
        self.expect(spherical(rng, (1, .5, .9, .8)), {}, 2, 2, [1, 1])
        self.expect(spherical(rng, (1, .5, .9, .6)), {4: 1}, 2, 0, [1])
        self.expect(spherical(rng, [math.pi / 2] * 4), {4: 4}, 8, 0, [1])


HEXAPODS = {1: (40, 4), 2: (40, 4), 3: (40, 6), 4: (40, 8), 6: (40, 2), 10: (40, 4)}


class AssemblyModes(unittest.TestCase):
    def test_three_rrr(self):
        """Locked inputs: as many modes as the coupler curve of two legs has points at the length of the third."""
        rng = random.Random(23)
        most = 0
        for k in range(3 if built.sanitized(PROGRAM) else 12):
            linkage, count = three_rrr(rng if k else random.Random(8))
            found = mapped(linkage, "--locked")
            with self.subTest(k=k):
                self.assertEqual([c["dimension"] for c in found["components"]], [0] * count)
                self.assertEqual(sum(c["has_start"] for c in found["components"]), 1)
                self.assertEqual((found["balance"], found["verdict"]), (0, "mapped"))
                self.assertLessEqual(found["unseen"], .01)
            most = max(most, count)
        self.assertEqual(most, 6)

    def test_hexapods(self):
        """Real modes among all 40 complex ones (tools/trust/platforms.py --write)."""
        for seed, (everything, count) in HEXAPODS.items():
            with self.subTest(seed=seed):
                found = mapped(str(write(hexapod(random.Random(seed)))))
                self.assertEqual([c["dimension"] for c in found["components"]], [0] * count)
                self.assertEqual((everything, found["balance"], found["verdict"]), (40, 0, "mapped"))

    def test_without_locks(self):
        linkage, _ = three_rrr(random.Random(23))
        found = mapped(linkage)
        self.assertEqual(found["freedoms"], 3)


class TwoFreedoms(unittest.TestCase):
    LENGTHS = 1, .8, .9, .7, .6

    def test_second_kind(self):
        """Both inputs locked, the bars are in line: their ends are at b + c or |b - c|."""
        linkage = five_bar(*self.LENGTHS)
        g, a, b, c, d = self.LENGTHS
        found = mapped(linkage, "--singular", "J1.angle,J5.angle")
        self.assertGreaterEqual(len(found["arcs"]), 3)
        for arc in found["arcs"]:
            for one, two in arc["samples"]:  # angles count from the drawing
                A = (a * math.cos(1.7 + one), a * math.sin(1.7 + one))
                B = (g + d * math.cos(1.3 + two), d * math.sin(1.3 + two))
                distance = math.dist(A, B)
                self.assertLess(min(abs(distance - b - c), abs(distance - abs(b - c))), 1e-10)

    def test_boundary(self):
        """A leg is stretched or folded: the point is on one of four circles."""
        g, a, b, c, d = self.LENGTHS
        found = mapped(five_bar(*self.LENGTHS), "--boundary", "bar1.J3")
        self.assertGreater(len(found["arcs"]), 3)
        for arc in found["arcs"]:
            for x, y in arc["samples"]:
                first, second = math.hypot(x, y), math.hypot(x - g, y)
                self.assertLess(min(abs(first - a - b), abs(first - abs(a - b)), abs(second - c - d),
                                    abs(second - abs(c - d))), 1e-10)

    def test_regions(self):
        """Two bars reach between two tips in two ways, or in none; a point in two ways for each leg."""
        g, a, b, c, d = lengths = .6, .32, .46, .61, .65
        found = mapped(five_bar(*lengths), "--singular", "J1.angle,J5.angle")
        self.assertEqual(sorted(r["configurations"] for r in found["regions"]), [0, 0, 0, 2])
        for region in found["regions"]:
            one, two = region["at"]
            gap = math.hypot(g + d * math.cos(1.3 + two) - a * math.cos(1.7 + one), d * math.sin(1.3 + two) - a * math.sin(1.7 + one))
            self.assertEqual(region["configurations"], 2 if abs(b - c) < gap < b + c else 0)
        found = mapped(five_bar(*lengths), "--boundary", "bar1.J3")
        self.assertEqual(sorted(r["configurations"] for r in found["regions"]), [0, 0, 0, 4])
        for region in found["regions"]:
            x, y = region["at"]
            both = abs(a - b) < math.hypot(x, y) < a + b and abs(c - d) < math.hypot(x - g, y) < c + d
            self.assertEqual(region["configurations"], 4 if both else 0)

    def test_arm(self):
        """Two bars in a row: the tip reaches a ring, everywhere in it in two ways; its joints control it everywhere."""
        arm = Linkage("arm").joint("J1", "ground", "a", (0, 0)).joint("J2", "a", "b", (.8, .6)).joint("T", "b", "ball", (.8, 1.2))
        path = write(arm.text().replace("  T: {type: revolute", "  T: {type: fixed"), "arm.yaml")
        found = mapped(str(path), "--boundary", "b.T")
        self.assertEqual(graph(found)[:3], ({}, 2, 2))
        radii = sorted({round(math.hypot(*p), 9) for arc in found["arcs"] for p in arc["samples"]})
        self.assertEqual(radii, [.4, 1.6])
        self.assertEqual([r["configurations"] for r in found["regions"]], [0, 2, 0])
        found = mapped(str(path), "--singular", "J1.angle,J2.angle")
        self.assertEqual((found["arcs"], [r["configurations"] for r in found["regions"]]), ([], [1]))

    def test_refused(self):
        run = sarrus("map", "slider-crank-1", "--singular", "O.angle,P.angle")
        self.assertEqual(run.returncode, 3)
        self.assertIn("two degrees of freedom", run.stderr)


class Values(unittest.TestCase):
    def test_dead_points(self):
        """cos = (g^2 + a^2 - (b +- c)^2)/2ga at dead points of the crank."""
        g, a, b, c = 1, .8, .9, .8
        found = mapped(four_bar(g, a, b, c))
        dead = [d["value"] for d in found["arcs"][0]["dead_points"] if d["quantity"] == "J1.angle"]
        expected = math.acos((g * g + a * a - (b + c)**2) / (2 * g * a))
        self.assertEqual(len(dead), 2)
        self.assertAlmostEqual(abs(dead[1] - dead[0]), 2 * expected, delta=1e-12)

    def test_constant(self):
        """Along the curve of a kite on which its two short bars turn together the long ones rest: they do not turn back."""
        found = mapped(four_bar(2, 2, 1, 1))
        rests = [a for a in found["arcs"] if a["ranges"]["J1.angle"]["greatest"] - a["ranges"]["J1.angle"]["least"] < 1e-7]
        self.assertEqual(len(rests), 2)
        for arc in rests:
            self.assertEqual([d for d in arc["dead_points"] if d["quantity"] == "J1.angle"], [])
        for arc in found["arcs"]:
            for name, r in arc["ranges"].items():
                self.assertLessEqual(abs(r["least"] + r["greatest"]) / 2, math.pi + 1e-6, name)

    def test_screw(self):
        """However small its pitch, a nut does not come back after a revolution."""
        path = write("""
sarrus: 1
name: screw
dimension: 3
bodies:
  nut: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0.1]}
joints:
  S: {type: screw, between: [ground.origin, nut.origin], axis: [ground.z, nut.z], pitch: 0.01}
""")
        found = mapped(str(path))
        self.assertEqual(found["verdict"], "mapped in part")
        arc = found["arcs"][0]
        self.assertFalse(arc["closed"])
        way, turns = (arc["ranges"][f"S.{x}"] for x in ("displacement", "angle"))
        self.assertGreater(way["greatest"] - way["least"], 1)
        self.assertAlmostEqual((turns["greatest"] - turns["least"]) / (2 * math.pi), (way["greatest"] - way["least"]) / .01, delta=1e-6)

    def test_ranges(self):
        found = mapped(four_bar(1, .4, .9, .8))
        for arc in found["arcs"]:
            self.assertEqual(abs(arc["ranges"]["J1.angle"]["turns"]), 1)
            rocker = arc["ranges"]["J4.angle"]
            self.assertEqual(rocker["turns"], 0)
            inner = [math.acos((1 + .64 - r * r) / 1.6) for r in (.9 - .4, .9 + .4)]
            self.assertAlmostEqual(rocker["greatest"] - rocker["least"], inner[1] - inner[0], delta=1e-12)


class Stops(unittest.TestCase):
    def test_door_and_latch(self):
        """A stop of the crank and a bound of the follower: where curves cross them, and what is left between."""
        linkage = four_bar(1, .4, .9, .8)
        linkage.extra = ("forces: {door: {type: stop, joint: J1, lower: -40 deg, upper: 250 deg, stiffness: 1e4}}\n"
                         "constraints: {latch: {position: J4.angle, lower: -10 deg, upper: 5 deg}}\n")
        for place in ({}, {"scale": 1e-3, "shift": (1000, 0, 0)}):
            path = write(linkage.text(**place), "stops.yaml")
            found = mapped(str(path))
            first, second = found["arcs"]
            self.assertEqual([(s["name"], s["limit"], s["forbidden"]) for s in first["stops"]],
                             [("latch", "upper", "after"), ("door", "upper", "after"), ("door", "lower", "before"), ("latch", "upper", "before")])
            within = first["within_stops"]["J4.angle"]
            self.assertAlmostEqual(within["greatest"], math.radians(5), delta=1e-9)
            dead = min(d["value"] for d in first["dead_points"] if d["quantity"] == "J4.angle")
            self.assertAlmostEqual(within["least"], dead, delta=1e-9)
            crank = first["within_stops"]["J1.angle"]
            self.assertLess(crank["least"], 0)  # on both sides of the drawing, where the curve begins
            self.assertLess(crank["greatest"] - crank["least"], math.radians(80))
            self.assertFalse(first["beyond_stops"])
            self.assertTrue(second["beyond_stops"])

    def test_screw(self):
        """A nut between two ends turns as often as its way is threads."""
        found = mapped(str(write("""
sarrus: 1
name: screw
dimension: 3
bodies: {nut: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0.1]}}
joints: {S: {type: screw, between: [ground.origin, nut.origin], axis: [ground.z, nut.z], pitch: 0.1}}
constraints: {ends: {position: nut.origin.z, lower: 0, upper: 0.25}}
""")))
        within = found["arcs"][0]["within_stops"]
        self.assertAlmostEqual(within["S.displacement"]["greatest"] - within["S.displacement"]["least"], .25, delta=1e-9)
        self.assertAlmostEqual(within["S.angle"]["greatest"] - within["S.angle"]["least"], 5 * math.pi, delta=1e-6)

    def test_modes(self):
        """Of the assembly modes of a robot with locked inputs a bound forbids those on one side."""
        linkage, count = three_rrr(random.Random(8))
        linkage.extra += "constraints: {wall: {position: platform.C0.x, upper: 0}}\n"
        found = mapped(linkage, "--locked")
        beyond = [c for c in found["components"] if "beyond" in c]
        self.assertEqual(len(found["components"]), count)
        self.assertTrue(0 < len(beyond) < count)
        self.assertEqual({c["beyond"] for c in beyond}, {"wall"})


class RandomFourBars(unittest.TestCase):
    def test_grashof(self):
        """Circuits by Grashof's rule, sizes over six decades, in the plane and in space."""
        rng = random.Random(11)
        for k in range(10 if built.sanitized(PROGRAM) else 60):
            while True:
                lengths = [rng.uniform(.2, 1) for _ in range(4)]
                if max(lengths) < sum(lengths) - max(lengths):
                    break
            excess = 2 * (min(lengths) + max(lengths)) - sum(lengths)
            place = {"scale": 10**rng.uniform(-3, 3)}
            if k % 2:
                place |= {"rotation": random_rotation(rng), "space": True}
            with self.subTest(lengths=lengths):
                expected = 2 if excess < 0 else 1
                self.assertEqual(graph(mapped(four_bar(*lengths), **place)), ({}, expected, expected, [1] * expected))

    def test_near_change_points(self):
        """s + l - p - q = +-1e-3 ... +-1e-10: circuits by its sign, and no node."""
        rng = random.Random(13)
        for gap in (1e-3, 1e-6, 1e-8, 1e-10):
            for sign in (-1, 1):
                b, c = (rng.uniform(.4, .6) for _ in range(2))
                short, long = .2, b + c - .2 + sign * gap
                with self.subTest(gap=sign * gap):
                    expected = 2 if sign < 0 else 1
                    found = mapped(four_bar(long, short, b, c))
                    self.assertEqual(graph(found), ({}, expected, expected, [1] * expected))


class FromTheMap(unittest.TestCase):
    def test_through_nodes(self):
        """A run along a curve into its node goes on through it, names it and keeps its energy (all: test_map_known.py)."""
        path = write(four_bar(1, 1, .5, .5).text(), "moving.yaml")
        for arc, kind in zip(mapped(str(path))["arcs"], ("natural", "cartesian", "increments", "relative")):
            with self.subTest(arc=arc["name"]):
                passes_with_its_energy(self, path, arc, kind)

    def test_by_steps(self):
        """Passages have names by methods that do not interpolate too; shaky curves are refused."""
        arcs = mapped("n-four-bar")["arcs"]
        plain = next(a for a in arcs if a["freedoms"] == 1 and a["from"] == "S1")
        run = sarrus("run", "n-four-bar", "--from", f"{plain['name']}@0.2", "--speed", 2, "--end", 1.4, "--json")
        self.assertEqual({p.get("node") for p in json.loads(run.stdout)["singular_passes"]}, {plain["from"], plain["to"]})
        shaky = next(a for a in arcs if a["freedoms"] > 1)
        run = sarrus("run", "n-four-bar", "--from", shaky["name"], "--speed", 1)
        self.assertEqual(run.returncode, 2)
        self.assertIn("shaky", run.stderr)

    def test_check(self):
        run = sarrus("check", "n-four-bar", "--at", "S1", "--json")
        self.assertEqual(run.returncode, 0)
        self.assertEqual(len(json.loads(run.stdout)["position"]["branches"]), 3)

    def test_clearance(self):
        """The end of the crank, with a disc, goes round; a disc on the ground is as near to it as the radii say."""
        text = four_bar(1, .4, .9, .8).text().replace("  coupler: {", "  coupler: {shape: {type: sphere, radius: 0.1}, ")
        for x, distance, code in ((2, 1.2, 0), (.75, -.05, 6)):
            path = write(text.replace("ground: {", f"ground: {{shape: {{type: sphere, radius: 0.3, center: [{x}, 0]}}, "))
            run = sarrus("check", path, "--map", "--json")
            self.assertEqual(run.returncode, code)
            for found in json.loads(run.stdout)["map"]["clearance"]:
                self.assertEqual(found["bodies"], ["ground", "coupler"])
                self.assertAlmostEqual(found["distance"], distance, delta=1e-9)

    def test_check_turning(self):
        """A parallelogram of 1 and 2 in line, bars about the origins of their frames: 1 : 0 : 1, and 1 : 2/3 : -1/3."""
        bar = "{{mass: 1, inertia: 1, points: {{p: [0, 0], q: [{}, 0]}}, position: [{}, 0], angle: {}}}"
        path = write(f"""
sarrus: 1
name: in-line
dimension: 2
ground: {{points: {{D: [2, 0]}}}}
bodies:
  a: {bar.format(1, 0, "pi")}
  b: {bar.format(2, -1, 0)}
  c: {bar.format(1, 2, "pi")}
joints:
  J1: {{type: revolute, between: [ground.origin, a.p]}}
  J2: {{type: revolute, between: [a.q, b.p]}}
  J3: {{type: revolute, between: [b.q, c.q]}}
  J4: {{type: revolute, between: [ground.D, c.p]}}
""")
        said = sarrus("check", str(path), "--at", "0").stdout.split("branches")[1].split("velocity")[0].splitlines()[2:4]
        self.assertEqual(sorted(line.split()[1:4] for line in said), [["1", "0", "1"], ["1", "0.6667", "-0.3333"]])

    def test_along(self):
        """The tip of a crank goes along a circle."""
        path = write(four_bar(1, .8, .9, .8).text() + "outputs: {x: crank.J2.x, y: crank.J2.y}\n", "circle.yaml")
        run = sarrus("kinematics", path, "--along", "A1", "-o", "-")
        rows = [line.split(",") for line in run.stdout.splitlines()]
        self.assertEqual(len(rows), 202)
        x, y = rows[0].index("x"), rows[0].index("y")
        for row in rows[1:]:
            self.assertAlmostEqual(math.hypot(float(row[x]), float(row[y])), .8, delta=1e-12)

    def test_no_such_place(self):
        for words in (("run", "--from"), ("check", "--at"), ("kinematics", "--along")):
            run = sarrus(words[0], "n-four-bar", words[1], "A99")
            self.assertEqual(run.returncode, 2)
            self.assertIn("A1 to A12", run.stderr)


class Python(unittest.TestCase):
    def test_map(self):
        code = ("import sarrus; m = sarrus.load(%r).map(); a = m.arcs['A1']; "
                "print(len(m.arcs), len(m.nodes), m.components[0].has_start, abs(a.ranges['J1.angle'].turns), m.pose('A1@0.3', 1)[1].shape)"
                % str(write(four_bar(1, .4, .9, .8).text())))
        library = pathlib.Path(PROGRAM).resolve().parent / "libsarrus.so"
        run = subprocess.run(["/usr/bin/python3", "-c", code], capture_output=True, text=True, check=False,
                             env={**os.environ, "SARRUS_LIBRARY": str(library), "PYTHONPATH": str(ROOT / "python")})
        if built.sanitized(PROGRAM):
            return
        self.assertEqual(run.stdout.strip(), "2 0 True 1 (3, 6)", run.stderr)


class Refused(unittest.TestCase):
    def test_rigid(self):
        """A triangle: two ways to put it together, mirror images of each other."""
        m = four_bar(1, .8, .9, .8)
        m.joint("J5", "ground", "crank", (.3, .1))
        found = mapped(m)
        self.assertTrue(all(c["dimension"] == 0 for c in found["components"]))

    def test_open(self):
        path = write("""
sarrus: 1
name: open
dimension: 2
ground: {points: {O: [0, 0], C: [5, 0]}}
bodies:
  a: {mass: 1, inertia: 1, points: {A: [0, 0], B: [1, 0]}, position: [0, 0], angle: 0}
  b: {mass: 1, inertia: 1, points: {A: [0, 0], B: [1, 0]}, position: [1, 0], angle: 0}
joints:
  J1: {type: revolute, between: [ground.O, a.A]}
  J2: {type: revolute, between: [a.B, b.A]}
  J3: {type: revolute, between: [b.B, ground.C]}
""")
        run = sarrus("map", path)
        self.assertEqual(run.returncode, 4)
        self.assertIn("close", run.stdout + run.stderr)

    def test_free_body(self):
        path = write("""
sarrus: 1
name: free
dimension: 3
bodies:
  a: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}
""")
        found = mapped(str(path))
        self.assertEqual(graph(found), ({}, 0, 0, [6]))

    def test_tangential_touch(self):
        """Two bars in line between two points: shaky, and no motion."""
        m = Linkage("shaky").joint("J1", "ground", "a", (0, 0)).joint("J2", "a", "b", (.5, 0)).joint("J3", "ground", "b", (1, 0))
        found = mapped(m)
        self.assertEqual(graph(found), ({0: 1}, 0, 0, [0]))
        self.assertEqual(found["freedoms_of_velocity"], 1)

    def test_interrupted(self):
        """Ctrl-C: what was found until then, and that it is not all."""
        begun = subprocess.Popen([PROGRAM, "map", "bricard", "--starts", "100000", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(1.0)
        begun.send_signal(signal.SIGINT)
        out, said = begun.communicate()
        self.assertEqual(begun.returncode, 130, said)
        self.assertIn("interrupted after", said)
        found = json.loads(out)
        self.assertEqual(found["verdict"], "mapped in part")
        self.assertEqual(len(found["arcs"]), 1)

    def test_large(self):
        run = sarrus("map", "tree", "--set", "n=40")
        self.assertEqual(run.returncode, 3)
        self.assertIn("at most 150", run.stderr)

    def test_rolling(self):
        run = sarrus("map", "rolling-disc")
        self.assertEqual(run.returncode, 3)
        self.assertIn("non-holonomic", run.stdout + run.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
