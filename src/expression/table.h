/* Tables: functions given by points, for expressions. Made once, evaluated without allocation, with
 * exact derivatives of the interpolation. */
#ifndef SARI_TABLE_H
#define SARI_TABLE_H

#include "base/hash.h"
#include "sarrus/model.h"

typedef struct sari_table {
    char* name;
    int intervals;
    int extend;     ///< beyond the ends: along the last slope, else the last value
    double* x;      ///< intervals + 1, increasing
    double (*c)[4]; ///< per interval: coefficients of 1, s, s^2, s^3 with s = x - x[k]
    double last;    ///< value at the last point
    int smooth;     ///< a spline: two derivatives are continuous
    int rows; ///< of two variables: how many of NAME_xj and NAME_yj there are; -1: they are wrong
    int of_time;                      ///< an input: called by its name alone, with the time
    const struct sari_expression* by; ///< its value as an expression of time; NULL: by points
} sari_table;

/// All tables that an expression may call.
typedef struct sari_table_list {
    sari_table* const* at;
    int count;
    const sari_hash* by_name;
} sari_table_list;

/// NULL: no table has this name.
const sari_table* sari_table_find(const sari_table_list* list, const char* name, size_t length);

/// Part j of the table of two variables of this name, over x or y; NULL: there is no such table.
const sari_table* sari_table_part(const sari_table_list* list, const char* name, size_t length,
                                  char axis, int j);

/// SAR_E_MODEL with the field that is wrong; the name is not checked here.
sar_status sari_table_create(const sar_table_def* def, sari_table** out, sar_error* error);
void sari_table_destroy(sari_table* table);

double sari_table_value(const sari_table* table, double x);
/// Value, first and second derivative; at a point those to its right.
void sari_table_series(const sari_table* table, double x, double out[3]);
/// In which piece x is: 0 before the first point, then the intervals from 1 on, and after the last.
int sari_table_piece(const sari_table* table, double x);
/// The same as series for one piece, which goes on beyond its ends.
void sari_table_piece_series(const sari_table* table, int piece, double x, double out[3]);

#endif
