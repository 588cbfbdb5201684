"""Misuse gives exceptions, and never a crash: run these with sanitizers too."""
import copy
import gc
import pickle
import threading
import unittest

import numpy
import sarrus
from test_models import pendulum


class Misuse(unittest.TestCase):
    def test_closed(self):
        simulation = pendulum().simulation(end=1)
        simulation.step()
        simulation.close()
        simulation.close()
        for use in (simulation.step, simulation.run, simulation.assemble, simulation.check, lambda: simulation.outputs, lambda: simulation.time,
                    lambda: simulation.pose("bob"), lambda: simulation.energy, lambda: simulation.passages, lambda: simulation.statistics):
            self.assertRaises(sarrus.ClosedError, use)
        self.assertIn("closed", repr(simulation))

    def test_copies(self):
        model = pendulum()
        result = model.run(end=0.1)
        with model.simulation(end=0.1) as simulation:
            for what in (simulation, model.compiled()):
                self.assertRaises(TypeError, lambda: copy.copy(what))
                self.assertRaises(TypeError, lambda: pickle.dumps(what))
        for again in (copy.copy(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
            numpy.testing.assert_array_equal(again.run(end=0.1)["height"], result["height"])
        del model, again
        numpy.testing.assert_array_equal(pickle.loads(pickle.dumps(result))["height"], result["height"])
        with self.assertRaises(sarrus.SarrusError):
            pickle.loads(pickle.dumps(result)).certify()

    def test_a_simulation_outlives_its_model(self):
        simulation = pendulum().simulation(end=0.1)
        gc.collect()
        while not simulation.done:
            simulation.step()
        result = pendulum().run(end=0.1)
        gc.collect()
        self.assertIn("<svg", result.drawing())
        result.certify()

    def test_wrong_names_and_options(self):
        simulation = pendulum().simulation(end=1)
        for use in (lambda: simulation.pose("nobody"), lambda: simulation.reaction("bob"), lambda: simulation.applied("x")):
            self.assertRaisesRegex(KeyError, "there is no", use)
        self.assertRaisesRegex(KeyError, "there is no 'x'", lambda: pendulum().run(end=0.1)["x"])
        for options in ({"formulation": "al4"}, {"nonsense": 1}, {"end": -1}, {"step": "x"}, {"step": numpy.nan}, {"formulation": "al3", "integrator": "ida"}):
            with self.subTest(options), self.assertRaises(sarrus.MethodError):
                pendulum().run(**options)
        with self.assertRaises((TypeError, ValueError)):
            pendulum().run(end=[1, 2])
        with self.assertRaises(TypeError):
            simulation.step("three")
        with self.assertRaises(TypeError):
            pendulum().body("odd", mass={1, 2}).compiled()

    def test_wrong_types_are_named(self):
        model = pendulum()
        for said, use in (("sarrus.load", lambda: sarrus.sweep("pendulum.yaml", {"L": [1]}, len)), ("by name", lambda: sarrus.sweep(model, ["L"], len)),
                          ("list of Simulations", lambda: sarrus.Batch(5)), ("list of Simulations", lambda: sarrus.Batch([model])),
                          ("control must be a function", lambda: model.run(end=0.1, control=5)),
                          ("progress must be a function", lambda: model.run(end=0.1, progress="bar"))):
            self.assertRaisesRegex(TypeError, said, use)

    def test_exceptions_in_callbacks(self):
        simulation = pendulum().simulation(end=1, step=1e-2)

        def fail(t):
            if t > 0.2:
                raise ZeroDivisionError("mine")

        self.assertRaisesRegex(ZeroDivisionError, "mine", lambda: simulation.run(progress=fail))
        time = simulation.time
        self.assertAlmostEqual(time, 0.21, delta=1e-9)
        self.assertAlmostEqual(simulation.step(), time + 0.01)  # and it goes on
        self.assertAlmostEqual(simulation.run().time[-1], 1)

    def test_two_threads_on_one_simulation(self):
        simulation = pendulum().simulation(end=1e6, step=1e-3)
        simulation.assemble()
        errors, stop = [], threading.Event()

        def work():
            while not stop.is_set():
                try:
                    simulation.step(200)
                    simulation.outputs
                    simulation.pose("bob")
                except sarrus.BusyError:
                    errors.append("busy")
                except sarrus.ClosedError:
                    return

        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        for _ in range(1000):
            if errors:
                break
            stop.wait(0.01)
        stop.set()
        for thread in threads:
            thread.join()
        simulation.close()
        self.assertTrue(errors)

    def test_threads_with_simulations_of_their_own(self):
        alone = pendulum().run(end=1)["height"]
        got = [None] * 4

        def work(k):
            got[k] = pendulum().run(end=1)["height"]

        threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for one in got:
            numpy.testing.assert_array_equal(one, alone)


if __name__ == "__main__":
    unittest.main()
