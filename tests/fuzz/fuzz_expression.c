/* Fuzzer for expressions: whatever the text, compiling answers, errors point into the text, and the
 * value that comes with the derivatives is the value. */
#include "expression/expression.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VARIABLES = 26 };

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

/// Small letters are variables, capitals constants.
static int look_up(void* context, const char* name, size_t length, double* constant, char* why,
                   size_t size)
{
    (void)context;
    *constant = (name[0] - 'M') / 2.0;
    if (length == 1 && name[0] >= 'a' && name[0] <= 'z') return name[0] - 'a';
    if (length == 1 && name[0] >= 'A' && name[0] <= 'Z') return SARI_NAME_CONSTANT;
    if (name[0] == '_') snprintf(why, size, "no '%.*s'", (int)length, name);
    return SARI_NAME_UNKNOWN;
}

static void demand(int condition, const char* what)
{
    if (condition) return;
    fprintf(stderr, "violated: %s\n", what);
    abort();
}

static int same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static void evaluate(const sari_expression* e, const double* variables)
{
    double gradient[VARIABLES] = {0}, out[3];
    double value = sari_expression_value(e, variables);
    demand(same(value, sari_expression_gradient(e, variables, gradient)), "value of the gradient");
    const int* used;
    int count = sari_expression_variables(e, &used);
    demand(count <= VARIABLES, "no more variables than there are");
    demand(sari_expression_is_constant(e) == (count == 0), "constant means without variables");
    for (int k = 0; k < count; k++) {
        demand(k == 0 || used[k - 1] < used[k], "ascending variables");
        sari_expression_series(e, variables, used[k], out);
        demand(same(out[0], value), "value of the series");
        demand(same(out[1], gradient[k]), "slope of the series");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static const double special[] = {0.3, -1.7, 0, 1, -2, 1e200, 1e-200, INFINITY, NAN, 2.5};
    char* text = malloc(size + 1);
    if (!text) return 0;
    if (size) memcpy(text, data, size);
    text[size] = '\0';
    sari_expression* e = NULL;
    sar_error error = {0};
    if (sari_expression_compile(text, look_up, NULL, &e, &error) == SAR_OK) {
        double variables[VARIABLES];
        for (int round = 0; round < 3; round++) {
            for (int k = 0; k < VARIABLES; k++) variables[k] = special[(k + 3 * round) % 10];
            evaluate(e, variables);
        }
    } else {
        demand(error.status == SAR_E_MODEL && error.message[0] != '\0', "a message");
        demand(error.offset >= 0 && (size_t)error.offset <= strlen(text), "offset in the text");
    }
    sari_expression_destroy(e);
    free(text);
    return 0;
}
