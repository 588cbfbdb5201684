/* Vectors and rotations: identities, and quaternions there and back through all four branches. */
#include "math/vec3.h"
#include "sar_test.h"

static void check_vector(const double* got, const double* wanted, int n, double tolerance)
{
    for (int k = 0; k < n; k++) CHECK_NEAR(got[k], wanted[k], tolerance);
}

TEST(products)
{
    const double a[3] = {1, 2, 3}, b[3] = {-4, 5, 6};
    double c[3];
    CHECK_NEAR(sari_dot(a, b), 24, 0);
    CHECK_NEAR(sari_norm3((double[3]){2, -3, 6}), 7, 0);
    sari_cross(a, b, c);
    check_vector(c, (double[3]){-3, -18, 13}, 3, 0);
    memcpy(c, a, sizeof c);
    sari_cross(c, b, c); // in place
    check_vector(c, (double[3]){-3, -18, 13}, 3, 0);
}

TEST(rotations_turn_there_and_back)
{
    const double R[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1}; // a right angle about z
    double v[3] = {2, 3, 5};
    sari_rotate(R, v, v);
    check_vector(v, (double[3]){-3, 2, 5}, 3, 0);
    sari_rotate_back(R, v, v);
    check_vector(v, (double[3]){2, 3, 5}, 3, 0);
}

TEST(matrices_multiply_in_place)
{
    double A[9] = {1, 2, 3, 4, 5, 6, 7, 8, 10}, B[9] = {0, 1, 0, 2, 0, 1, 1, 1, 1};
    const double wanted[9] = {7, 4, 5, 16, 10, 11, 26, 17, 18};
    sari_multiply3(A, B, B);
    check_vector(B, wanted, 9, 0);
}

static void rotation_about_an_axis(const double u[3], double angle, double R[9])
{
    // Rodrigues
    double c = cos(angle), s = sin(angle);
    double K[9] = {0, -u[2], u[1], u[2], 0, -u[0], -u[1], u[0], 0};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            R[3 * i + j] = (i == j ? c : 0.0) + s * K[3 * i + j] + (1 - c) * u[i] * u[j];
}

TEST(quaternion_of_an_axis_and_angle)
{
    const double u[3] = {2.0 / 7, -3.0 / 7, 6.0 / 7};
    for (int k = -18; k <= 18; k++) {
        double angle = k * 3.141592653589793 / 18, R[9], p[4], back[9];
        double half = cos(angle / 2), sine = sin(angle / 2);
        rotation_about_an_axis(u, angle, R);
        sari_quaternion_of_rotation(R, p);
        double sign = half < 0 ? -1 : 1;
        if (abs(k) < 18)
            check_vector(p,
                         (double[4]){sign * half, sign * sine * u[0], sign * sine * u[1],
                                     sign * sine * u[2]},
                         4, 1e-14);
        sari_rotation_of_quaternion(p, back);
        check_vector(back, R, 9, 1e-14);
    }
}

/* The component that is largest decides the branch; each is taken, with all signs of the others. */
TEST(every_branch_goes_there_and_back)
{
    for (int big = 0; big < 4; big++)
        for (int signs = 0; signs < 16; signs++) {
            double p[4], R[9], back[4], product[9], transposed[9];
            for (int k = 0; k < 4; k++)
                p[k] = (signs >> k & 1 ? -1 : 1) * (k == big ? 0.8 : 0.2 * sqrt(3.0));
            sari_rotation_of_quaternion(p, R);
            for (int i = 0; i < 9; i++) transposed[i] = R[3 * (i % 3) + i / 3];
            sari_multiply3(R, transposed, product);
            check_vector(product, (double[9]){1, 0, 0, 0, 1, 0, 0, 0, 1}, 9, 1e-15);
            sari_quaternion_of_rotation(R, back);
            double sign = p[0] < 0 ? -1 : 1; // the one with w >= 0 is given
            for (int k = 0; k < 4; k++) CHECK_NEAR(back[k], sign * p[k], 1e-15);
        }
}

TEST(half_turns_have_no_scalar_part)
{
    for (int axis = 0; axis < 3; axis++) {
        double R[9] = {-1, 0, 0, 0, -1, 0, 0, 0, -1}, p[4];
        R[4 * axis] = 1;
        sari_quaternion_of_rotation(R, p);
        for (int k = 0; k < 4; k++) CHECK_NEAR(p[k], k == axis + 1, 0);
    }
    double p[4];
    sari_quaternion_of_rotation((double[9]){1, 0, 0, 0, 1, 0, 0, 0, 1}, p);
    check_vector(p, (double[4]){1, 0, 0, 0}, 4, 0);
}
