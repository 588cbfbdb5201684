#include "check/uniqueness.h"

#include "common/summary.h"
#include "common/text.h"

#include <stdio.h>

enum { MOST = 8 }; ///< joints in the report

static const char* const SPATIAL[] = {"normal", "across", "axis"};
static const char* const WORLD[] = {"x", "y", "z"};

/* Are its axes those of the world? */
static const char* const* words_of(const sar_uniqueness* u)
{
    for (int k = 0; k < 9; k++)
        if (u->axes[k] != (k % 4 == 0 ? 1.0 : 0.0)) return SPATIAL;
    return WORLD;
}

static void print_components(const char* what, const int unique[3], const char* const* words,
                             int* before)
{
    int said = 0;
    for (int k = 0; k < 3; k++) {
        if (unique[k]) continue;
        if (!said) printf("%s%s along ", *before ? "; " : "", what);
        printf("%s%s", said ? ", " : "", words[k]);
        said = *before = 1;
    }
}

void cli_uniqueness_print(const sar_model* model, const sar_self_stress* stress)
{
    int reported = 0;
    for (int k = 0; k < sar_model_joints(model) && reported < MOST; k++) {
        sar_uniqueness u;
        int before = 0;
        if (sar_self_stress_uniqueness(stress, (sar_joint_id){k}, &u) != SAR_OK || !u.directions)
            continue;
        cli_print_label(stdout, reported++ ? "" : "not unique");
        printf("%s: ", sar_model_joint_name(model, k));
        print_components("force", u.force, words_of(&u), &before);
        print_components("torque", u.torque, words_of(&u), &before);
        putchar('\n');
    }
}

static void json_flags(cli_json* j, const char* key, const int unique[3])
{
    cli_json_open(j, key, '[');
    for (int k = 0; k < 3; k++) cli_json_boolean(j, NULL, unique[k]);
    cli_json_close(j);
}

void cli_uniqueness_json(const sar_model* model, const sar_self_stress* stress, cli_json* j)
{
    cli_json_integer(j, "self_stresses", sar_self_stress_count(stress));
    cli_json_open(j, "unique_reactions", '{');
    for (int k = 0; k < sar_model_joints(model); k++) {
        sar_uniqueness u;
        if (sar_self_stress_uniqueness(stress, (sar_joint_id){k}, &u) != SAR_OK) continue;
        cli_json_open(j, sar_model_joint_name(model, k), '{');
        json_flags(j, "force", u.force);
        json_flags(j, "torque", u.torque);
        cli_json_integer(j, "directions_not_unique", u.directions);
        cli_json_numbers(j, "axes", u.axes, 9);
        cli_json_close(j);
    }
    cli_json_close(j);
}
