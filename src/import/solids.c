/* Volume, centre and inertia of shapes, for formats whose links have their masses from them.
 *
 * Inertia is that at density one, about the centre. A mesh is the sum of tetrahedra from the origin to its triangles,
 *
 *     V = sum det(a, b, c)/6,   V g = sum det/24 (a + b + c),   J = sum det/120 (s s' + aa' + bb' + cc'),  s = a + b + c
 *
 * with J the second moment, so that I = tr(J) 1 - J. */
#include "base/memory.h"
#include "import/importer.h"
#include "input/files.h"
#include "input/mesh_file.h"
#include "math/vec3.h"

#include <string.h>
#include <strings.h>

static const double PI = 3.14159265358979323846;

static void set(double I[6], double xx, double yy, double zz)
{
    const double diagonal[6] = {xx, yy, zz, 0, 0, 0};
    memcpy(I, diagonal, sizeof diagonal);
}

static double capsule(double r, double length, double I[6])
{
    const double cylinder = PI * r * r * length, ball = 4 * PI / 3 * r * r * r;
    const double across = cylinder * (r * r / 4 + length * length / 12) +
                          ball * (2 * r * r / 5 + length * length / 4 + 3 * length * r / 8);
    set(I, across, across, cylinder * r * r / 2 + ball * 2 * r * r / 5);
    return cylinder + ball;
}

/// Sums over triangles.
typedef struct moments {
    double six_volumes, first[3], second[9];
} moments;

static void add_triangle(moments* m, const double a[3], const double b[3], const double c[3])
{
    double across[3], s[3];
    sari_cross(b, c, across);
    const double det = sari_dot(a, across);
    for (int k = 0; k < 3; k++) s[k] = a[k] + b[k] + c[k];
    m->six_volumes += det;
    for (int k = 0; k < 3; k++) m->first[k] += det / 24 * s[k];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            m->second[3 * i + j] +=
                det / 120 * (s[i] * s[j] + a[i] * a[j] + b[i] * b[j] + c[i] * c[j]);
}

static bool mesh_moments(const char* path, const double scale[3], moments* sum)
{
    size_t length;
    const char* why;
    sari_mesh mesh = {0};
    const char* dot = strrchr(path, '.');
    char* text = sari_read_file(path, &length, &why);
    const bool good =
        text && sari_mesh_read(&mesh, text, length, dot && strcasecmp(dot, ".obj") == 0);
    for (int k = 0; good && k < mesh.points; k++)
        for (int i = 0; i < 3; i++) mesh.point[k][i] *= scale[i];
    for (int k = 0; good && k < mesh.triangles; k++)
        add_triangle(sum, mesh.point[mesh.triangle[k][0]], mesh.point[mesh.triangle[k][1]],
                     mesh.point[mesh.triangle[k][2]]);
    sari_mesh_clear(&mesh);
    sari_release(text);
    return good;
}

static bool mesh(const char* path, const double scale[3], double* volume, double center[3],
                 double I[6])
{
    moments m = {0};
    if (!path || !mesh_moments(path, scale, &m) || m.six_volumes == 0.0) return false;
    const double sign = m.six_volumes < 0 ? -1 : 1, V = sign * m.six_volumes / 6;
    double J[9];
    for (int k = 0; k < 3; k++) center[k] = sign * m.first[k] / V;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            J[3 * i + j] = sign * m.second[3 * i + j] - V * center[i] * center[j];
    const double trace = J[0] + J[4] + J[8];
    const double full[6] = {trace - J[0], trace - J[4], trace - J[8], -J[1], -J[2], -J[5]};
    memcpy(I, full, sizeof full);
    *volume = V;
    return trace > 0.0;
}

bool sari_import_solid(sari_importer* im, const sari_robot_shape* shape, const char* path,
                       double* volume, double center[3], double I[6])
{
    const double* s = shape->size;
    const double r = s[0];
    (void)im;
    center[0] = center[1] = center[2] = 0.0;
    *volume = 0.0;
    switch (shape->kind) {
    case SARI_ROBOT_BOX:
        *volume = s[0] * s[1] * s[2];
        set(I, *volume * (s[1] * s[1] + s[2] * s[2]) / 12,
            *volume * (s[0] * s[0] + s[2] * s[2]) / 12, *volume * (s[0] * s[0] + s[1] * s[1]) / 12);
        return true;
    case SARI_ROBOT_SPHERE:
        *volume = 4 * PI / 3 * r * r * r;
        set(I, *volume * 0.4 * r * r, *volume * 0.4 * r * r, *volume * 0.4 * r * r);
        return true;
    case SARI_ROBOT_CYLINDER: {
        *volume = PI * r * r * s[1];
        const double across = *volume * (r * r / 4 + s[1] * s[1] / 12);
        set(I, across, across, *volume * r * r / 2);
        return true;
    }
    case SARI_ROBOT_ELLIPSOID:
        *volume = 4 * PI / 3 * s[0] * s[1] * s[2];
        set(I, *volume * (s[1] * s[1] + s[2] * s[2]) / 5, *volume * (s[0] * s[0] + s[2] * s[2]) / 5,
            *volume * (s[0] * s[0] + s[1] * s[1]) / 5);
        return true;
    case SARI_ROBOT_CAPSULE:
        *volume = capsule(r, s[1], I);
        return true;
    case SARI_ROBOT_MESH:
        return mesh(path, s, volume, center, I);
    }
    return false;
}

void sari_import_add_solid(sari_robot_link* link, const sari_pose* at, double mass, double volume,
                           const double center[3], const double inertia[6])
{
    double c[3], I[6];
    if (!(volume > 0.0) || !(mass > 0.0)) return;
    sari_pose_point(at, center, c);
    for (int k = 0; k < 6; k++) I[k] = inertia[k] * mass / volume;
    sari_inertia_rotate(at->R, I);
    sari_inertia_add(&link->mass, link->center, link->inertia, mass, c, I);
}
