/* The Magic Formula in the form of PAC2002 [pacejka2012].
 *
 * Axes of ISO-W at the point of contact: x forward in the plane of the wheel, y to the left, z along
 * the normal of the road. kappa = -V_sx/|V_x|, tan alpha = V_sy/|V_x|, gamma the angle by which the
 * axis of the wheel, which points to the left, rises from the road. df = (F_z - F_z0)/F_z0 with
 * F_z0 = LFZO FNOMIN; at is the arc tangent, and
 *
 *     magic(B, C, E, x) = C at(B x - E (B x - at(B x)))                                        (1)
 *
 * Pure slip along:
 *     kappa_x = kappa + S_Hx,   F_x0 = D_x sin(magic(B_x, C_x, E_x, kappa_x)) + S_Vx           (2)
 * across:
 *     alpha_y = alpha + S_Hy,   F_y0 = D_y sin(magic(B_y, C_y, E_y, alpha_y)) + S_Vy           (3)
 * combined, with G(x) = cos(magic(B, C, E, x + S_H))/cos(magic(B, C, E, S_H)):
 *     F_x = F_x0 G_xa(alpha),   F_y = F_y0 G_yk(kappa) + S_Vyk                                 (4)
 * aligning, with the trail t and the residual moment M_zr:
 *     M_z = -t (F_y - S_Vyk) + M_zr + s F_x                                                    (5)
 *
 * Trail and residual moment are even in their equivalent slip, so that its sign does not matter. The
 * shape factors E are at most one. Relaxation lengths do not fall below those of the least load that
 * the coefficients hold for: a wheel that lifts off would forget its slip at once. */
#include "elements/magic_formula.h"

#define SARI_DUAL SARI_MAGIC_VARIABLES
#include "math/dual.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

/// What all parts share.
typedef struct course {
    const double* c;
    double nominal; ///< F_z0
    double radius;
    dual Fz, df, kappa, alpha, gamma, speed;
    dual Kx, Ky, mu_y, By, Cy, SHy, SVy; ///< of pure slip
    dual Fx, Fy, SVyk;
} course;

#define P(name) (s->c[SAR_MAGIC_##name])

/* p1 + p2 df, and with a third term */
static dual linear(const course* s, double p1, double p2)
{
    return dual_shift(dual_scale(p2, s->df), p1);
}

static dual quadratic(const course* s, double p1, double p2, double p3)
{
    return dual_shift(dual_times(s->df, dual_shift(dual_scale(p3, s->df), p2)), p1);
}

/* 1 + a x + b |x| + c x^2 */
static dual one_plus(dual x, double a, double b, double c)
{
    dual out = dual_add(dual_scale(a, x), dual_scale(b, dual_abs(x)));
    return dual_shift(dual_add(out, dual_scale(c, dual_times(x, x))), 1.0);
}

/* (1) */
static dual magic(dual B, dual C, dual E, dual x)
{
    const dual Bx = dual_times(B, x);
    return dual_times(
        C, dual_atan(dual_subtract(Bx, dual_times(E, dual_subtract(Bx, dual_atan(Bx))))));
}

/* G of (4) */
static dual weighting(dual B, double C, dual E, dual x, dual shift)
{
    const dual c = dual_constant(C);
    return dual_over(dual_cos(magic(B, c, E, dual_add(x, shift))), dual_cos(magic(B, c, E, shift)));
}

/* (2) */
static dual along(course* s)
{
    const dual kappa = dual_add(s->kappa, dual_scale(P(LHX), linear(s, P(PHX1), P(PHX2))));
    const dual gamma = dual_scale(P(LGAX), s->gamma), C = dual_constant(P(PCX1) * P(LCX));
    const dual mu = dual_scale(
        P(LMUX), dual_times(linear(s, P(PDX1), P(PDX2)), one_plus(gamma, 0.0, 0.0, -P(PDX3))));
    const dual D = dual_times(mu, s->Fz);
    const dual E = dual_at_most(dual_scale((1.0 - P(PEX4) * dual_sign(kappa)) * P(LEX),
                                           quadratic(s, P(PEX1), P(PEX2), P(PEX3))),
                                1.0);
    s->Kx = dual_scale(P(LKX), dual_times(dual_times(s->Fz, linear(s, P(PKX1), P(PKX2))),
                                          dual_exp(dual_scale(P(PKX3), s->df))));
    const dual B = dual_over(s->Kx, dual_times(C, D));
    const dual SV = dual_scale(P(LVX) * P(LMUX), dual_times(s->Fz, linear(s, P(PVX1), P(PVX2))));
    return dual_add(dual_times(D, dual_sin(magic(B, C, E, kappa))), SV);
}

/* sin(2 at(F_z/(p F_z0))) */
static dual with_load(const course* s, dual load, double p)
{
    return dual_sin(dual_scale(2.0, dual_atan(dual_scale(1.0 / (p * s->nominal), load))));
}

/* (3) */
static dual across(course* s)
{
    const dual gamma = dual_scale(P(LGAY), s->gamma);
    s->Cy = dual_constant(P(PCY1) * P(LCY));
    s->mu_y = dual_scale(
        P(LMUY), dual_times(linear(s, P(PDY1), P(PDY2)), one_plus(gamma, 0.0, 0.0, -P(PDY3))));
    const dual D = dual_times(s->mu_y, s->Fz);
    s->Ky =
        dual_scale(P(PKY1) * P(FNOMIN) * P(LFZO) * P(LKY),
                   dual_times(with_load(s, s->Fz, P(PKY2)), one_plus(gamma, 0.0, -P(PKY3), 0.0)));
    s->By = dual_over(s->Ky, dual_times(s->Cy, D));
    s->SHy = dual_add(dual_scale(P(LHY), linear(s, P(PHY1), P(PHY2))), dual_scale(P(PHY3), gamma));
    const dual lift = dual_add(dual_scale(P(LVY), linear(s, P(PVY1), P(PVY2))),
                               dual_times(linear(s, P(PVY3), P(PVY4)), gamma));
    s->SVy = dual_scale(P(LMUY), dual_times(s->Fz, lift));
    const dual alpha = dual_add(s->alpha, s->SHy);
    const dual lean = dual_shift(
        dual_scale(-dual_sign(alpha), dual_shift(dual_scale(P(PEY4), gamma), P(PEY3))), 1.0);
    const dual E =
        dual_at_most(dual_scale(P(LEY), dual_times(linear(s, P(PEY1), P(PEY2)), lean)), 1.0);
    return dual_add(dual_times(D, dual_sin(magic(s->By, s->Cy, E, alpha))), s->SVy);
}

/* (4) */
static void combine(course* s)
{
    const dual Bx =
        dual_scale(P(RBX1) * P(LXAL), dual_cos(dual_atan(dual_scale(P(RBX2), s->kappa))));
    const dual Ex = dual_at_most(linear(s, P(REX1), P(REX2)), 1.0);
    s->Fx = dual_times(along(s), weighting(Bx, P(RCX1), Ex, s->alpha, dual_constant(P(RHX1))));

    const dual Fy0 = across(s);
    const dual By =
        dual_scale(P(RBY1) * P(LYKA),
                   dual_cos(dual_atan(dual_scale(P(RBY2), dual_shift(s->alpha, -P(RBY3))))));
    const dual Ey = dual_at_most(linear(s, P(REY1), P(REY2)), 1.0);
    const dual SH = linear(s, P(RHY1), P(RHY2));
    const dual rise = dual_add(linear(s, P(RVY1), P(RVY2)), dual_scale(P(RVY3), s->gamma));
    const dual D = dual_times(dual_times(dual_times(s->mu_y, s->Fz), rise),
                              dual_cos(dual_atan(dual_scale(P(RVY4), s->alpha))));
    s->SVyk = dual_scale(
        P(LVYKA),
        dual_times(D, dual_sin(dual_scale(P(RVY5), dual_atan(dual_scale(P(RVY6), s->kappa))))));
    s->Fy = dual_add(dual_times(Fy0, weighting(By, P(RCY1), Ey, s->kappa, SH)), s->SVyk);
}

/* at(sqrt(tan^2 alpha + (K_x/K_y)^2 kappa^2)), without its sign */
static dual equivalent(const course* s, dual alpha)
{
    const dual t = dual_tan(alpha), k = dual_over(dual_times(s->Kx, s->kappa), s->Ky);
    return dual_atan(dual_sqrt(dual_add(dual_times(t, t), dual_times(k, k))));
}

static dual trail(const course* s, dual gamma)
{
    const dual shift =
        dual_add(linear(s, P(QHZ1), P(QHZ2)), dual_times(linear(s, P(QHZ3), P(QHZ4)), gamma));
    const dual alpha = dual_add(s->alpha, shift), x = equivalent(s, alpha);
    const dual B = dual_scale(P(LKY) / P(LMUY), dual_times(quadratic(s, P(QBZ1), P(QBZ2), P(QBZ3)),
                                                           one_plus(gamma, P(QBZ4), P(QBZ5), 0.0)));
    const dual C = dual_constant(P(QCZ1));
    const dual D = dual_scale(s->radius / s->nominal * P(LTR),
                              dual_times(dual_times(s->Fz, linear(s, P(QDZ1), P(QDZ2))),
                                         one_plus(gamma, P(QDZ3), 0.0, P(QDZ4))));
    const dual turn = dual_scale(2.0 / PI, dual_atan(dual_times(dual_times(B, C), alpha)));
    const dual lean =
        dual_shift(dual_times(dual_shift(dual_scale(P(QEZ5), gamma), P(QEZ4)), turn), 1.0);
    const dual E = dual_at_most(dual_times(quadratic(s, P(QEZ1), P(QEZ2), P(QEZ3)), lean), 1.0);
    return dual_times(dual_times(D, dual_cos(magic(B, C, E, x))), dual_cos(s->alpha));
}

static dual residual_moment(const course* s, dual gamma)
{
    const dual shift = dual_add(s->SHy, dual_over(s->SVy, s->Ky));
    const dual x = equivalent(s, dual_add(s->alpha, shift));
    const dual B =
        dual_shift(dual_scale(P(QBZ10), dual_times(s->By, s->Cy)), P(QBZ9) * P(LKY) / P(LMUY));
    const dual size = dual_add(dual_scale(P(LRES), linear(s, P(QDZ6), P(QDZ7))),
                               dual_times(linear(s, P(QDZ8), P(QDZ9)), gamma));
    const dual D = dual_scale(s->radius * P(LMUY), dual_times(s->Fz, size));
    return dual_times(dual_times(D, dual_cos(dual_atan(dual_times(B, x)))), dual_cos(s->alpha));
}

/* (5) */
static dual aligning(const course* s)
{
    const dual gamma = dual_scale(P(LGAZ), s->gamma);
    const dual arm = dual_scale(
        s->radius * P(LS), dual_add(dual_shift(dual_scale(P(SSZ2) / s->nominal, s->Fy), P(SSZ1)),
                                    dual_times(linear(s, P(SSZ3), P(SSZ4)), s->gamma)));
    const dual back = dual_times(trail(s, gamma), dual_subtract(s->Fy, s->SVyk));
    return dual_add(dual_subtract(residual_moment(s, gamma), back), dual_times(arm, s->Fx));
}

static dual overturning(const course* s)
{
    const dual side = dual_scale(P(QSX3) * P(LMX) / s->nominal, s->Fy);
    const dual arm =
        dual_shift(dual_subtract(side, dual_scale(P(QSX2) * P(LMX), s->gamma)), P(QSX1) * P(LVMX));
    return dual_scale(s->radius, dual_times(s->Fz, arm));
}

/* Against forward motion. */
static dual rolling_resistance(const course* s)
{
    const dual u = dual_scale(1.0 / P(LONGVL), s->speed), square = dual_times(u, u);
    dual arm = dual_shift(dual_scale(P(QSY2) / s->nominal, s->Fx), P(QSY1));
    arm = dual_add(arm, dual_scale(P(QSY3), dual_abs(u)));
    arm = dual_add(arm, dual_scale(P(QSY4), dual_times(square, square)));
    return dual_scale(-s->radius * P(LMY), dual_times(s->Fz, arm));
}

static void relax(const course* s, dual* kappa, dual* alpha)
{
    const double least = P(FZMIN);
    const dual load = s->Fz.v < least ? dual_constant(least) : s->Fz;
    course at = *s;
    at.df = dual_shift(dual_scale(1.0 / s->nominal, load), -1.0);
    *kappa = dual_scale(s->radius / s->nominal * P(LSGKP),
                        dual_times(dual_times(load, linear(&at, P(PTX1), P(PTX2))),
                                   dual_exp(dual_scale(P(PTX3), at.df))));
    *alpha =
        dual_scale(P(PTY1) * s->radius * P(LFZO) * P(LSGAL),
                   dual_times(with_load(s, load, P(PTY2)), one_plus(s->gamma, 0.0, -P(PKY3), 0.0)));
}

void sari_magic_formula(const double coefficient[SAR_MAGIC_COUNT],
                        const double at[SARI_MAGIC_VARIABLES], sari_magic_action* out)
{
    course all = {.c = coefficient}, *s = &all;
    dual value[SARI_MAGIC_VALUES];
    s->nominal = P(LFZO) * P(FNOMIN);
    s->radius = P(UNLOADED_RADIUS);
    s->Fz = dual_variable(at[SARI_MAGIC_LOAD], SARI_MAGIC_LOAD);
    s->kappa = dual_variable(at[SARI_MAGIC_KAPPA], SARI_MAGIC_KAPPA);
    s->alpha = dual_variable(at[SARI_MAGIC_ALPHA], SARI_MAGIC_ALPHA);
    s->gamma = dual_variable(at[SARI_MAGIC_GAMMA], SARI_MAGIC_GAMMA);
    s->speed = dual_variable(at[SARI_MAGIC_SPEED], SARI_MAGIC_SPEED);
    s->df = dual_shift(dual_scale(1.0 / s->nominal, s->Fz), -1.0);
    combine(s);
    value[SARI_MAGIC_FX] = s->Fx;
    value[SARI_MAGIC_FY] = s->Fy;
    value[SARI_MAGIC_MX] = overturning(s);
    value[SARI_MAGIC_MY] = rolling_resistance(s);
    value[SARI_MAGIC_MZ] = aligning(s);
    value[SARI_MAGIC_KX] = s->Kx;
    value[SARI_MAGIC_KY] = s->Ky;
    relax(s, &value[SARI_MAGIC_SIGMA_KAPPA], &value[SARI_MAGIC_SIGMA_ALPHA]);
    for (int k = 0; k < SARI_MAGIC_VALUES; k++) {
        out->value[k] = value[k].v;
        memcpy(out->by[k], value[k].d, sizeof value[k].d);
    }
}

/* ---- names ---------------------------------------------------------------------------------- */

static const struct {
    const char* name;
    double usual;
} LIST[SAR_MAGIC_COUNT] = {
#define ROW(name, usual) {#name, usual},
    SAR_MAGIC_LIST(ROW)
#undef ROW
};

const char* sar_magic_name(int k)
{
    return k >= 0 && k < SAR_MAGIC_COUNT ? LIST[k].name : NULL;
}

double sar_magic_usual(int k)
{
    return k >= 0 && k < SAR_MAGIC_COUNT ? LIST[k].usual : NAN;
}

int sar_magic_find(const char* name, size_t length)
{
    for (int k = 0; k < SAR_MAGIC_COUNT; k++)
        if (strlen(LIST[k].name) == length && memcmp(LIST[k].name, name, length) == 0) return k;
    return -1;
}
