/* What a step of a chain of n bodies costs on p threads: a model with four numbers, fitted to
 * measured steps (docs/scaling.md). */
#ifndef CLI_COST_H
#define CLI_COST_H

typedef struct cli_cost_point {
    double bodies, threads;
    double us; ///< time of a step, measured
} cli_cost_point;

typedef struct cli_cost {
    double fixed;  ///< per step [us]
    double alone;  ///< per step and body, done by one thread [us]
    double shared; ///< per step and body, divided among the threads [us]
    double meet;  ///< per step for each doubling of the threads: beginning and ending together [us]
    int threaded; ///< some point has several threads; else `shared` is all work, `meet` unknown
    int points;   ///< that it was fitted to
    double worst; ///< largest relative distance of a point from the model
} cli_cost;

/// 1, or 0 with too few points: two numbers of bodies are needed.
int cli_cost_fit(const cli_cost_point* points, int count, cli_cost* cost);
double cli_cost_us(const cli_cost* cost, double bodies, double threads); ///< of a step
/// Time on one thread by that on `threads`.
double cli_cost_speedup(const cli_cost* cost, double bodies, double threads);

#endif
