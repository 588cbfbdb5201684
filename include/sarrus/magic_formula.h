/// Coefficients of the Magic Formula, PAC2002, under the names that they have in tyre property files
/// (.tir), and a reader of such files.
#ifndef SARRUS_MAGIC_FORMULA_H
#define SARRUS_MAGIC_FORMULA_H

#include "sarrus/base.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* X(name, value where none is given; NAN: it must be given). Lengths, forces and speeds are in m, N
 * and m/s; all from PCX1 on have no unit. */
#define SAR_MAGIC_TYRE_LIST(X)                                                                     \
    X(UNLOADED_RADIUS, NAN)                                                                        \
    X(VERTICAL_STIFFNESS, NAN)                                                                     \
    X(VERTICAL_DAMPING, 0)                                                                         \
    X(FNOMIN, NAN)                                                                                 \
    X(LONGVL, NAN)                                                                                 \
    X(VXLOW, 0)                                                                                    \
    X(FZMIN, 0)                                                                                    \
    X(FZMAX, 0)                                                                                    \
    X(BREFF, 0)                                                                                    \
    X(DREFF, 0)                                                                                    \
    X(FREFF, 0)
#define SAR_MAGIC_SCALE_LIST(X)                                                                    \
    X(LFZO, 1)                                                                                     \
    X(LCX, 1)                                                                                      \
    X(LMUX, 1)                                                                                     \
    X(LEX, 1)                                                                                      \
    X(LKX, 1)                                                                                      \
    X(LHX, 1) X(LVX, 1) X(LGAX, 1) X(LCY, 1) X(LMUY, 1) X(LEY, 1) X(LKY, 1) X(LHY, 1) X(LVY, 1)    \
        X(LGAY, 1) X(LTR, 1) X(LRES, 1) X(LGAZ, 1) X(LXAL, 1) X(LYKA, 1) X(LVYKA, 1) X(LS, 1)      \
            X(LSGKP, 1) X(LSGAL, 1) X(LMX, 1) X(LVMX, 1) X(LMY, 1)
#define SAR_MAGIC_LONGITUDINAL_LIST(X)                                                             \
    X(PCX1, NAN)                                                                                   \
    X(PDX1, NAN)                                                                                   \
    X(PDX2, 0)                                                                                     \
    X(PDX3, 0)                                                                                     \
    X(PEX1, 0) X(PEX2, 0) X(PEX3, 0) X(PEX4, 0) X(PKX1, NAN) X(PKX2, 0) X(PKX3, 0) X(PHX1, 0)      \
        X(PHX2, 0) X(PVX1, 0) X(PVX2, 0) X(RBX1, 0) X(RBX2, 0) X(RCX1, 0) X(REX1, 0) X(REX2, 0)    \
            X(RHX1, 0) X(PTX1, 0) X(PTX2, 0) X(PTX3, 0)
#define SAR_MAGIC_LATERAL_LIST(X)                                                                  \
    X(PCY1, NAN)                                                                                   \
    X(PDY1, NAN)                                                                                   \
    X(PDY2, 0)                                                                                     \
    X(PDY3, 0)                                                                                     \
    X(PEY1, 0) X(PEY2, 0) X(PEY3, 0) X(PEY4, 0) X(PKY1, NAN) X(PKY2, NAN) X(PKY3, 0) X(PHY1, 0)    \
        X(PHY2, 0) X(PHY3, 0) X(PVY1, 0) X(PVY2, 0) X(PVY3, 0) X(PVY4, 0) X(RBY1, 0) X(RBY2, 0)    \
            X(RBY3, 0) X(RCY1, 0) X(REY1, 0) X(REY2, 0) X(RHY1, 0) X(RHY2, 0) X(RVY1, 0)           \
                X(RVY2, 0) X(RVY3, 0) X(RVY4, 0) X(RVY5, 0) X(RVY6, 0) X(PTY1, 0) X(PTY2, 0)
#define SAR_MAGIC_MOMENT_LIST(X)                                                                   \
    X(QBZ1, 0)                                                                                     \
    X(QBZ2, 0)                                                                                     \
    X(QBZ3, 0)                                                                                     \
    X(QBZ4, 0)                                                                                     \
    X(QBZ5, 0) X(QBZ9, 0) X(QBZ10, 0) X(QCZ1, 0) X(QDZ1, 0) X(QDZ2, 0) X(QDZ3, 0) X(QDZ4, 0)       \
        X(QDZ6, 0) X(QDZ7, 0) X(QDZ8, 0) X(QDZ9, 0) X(QEZ1, 0) X(QEZ2, 0) X(QEZ3, 0) X(QEZ4, 0)    \
            X(QEZ5, 0) X(QHZ1, 0) X(QHZ2, 0) X(QHZ3, 0) X(QHZ4, 0) X(SSZ1, 0) X(SSZ2, 0)           \
                X(SSZ3, 0) X(SSZ4, 0) X(QSX1, 0) X(QSX2, 0) X(QSX3, 0) X(QSY1, 0) X(QSY2, 0)       \
                    X(QSY3, 0) X(QSY4, 0)
#define SAR_MAGIC_LIST(X)                                                                          \
    SAR_MAGIC_TYRE_LIST(X)                                                                         \
    SAR_MAGIC_SCALE_LIST(X)                                                                        \
    SAR_MAGIC_LONGITUDINAL_LIST(X)                                                                 \
    SAR_MAGIC_LATERAL_LIST(X)                                                                      \
    SAR_MAGIC_MOMENT_LIST(X)

enum {
#define SAR_MAGIC_ENUM(name, usual) SAR_MAGIC_##name,
    SAR_MAGIC_LIST(SAR_MAGIC_ENUM)
#undef SAR_MAGIC_ENUM
        SAR_MAGIC_COUNT
};

/// Side of the car that coefficients were measured for, and that a tyre is mounted on.
typedef enum sar_tyre_side { SAR_TYRE_LEFT, SAR_TYRE_RIGHT } sar_tyre_side;

/// Name of coefficient k, and its value where none is given (NAN: it must be given).
SAR_API const char* sar_magic_name(int k);
SAR_API double sar_magic_usual(int k);
/// The coefficient of this name, or -1.
SAR_API int sar_magic_find(const char* name, size_t length);

/// Read a tyre property file of PAC2002: coefficients that are in it are set, others are left alone,
/// and so are keys of other models. SAR_E_IO: it cannot be read. SAR_E_MODEL: error->message says
/// what is wrong in which line: no number, a key twice, units that are not m, N, rad, kg and s, or
/// another kind of model.
SAR_API sar_status sar_magic_read(const char* path, double coefficient[SAR_MAGIC_COUNT],
                                  sar_tyre_side* side, sar_error* error);

#ifdef __cplusplus
}
#endif

#endif
