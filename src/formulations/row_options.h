/* alpha, omega and xi of single constraints, in the place of one number for all: "matrices in the general
 * case" [gonzalez2016, section 2.1], here diagonal ones. A name stands for all constraints of a joint or
 * body. */
#ifndef SARI_ROW_OPTIONS_H
#define SARI_ROW_OPTIONS_H

#include "sarrus/options.h"
#include "system/equations.h"

/// Note `value` of `option` for the constraints of `name`. SAR_E_ARG: there is no room.
sar_status sari_row_options_add(sar_options* o, const char* option, const char* name, double value);

/// That of a row, as last noted; `all` where it has none of its own.
double sari_row_option(const sari_equations* sys, const sar_options* o, const char* option, int row,
                       double all);

/// Penalties of rows that have their own, 0: that of all; NULL: none has, or there is no memory.
double* sari_row_penalties(const sari_equations* sys, const sar_options* o, sari_arena* memory);

/// Is something noted for the option?
int sari_row_options_have(const sar_options* o, const char* option);

/// The first name after `from` (NULL: the first of all) that no row of the system has; into name[room].
/// Returns where to go on, NULL: every other one is there.
const char* sari_row_options_missing(const sari_equations* sys, const sar_options* o,
                                     const char* from, char* name, size_t room);

#endif
