/* Expressions of the model file: compiled once to a register program, evaluated without allocation, and
 * differentiated exactly. They can compute, and nothing else. */
#ifndef SARI_EXPRESSION_H
#define SARI_EXPRESSION_H

#include "base/archive.h"
#include "expression/quantity.h"
#include "expression/table.h"
#include "sarrus/base.h"

#include <stdbool.h>

typedef struct sari_expression sari_expression;

enum { SARI_NAME_UNKNOWN = -2, SARI_NAME_CONSTANT = -1 };
enum { SARI_OWN_VARIABLES = 3 }; ///< those with a smaller index hide units: t, and s of a curve

/// distance(A, B) becomes the signal A.clearance@B, with blanks so that all else stays where it is (distance.c).
void sari_spell_distances(char* text);

/// Says what a name means: a variable's index (>= 0), SARI_NAME_CONSTANT with `*constant` set,
/// or SARI_NAME_UNKNOWN. On unknown names it may put the reason and a suggestion into `why` (size
/// bytes): that is then the whole message. `name` is not zero-terminated. Names are letters,
/// digits, '_' and '.' ("crank.P.x").
typedef int (*sari_name_lookup)(void* context, const char* name, size_t length, double* constant,
                                char* why, size_t size);

/// Compile `text`. On failure: SAR_E_MODEL, error->offset is the character (byte) of `text`, from
/// 0, where it is wrong and error->message says what is wrong (with the nearest known function for
/// a typo in one). SAR_E_NOMEM when out of memory, SAR_E_ARG without a text.
/// `pi`, `e`, `inf` and the functions are known without lookup.
sar_status sari_expression_compile(const char* text, sari_name_lookup lookup, void* context,
                                   sari_expression** out, sar_error* error);
/// The same with the functions that `tables` adds (NULL: none). They must outlive the expression.
sar_status sari_expression_compile_with(const char* text, sari_name_lookup lookup, void* context,
                                        const sari_table_list* tables, sari_expression** out,
                                        sar_error* error);
/// The same of `text` less `less`.
sar_status sari_expression_compile_difference(const char* text, const char* less,
                                              sari_name_lookup lookup, void* context,
                                              const sari_table_list* tables, sari_expression** out,
                                              sar_error* error);
/// Says of which dimension a constant is, after the lookup has found it.
typedef sari_dimension (*sari_name_dimension)(void* context, const char* name, size_t length);
/// The same; constants have a dimension, and so has the result.
sar_status sari_expression_compile_measured(const char* text, sari_name_lookup lookup,
                                            sari_name_dimension dimension, void* context,
                                            const sari_table_list* tables, sari_expression** out,
                                            sar_error* error);
sari_dimension sari_expression_dimension(const sari_expression* e);
void sari_expression_destroy(sari_expression* e);

/// y = scale x + shift
typedef struct sari_conversion {
    double scale, shift;
} sari_conversion;

/// The same expression for variables and a result in other units: variable i is converted by
/// variables[i] before `e` sees it, its result by `result`. A copy even where nothing changes; NULL
/// when out of memory. Tables are shared with `e`.
sari_expression* sari_expression_in_units(const sari_expression* e,
                                          const sari_conversion* variables, sari_conversion result);

/// The same expression of some variables counted the other way, those of the bits of `variables`, and with the
/// other sign: f'(x, v) = -f(-x, -v). In the place of *e. False: out of memory, and nothing changed.
bool sari_expression_reverse(sari_expression** e, unsigned variables);

/// Replace a table that it calls by another one.
void sari_expression_use_table(sari_expression* e, const sari_table* from, const sari_table* to);

/// Does it use an input?
bool sari_expression_uses_inputs(const sari_expression* e);

/// The distinct variables used, ascending.
int sari_expression_variables(const sari_expression* e, const int** variables);
bool sari_expression_is_constant(const sari_expression* e);
/// Nothing but a variable?
bool sari_expression_is_variable(const sari_expression* e);

/// Is it a polynomial of low degree, as far as its operations show?
bool sari_expression_is_polynomial(const sari_expression* e);

/// Has it conditions, signs, roundings or tables, at which its value may jump?
bool sari_expression_switches(const sari_expression* e);

/// Numbers whose zeros are the places where an expression may jump or have a kink: x of abs(x) and
/// sign(x), a - b of comparisons, min and max, the ends of ramps and pulses, points of tables ... How
/// many there are, and the value of one; NaN: on a branch that is not taken.
int sari_expression_guards(const sari_expression* e);
double sari_expression_guard(const sari_expression* e, int guard, const double* variables);
/// Does it depend on time (variable 0) and on nothing else?
bool sari_expression_guard_of_time(const sari_expression* e, int guard);
/// Stay on the branches on which it is, whatever the guards are from now on: the expression goes on
/// smoothly beyond its jumps and kinks. Where it has no value there it takes its own branch again.
/// Guards that are zero hold nothing.
void sari_expression_freeze(sari_expression* e, const double* variables);
/// The same, on the side `sign` of one guard, which was at its zero. Pieces of tables, floor and mod are
/// those of `variables`: a moment after the zero.
void sari_expression_turn(sari_expression* e, int guard, int sign, const double* variables);
/// Is the branch that is held the one on which this guard has that sign? Of pieces it is the one within which the guard is positive.
/// True where none is held.
bool sari_expression_is_on_side(const sari_expression* e, int guard, int sign);
/// No branch is held any more.
void sari_expression_release(sari_expression* e);
void sari_expression_archive(sari_expression* e, sari_archive* a); ///< which branches are held

/// variables[i] is the value of variable i; only the used ones are read.
double sari_expression_value(const sari_expression* e, const double* variables);

/// Value, and into gradient[k] the derivative by the k-th used variable (order of _variables).
double sari_expression_gradient(const sari_expression* e, const double* variables,
                                double* gradient);

/// Value, first and second derivative along variable `index` (exact, second-order forward mode).
void sari_expression_series(const sari_expression* e, const double* variables, int index,
                            double out[3]);

/// The same along a direction: direction[i] is how fast variable i changes.
void sari_expression_series_along(const sari_expression* e, const double* variables,
                                  const double* direction, double out[3]);

#endif
