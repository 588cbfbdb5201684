#include "modes/modes.h"

#include "common/summary.h"

#include <math.h>
#include <string.h>

static const double TAKES_PART = 0.05; ///< of the energy, or of the joint that moves most
enum { NAMES = 3 };                    ///< in a row of the table

const char* modes_verdict(const sar_modes_summary* s)
{
    return s->unstable   ? "unstable"
           : s->marginal ? "marginal"
           : s->zeros    ? "undetermined"
                         : "stable";
}

static const char* about_of(const sar_modes_summary* s)
{
    return s->about == SAR_MODES_EQUILIBRIUM ? "equilibrium"
           : s->about == SAR_MODES_STEADY    ? "steady motion"
                                             : "frozen";
}

/* ---- who takes part ------------------------------------------------------------------------- */

typedef struct part {
    const char* name;
    double size;
} part;

static void insert(part* list, int* count, const char* name, double size)
{
    int at = *count < NAMES ? (*count)++ : NAMES;
    for (; at > 0 && list[at - 1].size < size; at--)
        if (at < NAMES) list[at] = list[at - 1];
    if (at < NAMES) list[at] = (part){name, size};
}

/* The bodies with most energy; their number. */
static int find_bodies(const modes_task* task, int mode, part* list)
{
    const sar_model* model = task->base.file.model;
    int count = 0;
    for (int b = 1; b < sar_model_bodies(model); b++) {
        sar_mode_motion motion;
        if (sar_mode_body(task->modes, mode, (sar_body_id){b}, &motion) == SAR_OK &&
            motion.energy > TAKES_PART)
            insert(list, &count, sar_model_body_name(model, b), motion.energy);
    }
    return count;
}

static void print_bodies(const modes_task* task, int mode)
{
    part list[NAMES + 1];
    const int count = find_bodies(task, mode, list);
    for (int k = 0; k < count; k++)
        printf("%s%s %.0f %%", k ? ", " : "  ", list[k].name, 100.0 * list[k].size);
}

/* ---- text ----------------------------------------------------------------------------------- */

static void print_about(const modes_task* task)
{
    const sar_modes_summary* s = &task->summary;
    cli_print_label(stdout, "about");
    if (s->about == SAR_MODES_EQUILIBRIUM)
        printf("an equilibrium");
    else if (s->about == SAR_MODES_STEADY)
        printf("a steady motion%s", task->moved ? " near the start" : "");
    else
        printf("a state that changes: eigenvalues are of frozen time");
    printf(" at t = %g s; %d degree%s of freedom", s->t, s->freedoms, cli_plural(s->freedoms));
    if (s->positions > s->freedoms) printf(", of positions %d", s->positions);
    if (s->force_states)
        printf(", %d state%s of forces", s->force_states, cli_plural(s->force_states));
    putchar('\n');
    if (!s->singular) return;
    cli_print_label(stdout, "singular");
    printf("%d motions meet in this configuration; each has modes of its own\n", s->singular);
}

static void print_mode(const modes_task* task, int k, const sar_mode* m)
{
    char number[40];
    if (task->summary.singular)
        snprintf(number, sizeof number, "%d, motion %d", k + 1, m->branch + 1);
    else
        snprintf(number, sizeof number, "%d", k + 1);
    cli_print_label(stdout, number);
    printf("%15.8g", m->re);
    if (m->im > 0.0)
        printf(" +- %-15.8gi %10.5g Hz  damping %8.4f", m->im, m->frequency, m->damping);
    else
        printf("    %-16s %13s  %-16s", "", m->re < 0.0 ? "decays" : "grows", "");
    print_bodies(task, k);
    putchar('\n');
}

void modes_print(const void* self)
{
    const modes_task* task = self;
    if (task->scan) {
        modes_print_scan(task);
        return;
    }
    const sar_modes_summary* s = &task->summary;
    const sar_mode* list;
    const int count = sar_modes_list(task->modes, &list);
    cli_inspection_print_verdict(&task->base, modes_verdict(s), s->unstable == 0);
    print_about(task);
    for (int k = 0; k < count; k++) print_mode(task, k, &list[k]);
    if (s->zeros) {
        cli_print_label(stdout, "zero");
        printf("%d eigenvalue%s: positions and rates that nothing holds%s%s\n", s->zeros,
               cli_plural(s->zeros), s->zero_bodies[0] ? ", of " : "", s->zero_bodies);
    }
    cli_inspection_print_warnings(&task->base);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static void json_bodies(const modes_task* task, int mode, cli_json* j)
{
    const sar_model* model = task->base.file.model;
    cli_json_open(j, "bodies", '{');
    for (int b = 1; b < sar_model_bodies(model); b++) {
        sar_mode_motion motion;
        if (sar_mode_body(task->modes, mode, (sar_body_id){b}, &motion) == SAR_OK)
            cli_json_number(j, sar_model_body_name(model, b), motion.energy);
    }
    cli_json_close(j);
}

static void json_joints(const modes_task* task, int mode, cli_json* j)
{
    const sar_model* model = task->base.file.model;
    cli_json_open(j, "joints", '{');
    for (int k = 0; k < sar_model_joints(model); k++) {
        double rotation, displacement;
        if (sar_mode_joint(task->modes, mode, (sar_joint_id){k}, &rotation, &displacement) !=
            SAR_OK)
            continue;
        cli_json_open(j, sar_model_joint_name(model, k), '{');
        cli_json_number(j, "rotation", rotation);
        cli_json_number(j, "displacement", displacement);
        cli_json_close(j);
    }
    cli_json_close(j);
}

static void json_modes(const modes_task* task, cli_json* j)
{
    const sar_mode* list;
    const int count = sar_modes_list(task->modes, &list);
    cli_json_open(j, "modes", '[');
    for (int k = 0; k < count; k++) {
        cli_json_open(j, NULL, '{');
        cli_json_number(j, "re", list[k].re);
        cli_json_number(j, "im", list[k].im);
        cli_json_number(j, "frequency", list[k].frequency);
        cli_json_number(j, "damping", list[k].damping);
        cli_json_integer(j, "stability", list[k].stability);
        if (task->summary.singular) cli_json_integer(j, "branch", list[k].branch);
        json_bodies(task, k, j);
        json_joints(task, k, j);
        cli_json_close(j);
    }
    cli_json_close(j);
}

void modes_json(const void* self, cli_json* j)
{
    const modes_task* task = self;
    const sar_modes_summary* s = &task->summary;
    if (!task->scan) cli_json_text(j, "verdict", task->base.known ? modes_verdict(s) : "failed");
    cli_json_text(j, "coordinates", task->base.options.coordinates);
    if (task->scan) {
        modes_json_scan(task, j);
    } else if (task->base.known) {
        cli_json_text(j, "about", about_of(s));
        cli_json_boolean(j, "found_near_the_start", task->moved);
        cli_json_number(j, "t", s->t);
        cli_json_integer(j, "freedoms", s->freedoms);
        cli_json_integer(j, "positions", s->positions);
        cli_json_integer(j, "force_states", s->force_states);
        cli_json_integer(j, "zeros", s->zeros);
        cli_json_text(j, "zero_bodies", s->zero_bodies);
        cli_json_integer(j, "unstable", s->unstable);
        cli_json_integer(j, "marginal", s->marginal);
        cli_json_boolean(j, "conservative", s->conservative);
        cli_json_integer(j, "motions_that_meet", s->singular);
        json_modes(task, j);
        cli_inspection_json_outputs(&task->base, j);
    }
}
