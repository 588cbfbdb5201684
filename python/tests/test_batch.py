"""Batches: the numbers of single runs, at any number of threads; failures."""
import unittest

import sarrus
from test_inputs import cart
from test_models import FOUR_BAR, ROOT

CRANK = ROOT / "problems/slider-crank-1/model.yaml"


def cranks(count, **options):
    return [sarrus.load(CRANK).with_parameters(m1=1 + 0.1*k).simulation(step=1e-3, end=0.3, **options) for k in range(count)]


class Batches(unittest.TestCase):
    def test_numbers_are_those_of_single_runs(self):
        together, single = cranks(11), cranks(11)
        with sarrus.Batch(together) as batch:
            batch.run(0.1)
            self.assertTrue(all(abs(s.time - 0.1) < 1e-9 for s in together))
            batch.run()
            steps = batch.steps
            self.assertEqual(batch.failures, {})
        self.assertEqual(steps, 11*300)
        for a, b in zip(together, single):
            b.step(1000)
            self.assertEqual((a.time, a.outputs, a.energy, a.statistics), (b.time, b.outputs, b.energy, b.statistics))

    def test_others_run_alone(self):
        runs = [cart().simulation(end=0.1, step=1e-2), sarrus.load(FOUR_BAR).simulation(end=0.1, tolerance=1e-6), *cranks(2)]
        with sarrus.Batch(runs, threads=2) as batch:
            batch.run()
        self.assertTrue(all(s.done for s in runs))

    def test_failures_do_not_stop_others(self):
        runs = [*cranks(3), *cranks(1, violation=1e-300)]
        with sarrus.Batch(runs) as batch:
            batch.run()
            self.assertEqual(list(batch.failures), [3])
            self.assertIn("violated", str(batch.failures[3]))
        self.assertEqual([s.done for s in runs], [True, True, True, False])

    def test_misuse(self):
        runs = cranks(2)
        batch = sarrus.Batch(runs)
        runs[0].close()
        with self.assertRaises(sarrus.ClosedError):
            batch.run()
        batch.close()
        with self.assertRaises(sarrus.SarrusError):
            batch.run()


if __name__ == "__main__":
    unittest.main()
