/* A pendulum in a hundred lengths, all of them at once. */
#include <sarrus/sarrus.h>

#include <stdio.h>

enum { COUNT = 100 };

static sar_model* pendulum_of(double length)
{
    sar_model* m = sar_model_create("pendulum", 2);
    sar_model_set_gravity(m, (double[3]){0, -9.81, 0});
    sar_body_def bob = sar_body_def_default();
    bob.name = "bob", bob.mass = 1, bob.center[0] = length;
    bob.has_position = bob.has_rotation = 1;
    sar_body_id b;
    sar_model_add_body(m, &bob, &b, NULL);
    sar_joint_def pin = sar_joint_def_default();
    pin.name = "pin", pin.b.body = b;
    sar_model_add_joint(m, &pin, NULL, NULL);
    sar_model_add_output(m, "angle", "pin.angle", NULL);
    return m;
}

int main(void)
{
    sar_model* models[COUNT];
    sar_simulation* runs[COUNT];
    double angle[COUNT];
    sar_options o = sar_options_default();
    sar_options_set(&o, "preset", "ALi3p", NULL);
    sar_options_set(&o, "step", "1e-3", NULL);
    for (int k = 0; k < COUNT; k++) {
        models[k] = pendulum_of(0.5 + 0.01 * k);
        if (sar_simulation_create(models[k], &o, &runs[k], NULL) != SAR_OK) return 1;
        if (sar_simulation_assemble(runs[k], NULL) != SAR_OK) return 1;
    }
    sar_batch* batch;
    if (sar_batch_create(runs, COUNT, 0, &batch, NULL) != SAR_OK) return 1;
    sar_batch_run(batch, 2.5); // all of them, to t = 2.5 s
    for (int k = 0; k < COUNT; k++)
        if (sar_batch_at(batch, k)->status == SAR_OK) sar_simulation_outputs(runs[k], &angle[k]);
    printf("%ld steps; from %.6f to %.6f rad\n", sar_batch_steps(batch), angle[0],
           angle[COUNT - 1]);
    sar_batch_destroy(batch);
    for (int k = 0; k < COUNT; k++) {
        sar_simulation_destroy(runs[k]);
        sar_model_destroy(models[k]);
    }
    return 0;
}
