#include "check/tree_report.h"

#include "common/summary.h"
#include "common/text.h"

#include <stdlib.h>
#include <string.h>

enum { SHOWN = 20 }; ///< lines of each kind

typedef enum kind { TREE, CUT, RELATION, KINDS } kind;

static const char* const labels[KINDS] = {"tree", "cut", "relations"};

/// Couplings and drives have no ends, and were never candidates for the tree.
static kind kind_of(const sar_model* model, const sar_tree_joint* j)
{
    sar_end a, b;
    if (j->body >= 0) return TREE;
    return sar_model_joint_ends(model, j->joint, &a, &b) ? CUT : RELATION;
}

static const char* name_of(const sar_model* model, const sar_tree_joint* j)
{
    return j->joint < 0 ? "-" : sar_model_joint_name(model, j->joint);
}

static void bodies_of(const sar_model* model, const sar_tree_joint* j, int* from, int* to)
{
    sar_end a = {0}, b = {0};
    *from = j->parent, *to = j->body;
    if (j->body >= 0) return;
    sar_model_joint_ends(model, j->joint, &a, &b);
    *from = a.body.i, *to = b.body.i;
}

static const char* motion_word(sar_tree_motion motion)
{
    return motion == SAR_TREE_TURN ? "turn" : motion == SAR_TREE_SLIDE ? "slide" : "ball";
}

static int coordinates_of(const sar_tree_joint* j)
{
    int n = 0;
    for (int k = 0; k < j->motions; k++) n += j->motion[k] == SAR_TREE_BALL ? 3 : 1;
    return n;
}

/// To be freed.
static sar_tree_joint* find(const sar_simulation* simulation, int* count)
{
    *count = sar_simulation_tree(simulation, NULL, 0);
    sar_tree_joint* list = cli_allocate((size_t)*count, sizeof *list);
    sar_simulation_tree(simulation, list, *count);
    return list;
}

/* ---- for people ----------------------------------------------------------------------------- */

/// Columns that the names and the bodies of what is shown need.
typedef struct widths {
    int name, from, to;
} widths;

static void widen(int* width, const char* text)
{
    int length = (int)strlen(text);
    if (length > *width) *width = length;
}

static widths measure(const sar_model* model, const sar_tree_joint* list, int count)
{
    widths w = {0};
    int shown[KINDS] = {0}, from, to;
    for (int k = 0; k < count; k++) {
        kind what = kind_of(model, &list[k]);
        if (shown[what]++ >= SHOWN) continue;
        widen(&w.name, name_of(model, &list[k]));
        if (what == RELATION) continue;
        bodies_of(model, &list[k], &from, &to);
        widen(&w.from, sar_model_body_name(model, from));
        widen(&w.to, sar_model_body_name(model, to));
    }
    return w;
}

static void print_rows(FILE* out, int rows)
{
    fprintf(out, "%d constraint%s", rows, cli_plural(rows));
}

static void print_joint(const sar_model* model, const sar_tree_joint* j, widths w, FILE* out)
{
    int from, to, n = coordinates_of(j);
    kind what = kind_of(model, j);
    fprintf(out, "%-*s  ", w.name, name_of(model, j));
    if (what != RELATION) {
        bodies_of(model, j, &from, &to);
        fprintf(out, "%-*s %s %-*s  ", w.from, sar_model_body_name(model, from),
                what == TREE ? "->" : "--", w.to, sar_model_body_name(model, to));
    }
    if (what == TREE) {
        fprintf(out, "%d coordinate%s %s", n, n == 1 ? ": " : "s:",
                j->joint < 0 ? "floats freely, "
                : n == 0     ? "fixed"
                             : "");
        for (int k = 0; k < j->motions; k++)
            fprintf(out, "%s%s", k ? ", " : "", motion_word(j->motion[k]));
        if (j->rows) fputs("; ", out);
    }
    if (what != TREE || j->rows) print_rows(out, j->rows);
    fputc('\n', out);
}

void cli_tree_print(const sar_model* model, const sar_simulation* simulation, FILE* out)
{
    int count;
    sar_tree_joint* list = find(simulation, &count);
    widths w = measure(model, list, count);
    for (kind what = TREE; what < KINDS; what++) {
        int shown = 0;
        for (int k = 0; k < count; k++) {
            if (kind_of(model, &list[k]) != what || shown++ >= SHOWN) continue;
            cli_print_label(out, shown == 1 ? labels[what] : "");
            print_joint(model, &list[k], w, out);
        }
        if (shown <= SHOWN) continue;
        cli_print_label(out, "");
        fprintf(out, "and %d more; --json lists all of them\n", shown - SHOWN);
    }
    free(list);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static void json_joint(const sar_model* model, const sar_tree_joint* joint, cli_json* j)
{
    int from, to;
    kind what = kind_of(model, joint);
    cli_json_open(j, NULL, '{');
    cli_json_text(j, "joint", joint->joint < 0 ? NULL : name_of(model, joint));
    if (what != RELATION) {
        bodies_of(model, joint, &from, &to);
        cli_json_text(j, what == TREE ? "parent" : "from", sar_model_body_name(model, from));
        cli_json_text(j, what == TREE ? "body" : "to", sar_model_body_name(model, to));
    }
    if (what == TREE) {
        cli_json_open(j, "motions", '[');
        for (int k = 0; k < joint->motions; k++)
            cli_json_text(j, NULL, motion_word(joint->motion[k]));
        cli_json_close(j);
        cli_json_integer(j, "coordinates", coordinates_of(joint));
    }
    cli_json_integer(j, "constraints", joint->rows);
    cli_json_close(j);
}

void cli_tree_json(const sar_model* model, const sar_simulation* simulation, cli_json* j)
{
    static const char* const keys[KINDS] = {"joints", "cut", "relations"};
    int count;
    sar_tree_joint* list = find(simulation, &count);
    if (count > 0) {
        cli_json_open(j, "tree", '{');
        for (kind what = TREE; what < KINDS; what++) {
            cli_json_open(j, keys[what], '[');
            for (int k = 0; k < count; k++)
                if (kind_of(model, &list[k]) == what) json_joint(model, &list[k], j);
            cli_json_close(j);
        }
        cli_json_close(j);
    }
    free(list);
}
