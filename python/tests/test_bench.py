"""The parts of sarrus.bench: what files of studies mean, verdicts, numbers of series, the cost of a step. tests/cli/test_bench.py runs them."""
import math
import pathlib
import tempfile
import unittest
from types import SimpleNamespace

from sarrus import _abi
from sarrus.bench import judge, runs, studies, tables
from sarrus.bench.document import StudyError, number

NAN = math.nan
GOOD = """study: 1
name: test-1
group: "007"
title: "A test: with a colon"
source: gonzalez2016
problems: [pendulum]
metric: {variables: [x, y], weights: [1, 4], sample: 0.02,
         low_precision: 0.1, time_limit_s: 50}
remarks: {why: because}
plots: [{y: x}, {x: seconds, y: total_error, scale: log}]
rows:
  - label: A
    precision: low
    remark: why
    method: {step: [1e-2, 1e-3], alpha: [1, 2], formulation: al1,
             integrator: rk4}
  - {label: B, method: {preset: no-such-thing}, status: failed,
     failure: too hard, max_energy_drift: 0.5}
  - {label: C, text: only words}
"""
NAMED = """study: 1
name: test-1
problems: [pendulum]
methods:
  stable: {formulation: al1, integrator: rk4, omega: 100}
rows:
  - {label: A, method: {use: stable, step: [1, 2]}}
  - {label: B, method: {omega: 7, use: stable}}
"""
LARGE = """study: 1
name: large-1
source: malczyk2018
problems: [chain]
rounds: 3
timing: mean of 5 wall
interpolation: linear
spread: {relative: 0.1}
columns: [step_us, body_us]
measure: {title: error, take: last, of: a, minus: b, right: -2, within: 0.5}
plots: [{x: n, y: step_us, by: threads, most: 9}, {snapshots: 0.5}, {y: yA, orbit: xA, from: 1, until: 2.5}]
statements:
  - {text: linear, take: slope, of: step_us, over: n, from: 16, published: 1, within: 0.25}
  - {text: low, take: time of least, of: energy_drift, label: A, where: {n: 4}, at_most: 2, against: B}
rows:
  - {label: A, parameters: {n: [2, 4], m: 3}, method: {step: 1e-2, end: [1, 2]}, value: -3}
"""


def study(text):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "study.yaml")
        path.write_text(text)
        return studies.study(str(path))


def run(failure="", stopped=False, value=NAN, branch=NAN, **numbers):
    given = {**dict.fromkeys(runs.NAMES, 0.0), "total_error": NAN, **numbers}
    return runs.Run(_abi.SAR_R_NO_CONV if failure else _abi.SAR_OK, failure, given, stopped=stopped, value=value, branch_changed=branch)


def judged(found, energy=NAN, error=NAN, failed=False, seconds=NAN, own=None, **published):
    """Verdict and reason of a run in a row with these limits."""
    row, = study(NAMED.replace("{use: stable, step: [1, 2]}", "{step: 1}").replace("  - {label: B, method: {omega: 7, use: stable}}\n", "")).rows
    row.energy_limit, row.error_limit = energy, error
    row.measure = own or row.measure
    row.published.__dict__.update(failed=failed, seconds=seconds, **published)
    judge.judge(row, found)
    return row.verdict, row.reason


class Files(unittest.TestCase):
    def test_lists_make_rows_and_the_metric_gives_limits(self):
        found = study(GOOD)
        self.assertEqual((found.name, found.group, found.title, len(found.rows), found.others), ("test-1", "007", "A test: with a colon", 3, 1))
        self.assertEqual([(plot.x, plot.logarithmic) for plot in found.plots], [("t", False), ("seconds", True)])
        for row, step, alpha in zip(found.rows, ("1e-2", "1e-3"), "12"):
            self.assertEqual((row.label, row.problem, row.source, row.remark, row.reference), ("A", "pendulum", "gonzalez2016", "because", "reference.csv"))
            self.assertEqual(row.options, {"step": step, "alpha": alpha, "formulation": "al1", "integrator": "rk4"})
            self.assertEqual((row.error_limit, row.time_limit, row.metric.sample, row.metric.weights), (0.1, 50, 0.02, [1, 4]))
            self.assertTrue(math.isnan(row.energy_limit) and not row.published.failed)
        last = found.rows[2]
        self.assertEqual((last.published.failed, last.published.failure, last.energy_limit), (True, "too hard", 0.5))

    def test_a_file_may_name_methods_of_its_own(self):
        """The row's own settings come last and replace those of the method that it begins with."""
        _, second, b = study(NAMED).rows
        self.assertEqual(list(second.options.items()), [("formulation", "al1"), ("integrator", "rk4"), ("omega", "100"), ("step", "2")])
        self.assertEqual((b.options["omega"], b.own), ("7", {"omega": "7"}))

    def test_statements_columns_and_lists_of_parameters(self):
        found = study(LARGE)
        self.assertEqual((found.rounds, found.columns), (3, ["step_us", "body_us"]))
        self.assertEqual([(plot.by, plot.orbit, plot.most == 9, plot.snapshots == 0.5, plot.from_ == 1) for plot in found.plots],
                         [("threads", "", True, False, False), ("label", "", False, True, False), ("label", "xA", False, False, True)])
        slope, low = found.statements
        self.assertEqual((slope.take, slope.from_, slope.at_least, slope.at_most), ("slope", 16, 0.75, 1.25))
        self.assertEqual((low.take, low.where, low.against, low.at_most), ("time of least", {"n": "4"}, "B", 2))
        for row, n, end in zip(found.rows, "24", "12"):
            self.assertEqual((row.parameters, row.options["end"], row.reference), ({"n": n, "m": "3"}, end, ""))
            self.assertEqual((row.measure.of, row.measure.minus, row.measure.right, row.published.value), ("a", "b", -2, -3))

    def test_times_spread_and_interpolation_may_be_those_of_a_source(self):
        found = study(LARGE)
        self.assertEqual((found.mean_of, found.linear, found.relative, found.rows[0].published.relative), (5, True, 0.1, 0.1))
        self.assertTrue(math.isnan(found.rows[0].published.absolute))

    def test_mistakes_are_told(self):
        for text, old, new, words in (
                (GOOD, "study: 1", "study: 2", "study: 1"), (GOOD, "group:", "grup:", "did you mean 'group'"), (GOOD, "label: B,", "lable: B,", "did you mean 'label'"),
                (GOOD, "alpha: [1, 2]", "alpha: [1, 2, 3]", "one length"), (NAMED, "use: stable,", "use: unstable,", "no method 'unstable'"),
                (NAMED, "omega: 100", "omega: [[1]]", "'omega': expected a word"), (GOOD, "remark: why", "remark: who", "row 1: there is no remark 'who'"),
                (GOOD, "precision: low", "precision: medium", "medium_precision"), (GOOD, "drift: 0.5", "drift: half", "must be a number"),
                (GOOD, "scale: log", "scale: cubic", "linear or log"), (GOOD, "name: test-1\n", "", "no name"), (GOOD, "rows:", "rows: [", "study.yaml:"),
                (LARGE, "take: slope", "take: slop", "did you mean 'slope'"), (LARGE, "over: n, ", "", "a slope 'over'"),
                (LARGE, "published: 1, ", "", "'within' needs 'published'"), (LARGE, "text: low", "txet: low", "did you mean 'text'"),
                (LARGE, "where: {n: 4}", "where: 4", "must be a map"), (LARGE, "end: [1, 2]", "end: [1, 2, 3]", "one length"),
                (LARGE, "snapshots: 0.5", "snapshots: 0", "interval"), (LARGE, "columns: [step_us, body_us]", "columns: 5", "list of names"),
                (LARGE, "right: -2, ", "", "'within' needs 'right'"), (LARGE, "take: last", "take: slope", "takes no slope"),
                (LARGE, "minus: b", "less: b", "no key 'less'"), (LARGE, "mean of 5 wall", "mean of 0 wall", "'timing' is 'mean of N wall'"),
                (LARGE, "interpolation: linear", "interpolation: cubic", "'interpolation' is 'linear'"), (LARGE, "relative: 0.1", "relative: 0", "'spread' needs")):
            self.assertEqual(text.count(old), 1, old)
            with self.assertRaisesRegex(StudyError, words):
                study(text.replace(old, new))
        with self.assertRaisesRegex(StudyError, "/no/such/file.yaml"):
            studies.study("/no/such/file.yaml")

    def test_numbers_as_people_write_them(self):
        self.assertEqual([number(text) for text in ("1e8.5", "-3", "0.5")], [10 ** 8.5, -3, 0.5])
        self.assertTrue(all(math.isnan(number(text)) for text in ("half", "nan", "inf", "", None, ["1"])))
        self.assertEqual([tables.show(x) for x in (2.5e-3, 1.5e5, 0.05, 1234.5, 12.345, NAN)], ["2.5e-3", "1.5e5", "0.05", "1234", "12.3", ""])


class Verdicts(unittest.TestCase):
    def test_they_follow_the_limits(self):
        good = run(**{"total_error": 1e-3, "energy.max_drift": 0.05})
        failed = run("the step from t = 1 with h = 2 did not converge: after 20 iterations ... Try this.")
        self.assertEqual(judged(good, energy=0.1, seconds=1), ("passes", ""))
        self.assertEqual(judged(good, energy=0.1, failed=True), ("passes (published: fails)", ""))
        self.assertEqual(judged(good, energy=0.01, seconds=1), ("fails (published: passes)", "energy drift 0.05 J above 0.01 J"))
        self.assertEqual(judged(good, error=1e-4, seconds=1), ("fails (published: passes)", "eps_T 0.001 above 0.0001"))
        self.assertEqual(judged(good, error=1e-4, failed=True)[0], "fails as published")
        self.assertEqual(judged(failed, error=1e-2, seconds=1), ("fails (published: passes)", "the step from t = 1 with h = 2 did not converge"))
        self.assertEqual(judged(good, seconds=1), ("completed", ""))
        self.assertEqual(judged(failed)[0], "fails")
        self.assertEqual(judged(run("stopped", stopped=True), seconds=1)[0], "not run")
        self.assertEqual(judged(good, failed=True)[0], "passes (published: fails)")  # a failure of the source that is none here, without a limit
        self.assertEqual(judged(run("it fails (here; or there), oh: take another"), seconds=1)[1], "it fails (here; or there), oh")
        self.assertEqual(judged(run(), error=1e-2, seconds=1), ("fails (published: passes)", "no finite error"))

    def test_a_run_that_left_its_branch_is_no_better_for_keeping_its_energy(self):
        jumped = {"branch_changes": 1, "energy.max_drift": 3.0}
        self.assertEqual(judged(run(branch=2.165, **jumped), energy=0.1, seconds=1),
                         ("fails (published: passes)", "branch change at t = 2.165 s; energy drift 3 J above 0.1 J"))
        self.assertEqual(judged(run(branch=2.165, branch_changes=1), energy=0.1, seconds=1)[1], "branch change at t = 2.165 s")

    def test_figures_may_differ_from_those_published(self):
        def verdict(found, **published):
            row, = study(LARGE.replace("n: [2, 4]", "n: 2").replace("end: [1, 2]", "end: 1")).rows
            row.error_limit, row.measure.within = 1e-2, NAN
            row.published.__dict__.update({"relative": NAN, "value": NAN, **published})
            judge.judge(row, found)
            return row.verdict, row.reason

        found = run(total_error=1.3e-3, value=-43.0)
        self.assertEqual(verdict(found, error=1e-3), ("passes", ""))
        self.assertEqual(verdict(found, error=1e-3, relative=0.2), ("differs", "eps_T 0.0013, published 0.001"))
        self.assertEqual(verdict(found, error=1e-3, relative=0.2, absolute=5e-4), ("passes", ""))  # the larger counts
        self.assertEqual(verdict(found, value=-45.0, absolute=5e-4), ("differs", "error -43, published -45"))
        self.assertEqual(verdict(found, value=-45.0, absolute=5e-4, failed=True)[0], "passes (published: fails)")  # that is another verdict

    def test_a_measure_of_its_own_is_held_against_the_exact_motion(self):
        own = SimpleNamespace(title="error", take="last", of="a", minus="", right=-2, within=0.5)
        self.assertEqual(judged(run(value=-1.6), own=own, value=-2.1)[0], "passes")
        self.assertEqual(judged(run(value=-2.75), own=own, value=-2.1), ("fails (published: passes)", "error -2.75: off by 0.75, above 0.5"))
        self.assertEqual(judged(run(value=NAN), own=own, value=-2.1)[0], "fails (published: passes)")


class Cost(unittest.TestCase):
    SIZES = (16, 64, 128, 256, 512, 1024)

    def points(self, counts, *truth):
        c = judge.Cost(truth, [(1, 1, 1)], True)
        return [(n, p, c.us(n, p)) for n in self.SIZES for p in (1, 2, 4, 8)[:counts]]

    def test_the_numbers_come_back(self):
        for counts in (2, 3, 4):
            c = judge.fit(self.points(counts, 7, 0.5, 1.25, 20))
            for found, wanted in zip((c.fixed, c.alone, c.shared, c.meet), (7, 0.5, 1.25, 20)):
                self.assertAlmostEqual(found / wanted, 1, 8)
            self.assertLess(c.worst, 1e-9)
            self.assertEqual(c.points, 6 * counts)

    def test_one_thread_tells_nothing_about_several(self):
        c = judge.fit(self.points(1, 7, 0, 1.25, 0))
        self.assertFalse(c.threaded or c.predicts)
        self.assertAlmostEqual(c.fixed, 7, 8)
        self.assertAlmostEqual(c.shared, 1.25, 9)

    def test_no_cost_is_negative(self):
        """Threads that gain more than they could: the fit would pay for it by meeting for less than nothing."""
        c = judge.fit(self.points(2, 50, 0, 1, -30))
        self.assertTrue(min(c.fixed, c.alone, c.shared, c.meet) >= 0 and c.worst > 0.01)

    def test_too_few_points_are_no_model(self):
        self.assertIsNone(judge.fit([]))
        self.assertIsNone(judge.fit([(64, 1, 100), (64, 1, 101)]))

    def test_work_that_is_not_shared_limits_the_speed_up(self):
        c = judge.Cost((0, 0.1, 0.9, 0), [(1, 1, 1)], True)
        for threads, wanted in ((1, 1), (9, 5), (1e9, 10)):
            self.assertAlmostEqual(c.speedup(1e6, threads), wanted, 5)


if __name__ == "__main__":
    unittest.main()
