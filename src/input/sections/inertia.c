/* Inertia of a body: about its centre of mass along its axes, or as drawings and programs have it, about
 * another point and along other axes. */
#include "input/reader.h"
#include "math/vec3.h"

static const char INERTIA[] = "[kg m^2]";

static bool is_matrix(const sari_node* node)
{
    return node->kind == SARI_NODE_LIST && node->count == 3 &&
           node->values[0]->kind == SARI_NODE_LIST;
}

/* The tensor in three rows, as other programs and text books write it. */
static void read_inertia_rows(sari_reader* r, const sari_node* node, double out[6])
{
    static const int FIRST[] = {0, 0, 1}, SECOND[] = {1, 2, 2}; // xy, xz, yz
    double I[3][3] = {{0}};
    for (int i = 0; i < 3; i++)
        if (sari_expect_list(r, node->values[i], "a row of inertia", 3))
            sari_read_numbers_in(r, node->values[i], "inertia", 3, INERTIA, I[i]);
    for (int k = 0; k < 3; k++) {
        const int i = FIRST[k], j = SECOND[k];
        if (I[i][j] != I[j][i])
            sari_report(r, node->values[j],
                        "inertia is not symmetric: %.9g in row %d, %.9g in row %d", I[i][j], i + 1,
                        I[j][i], j + 1);
        out[k] = I[k][k];
        out[3 + k] = I[i][j];
    }
}

static void read_tensor(sari_reader* r, const sari_node* node, double out[6])
{
    if (r->dimension == 2) {
        out[2] = sari_read_number_in(r, node, "inertia", INERTIA);
    } else if (is_matrix(node)) {
        read_inertia_rows(r, node, out);
    } else if (node->kind == SARI_NODE_LIST && (node->count == 3 || node->count == 6)) {
        sari_read_numbers_in(r, node, "inertia", node->count, INERTIA, out);
    } else {
        char found[64];
        sari_report(
            r, node,
            "inertia must be [xx, yy, zz], [xx, yy, zz, xy, xz, yz] or three rows of three, "
            "here is %s",
            sari_node_describe(node, found, sizeof found));
    }
}

static const int ROW[] = {0, 1, 2, 0, 0, 1}, COLUMN[] = {0, 1, 2, 1, 2, 2}; // xx yy zz xy xz yz

/* I <- R I R', R from the axes of the tensor to those of the body. */
static void turn_inertia(const double R[9], double I[6])
{
    double T[9], turned[9], transposed[9];
    for (int k = 0; k < 6; k++) T[3 * ROW[k] + COLUMN[k]] = T[3 * COLUMN[k] + ROW[k]] = I[k];
    sari_transpose3(R, transposed);
    sari_multiply3(R, T, turned);
    sari_multiply3(turned, transposed, turned);
    for (int k = 0; k < 6; k++) I[k] = turned[3 * ROW[k] + COLUMN[k]];
}

/* Steiner: I_c = I_p - m (d'd 1 - d d'), d from the centre to the point. */
static void move_inertia(double mass, const double d[3], double I[6])
{
    const double dd = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    for (int k = 0; k < 6; k++) I[k] -= mass * ((k < 3 ? dd : 0.0) - d[ROW[k]] * d[COLUMN[k]]);
}

void sari_read_inertia(sari_reader* r, const sari_element* e, sar_body_def* def)
{
    const sari_node *inertia = sari_node_get(e->map, "inertia"),
                    *about = sari_node_get(e->map, "inertia_about"),
                    *axes = sari_node_get(e->map, "inertia_axes");
    double R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, d[3] = {0};
    if (!inertia && (about || axes)) {
        sari_report(r, sari_node_key(e->map, about ? "inertia_about" : "inertia_axes"),
                    "there is no inertia to which this applies");
        return;
    }
    if (!inertia) return;
    read_tensor(r, inertia, def->inertia);
    if (axes) {
        sari_read_rotation(r, axes, R, NULL);
        turn_inertia(R, def->inertia);
    }
    if (!about) return;
    sari_read_vector_in(r, about, "inertia_about", "[m]", d);
    for (int k = 0; k < 3; k++) d[k] -= def->center[k];
    if (r->dimension == 2)
        def->inertia[2] -= def->mass * (d[0] * d[0] + d[1] * d[1]);
    else
        move_inertia(def->mass, d, def->inertia);
}
