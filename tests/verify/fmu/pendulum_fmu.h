/* The FMU of a pendulum with a motor, of which much is known. */
#ifndef PENDULUM_FMU_H
#define PENDULUM_FMU_H

#include "fmu_host.h"

static const char PENDULUM[] =
    "sarrus: 1\nname: 1 & pendulum\ndimension: 2\n"
    "parameters: {m: 2, l: 0.5, I: 0.1, c: 0.3, twice: 2*m}\n"
    "inputs: {u: {start: 0, unit: N m}}\n"
    "gravity: [0, -9.81]\n"
    "bodies: {rod: {mass: m, inertia: I, center: [l, 0], position: [0, 0], angle: 0.4}}\n"
    "joints: {O: {type: revolute, between: [ground.origin, rod.origin]}}\n"
    "forces: {motor: {type: motor, joint: O, torque: u - c*v}}\n"
    "outputs: {phi: O.angle, rate: rod.rate, Fx: O.fx, Fy: O.fy}\n"
    "start: {O.angle: 0.4, rod.rate: 1}\n"
    "method: {end: 2, step: 1e-3}\n";
enum { PHI, RATE, FX, FY };
static const double M = 2, L = 0.5, J = 0.1 + 2 * 0.5 * 0.5;

static inline fmu pendulum(const char* method, int version)
{
    return fmu_of_text(PENDULUM, "pendulum.yaml", method, version);
}

static inline double run_2(const fmu* f, fmi2Component c, double t, int steps, double h,
                           uint64_t* digest)
{
    double y[32] = {0};
    for (int k = 0; k < steps; k++, t += h) {
        CHECK_STATUS(f->two.DoStep(c, t, h, 0), fmi2OK);
        fmu_outputs_2(f, c, y);
        for (int i = 0; i < f->outputs; i++) {
            uint64_t bits;
            memcpy(&bits, &y[i], sizeof bits);
            *digest = (*digest ^ bits) * 1099511628211u;
        }
    }
    return t;
}

#endif
