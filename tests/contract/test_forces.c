/* Applied forces as every coordinate type sees them: K = -dQ/dq and C = -dQ/dv of each force by
 * itself, and v'Q = power - dV/dt, against differences at random configurations. Q also holds the
 * inertial forces of the coordinates, which K and C leave out by contract: they are subtracted, as
 * the Q of the same model without forces. */
#include "neck_fixture.h"
#include "system/forces/forces.h"

enum { PLACES = 3 };

/* ---- models that use everything ------------------------------------------------------------- */

/* All coefficients that are not zero, so that none is left out; sizes are those of the models. */
#define MAGIC                                                                                      \
    "    coefficients: {UNLOADED_RADIUS: 60, VERTICAL_STIFFNESS: 20, VERTICAL_DAMPING: 0.1,\n"     \
    "      FNOMIN: 900, LONGVL: 40, VXLOW: 30, BREFF: 7, DREFF: 0.25, FREFF: 0.01,\n"              \
    "      PCX1: 1.56, PDX1: 1.09, PDX2: -0.08, PDX3: 0.1, PEX1: 0.27, PEX2: 0.1, PEX3: 0.07,\n"   \
    "      PEX4: 0.1, PKX1: 1.9, PKX2: 0.09, PKX3: 0.12, PHX1: -0.002, PHX2: 0.0002, PVX1: 0.1,\n" \
    "      PVX2: 0.03, RBX1: 1.4, RBX2: -1.05, RCX1: 1.13, REX1: 0.62, REX2: -0.004, RHX1: "       \
    "0.002,\n"                                                                                     \
    "      PCY1: 1.47, PDY1: 0.94, PDY2: -0.18, PDY3: -0.7, PEY1: 0.004, PEY2: 0.001, PEY3: "      \
    "4.1,\n"                                                                                       \
    "      PEY4: 6.6, PKY1: -1.25, PKY2: 1.39, PKY3: 0.2, PHY1: 0.0025, PHY2: 0.0038,\n"           \
    "      PHY3: 0.038, PVY1: 0.03, PVY2: -0.002, PVY3: -0.38, PVY4: -0.03, RBY1: 0.55,\n"         \
    "      RBY2: 0.28, RBY3: 0.087, RCY1: 1.08, REY1: 0.056, REY2: -0.002, RHY1: -0.003,\n"        \
    "      RHY2: -0.001, RVY1: 0.008, RVY2: -0.1, RVY3: 0.17, RVY4: 0.3, RVY5: 1.9, RVY6: 0.4,\n"  \
    "      QBZ1: 0.93, QBZ2: -0.26, QBZ3: -0.09, QBZ4: -0.16, QBZ5: -0.36, QBZ9: 1.4, QBZ10: "     \
    "0.1,\n"                                                                                       \
    "      QCZ1: 1.1, QDZ1: 0.14, QDZ2: -0.006, QDZ3: -0.43, QDZ4: -0.8, QDZ6: -0.007,\n"          \
    "      QDZ7: 0.002, QDZ8: -0.17, QDZ9: -0.03, QEZ1: -2.9, QEZ2: -0.9, QEZ4: 0.33,\n"           \
    "      QEZ5: -1.9, QHZ1: 0.002, QHZ2: 0.003, QHZ3: 0.15, QHZ4: -0.035, SSZ1: 0.026,\n"         \
    "      SSZ2: -0.013, SSZ3: 0.39, SSZ4: -0.16, PTX1: 1.9, PTX2: -0.001, PTX3: 0.036,\n"         \
    "      PTY1: 1.85, PTY2: 1.95, QSX1: 0.1, QSX2: 0.2, QSX3: 0.3, QSY1: 0.01, QSY2: 0.02,\n"     \
    "      QSY3: 0.03, QSY4: 0.001}\n"

#pragma GCC diagnostic ignored "-Woverlength-strings" // models are long texts

static const char* const SPATIAL =
    "sarrus: 1\n"
    "name: every force in space\n"
    "dimension: 3\n"
    "gravity: [1, -9.81, 2]\n"
    "ground: {points: {G: [0.3, -1, 0.4]}}\n"
    "bodies:\n"
    "  one:\n"
    "    mass: 2\n"
    "    center: [0.2, -0.1, 0.3]\n"
    "    inertia: [2, 3, 4, 0.3, -0.2, 0.1]\n"
    "    points: {A: [0.5, 0.2, -0.4], B: [-0.3, 0.6, 0.1]}\n"
    "    position: [0.1, 0.2, 0.3]\n"
    "    rotation: {rpy: [0.3, -0.5, 0.7]}\n"
    "  two:\n"
    "    mass: 3\n"
    "    center: [-0.2, 0.4, 0.1]\n"
    "    inertia: [3, 4, 5, -0.3, 0.1, 0.4]\n"
    "    points: {A: [0.6, -0.2, 0.3], B: [0.1, 0.5, -0.4]}\n"
    "    position: [1.5, -0.4, 0.8]\n"
    "    rotation: {rpy: [-0.4, 0.2, 1.1]}\n"
    "joints:\n"
    "  slide: {type: cylindrical, between: [one.A, two.B], axis: [one.x, two.z], normal: [one.y, "
    "two.x]}\n"
    "  pin: {type: revolute, between: [ground.G, one.B], axis: [ground.z, one.y], normal: "
    "[ground.x, one.z]}\n"
    "  rod: {type: distance, between: [one.B, two.A], distance: 1.2}\n"
    "forces:\n"
    "  conservative: {type: potential, energy: one.A.x*two.A.y - 30/(50 + one.A.z^2), factor: 2}\n"
    "  push: {type: force, acts_on: one.A, force: [3*sin(t), 2, -4]}\n"
    "  follower: {type: force, acts_on: two.B, force: [5, -2, 1 + t], axes: body}\n"
    "  inner: {type: force, acts_on: one.A, force: [1, 2, 3], reaction: two}\n"
    "  inner_follower: {type: force, acts_on: two.A, force: [2, -1, 4], axes: body, reaction: "
    "one}\n"
    "  couple: {type: torque, acts_on: one, torque: [1, -2, 3]}\n"
    "  couple_follower: {type: torque, acts_on: two, torque: [2, 3, -1], axes: body, reaction: "
    "one}\n"
    "  field:\n"
    "    type: force\n"
    "    acts_on: one.A\n"
    "    force: [two.A.x*one.A.vy, slide.angle^2 - pin.rate, sin(slide.displacement) + "
    "rod.speed*rod.distance]\n"
    "  field_follower:\n"
    "    type: force\n"
    "    acts_on: two.A\n"
    "    force: [one.A.vz^2, two.B.y, slide.rate*slide.speed]\n"
    "    axes: body\n"
    "    reaction: one\n"
    "  servo: {type: torque, acts_on: two, torque: [-pin.angle, -3*slide.rate, t*two.center.vx], "
    "reaction: one}\n"
    "  coil: {type: spring, between: [one.A, two.A], stiffness: 30, damping: 4, length: 0.5}\n"
    "  ground_coil: {type: spring, between: [ground.G, two.B], stiffness: 11, damping: 2, length: "
    "1}\n"
    "  cubic: {type: spring, between: [one.B, two.B], force: 4*x^3 + 2*v*abs(v) - x*v*t}\n"
    "  clever: {type: spring, between: [one.B, two.A], force: x*slide.angle + v*pin.rate^2 + "
    "one.A.vx}\n"
    "  steps: {type: spring, between: [one.A, two.B], length: 0.3, table: [[-1, -4], [0, 0], [0.5, "
    "3], [2, 20]]}\n"
    "  torsion: {type: rotational-spring, joint: slide, stiffness: 7, damping: 3, angle: 0.2}\n"
    "  torsion_law: {type: rotational-spring, joint: pin, torque: sin(x) + v^3 + "
    "one.B.z*slide.speed}\n"
    "  soft: {type: bushing, between: [one.A, two.A], axis: [one.z, two.x], normal: [one.x, "
    "two.y],\n"
    "         K: [[9, 1, 2, 0.1, 0.2, 0.3], [1, 8, 3, 0.4, 0.5, 0.6], [2, 3, 7, 0.7, 0.8, 0.9],\n"
    "             [0.1, 0.4, 0.7, 6, 1, 2], [0.2, 0.5, 0.8, 1, 5, 3], [0.3, 0.6, 0.9, 2, 3, 4]],\n"
    "         C: [[2, 1, 0, 0, 0.3, 0], [0, 2, 1, 0, 0, 0], [0, 0, 2, 1, 0, 0],\n"
    "             [0, 0, 0, 2, 1, 0.5], [0, 0.7, 0, 0, 2, 1], [1, 0, 0, 0, 0, 2]]}\n"
    "  soft_ground: {type: bushing, between: [ground.G, two.B], axis: [ground.x, two.x],\n"
    "                normal: [ground.y, two.y], K: [5, 6, 7, 8, 9, 10], C: [1, 2, 3, 1, 2, 3]}\n"
    "  wheel: {type: tyre, acts_on: one.A, radius: 40, stiffness: 20}\n"
    "  wheel_damped: {type: tyre, acts_on: two.A, radius: 60, stiffness: 20, damping: 0.1, up: y,\n"
    "                 road: sin(x) + 0.2*cos(2*x)*t, along: 2*x*t + sin(x) + 5*t}\n"
    "  wheel_normal: {type: tyre, acts_on: two.B, radius: 60, stiffness: 20, damping: 0.1, up: x,\n"
    "                 forward: z, road: bumps(x) + 0.1*x^2, along: x + 3*t, normal: yes}\n"
    "  stop: {type: stop, joint: slide, coordinate: displacement, lower: 50, upper: 60, stiffness: "
    "3,\n"
    "         exponent: 1.5, damping: 0.01}\n"
    "  stop_angle: {type: stop, joint: pin, upper: -50, stiffness: 2, damping: 0.01}\n"
    "  rub: {type: friction, joint: slide, coordinate: displacement, level: 3, speed: 5, viscous: "
    "2}\n"
    "  bearing: {type: friction, joint: pin, coefficient: 0.4, radius: 2, preload: 9, speed: 3}\n"
    "  lagged: {type: friction, joint: pin, coefficient: 0.4, radius: 2, preload: reaction, speed: "
    "3}\n"
    "  by_reaction: {type: actuator, between: [one.A, two.A], force: pin.fx@two*x - "
    "slide.tz*one.A.vx*v}\n"
    "  by_two: {type: force, acts_on: one.A, force: [pin.fy*two.A.x, 3, slide.fz*one.A.vz]}\n"
    "  series: {type: maxwell, between: [one.A, two.A], stiffness: 30, damping: 4}\n"
    "tables: {bumps: {x: [-9, -4, -1, 0, 1, 2, 5, 9], y: [0, 1, 0, 1, 2, 1, 0, 1],\n"
    "                 interpolation: cubic, outside: extend}}\n";

static const char* const SLIPPING =
    "sarrus: 1\n"
    "name: slip\n"
    "dimension: 3\n"
    "bodies:\n"
    "  one: {mass: 2, inertia: [0.7, 0.9, 0.8],\n"
    "        points: {A: [0.5, 0.2, -0.4]}, position: [0.1, 0.2, 0.3], rotation: {rpy: [0, 0, "
    "0]}}\n"
    "  two: {mass: 3, inertia: [1.1, 0.9, 0.8], points: {B: [0.1, 0.5, -0.6]},\n"
    "        position: [1.5, -0.4, 0.2], rotation: {rpy: [0.3, 0.2, 0.1]}}\n"
    "joints:\n"
    "  pin: {type: revolute, between: [one.A, two.B], axis: [0, 0, 1]}\n"
    "forces:\n"
    "  slips:\n"
    "    type: magic-tyre\n"
    "    acts_on: one.A\n"
    "    road: 0.3*sin(x) + 0.2*cos(x + 2*y)*t\n" MAGIC "  slips_later:\n"
    "    type: magic-tyre\n"
    "    acts_on: two.B\n"
    "    axis: [0.3, 1, -0.2]\n"
    "    up: y\n"
    "    side: right\n"
    "    relaxation: yes\n"
    "    road: 0.1*x - 0.2*y\n" MAGIC;

static const char* const DRIVEN =
    "sarrus: 1\n"
    "name: driven\n"
    "dimension: 3\n"
    "bodies:\n"
    "  one: {mass: 2, inertia: [2, 3, 4, 0.3, -0.2, 0.1], points: {A: [0.5, 0.2, -0.4], B: [-0.3, "
    "0.6, 0.1]},\n"
    "        position: [0.1, 0.2, 0.3], rotation: {rpy: [0.3, -0.5, 0.7]}}\n"
    "  two: {mass: 3, inertia: [3, 4, 5], points: {A: [0.6, -0.2, 0.3], B: [0.1, 0.5, -0.4]},\n"
    "        position: [1.5, -0.4, 0.8], rotation: {rpy: [-0.4, 0.2, 1.1]}}\n"
    "joints:\n"
    "  slide: {type: cylindrical, between: [one.A, two.B], axis: [one.x, two.z], normal: [one.y, "
    "two.x]}\n"
    "forces:\n"
    "  ram: {type: actuator, between: [one.B, two.A], force: 3*x^2 - 2*v + slide.rate*t}\n"
    "  ram_joint: {type: actuator, joint: slide, force: sin(x) + v^2 + one.A.vx}\n"
    "  motor: {type: motor, joint: slide, torque: x^3 - v}\n"
    "  pull: {type: attraction, between: [one.A, two.B], strength: 3}\n"
    "  wind: {type: drag, acts_on: two.A, linear: 2, quadratic: 3}\n"
    "  floor: {type: contact, between: [one.A, two.B], axis: [one.x, two.z], radius: 60, "
    "stiffness: "
    "3,\n"
    "          damping: 0.01, friction: 0.4, speed: 3}\n"
    "  balls: {type: contact, between: [one.B, two.A], radius: 60, other_radius: 50, stiffness: "
    "2,\n"
    "          exponent: 2, damping: 0.01, friction: 0.7, speed: 2}\n"
    "  roller: {type: contact, between: [ground.origin, two.A], axis: [ground.y, two.x], radius: "
    "60,\n"
    "           length: 3, stiffness: 2, exponent: 1, friction: 0.5, speed: 1}\n"
    "  float: {type: buoyancy, acts_on: two.B, radius: 60, weight: 0.01, level: 3, up: x}\n";

#define FULL_K                                                                                     \
    "K: [[9, 1, 2, 0.1, 0.2, 0.3], [1, 8, 3, 0.4, 0.5, 0.6], [2, 3, 7, 0.7, 0.8, 0.9],\n"          \
    "    [0.1, 0.4, 0.7, 6, 1, 2], [0.2, 0.5, 0.8, 1, 5, 3], [0.3, 0.6, 0.9, 2, 3, 4]]"
#define FULL_C                                                                                     \
    "C: [[2, 1, 0, 0, 0.3, 0], [0, 2, 1, 0, 0, 0], [0, 0, 2, 1, 0, 0],\n"                          \
    "    [0, 0, 0, 2, 1, 0.5], [0, 0.7, 0, 0, 2, 1], [1, 0, 0, 0, 0, 2]]"

/// Bushings in all frames, cables, shafts, clutches and belts.
static const char* const COMPLIANT =
    "sarrus: 1\n"
    "name: compliant\n"
    "dimension: 3\n"
    "ground: {points: {G: [0.3, -1, 0.4], H: [1, 1, 0]}}\n"
    "bodies:\n"
    "  one: {mass: 2, inertia: [2, 3, 4, 0.3, -0.2, 0.1], points: {A: [0.5, 0.2, -0.4], B: [-0.3, "
    "0.6, 0.1]},\n"
    "        position: [0.1, 0.2, 0.3], rotation: {rpy: [0.3, -0.5, 0.7]}}\n"
    "  two: {mass: 3, inertia: [3, 4, 5], points: {A: [0.6, -0.2, 0.3], B: [0.1, 0.5, -0.4]},\n"
    "        position: [1.5, -0.4, 0.8], rotation: {rpy: [-0.4, 0.2, 1.1]}}\n"
    "joints:\n"
    "  slide: {type: cylindrical, between: [one.A, two.B], axis: [one.x, two.z], normal: [one.y, "
    "two.x]}\n"
    "  pin: {type: revolute, between: [ground.G, one.B], axis: [ground.z, one.y]}\n"
    "forces:\n"
    "  of_a: {type: large-bushing, frame: a, between: [one.A, two.A], axis: [one.z, two.x], "
    "normal: "
    "[one.x, two.y],\n    " FULL_K ",\n    " FULL_C "}\n"
    "  of_b: {type: large-bushing, frame: b, between: [one.A, two.A], axis: [one.z, two.x], "
    "normal: "
    "[one.x, two.y],\n    " FULL_K ",\n    " FULL_C "}\n"
    "  middle: {type: large-bushing, between: [one.A, two.A], axis: [one.z, two.x], normal: "
    "[one.x, "
    "two.y],\n    " FULL_K ",\n    " FULL_C "}\n"
    "  ground_middle: {type: large-bushing, between: [ground.G, two.B], K: [5, 6, 7, 8, 9, 10]}\n"
    "  laws: {type: large-bushing, between: [one.B, two.A], force: [3*x^3 + v, 2*v^3*t, "
    "bumps(x)],\n"
    "         torque: [sin(x) + v, x*v, 2*x^3]}\n"
    "  shaft: {type: shaft, joints: [slide, pin], ratio: -3, stiffness: 5, damping: 2, twist: "
    "0.3,\n"
    "          torque: x^3 - v*t}\n"
    "  play: {type: shaft, joints: [slide, pin], stiffness: 5, play: 0.3}\n"
    "  clutch: {type: clutch, joints: [slide, pin], capacity: 4 + t + 0.1*v, speed: 3}\n"
    "  belt: {type: elastic-belt, joints: [slide, pin], radii: [0.3, 0.7], stiffness: 40, damping: "
    "2, tension: 300}\n"
    "  slack_belt: {type: elastic-belt, joints: [slide, pin], radii: [0.3, 0.7], crossed: yes,\n"
    "               stiffness: 40, damping: 0.2, tension: 0.1}\n"
    "  cable: {type: elastic-cable, over: [ground.G, one.A, ground.H, ground.G, two.A, one.B], "
    "length: 0.1,\n"
    "          stiffness: 20, damping: 0.05}\n"
    "  hills: {type: contact, between: [one.A, two.B], axis: [one.x, two.z], normal: [one.z, "
    "two.x], "
    "radius: 60,\n"
    "          surface: 0.3*sin(0.02*x)*cos(0.03*y) + 1e-3*x*y, stiffness: 3, damping: 0.01, "
    "friction: 0.4,\n"
    "          speed: 3}\n"
    "tables: {bumps: {x: [-9, -4, -1, 0, 1, 2, 5, 9], y: [0, 1, 0, 1, 2, 1, 0, 1],\n"
    "                 interpolation: cubic, outside: extend}}\n";

static const char* const COMPLIANT_IN_PLANE =
    "sarrus: 1\n"
    "name: compliant in the plane\n"
    "dimension: 2\n"
    "ground: {points: {G: [0.3, -1]}}\n"
    "bodies:\n"
    "  one: {mass: 2, center: [0.2, -0.1], inertia: 0.7, points: {A: [0.5, 0.2], B: [-0.3, 0.6]},\n"
    "        position: [0.1, 0.2], angle: 0.4}\n"
    "  two: {mass: 3, center: [-0.2, 0.4], inertia: 1.1, points: {A: [0.6, -0.2], B: [0.1, 0.5]},\n"
    "        position: [1.5, -0.4], angle: -0.9}\n"
    "joints:\n"
    "  wheel: {type: revolute, between: [one.A, two.B]}\n"
    "  pin: {type: revolute, between: [ground.G, one.B]}\n"
    "  spins: {type: rotor, inertia: 0.3, carrier: one.A}\n"
    "forces:\n"
    "  of_a: {type: large-bushing, frame: a, between: [one.A, two.A], axis: [one.x, two.y],\n"
    "         K: [[9, 1, 2], [1, 8, 3], [2, 3, 7]], C: [[2, 1, 0], [0.4, 2, 1], [1, 0.3, 2]]}\n"
    "  of_b: {type: large-bushing, frame: b, between: [one.A, two.A], axis: [one.x, two.y],\n"
    "         K: [[9, 1, 2], [1, 8, 3], [2, 3, 7]], C: [[2, 1, 0], [0.4, 2, 1], [1, 0.3, 2]]}\n"
    "  middle: {type: large-bushing, between: [one.A, two.A], axis: [one.x, two.y],\n"
    "         K: [[9, 1, 2], [1, 8, 3], [2, 3, 7]], C: [[2, 1, 0], [0.4, 2, 1], [1, 0.3, 2]]}\n"
    "  laws: {type: large-bushing, between: [ground.G, two.A], force: [3*x^3 + v, 2*v^3*t], "
    "torque: "
    "sin(x) + v}\n"
    "  shaft: {type: shaft, joints: [spins, wheel], ratio: 4, stiffness: 5, damping: 2}\n"
    "  belt: {type: elastic-belt, joints: [wheel, pin], radii: [0.3, 0.7], stiffness: 40, damping: "
    "2, tension: 300}\n"
    "  cable: {type: elastic-cable, over: [ground.G, one.A, two.A], length: 0.1, stiffness: 20}\n"
    "  hills: {type: contact, between: [ground.G, two.A], axis: [ground.y, two.x], radius: 60, "
    "surface: sin(0.02*x),\n"
    "          stiffness: 3, damping: 0.01, friction: 0.4, speed: 3}\n";

static const char* const PLANAR =
    "sarrus: 1\n"
    "name: every force in the plane\n"
    "dimension: 2\n"
    "gravity: [1, -9.81]\n"
    "ground: {points: {G: [0.3, -1]}}\n"
    "bodies:\n"
    "  one: {mass: 2, center: [0.2, -0.1], inertia: 0.7, points: {A: [0.5, 0.2], B: [-0.3, 0.6]},\n"
    "        position: [0.1, 0.2], angle: 0.4}\n"
    "  two: {mass: 3, center: [-0.2, 0.4], inertia: 1.1, points: {A: [0.6, -0.2], B: [0.1, 0.5]},\n"
    "        position: [1.5, -0.4], angle: -0.9}\n"
    "joints:\n"
    "  slide: {type: prismatic, between: [one.A, two.B], axis: [one.x, two.y]}\n"
    "  pin: {type: revolute, between: [ground.G, one.B]}\n"
    "  rod: {type: distance, between: [one.B, two.A], distance: 1.2}\n"
    "forces:\n"
    "  conservative: {type: potential, energy: one.A.x*two.A.y - 30/(50 + two.A.x^2), factor: 2}\n"
    "  push: {type: force, acts_on: one.A, force: [3*sin(t), 2]}\n"
    "  follower: {type: force, acts_on: two.B, force: [5, -2 - t], axes: body}\n"
    "  inner: {type: force, acts_on: one.A, force: [1, 2], reaction: two}\n"
    "  inner_follower: {type: force, acts_on: two.A, force: [2, -1], axes: body, reaction: one}\n"
    "  couple: {type: torque, acts_on: one, torque: 3}\n"
    "  couple_follower: {type: torque, acts_on: two, torque: 2*t, axes: body, reaction: one}\n"
    "  field:\n"
    "    type: force\n"
    "    acts_on: one.A\n"
    "    force: [two.A.x*one.A.vy + pin.angle^2, sin(slide.displacement) - pin.rate*rod.distance]\n"
    "  field_follower:\n"
    "    type: force\n"
    "    acts_on: two.A\n"
    "    force: [one.A.vx^2, two.B.y*slide.speed]\n"
    "    axes: body\n"
    "    reaction: one\n"
    "  servo: {type: torque, acts_on: two, torque: -pin.angle - 3*two.rate*one.angle, reaction: "
    "one}\n"
    "  coil: {type: spring, between: [one.A, two.A], stiffness: 30, damping: 4, length: 0.5}\n"
    "  ground_coil: {type: spring, between: [ground.G, two.B], stiffness: 11, damping: 2, length: "
    "1}\n"
    "  cubic: {type: spring, between: [one.B, two.B], force: 4*x^3 + 2*v*abs(v) - x*v*t}\n"
    "  clever: {type: spring, between: [one.B, two.A], force: x*pin.angle + v*pin.rate^2 + "
    "one.A.vx}\n"
    "  steps: {type: spring, between: [one.A, two.B], length: 0.3, table: [[-1, -4], [0, 0], [0.5, "
    "3], [2, 20]]}\n"
    "  torsion: {type: rotational-spring, joint: pin, stiffness: 7, damping: 3, angle: 0.2}\n"
    "  torsion_law: {type: rotational-spring, joint: pin, torque: sin(x) + v^3 + "
    "one.B.y*slide.speed}\n"
    "  soft: {type: bushing, between: [one.A, two.A], axis: [one.x, two.y],\n"
    "         K: [[9, 1, 2], [1, 8, 3], [2, 3, 7]], C: [[2, 1, 0], [0.4, 2, 1], [1, 0.3, 2]]}\n"
    "  soft_ground: {type: bushing, between: [ground.G, two.B], K: [5, 6, 7], C: [1, 2, 3]}\n"
    "  wheel: {type: tyre, acts_on: two.B, radius: 60, stiffness: 20, damping: 0.1, normal: yes,\n"
    "          road: sin(x) + 0.3*cos(x)*t, along: 2*x + 0.1*x^2*t}\n"
    "  wheel_plain: {type: tyre, acts_on: one.B, radius: 60, stiffness: 20, damping: 0.1, road: "
    "sin(x)}\n"
    "  wheel_aside: {type: tyre, acts_on: one.A, radius: 60, stiffness: 20, up: x, road: cos(x - "
    "t)}\n"
    "  stop: {type: stop, joint: slide, lower: 50, stiffness: 3, damping: 0.01}\n"
    "  stop_angle: {type: stop, joint: pin, upper: -50, stiffness: 2, exponent: 1.5, damping: "
    "0.01}\n"
    "  rub: {type: friction, joint: slide, coefficient: 0.4, preload: 9, speed: 3, viscous: 2}\n"
    "  bearing: {type: friction, joint: pin, level: 3, speed: 5}\n"
    "  lagged: {type: friction, joint: slide, coefficient: 0.4, preload: reaction, speed: 3}\n"
    "  series: {type: maxwell, between: [one.A, two.A], stiffness: 30, damping: 4}\n"
    "  series_ground: {type: maxwell, between: [ground.G, two.B], stiffness: 20, damping: 9}\n"
    "  ram: {type: actuator, between: [one.B, two.A], force: 3*x^2 - 2*v + one.rate*t}\n"
    "  ram_joint: {type: actuator, joint: slide, force: sin(x) + v^2 + one.A.vx}\n"
    "  motor: {type: motor, joint: pin, torque: x^3 - v}\n"
    "  pull: {type: attraction, between: [one.A, two.B], strength: 3}\n"
    "  wind: {type: drag, acts_on: two.A, linear: 2, quadratic: 3}\n"
    "  floor: {type: contact, between: [one.A, two.B], axis: [one.x, two.y], radius: 60, "
    "stiffness: "
    "3,\n"
    "          damping: 0.01, friction: 0.4, speed: 3}\n"
    "  balls: {type: contact, between: [ground.G, two.A], radius: 60, other_radius: 50, stiffness: "
    "2,\n"
    "          exponent: 2, friction: 0.7, speed: 2}\n"
    "  float: {type: buoyancy, acts_on: two.B, radius: 60, weight: 0.01}\n";

/// A controller and a filter: states that depend on the motion, on each other and on themselves, and
/// forces of every kind that use them.
static const char* const CONTROLLED =
    "sarrus: 1\n"
    "name: control\n"
    "dimension: 3\n"
    "ground: {points: {G: [0.3, -0.4, 0.2]}}\n"
    "bodies:\n"
    "  one: {mass: 2, inertia: [0.7, 0.9, 0.8], points: {A: [0.5, 0.2, -0.4]},\n"
    "        position: [0.1, 0.2, 0.3], rotation: {rpy: [0, 0, 0]}}\n"
    "  two: {mass: 3, inertia: [1.1, 0.9, 0.8], points: {B: [0.1, 0.5, -0.6]},\n"
    "        position: [1.5, -0.4, 0.2], rotation: {rpy: [0.3, 0.2, 0.1]}}\n"
    "joints:\n"
    "  pin: {type: revolute, between: [one.A, two.B], axis: [0, 0, 1]}\n"
    "states:\n"
    "  lag: {rate: (pin.angle - lag)/0.3 + spring.speed*t, start: 0.2}\n"
    "  sum: lag*one.A.vx - sin(sum) + two.B.z^2\n"
    "  apart: {rate: 3 - apart^3, scale: 200}\n"
    "forces:\n"
    "  spring: {type: spring, between: [ground.G, two.B], force: 2*x*lag + v*sum^2}\n"
    "  motor: {type: motor, joint: pin, torque: 3*sum - lag*x}\n"
    "  push: {type: force, acts_on: one.A, force: [lag, sum*two.B.vy, 1], reaction: two}\n"
    "  twist: {type: torque, acts_on: two, torque: [0, lag*sum, apart]}\n"
    "  series: {type: maxwell, between: [ground.G, one.A], stiffness: 30, damping: 4}\n";

/// Forces by orientations, angular velocities and components along the axes of bodies.
static const char* const TURNING =
    "sarrus: 1\n"
    "name: turning\n"
    "dimension: 3\n"
    "bodies:\n"
    "  one: {mass: 2, inertia: [0.7, 0.9, 0.8], points: {A: [0.5, 0.2, -0.4]},\n"
    "        position: [0.1, 0.2, 0.3], rotation: {rpy: [0.2, 0.5, -0.4]}}\n"
    "  two: {mass: 3, inertia: [1.1, 0.9, 0.8], points: {B: [0.1, 0.5, -0.6], D: [0.7, 0, 0.2]},\n"
    "        axes: {u: [0.6, 0, 0.8]}, position: [1.5, -0.4, 0.2], rotation: {rpy: [0.6, 0.8, "
    "0.9]}}\n"
    "frames:\n"
    "  f: {body: one, position: [0.3, -0.2, 0.1], rotation: {sequence: zxz, angles: [0.3, 0.7, "
    "-0.4]}}\n"
    "  g: {position: [1, 2, 3], rotation: {sequence: yxz, angles: [0.2, -0.5, 1.1]}}\n"
    "  h: {body: two, position: D, rotation: {rpy: [0.1, 0.2, 0.3]}}\n"
    "joints:\n"
    "  ball: {type: spherical, between: [one.A, two.B]}\n"
    "forces:\n"
    "  jet: {type: force, acts_on: h, force: [1, two.D.x@f, two.D.vy@f], axes: f, reaction: one}\n"
    "  jet_of_ground: {type: torque, acts_on: two, torque: [two.wx@h, two.D.vz@g, two.D.y@g], "
    "axes: "
    "g}\n"
    "  seen: {type: rotational-spring, along: h.yaw@f + h.ry@g*h.xyz2, stiffness: 3, damping: 2}\n"
    "  air: {type: torque, acts_on: two, torque: [-two.wx, two.wy*one.wz, two.yaw*two.wz]}\n"
    "  own: {type: torque, acts_on: two, axes: body, torque: [-two.wx@two, two.wy@two^2, "
    "ball.zxz2]}\n"
    "  angles: {type: torque, acts_on: one, torque: [ball.yaw*ball.pitch, ball.roll_rate, "
    "ball.xyz1*ball.xzx3_rate], reaction: two}\n"
    "  slip: {type: force, acts_on: two.D, force: [two.D.vx@two^2, one.A.vy@two, two.D.z@one]}\n"
    "  aim: {type: force, acts_on: one.A, force: [two.u.x*two.u.y, two.u.vz, ball.pitch_rate]}\n"
    "  yaw: {type: rotational-spring, along: ball.yaw, stiffness: 7, damping: 3, angle: 0.2*t^2,\n"
    "        torque: x^3 + v*ball.pitch}\n"
    "  vector: {type: rotational-spring, along: ball.ry, stiffness: 5, damping: 2}\n"
    "  in_world: {type: motor, along: two.rx, torque: x^2 - v + two.rz_rate}\n"
    "  cable: {type: spring, along: 'hypot(hypot(two.D.x - 0.2, two.D.y), two.D.z) + "
    "hypot(hypot(one.A.x - two.D.x, one.A.y - two.D.y), one.A.z - two.D.z)', stiffness: 4, "
    "damping: 3,\n"
    "        length: 0.5}\n"
    "  mixed: {type: actuator, along: two.D.x*sin(ball.roll) + ball.zxz2*one.A.z@two, force: 3*x - "
    "v}\n"
    "  rubs: {type: friction, along: ball.rx + 2*ball.rz, level: 3, speed: 5, viscous: 2}\n"
    "  ends: {type: stop, along: ball.yaw + two.D.y, lower: 50, stiffness: 2, exponent: 1.5, "
    "damping: 0.01}\n";

static const char* const TURNING_IN_PLANE =
    "sarrus: 1\n"
    "name: turning\n"
    "dimension: 2\n"
    "bodies:\n"
    "  one: {mass: 2, inertia: 0.7, points: {A: [0.5, 0.2]}, position: [0.1, 0.2], angle: 0.3}\n"
    "  two: {mass: 3, inertia: 1.1, points: {B: [0.1, 0.5]}, axes: {u: [0.6, 0.8]},\n"
    "        position: [1.5, -0.4], angle: -0.7}\n"
    "frames: {f: {body: one, position: A, angle: 0.4}, g: {position: [1, 2], angle: -0.8}}\n"
    "joints:\n"
    "  pin: {type: revolute, between: [one.A, two.origin]}\n"
    "forces:\n"
    "  jet: {type: force, acts_on: two.B, force: [two.B.x@f, two.B.vy@g], axes: f}\n"
    "  seen: {type: rotational-spring, along: two.angle@f*f.angle, stiffness: 3, damping: 2}\n"
    "  slip: {type: force, acts_on: two.B, force: [two.B.vx@two^2, one.A.vy@two + two.B.x@one]}\n"
    "  aim: {type: force, acts_on: one.A, force: [two.u.x*two.u.y, two.u.vy]}\n"
    "  area: {type: spring, along: 'one.A.x*two.B.y - sin(pin.angle)', stiffness: 3, damping: 2}\n"
    "  angle: {type: motor, along: two.angle - one.angle^2, torque: x - 2*v}\n";

/* ---- one force at a time -------------------------------------------------------------------- */

static int force_count(const sar_model* model)
{
    int count = 0;
    for (int type = 0; type < SARI_FORCE_TYPES; type++)
        count += sari_force_is_state(sari_force_types[type]) ? 0 : model->forces[type].count;
    return count;
}

/* A view of the model with its k-th force alone, its states, and without gravity. */
static sar_model only_force(const sar_model* model, int k, const char** name)
{
    sar_model one = without_forces(model);
    int type = 0;
    for (int s = 0; s < SARI_FORCE_TYPES; s++)
        if (sari_force_is_state(sari_force_types[s])) one.forces[s] = model->forces[s];
    for (; k >= model->forces[type].count; type++) k -= model->forces[type].count;
    one.forces[type] = (sari_force_list){model->forces[type].at + k, 1, 1};
    *name = one.forces[type].at->name;
    return one;
}

/* ---- tangents ------------------------------------------------------------------------------- */

static sari_system*
    bare_system; ///< same model and coordinates, no forces: its Q is the inertial part

/* States of forces are the last numbers: the bare system has those before. */
static void subtract_inertial(place* p, double t, const double* q, const double* v, double* out)
{
    sari_equations_eval(&bare_system->equations, SARI_EVAL_FORCE, t, q, v);
    for (int i = 0; i < p->n; i++)
        out[i] = p->sys->Q[i] - (i < bare_system->nq ? bare_system->Q[i] : 0.0);
}

/* The applied forces in Q. */
static void applied(place* p, double t, const double* q, const double* v, double* out)
{
    sari_equations_eval(&p->sys->equations, SARI_EVAL_FORCE, t, q, v);
    subtract_inertial(p, t, q, v, out);
}

/* Where a law bends sharply the error of the differences counts, and is 16 times less with half
 * the step. */
static void check_slope(place* p, const char* what, int by_v, const double* got, double* wanted)
{
    const double tolerance = 5e-8;
    const int n = p->n;
    if (!are_same(n * n, got, wanted, tolerance, 1.0)) {
        difference_step *= 0.5;
        jacobian_of(applied, p, by_v, n, wanted);
        difference_step *= 2.0;
    }
    check_same(p, what, n, n, got, wanted, tolerance, 1.0);
}

static void check_tangent(place* p)
{
    int n = p->n;
    double *by_q = vector(n * n), *by_v = vector(n * n), *Q = vector(n), *both = vector(n);
    applied(p, p->t, p->q, p->v, Q);
    jacobian_of(applied, p, 0, n, by_q);
    jacobian_of(applied, p, 1, n, by_v);
    sari_equations_eval(&p->sys->equations, SARI_EVAL_TANGENT, p->t, p->q, p->v);
    subtract_inertial(p, p->t, p->q, p->v, both);
    // forces of a thousand, rounded at 1e-13, that cancel in places
    check_same(p, "Q with and without tangents", n, 1, both, Q, 1e-12, 1.0);
    double *K = dense_csr(&p->sys->K), *C = dense_csr(&p->sys->C);
    for (int i = 0; i < n * n; i++) K[i] = -K[i], C[i] = -C[i];
    check_slope(p, "-K = dQ/dq", 0, K, by_q);
    check_slope(p, "-C = dQ/dv", 1, C, by_v);
    free(by_q), free(by_v), free(Q), free(both), free(K), free(C);
}

/* Does a law change its branch within reach of the differences? Then these mean nothing. */
static int has_kink_near(place* p)
{
    const double reach = 5e-4;
    const int entries = p->sys->K.p[p->n];
    double *q = vector(p->sys->np), *d = vector(p->n), *K = vector(entries);
    int kink = 0;
    for (int k = 0; k < 2 * p->n && !kink; k++) {
        d[k / 2] = k % 2 ? reach : -reach;
        sari_coordinates_move(&p->sys->coordinates, p->q, d, q);
        sari_equations_eval(&p->sys->equations, SARI_EVAL_TANGENT, p->t, q, p->v);
        if (k % 2 == 0) memcpy(K, p->sys->K.x, (size_t)entries * sizeof *K);
        double scale = largest_of(K, entries);
        for (int i = 0; k % 2 && i < entries; i++)
            kink |= fabs(p->sys->K.x[i] - K[i]) > 0.1 * scale;
        if (k % 2) d[k / 2] = 0.0;
    }
    free(q), free(d), free(K);
    return kink;
}

/* ---- power ---------------------------------------------------------------------------------- */

static void potential(place* p, double t, const double* q, const double* v, double* out)
{
    *out = sari_system_potential_energy(p->sys, t, q, v);
}

/* v'Q = power - dV/dt for what is applied; states of forces change with their rates, and have no
 * work. */
static void check_power(place* p)
{
    double *Q = vector(p->n), *rate = vector(p->n), *none = vector(p->m), dV, power;
    applied(p, p->t, p->q, p->v, Q);
    const int motion = p->n - p->sys->states;
    memcpy(rate + motion, Q + motion, (size_t)p->sys->states * sizeof *rate);
    slope_of(potential, p, 1.0, p->v, rate, 1, &dV);
    power = sari_system_power(p->sys, p->t, p->q, p->v, none, NULL);
    double got = dot(p->v, Q, motion), wanted = power - dV;
    check_same(p, "v'Q = power - dV/dt", 1, 1, &got, &wanted, 1e-7, 1.0 + fabs(power) + fabs(dV));
    free(Q), free(rate), free(none);
}

/* Forces that ask for the reaction of their joint act as if it were this. */
static double some_force(const void* self, int joint)
{
    (void)self;
    return 7.0 + joint;
}

static double some_signal(const void* self, const sari_signal* signal)
{
    (void)self;
    return 7.0 + signal->component;
}

static const sari_reaction_source SOME = {some_force, some_signal, "some"};

static void check_forces(const sar_model* view, const char* name, const sari_coordinates_ops* ops)
{
    sar_model bare = without_forces(view);
    sar_error error = {0};
    place p = place_create(view, ops);
    if (name) {
        size_t used = strlen(p.label);
        snprintf(p.label + used, sizeof p.label - used, ", %s", name);
    }
    if (sari_system_create(&bare, ops, &bare_system, &error) != SAR_OK)
        fail_msg("%s: %s", p.label, error.message);
    CHECK(bare_system->nq == p.n - p.sys->states);
    sari_forces_take_reactions(p.sys, &SOME);
    for (int i = 0; i < places_of(view, PLACES); i++) {
        int tries = 0;
        do place_anywhere(&p);
        while (has_kink_near(&p) && ++tries < 20);
        check_tangent(&p);
        check_power(&p);
    }
    sari_system_destroy(bare_system);
    place_clear(&p);
}

static void check_model(const sar_model* model)
{
    for (int c = 0; sari_coordinates_types[c]; c++) {
        check_forces(model, NULL, sari_coordinates_types[c]); // all together, with gravity
        if (places_of(model, PLACES) < PLACES) continue;      // a large one: so much for it
        for (int k = 0; k < force_count(model); k++) {
            const char* name;
            sar_model one = only_force(model, k, &name);
            check_forces(&one, name, sari_coordinates_types[c]);
        }
    }
}

/* A force that does nothing would pass everything above. Each body by itself: other types build
 * joints in, which may leave a force no motion to act on. */
static void check_none_is_idle(const sar_model* model)
{
    for (int k = 0; k < force_count(model); k++) {
        const char* name;
        sar_model one = only_force(model, k, &name);
        place p = place_create(&one, &sari_coordinates_cartesian);
        sar_model bare = without_forces(model);
        CHECK_STATUS(sari_system_create(&bare, &sari_coordinates_cartesian, &bare_system, NULL),
                     SAR_OK);
        double* Q = vector(p.n);
        sari_forces_take_reactions(p.sys, &SOME);
        place_anywhere(&p);
        applied(&p, p.t, p.q, p.v, Q);
        if (!(largest_of(Q, p.n) > 1e-3)) fail_msg("%s: \"%s\" applies nothing", p.label, name);
        free(Q);
        sari_system_destroy(bare_system);
        place_clear(&p);
    }
}

static void forces_in_space(void** state)
{
    (void)state;
    sar_model* model = parse_model(SPATIAL);
    check_none_is_idle(model);
    check_model(model);
    sar_model_destroy(model);
}

static void forces_of_tyres_that_slip(void** state)
{
    (void)state;
    sar_model* model = parse_model(SLIPPING);
    check_none_is_idle(model);
    check_model(model);
    sar_model_destroy(model);
}

static void forces_that_use_states(void** state)
{
    (void)state;
    sar_model* model = parse_model(CONTROLLED);
    check_none_is_idle(model);
    check_model(model);
    sar_model_destroy(model);
}

static void forces_by_orientations(void** state)
{
    (void)state;
    const char* const texts[] = {TURNING, TURNING_IN_PLANE};
    for (int k = 0; k < 2; k++) {
        sar_model* model = parse_model(texts[k]);
        check_none_is_idle(model);
        check_model(model);
        sar_model_destroy(model);
    }
}

static void forces_of_drives(void** state)
{
    (void)state;
    sar_model* model = parse_model(DRIVEN);
    check_none_is_idle(model);
    check_model(model);
    sar_model_destroy(model);
}

static void forces_of_compliant_parts(void** state)
{
    (void)state;
    const char* const texts[] = {COMPLIANT, COMPLIANT_IN_PLANE};
    for (int k = 0; k < 2; k++) {
        sar_model* model = parse_model(texts[k]);
        check_none_is_idle(model);
        check_model(model);
        sar_model_destroy(model);
    }
}

static void forces_in_the_plane(void** state)
{
    (void)state;
    sar_model* model = parse_model(PLANAR);
    check_none_is_idle(model);
    check_model(model);
    sar_model_destroy(model);
}

static void every_model_of_the_tree(void** state)
{
    (void)state;
    char(*path)[MODEL_PATH];
    int n = list_models(&path);
    for (int i = 0; i < n; i++) {
        sar_model* model = load_model(path[i], NULL);
        check_model(model);
        sar_model_destroy(model);
    }
    free(path);
}

/* A force at a point, by hand: a unit force along x at one.A has the moment (A - centre) x F about
 * the centre. */
static void a_force_has_the_moment_of_its_arm(void** state)
{
    (void)state;
    sar_model* model =
        parse_model("sarrus: 1\nname: arm\ndimension: 2\n"
                    "bodies:\n"
                    "  plate: {mass: 1, inertia: 1, center: [1, 0], points: {A: [1, 2]},\n"
                    "          position: [0, 0], angle: pi/2}\n"
                    "forces:\n"
                    "  pull: {type: force, acts_on: plate.A, force: [3, 4]}\n"
                    "  follow: {type: force, acts_on: plate.A, force: [10, 0], axes: body}\n");
    place p = place_create(model, &sari_coordinates_cartesian);
    sari_equations_eval(&p.sys->equations, SARI_EVAL_FORCE, 0.0, p.sys->coordinates.q0, p.v);
    // the arm (0, 2) turns to (-2, 0); the follower force to (0, 10)
    CHECK_NEAR(p.sys->Q[0], 3.0, 1e-12);
    CHECK_NEAR(p.sys->Q[1], 14.0, 1e-12);
    CHECK_NEAR(p.sys->Q[2], -2.0 * 14.0, 1e-12);
    place_clear(&p);
    sar_model_destroy(model);
}

/* ---- power of loads on rigid bodies, by hand ------------------------------------------------ */

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* Body two turns by a right angle about z: (x, y, z) of the body is (-y, x, z) in world. */
static const char* const LOADED =
    "sarrus: 1\n"
    "name: loaded\n"
    "dimension: 3\n"
    "bodies:\n"
    "  one: {mass: 1, center: [0.3, -0.2, 0.5], inertia: [1, 1, 1], points: {A: [1, 2, 3]},\n"
    "        position: [0.5, -1, 2], rotation: {quaternion: [1, 0, 0, 0]}, velocity: [1, 2, 3],\n"
    "        angular_velocity: [0.5, -0.7, 0.9]}\n"
    "  two: {mass: 1, center: [-0.4, 0.1, 0.2], inertia: [1, 1, 1], points: {B: [2, 1, -1]},\n"
    "        position: [3, 1, -2], rotation: {axis: [0, 0, 1], angle: pi/2}, velocity: [-2, 1, "
    "0.5],\n"
    "        angular_velocity: [1.1, 0.3, -0.6]}\n"
    "forces:\n"
    "  force: {type: force, acts_on: one.A, force: [4, -5, 6]}\n"
    "  torque: {type: torque, acts_on: one, torque: [4, -5, 6]}\n"
    "  body_force: {type: force, acts_on: two.B, force: [4, -5, 6], axes: body}\n"
    "  body_torque: {type: torque, acts_on: two, torque: [4, -5, 6], axes: body}\n"
    "  inner_force: {type: force, acts_on: one.A, force: [4, -5, 6], reaction: two}\n"
    "  inner_torque: {type: torque, acts_on: one, torque: [4, -5, 6], reaction: two}\n";

static void the_power_of_loads_is_force_times_velocity(void** state)
{
    (void)state;
    sar_model* model = parse_model(LOADED);
    const double F[3] = {4, -5, 6}, turned[3] = {5, 4, 6}; // in body axes of two
    const double w1[3] = {0.5, -0.7, 0.9}, w2[3] = {1.1, 0.3, -0.6};
    double vA[3], vB[3], v2A[3];
    cross(w1, (double[3]){1, 2, 3}, vA);
    cross(w2, (double[3]){-1, 2, -1}, vB);
    cross(w2, (double[3]){0.5 + 1 - 3, -1 + 2 - 1, 2 + 3 + 2}, v2A); // two, where A is
    for (int k = 0; k < 3; k++) {
        vA[k] += (double[3]){1, 2, 3}[k];
        vB[k] += (double[3]){-2, 1, 0.5}[k];
        v2A[k] += (double[3]){-2, 1, 0.5}[k];
    }
    const double wanted[6] = {dot(F, vA, 3),
                              dot(F, w1, 3),
                              dot(turned, vB, 3),
                              dot(turned, w2, 3),
                              dot(F, vA, 3) - dot(F, v2A, 3),
                              dot(F, w1, 3) - dot(F, w2, 3)};
    CHECK(force_count(model) == 6);
    for (int c = 0; sari_coordinates_types[c]; c++)
        for (int k = 0; k < 6; k++) {
            const char* name;
            sar_model one = only_force(model, k, &name);
            place p = place_create(&one, sari_coordinates_types[c]);
            const sari_coordinates* at = &p.sys->coordinates;
            double power = sari_system_power(p.sys, 0.0, at->q0, at->v0, p.lambda, NULL);
            check_same(&p, name, 1, 1, &power, &wanted[k], 1e-12, 1.0);
            place_clear(&p);
        }
    sar_model_destroy(model);
}

/* A bushing and a spring in known positions: body two is drawn displaced by (0.1, 0.2) and turned
 * by 0.3. */
static void springs_and_bushings_have_their_energy(void** state)
{
    (void)state;
    sar_model* model = parse_model(
        "sarrus: 1\nname: soft\ndimension: 2\n"
        "bodies: {plate: {mass: 1, inertia: 1, position: [0.3, 0.4], angle: 0.3}}\n"
        "forces:\n"
        "  coil: {type: spring, between: [ground.origin, plate.origin], stiffness: 8, length: "
        "0.3}\n"
        "  steps: {type: spring, between: [ground.origin, plate.origin], length: 0.1,\n"
        "          table: [[-1, -1], [0.2, 2], [1, 4]]}\n"
        "  soft: {type: bushing, between: [ground.origin, plate.origin], K: [20, 30, 0]}\n");
    // length 0.5: 1/2 8 0.2^2; table: line through (-1, -1), (0.2, 2) to 0.2, then slope 2.5, from
    // 0 to 0.4
    const double at_zero = 1.5, table = 0.5 * (at_zero + 2.0) * 0.2 + 0.5 * (2.0 + 2.5) * 0.2;
    const double wanted[3] = {0.16, table, 0.5 * 20 * 0.09 + 0.5 * 30 * 0.16};
    for (int c = 0; sari_coordinates_types[c]; c++)
        for (int k = 0; k < 3; k++) {
            const char* name;
            sar_model one = only_force(model, k, &name);
            place p = place_create(&one, sari_coordinates_types[c]);
            double V = sari_system_potential_energy(p.sys, 0.0, p.sys->coordinates.q0,
                                                    p.sys->coordinates.v0);
            check_same(&p, name, 1, 1, &V, &wanted[k], 1e-12, 1.0);
            place_clear(&p);
        }
    sar_model_destroy(model);
}

/* What an evaluation was asked for and has no value, or no slope, at t = 0 and angle 0. */
static const struct {
    const char* text;
    unsigned fine, undefined;
    const char* what; ///< named in `undefined`; NULL: nothing
} WITHOUT_VALUE[] = {
    {"forces: {push: {type: torque, acts_on: arm, torque: 1/t}}\n", SARI_EVAL_MASS, SARI_EVAL_FORCE,
     "force"},
    {"forces: {push: {type: torque, acts_on: arm, torque: sqrt(A.angle)}}\n", SARI_EVAL_FORCE,
     SARI_EVAL_TANGENT, "force"},
    {"drives: {turn: {joint: A, value: log(t)}}\n", SARI_EVAL_MASS, SARI_EVAL_PHI, "drive"},
    {"drives: {turn: {joint: A, value: t^1.5}}\n", SARI_EVAL_JACOBIAN | SARI_EVAL_PHI_T,
     SARI_EVAL_BIAS, "drive"},
    {"constraints: {pace: {velocity: A.rate - 1/t}}\n", SARI_EVAL_MASS, SARI_EVAL_PHI_T, NULL},
};

static void what_has_no_value_is_said_by_the_evaluation(void** state)
{
    (void)state;
    char text[600];
    for (size_t k = 0; k < sizeof WITHOUT_VALUE / sizeof *WITHOUT_VALUE; k++) {
        snprintf(text, sizeof text,
                 "sarrus: 1\nname: arm\ndimension: 2\n"
                 "bodies: {arm: {mass: 1, inertia: 1, center: [1, 0]}}\n"
                 "joints: {A: {type: revolute, between: [ground, arm]}}\n%s",
                 WITHOUT_VALUE[k].text);
        sar_model* model = parse_model(text);
        for (int c = 0; sari_coordinates_types[c]; c++) {
            place p = place_create(model, sari_coordinates_types[c]);
            sari_equations* e = &p.sys->equations;
            const double* q = p.sys->coordinates.q0;
            CHECK_STATUS(sari_equations_eval(e, WITHOUT_VALUE[k].fine, 0.0, q, p.v), SAR_OK);
            e->undefined.what = NULL; // a drive says more than it was asked for
            CHECK_STATUS(sari_equations_eval(e, WITHOUT_VALUE[k].undefined, 0.0, q, p.v),
                         SAR_R_NOT_FINITE);
            if (WITHOUT_VALUE[k].what) CHECK_TEXT(e->undefined.what, WITHOUT_VALUE[k].what);
            place_clear(&p);
        }
        sar_model_destroy(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_in_space),
        cmocka_unit_test(forces_of_tyres_that_slip),
        cmocka_unit_test(forces_that_use_states),
        cmocka_unit_test(forces_by_orientations),
        cmocka_unit_test(forces_of_drives),
        cmocka_unit_test(forces_in_the_plane),
        cmocka_unit_test(every_model_of_the_tree),
        cmocka_unit_test(a_force_has_the_moment_of_its_arm),
        cmocka_unit_test(the_power_of_loads_is_force_times_velocity),
        cmocka_unit_test(springs_and_bushings_have_their_energy),
        cmocka_unit_test(what_has_no_value_is_said_by_the_evaluation),
        // last: places before are as they were
        cmocka_unit_test(forces_of_compliant_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
