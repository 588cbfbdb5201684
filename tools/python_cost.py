#!/usr/bin/env python3
"""What a step costs from Python beyond the same loop in C: an input is set and an output read at every step.

    tools/python_cost.py [--library build/libsarrus.so] [--steps 100000] [--repeat 7]

CPU time, the least of several runs of each loop, taken in turn. Exits with 1 if Python costs more than a microsecond a step.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODEL = """sarrus: 1
name: cart
dimension: 2
inputs: {u: 1}
bodies:
  block: {mass: 2, inertia: 1, position: [0, 0], angle: 0}
joints:
  rail: {type: prismatic, between: [ground.origin, block.origin], axis: [1, 0]}
forces:
  push: {type: force, acts_on: block.origin, force: [u, 0]}
outputs: {x: rail.displacement, speed: rail.speed}
"""
LOOP = r"""#include <sarrus/sarrus.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
int main(int count, char** argument)
{
    (void)count;
    sar_model* model = NULL;
    sar_simulation* s = NULL;
    char* messages = NULL;
    sar_options options = sar_options_default();
    if (sar_model_load(argument[1], NULL, 0, &model, &options, &messages) != SAR_OK) return puts(messages), 1;
    options.end = atof(argument[2]) * 1e-3, options.step = 1e-3;
    if (sar_options_set(&options, "formulation", "al3", NULL) != SAR_OK) return puts("formulation"), 1;
    sar_error error;
    if (sar_simulation_create(model, &options, &s, &error) != SAR_OK) return puts(error.message), 1;
    if (sar_simulation_assemble(s, NULL) != SAR_OK) return 1;
    double u = 1, t, out[2] = {0, 0};
    const sar_exchange e = {s, &u, &t, out};
    const clock_t begin = clock();
    while (sar_exchange_step(&e) == SAR_OK) u = -2 * out[0] - out[1];
    printf("%.17g %.17g\n", (double)(clock() - begin) / CLOCKS_PER_SEC, out[0]);
    return 0;
}
"""


def python_loop(model, steps):
    import sarrus
    with sarrus.load(model).simulation(end=steps * 1e-3, step=1e-3, formulation="al3") as s:
        step = s.stepper()
        inputs, outputs = memoryview(step.inputs), memoryview(step.outputs)  # plain numbers, without NumPy's
        inputs[0] = 1.0
        begin = time.process_time()
        while step():
            inputs[0] = -2 * outputs[0] - outputs[1]
        return time.process_time() - begin, float(outputs[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", type=pathlib.Path, default=ROOT / "build" / "libsarrus.so")
    parser.add_argument("--steps", type=int, default=100000)
    parser.add_argument("--repeat", type=int, default=7)
    options = parser.parse_args()
    library = options.library.resolve()
    os.environ.update(SARRUS_LIBRARY=str(library), SARRUS_CERTIFY="no")
    sys.path.insert(0, str(ROOT / "python"))
    with tempfile.TemporaryDirectory() as folder:
        model, source, loop = (pathlib.Path(folder, name) for name in ("cart.yaml", "loop.c", "loop"))
        model.write_text(MODEL)
        source.write_text(LOOP)
        subprocess.run(["cc", "-std=c17", "-O2", "-I", ROOT / "include", source, library, f"-Wl,-rpath,{library.parent}", "-o", loop], check=True)
        in_c, in_python, ends = [], [], set()
        for _ in range(options.repeat):
            seconds, end = map(float, subprocess.run([loop, model, str(options.steps)], check=True, capture_output=True, text=True).stdout.split())
            in_c.append(seconds), ends.add(end)
            seconds, end = python_loop(model, options.steps)
            in_python.append(seconds), ends.add(end)
    c, python = (1e6 * min(times) / options.steps for times in (in_c, in_python))
    print(f"a step takes {c:.2f} us in C and {python:.2f} us from Python: {python - c:.2f} us more; "
          f"{'the same bits' if len(ends) == 1 else f'other results: {ends}'}")
    return 0 if python - c <= 1 and len(ends) == 1 else 1


if __name__ == "__main__":
    sys.exit(main())
