/* The Magic Formula against values of an independent implementation, its derivatives against
 * differences, its symmetries, and the reader of its files. */
#include "elements/magic_formula.h"
#include "sar_test.h"

#include <math.h>

/* 185/80 R14 (projectchrono/chrono, data/vehicle/VW_microbus, BSD-3-Clause). */
static const struct {
    int name;
    double value;
} TYRE[] = {{SAR_MAGIC_PCX1, 1.5587},
            {SAR_MAGIC_PDX1, 1.09},
            {SAR_MAGIC_PDX2, -0.079328},
            {SAR_MAGIC_PDX3, 9.9376e-06},
            {SAR_MAGIC_PEX1, 0.27403},
            {SAR_MAGIC_PEX2, 0.10232},
            {SAR_MAGIC_PEX3, 0.074903},
            {SAR_MAGIC_PEX4, -0.00026944},
            {SAR_MAGIC_PKX1, 19.733},
            {SAR_MAGIC_PKX2, 0.093405},
            {SAR_MAGIC_PKX3, 0.12433},
            {SAR_MAGIC_PHX1, -0.001779},
            {SAR_MAGIC_PHX2, 0.00021808},
            {SAR_MAGIC_PVX1, -9.9052e-06},
            {SAR_MAGIC_PVX2, -2.8568e-05},
            {SAR_MAGIC_RBX1, 14.927},
            {SAR_MAGIC_RBX2, -10.534},
            {SAR_MAGIC_RCX1, 1.1288},
            {SAR_MAGIC_REX1, 0.62334},
            {SAR_MAGIC_REX2, -0.0039079},
            {SAR_MAGIC_RHX1, 0.001683},
            {SAR_MAGIC_PCY1, 1.4675},
            {SAR_MAGIC_PDY1, 0.94002},
            {SAR_MAGIC_PDY2, -0.17669},
            {SAR_MAGIC_PDY3, -0.69602},
            {SAR_MAGIC_PEY1, 0.0040023},
            {SAR_MAGIC_PEY2, 0.00085719},
            {SAR_MAGIC_PEY3, 41.465},
            {SAR_MAGIC_PEY4, 665.25},
            {SAR_MAGIC_PKY1, -12.536},
            {SAR_MAGIC_PKY2, 1.3856},
            {SAR_MAGIC_PKY3, -0.93342},
            {SAR_MAGIC_PHY1, 0.0024749},
            {SAR_MAGIC_PHY2, 0.0037538},
            {SAR_MAGIC_PHY3, 0.037561},
            {SAR_MAGIC_PVY1, 0.031255},
            {SAR_MAGIC_PVY2, -0.0017359},
            {SAR_MAGIC_PVY3, -0.38166},
            {SAR_MAGIC_PVY4, -0.033117},
            {SAR_MAGIC_RBY1, 5.5228},
            {SAR_MAGIC_RBY2, 2.7966},
            {SAR_MAGIC_RBY3, 0.08688},
            {SAR_MAGIC_RCY1, 1.0783},
            {SAR_MAGIC_REY1, 0.055543},
            {SAR_MAGIC_REY2, -0.0022958},
            {SAR_MAGIC_RHY1, -0.0027141},
            {SAR_MAGIC_RHY2, -0.00098972},
            {SAR_MAGIC_RVY1, 0.0076305},
            {SAR_MAGIC_RVY2, -0.09933},
            {SAR_MAGIC_RVY3, 0.16991},
            {SAR_MAGIC_RVY4, -9.6324e-05},
            {SAR_MAGIC_RVY5, 1.9},
            {SAR_MAGIC_RVY6, 0},
            {SAR_MAGIC_QBZ1, 9.2824},
            {SAR_MAGIC_QBZ2, -2.6095},
            {SAR_MAGIC_QBZ3, -0.86548},
            {SAR_MAGIC_QBZ4, -0.16332},
            {SAR_MAGIC_QBZ5, -0.35511},
            {SAR_MAGIC_QBZ9, 13.946},
            {SAR_MAGIC_QBZ10, 0},
            {SAR_MAGIC_QCZ1, 1.1119},
            {SAR_MAGIC_QDZ1, 0.14332},
            {SAR_MAGIC_QDZ2, -0.0062385},
            {SAR_MAGIC_QDZ3, -0.43424},
            {SAR_MAGIC_QDZ4, -8.1598},
            {SAR_MAGIC_QDZ6, -0.0073867},
            {SAR_MAGIC_QDZ7, 0.0016767},
            {SAR_MAGIC_QDZ8, -0.17212},
            {SAR_MAGIC_QDZ9, -0.033444},
            {SAR_MAGIC_QEZ1, -2.9203},
            {SAR_MAGIC_QEZ2, -0.91079},
            {SAR_MAGIC_QEZ3, 0},
            {SAR_MAGIC_QEZ4, 0.32935},
            {SAR_MAGIC_QEZ5, -1.9083},
            {SAR_MAGIC_QHZ1, 0.0019422},
            {SAR_MAGIC_QHZ2, 0.0034645},
            {SAR_MAGIC_QHZ3, 0.14727},
            {SAR_MAGIC_QHZ4, -0.035133},
            {SAR_MAGIC_SSZ1, 0.026243},
            {SAR_MAGIC_SSZ2, -0.013391},
            {SAR_MAGIC_SSZ3, 0.3923},
            {SAR_MAGIC_SSZ4, -0.16022},
            {SAR_MAGIC_PTX1, 1.9021},
            {SAR_MAGIC_PTX2, -0.0014739},
            {SAR_MAGIC_PTX3, 0.03631},
            {SAR_MAGIC_QSX1, 0},
            {SAR_MAGIC_QSX2, 0},
            {SAR_MAGIC_QSX3, 0},
            {SAR_MAGIC_PTY1, 1.8473},
            {SAR_MAGIC_PTY2, 1.9465},
            {SAR_MAGIC_QSY1, 0.01},
            {SAR_MAGIC_QSY2, 0},
            {SAR_MAGIC_QSY3, 0},
            {SAR_MAGIC_QSY4, 0},
            {SAR_MAGIC_UNLOADED_RADIUS, 0.376},
            {SAR_MAGIC_VERTICAL_STIFFNESS, 1.75e5},
            {SAR_MAGIC_VERTICAL_DAMPING, 50},
            {SAR_MAGIC_FNOMIN, 3800},
            {SAR_MAGIC_BREFF, 7},
            {SAR_MAGIC_DREFF, 0.25},
            {SAR_MAGIC_FREFF, 0.01},
            {SAR_MAGIC_LONGVL, 16.7},
            {SAR_MAGIC_FZMIN, 190},
            {SAR_MAGIC_FZMAX, 8550}};

/* Load, kappa, alpha and gamma in degrees; Fx, Fy, Mz, Kx, Ky and relaxation lengths, by a script
 * that shares no code with the library; all digits that it printed. */
static const double VECTORS[][11] = {
    {3800, 0, 0, 0, -133.3894, 6.9088, -12.24130, 74985.40, -45211.02, 0.715190, 0.564647},
    {3800, 0.05, 0, 0, 2911.7000, 6.6635, 21.57725, 74985.40, -45211.02, 0.715190, 0.564647},
    {3800, -0.05, 0, 0, -3042.5627, 6.6073, -37.12149, 74985.40, -45211.02, 0.715190, 0.564647},
    {3800, -0.2, 0, 0, -4088.1213, 4.3754, -42.61203, 74985.40, -45211.02, 0.715190, 0.564647},
    {3800, 0, 2, 0, -114.5303, -1466.8963, 61.76527, 74985.40, -45211.02, 0.715190, 0.564647},
    {3800, 0, -2, 0, -117.1435, 1505.3215, -86.41259, 74985.40, -45211.02, 0.715190, 0.564647},
    {3800, 0, 5, 0, -79.9564, -2854.9749, 73.37753, 74985.40, -45211.02, 0.715190, 0.564647},
    {3800, 0, 10, 0, -50.1803, -3441.9105, 14.94689, 74985.40, -45211.02, 0.715190, 0.564647},
    {3800, 0, 0, 2, -133.3894, -108.4818, -15.46622, 74985.40, -46684.11, 0.715190, 0.583045},
    {3800, -0.05, 3, 0, -2414.0936, -1961.4800, 12.76539, 74985.40, -45211.02, 0.715190, 0.564647},
    {3800, 0.05, -3, 2, 2359.8436, 1992.0634, -40.34061, 74985.40, -46684.11, 0.715190, 0.583045},
    {2000, 0, 4, 0, -46.9408, -1602.6201, 24.71461, 37125.41, -31626.23, 0.370133, 0.350028},
    {2000, -0.1, 0, 0, -2129.4992, 36.1513, -24.47181, 37125.41, -31626.23, 0.370133, 0.350028},
    {6000, 0, 4, 0, -141.6527, -2899.6601, 170.55143, 127583.24, -47233.26, 1.152719, 0.679648},
    {6000, -0.1, -5, 1, -4483.9559, 2973.1358, -54.10576, 127583.24, -48002.75, 1.152719,
     0.690720}};

static const int VALUES[7] = {SARI_MAGIC_FX,         SARI_MAGIC_FY, SARI_MAGIC_MZ,
                              SARI_MAGIC_KX,         SARI_MAGIC_KY, SARI_MAGIC_SIGMA_KAPPA,
                              SARI_MAGIC_SIGMA_ALPHA};

static void take_tyre(double c[SAR_MAGIC_COUNT])
{
    for (int k = 0; k < SAR_MAGIC_COUNT; k++) c[k] = sar_magic_usual(k);
    for (size_t k = 0; k < sizeof TYRE / sizeof *TYRE; k++) c[TYRE[k].name] = TYRE[k].value;
}

static void take_place(const double* row, double at[SARI_MAGIC_VARIABLES])
{
    const double degree = 3.14159265358979323846 / 180.0;
    at[SARI_MAGIC_LOAD] = row[0];
    at[SARI_MAGIC_KAPPA] = row[1];
    at[SARI_MAGIC_ALPHA] = row[2] * degree;
    at[SARI_MAGIC_GAMMA] = row[3] * degree;
    at[SARI_MAGIC_SPEED] = 16.7;
}

TEST(values_agree_in_all_digits)
{
    static const double last[7] = {1e-4, 1e-4, 1e-5, 1e-2, 1e-2, 1e-6, 1e-6};
    double c[SAR_MAGIC_COUNT], at[SARI_MAGIC_VARIABLES];
    sari_magic_action out;
    take_tyre(c);
    for (size_t i = 0; i < sizeof VECTORS / sizeof *VECTORS; i++) {
        take_place(VECTORS[i], at);
        sari_magic_formula(c, at, &out);
        for (int k = 0; k < 7; k++)
            CHECK_NEAR(out.value[VALUES[k]], VECTORS[i][4 + k], 0.5001 * last[k]);
    }
}

TEST(derivatives_are_those_of_the_values)
{
    double c[SAR_MAGIC_COUNT], at[SARI_MAGIC_VARIABLES];
    sari_magic_action out, plus, minus;
    take_tyre(c);
    for (size_t i = 0; i < sizeof VECTORS / sizeof *VECTORS; i++) {
        take_place(VECTORS[i], at);
        sari_magic_formula(c, at, &out);
        for (int j = 0; j < SARI_MAGIC_VARIABLES; j++) {
            if (j == SARI_MAGIC_GAMMA && at[j] == 0.0) continue; // |gamma| has a kink
            const double h = 1e-6 * (1.0 + fabs(at[j])), middle = at[j];
            at[j] = middle + h;
            sari_magic_formula(c, at, &plus);
            at[j] = middle - h;
            sari_magic_formula(c, at, &minus);
            at[j] = middle;
            for (int k = 0; k < SARI_MAGIC_VALUES; k++) {
                const double slope = (plus.value[k] - minus.value[k]) / (2.0 * h);
                CHECK_NEAR(out.by[k][j], slope,
                           1e-6 * (1e-3 * fabs(out.value[k]) + fabs(slope)) + 1e-9);
            }
        }
    }
}

/* Without the shifts that ply and cone leave, left is as right, and driving as braking. */
TEST(combined_slip_is_symmetric)
{
    static const int shifts[] = {SAR_MAGIC_PHX1, SAR_MAGIC_PHX2, SAR_MAGIC_PVX1, SAR_MAGIC_PVX2,
                                 SAR_MAGIC_PEX4, SAR_MAGIC_RHX1, SAR_MAGIC_PEY3, SAR_MAGIC_PHY1,
                                 SAR_MAGIC_PHY2, SAR_MAGIC_PVY1, SAR_MAGIC_PVY2, SAR_MAGIC_RBY3,
                                 SAR_MAGIC_RHY1, SAR_MAGIC_RHY2, SAR_MAGIC_RVY1, SAR_MAGIC_RVY2,
                                 SAR_MAGIC_QHZ1, SAR_MAGIC_QHZ2, SAR_MAGIC_QDZ6, SAR_MAGIC_QDZ7,
                                 SAR_MAGIC_QEZ4, SAR_MAGIC_SSZ1};
    double c[SAR_MAGIC_COUNT], at[SARI_MAGIC_VARIABLES] = {3500, 0.07, 0.06, 0, 10};
    sari_magic_action out, other;
    take_tyre(c);
    for (size_t k = 0; k < sizeof shifts / sizeof *shifts; k++) c[shifts[k]] = 0.0;
    sari_magic_formula(c, at, &out);
    CHECK(fabs(out.value[SARI_MAGIC_FX]) > 1000 && fabs(out.value[SARI_MAGIC_FY]) > 1000);
    at[SARI_MAGIC_ALPHA] = -0.06;
    sari_magic_formula(c, at, &other);
    CHECK_NEAR(other.value[SARI_MAGIC_FX], out.value[SARI_MAGIC_FX], 1e-9);
    CHECK_NEAR(other.value[SARI_MAGIC_FY], -out.value[SARI_MAGIC_FY], 1e-9);
    CHECK_NEAR(other.value[SARI_MAGIC_MZ], -out.value[SARI_MAGIC_MZ], 1e-9);
    at[SARI_MAGIC_KAPPA] = -0.07;
    sari_magic_formula(c, at, &other);
    CHECK_NEAR(other.value[SARI_MAGIC_FX], -out.value[SARI_MAGIC_FX], 1e-9);
    CHECK_NEAR(other.value[SARI_MAGIC_FY], -out.value[SARI_MAGIC_FY], 1e-9);
}

/* Forces go to zero with the load, and nothing is divided by it. */
TEST(a_small_load_has_small_forces)
{
    double c[SAR_MAGIC_COUNT], at[SARI_MAGIC_VARIABLES] = {1e-6, 0.07, 0.06, 0.02, 10};
    sari_magic_action out;
    take_tyre(c);
    sari_magic_formula(c, at, &out);
    for (int k = 0; k <= SARI_MAGIC_MZ; k++) CHECK(fabs(out.value[k]) < 1e-5);
    CHECK(out.value[SARI_MAGIC_SIGMA_KAPPA] > 0.01 && out.value[SARI_MAGIC_SIGMA_ALPHA] > 0.01);
    for (int k = 0; k < SARI_MAGIC_VALUES; k++)
        for (int j = 0; j < SARI_MAGIC_VARIABLES; j++) CHECK(isfinite(out.by[k][j]));
}

TEST(names_are_found)
{
    CHECK(sar_magic_find("PKY2", 4) == SAR_MAGIC_PKY2);
    CHECK(sar_magic_find("PKY22", 5) == -1);
    CHECK(strcmp(sar_magic_name(SAR_MAGIC_QBZ10), "QBZ10") == 0);
    CHECK(sar_magic_name(SAR_MAGIC_COUNT) == NULL);
    CHECK(isnan(sar_magic_usual(SAR_MAGIC_FNOMIN)) && sar_magic_usual(SAR_MAGIC_LMUX) == 1.0);
}
