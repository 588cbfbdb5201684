/* The spanning tree of relative coordinates for the public interface. */
#include "coordinates/tree.h"
#include "simulation/simulation.h"

static sar_tree_motion motion_of(sari_joint_motion motion)
{
    return motion == SARI_TURN    ? SAR_TREE_TURN
           : motion == SARI_SLIDE ? SAR_TREE_SLIDE
                                  : SAR_TREE_BALL;
}

static int rows_of(const sari_system* sys, int joint)
{
    int rows = 0;
    for (int r = 0; r < sys->nc; r++) rows += sys->row_joint[r] == joint;
    return rows;
}

static sar_tree_joint in_tree(const sari_system* sys, const sari_tree_joint* j)
{
    const sari_tree* t = sys->coordinates.tree;
    sar_tree_joint out = {
        .joint = j->joint, .parent = j->parent, .body = j->child, .motions = j->count};
    for (int i = 0; i < j->count; i++) out.motion[i] = motion_of(t->node[j->first + i].motion);
    if (j->joint >= 0) out.rows = rows_of(sys, j->joint);
    return out;
}

static int is_in_tree(const sari_tree* t, int joint)
{
    for (int k = 0; k < t->joints; k++)
        if (t->joint[k].joint == joint) return 1;
    return 0;
}

int sar_simulation_tree(const sar_simulation* s, sar_tree_joint* list, int most)
{
    const sari_system* sys = s->system;
    const sari_tree* t = sys->coordinates.tree;
    int n = 0;
    if (!t) return 0;
    for (int k = 0; k < t->joints; k++, n++)
        if (n < most) list[n] = in_tree(sys, &t->joint[k]);
    for (int j = 0; j < s->model->joints_count; j++) {
        const int rows = is_in_tree(t, j) ? 0 : rows_of(sys, j);
        if (rows == 0) continue;
        if (n < most) list[n] = (sar_tree_joint){j, -1, -1, .rows = rows};
        n++;
    }
    return n;
}
