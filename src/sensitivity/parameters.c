/* Parameters: numbers of the source by name, and sums of them, `r+l`, which are changed together. */
#include "sensitivity/sensitivity.h"

#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double STRAIGHT = 1e-12; ///< an angle that is zero but for rounding
static const double OF_VECTOR = 0.1;  ///< of the largest component: the size of all

void sari_parameter_refuse(sari_free_number* p, const char* why)
{
    if (!p->refused[0]) snprintf(p->refused, sizeof p->refused, "%s", why);
}

static sar_status find_term(sar_sensitivity* s, sari_free_number* p, const char* name,
                            size_t length, sar_error* error)
{
    char word[256];
    snprintf(word, sizeof word, "%.*s", (int)length, name);
    const int k = sar_source_find_number(s->def.source, word);
    if (k < 0)
        return sari_fail(error, SAR_E_ARG, "parameter",
                         "the model has no number \"%.200s\"; sarrus sensitivity --list shows all",
                         word);
    if (p->numbers == SARI_SENSITIVITY_TERMS)
        return sari_fail(error, SAR_E_ARG, "parameter", "a sum has up to %d numbers",
                         SARI_SENSITIVITY_TERMS);
    p->number[p->numbers++] = k;
    return SAR_OK;
}

/* A component of a vector is part of something as large as the others: it may be zero but for rounding. */
static double size_of_vector(const sar_number* list, int count, const char* name)
{
    const char* end = strrchr(name, '[');
    const size_t length = end ? (size_t)(end - name) + 1 : 0;
    double most = 0.0;
    int components = 0;
    for (int i = 0; end && i < count; i++) {
        if (strncmp(list[i].name, name, length) != 0 || strchr(list[i].name + length, '['))
            continue;
        most = fmax(most, fabs(list[i].value));
        components++;
    }
    return components <= 3 ? most : 0.0;
}

/* What changes of a number are small beside; 0: a length, or a radian. */
static double size_of(const sar_number* list, int count, const char* name, double value)
{
    const size_t length = strlen(name);
    if (length > 6 && strcmp(name + length - 6, ".angle") == 0 && fabs(value) < STRAIGHT)
        return 0.0;
    return fmax(fabs(value), OF_VECTOR * size_of_vector(list, count, name));
}

static sar_status find(sar_sensitivity* s, int k, const sar_number* list, int count,
                       sar_error* error)
{
    sari_free_number* p = &s->parameter[k];
    const char* name = s->def.parameter[k];
    for (const char* at = name; at;) {
        const char* plus = strchr(at, '+');
        const size_t length = plus ? (size_t)(plus - at) : strlen(at);
        SARI_TRY(find_term(s, p, at, length, error));
        at = plus ? plus + 1 : NULL;
    }
    const char* whole = p->numbers == 1 ? list[p->number[0]].name : name;
    char* copy = SARI_TAKE(&s->memory, char, strlen(whole) + 1);
    if (!copy) return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    p->name = strcpy(copy, whole);
    p->in_file = p->value = list[p->number[0]].value;
    if (s->def.value && !isnan(s->def.value[k])) p->value = s->def.value[k];
    p->size = size_of(list, count, list[p->number[0]].name, p->value);
    return SAR_OK;
}

sar_status sari_parameters_find(sar_sensitivity* s, sar_error* error)
{
    const sar_number* list;
    int count;
    const sar_status st =
        sar_source_numbers(s->def.source, s->def.settings, s->def.settings_count, &list, &count);
    if (st != SAR_OK) return sari_fail(error, st, NULL, "the model cannot be read");
    s->parameters = s->def.parameters;
    s->parameter = SARI_TAKE(&s->memory, sari_free_number, s->parameters + 1);
    s->along = SARI_TAKE(&s->memory, double, s->parameters + 1);
    if (s->memory.failed) return sari_fail(error, SAR_E_NOMEM, NULL, "out of memory");
    s->parameter[s->parameters].name = "all numbers together";
    for (int k = 0; k < s->parameters; k++) SARI_TRY(find(s, k, list, count, error));
    return SAR_OK;
}

/* How much of a change of k parameter i takes part in. */
static double part_of(const sar_sensitivity* s, int i, int k)
{
    return k == s->parameters ? s->along[i] : i == k;
}

/* What a number is changed by, by all parameters that change it. */
static double change_of(const sar_sensitivity* s, int number, int k, double change)
{
    double sum = 0.0;
    for (int i = 0; i < s->parameters; i++)
        for (int j = 0; j < s->parameter[i].numbers; j++)
            if (s->parameter[i].number[j] == number)
                sum += s->parameter[i].value - s->parameter[i].in_file + part_of(s, i, k) * change;
    return sum;
}

/* Has parameter i another value than in the file, with k changed? */
static int is_other(const sar_sensitivity* s, int i, int k)
{
    return part_of(s, i, k) != 0.0 || s->parameter[i].value != s->parameter[i].in_file;
}

void sari_parameters_change(sar_sensitivity* s, int k, double change)
{
    for (int i = 0; i < s->parameters; i++)
        for (int j = 0; is_other(s, i, k) && j < s->parameter[i].numbers; j++) {
            const int number = s->parameter[i].number[j];
            sar_source_change_number(s->def.source, number, change_of(s, number, k, change));
        }
}

void sari_parameters_restore(sar_sensitivity* s, int k)
{
    for (int i = 0; i < s->parameters; i++)
        for (int j = 0; is_other(s, i, k) && j < s->parameter[i].numbers; j++)
            sar_source_change_number(s->def.source, s->parameter[i].number[j], 0.0);
}
