/* A pendulum through the C interface: build the model, run it, look at the energy and at the pin's
 * reaction.
 *
 *     cc pendulum.c $(pkg-config --cflags --libs sarrus) -o pendulum && ./pendulum
 *
 * Ends with 1 if something went wrong. */
#include <sarrus/sarrus.h>

#include <stdio.h>

/* Print what `error` says, if a call did not answer SAR_OK. */
static int failed(sar_status status, const sar_error* error)
{
    if (status != SAR_OK) fprintf(stderr, "%s: %s\n", sar_status_text(status), error->message);
    return status != SAR_OK;
}

/* A rod of 1 m and 1 kg, drawn to the right, on a pin at the origin. */
static int describe(sar_model* model, sar_body_id* rod, sar_joint_id* pin, sar_error* error)
{
    sar_body_def body = sar_body_def_default();
    body.name = "rod";
    body.mass = 1.0;
    body.center[0] = 0.5;
    body.inertia[2] = 1.0 / 12;
    body.has_position = body.has_rotation = 1;
    if (failed(sar_model_add_body(model, &body, rod, error), error)) return 1;

    sar_joint_def joint = sar_joint_def_default(); // revolute; `a` is the ground's origin
    joint.name = "pin";
    joint.b.body = *rod;
    return failed(sar_model_add_joint(model, &joint, pin, error), error);
}

static int run(const sar_model* model, sar_body_id rod, sar_joint_id pin, sar_error* error)
{
    sar_options options = sar_options_default();
    if (failed(sar_options_set(&options, "step", "0.001", error), error)) return 1;
    if (failed(sar_options_set(&options, "end", "2", error), error)) return 1;

    sar_simulation* simulation;
    if (failed(sar_simulation_create(model, &options, &simulation, error), error)) return 1;
    sar_status status = sar_simulation_assemble(simulation, NULL);
    for (long k = 0; status == SAR_OK && !sar_simulation_done(simulation); k++) {
        status = sar_simulation_advance(simulation);
        if (k % 400 != 399) continue;
        double r[3], quaternion[4], force[3], torque[3];
        sar_simulation_pose(simulation, rod, r, quaternion);
        sar_simulation_reaction(simulation, pin, force, torque);
        printf("t = %.1f s   angle %7.3f rad   pin (%7.3f, %7.3f) N\n",
               sar_simulation_time(simulation), 2 * atan2(quaternion[3], quaternion[0]), force[0],
               force[1]);
    }
    if (status != SAR_OK) fprintf(stderr, "%s\n", sar_simulation_failure(simulation));
    printf("energy drift %.1e J\n", sar_simulation_statistics(simulation).energy_max_drift);
    sar_simulation_destroy(simulation);
    return status != SAR_OK;
}

int main(void)
{
    sar_error error;
    sar_body_id rod;
    sar_joint_id pin;
    sar_model* model = sar_model_create("pendulum", 2);
    if (!model) return 1;
    sar_model_set_gravity(model, (double[3]){0, -9.81, 0});
    int wrong = describe(model, &rod, &pin, &error) || run(model, rod, pin, &error);
    sar_model_destroy(model);
    return wrong;
}
