/* What the parts of forces.c share. */
#ifndef SARI_FORCES_PARTS_H
#define SARI_FORCES_PARTS_H

#include "system/forces/forces.h"

/* Where the entries rows x cols of K and C are. */
typedef struct sari_force_block {
    const sari_term_list *rows, *cols;
    int* at;
} sari_force_block;

/* States of a force: numbers of v from `first` on. */
typedef struct sari_law_states {
    sari_term_list list;
    int first;                   ///< in the list of all states
    sari_force_block* by_scalar; ///< states x scalars of the force
    sari_force_block own;        ///< states x states
} sari_law_states;

/* One law: a scalar with what pulls on it. Those of a force know each other. */
typedef struct sari_law {
    int scalar;
    const sari_force_type* type;
    const sari_force* force; ///< its component `component` of the laws from `first` on
    int component, first, count;
    int together;    ///< all laws of the force depend on the same coordinates: see force_together.c
    int plain;       ///< and all their scalars are polynomials
    int first_state; ///< of all states, where the force has any
    int asked;       ///< the joint whose reaction it asks for, or -1
    double reaction; ///< its size
    sari_force_block*
        blocks; ///< with the scalars of the force, then, of the first, the signals used
    sari_force_block by_state; ///< with its states
    sari_law_states* states;   ///< of the force, at its first law; NULL: none
} sari_law;

/* The expression whose signals enter the first law of a force, or NULL. */
static inline const sari_expression* sari_law_expression(const sari_law* l)
{
    const bool law = l->component == 0 && !(l->type->is.text[0].use & SARI_USE_ALONG);
    return law ? l->force->expression[0] : NULL;
}

typedef struct sari_load_blocks {
    const sari_force* load;
    sari_term_list body[2];      ///< coordinates of the loaded and of the reaction body
    sari_force_block own[4];     ///< body x body
    sari_force_block* signal[2]; ///< body x signals used by any of its expressions
    int* used;
    int used_count;
    struct sari_load_action* slope; ///< of the action by each of them
    int turns[2];                   ///< can the bodies turn?
} sari_load_blocks;

struct sari_force_set {
    sari_law* laws;
    int laws_count;
    sari_load_blocks* loads;
    int loads_count;
    int* signal_used; ///< per signal of the model: does a force use it?
    int* reaction;    ///< signals that are reactions, in `variables`
    int reactions;
    double* variables;        ///< of expressions
    int at_rest;              ///< statics, see sari_force_state
    const double* state;      ///< of all forces
    sari_scalar_value* value; ///< per law
    sari_scalar_value* signal;
    sari_scalar_parts *part, *signal_part; ///< of both, with tangents
    int longest;          ///< coordinates that a law or a signal depends on, at most
    double* gradients;    ///< of the laws and the signals, `longest` each
    double* signal_slope; ///< per signal: d rate/dq, `longest` each
    double* slope;        ///< per law: the same of its scalar, where anything depends on its rate
    double* together;     ///< 2 x most scalars of a force x longest
    double *H, *work;     ///< longest^2
    double* row;          ///< longest
    double* on_X;         ///< forces of the laws on X; NULL: polynomials are in q
    int* body;            ///< the bodies that they act on
    int bodies;
};

/// Room for the places of a block, whose entries go into the pattern; and the places.
sar_status sari_force_block_plan(sari_system* s, sari_force_block* b, const sari_term_list* rows,
                                 const sari_term_list* cols, sari_pattern* pattern);
void sari_force_block_locate(sari_force_block* b, const sari_csr* K);
/// matrix[block] += w * g h'
void sari_force_block_add(double* matrix, const sari_force_block* b, double w, const double* g,
                          const double* h);

/// Keep the first force that has no finite value, or slope, where all that it depends on has one: what
/// comes after, in a step that fails because of it, is its consequence.
void sari_note_undefined(sari_system* s, const char* element, const char* text,
                         const sari_expression* e, double value, int slope);
/// K and C of forces g that depend on a signal: `by` times its change.
void sari_add_signal_dependence(sari_system* s, const sari_force_block* b, int signal, double by,
                                const double* g);

/* force_loads.c */

void sari_load_add(sari_system* s, int index, int tangent);
/// power + that of a load, term by term
double sari_load_add_power(const sari_system* s, int index, double power);
void sari_load_add_on_X(sari_system* s, const sari_force* load, double* G);

/* force_together.c; `l` is the first law of a force */

void sari_laws_find_together(const sari_system* s, sari_force_set* f, const sari_law* l);
void sari_laws_add_together(sari_system* s, const sari_law* l, const sari_force_action* action);

/* force_states.c; likewise */

sar_status sari_law_states_plan(sari_system* s, const sari_force_set* f, sari_law* l,
                                sari_pattern* pattern);
void sari_law_states_locate(sari_system* s, sari_law* l);
void sari_law_states_add(sari_system* s, const sari_law* l, const sari_force_action* action,
                         int tangent);

#endif
