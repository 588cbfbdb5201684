/* Programs of expressions: random expressions, at random points and at zeros, have the bits that they always
 * had. Values, gradients, second derivatives, branches that are held, guards, enclosures over time and
 * conversions of units were digested with an earlier evaluator, which ran stack code with jets; those
 * digests stand here, and are regression limits. (Those of the first four groups are newer: enclosures of
 * powers reach across zero since.) Besides, gradients by reverse mode are those by forward mode. */
#include "expression/program.h"
#include "expression/time.h"

#include "math/random.h"
#include "sar_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VARIABLES = 9, TEXT = 40000 };

static const char* const NAMES[VARIABLES] = {"t", "x", "v", "a", "b", "c", "d", "p", "q"};

static int look_up(void* context, const char* name, size_t length, double* constant, char* why,
                   size_t size)
{
    (void)constant, (void)why, (void)size;
    for (int k = 0; k < *(const int*)context; k++)
        if (length == 1 && name[0] == NAMES[k][0]) return k;
    return SARI_NAME_UNKNOWN;
}

/* ---- random expressions --------------------------------------------------------------------- */

typedef struct author {
    uint64_t seed;
    int variables;
    const sari_table_list* tables; ///< kinked(x) and curved(x); NULL: none
    char text[TEXT];
} author;

static int choose(author* a, int n)
{
    const int k = (int)(0.5 * (1.0 + sari_random(&a->seed)) * n);
    return k < n ? k : n - 1;
}

static void say(author* a, const char* words)
{
    const size_t length = strlen(a->text);
    snprintf(a->text + length, TEXT - length, "%s", words);
}

static void write_expression(author* a, int depth);

static void write_call(author* a, const char* function, int arguments, int depth)
{
    say(a, function);
    for (int k = 0; k < arguments; k++) {
        say(a, k ? ", " : "(");
        write_expression(a, depth);
    }
    say(a, ")");
}

static void write_switch(author* a, int depth)
{
    static const struct {
        const char* function;
        int arguments;
    } SWITCHES[] = {{"ramp", 3}, {"pulse", 3}, {"step", 5}, {"kinked", 1}, {"curved", 1}};
    const int k = choose(a, a->tables ? 5 : 3);
    write_call(a, SWITCHES[k].function, SWITCHES[k].arguments, depth);
}

static void write_leaf(author* a)
{
    static const char* const NUMBERS[] = {"0", "1", "2", "0.5", "3.7", "1e3", "pi"};
    if (choose(a, 3) == 0)
        say(a, NUMBERS[choose(a, (int)(sizeof NUMBERS / sizeof *NUMBERS))]);
    else
        say(a, NAMES[choose(a, a->variables)]);
}

static void write_expression(author* a, int depth)
{
    static const char* const OF_ONE[] = {"sin",  "cos",   "tan",  "atan", "tanh", "exp",
                                         "sqrt", "abs",   "sign", "log",  "asin", "sinh",
                                         "cosh", "floor", "acos", "-"};
    static const char* const OF_TWO[] = {"min", "max", "hypot", "atan2", "mod", "pow"};
    static const char* const SIGNS[] = {" + ", " - ", " * ", " / "};
    static const char* const POWERS[] = {"^5", "^2", "^3", "^4", "^0.5", "^(-1)"};
    static const char* const COMPARISONS[] = {" < ", " > ", " <= ", " >= ", " == "};
    if (depth == 0) {
        write_leaf(a);
        return;
    }
    const int kind = choose(a, 20);
    if (kind < 10) {
        say(a, "(");
        write_expression(a, depth - 1);
        say(a, SIGNS[kind % 4]);
        write_expression(a, depth - 1);
        say(a, ")");
    } else if (kind < 13) {
        say(a, "(");
        write_expression(a, depth - 1);
        say(a, ")");
        say(a, POWERS[choose(a, 6)]);
    } else if (kind < 16) {
        write_call(a, OF_ONE[choose(a, (int)(sizeof OF_ONE / sizeof *OF_ONE))], 1, depth - 1);
    } else if (kind < 17) {
        write_call(a, OF_TWO[choose(a, 6)], 2, depth - 1);
    } else if (kind < 18) {
        write_switch(a, depth > 2 ? 1 : 0);
    } else {
        say(a, "(");
        write_expression(a, depth - 1);
        say(a, COMPARISONS[choose(a, 5)]);
        write_expression(a, 1);
        say(a, " ? ");
        write_expression(a, depth - 1);
        say(a, " : ");
        write_expression(a, depth - 1);
        say(a, ")");
    }
}

/* ---- tables --------------------------------------------------------------------------------- */

typedef struct fixture {
    sari_table* table[2];
    sari_hash by_name;
    sari_table_list list;
} fixture;

static void make_tables(fixture* f)
{
    static const double X[] = {-2.0, -0.5, 0.25, 1.0, 2.5}, Y[] = {1.0, -1.0, 0.5, 2.0, -0.5};
    const sar_table_def kinked = {"kinked", 5, X, Y, SAR_INTERPOLATION_LINEAR, 0};
    const sar_table_def curved = {"curved", 5, X, Y, SAR_INTERPOLATION_CUBIC, 1};
    memset(f, 0, sizeof *f);
    CHECK_STATUS(sari_table_create(&kinked, &f->table[0], NULL), SAR_OK);
    CHECK_STATUS(sari_table_create(&curved, &f->table[1], NULL), SAR_OK);
    for (int k = 0; k < 2; k++)
        CHECK(sari_hash_add(&f->by_name, sari_hash_code(f->table[k]->name, 6)));
    f->list = (sari_table_list){f->table, 2, &f->by_name};
}

static void drop_tables(fixture* f)
{
    for (int k = 0; k < 2; k++) sari_table_destroy(f->table[k]);
    sari_hash_release(&f->by_name);
}

static sari_expression* compile(author* a)
{
    sari_expression* e;
    sar_error error;
    if (sari_expression_compile_with(a->text, look_up, &a->variables, a->tables, &e, &error) !=
        SAR_OK)
        fail_msg("%s: %s", a->text, error.message);
    return e;
}

/* ---- digests -------------------------------------------------------------------------------- */

static void take(uint64_t* digest, double x)
{
    uint64_t bits;
    x = isnan(x) ? NAN : x == 0.0 ? 0.0 : x; // one NaN, one zero
    memcpy(&bits, &x, sizeof bits);
    if (isnan(x)) bits = 1;
    *digest = (*digest ^ bits) * 0x100000001b3u;
    *digest ^= *digest >> 29;
}

/* Derivatives of what is piecewise constant are zero, even of sign(log(0)), for which other evaluators find
 * NaN. */
static void take_derivative(uint64_t* digest, double x)
{
    take(digest, isnan(x) ? 0.0 : x);
}

static void take_evaluations(uint64_t* digest, const sari_expression* e, const double* at)
{
    double gradient[VARIABLES] = {0}, series[3], along[3];
    take(digest, sari_expression_value(e, at));
    take(digest, sari_expression_gradient(e, at, gradient));
    sari_expression_series(e, at, 1, series);
    sari_expression_series_along(e, at, at, along);
    for (int k = 0; k < VARIABLES; k++) take_derivative(digest, gradient[k]);
    for (int k = 0; k < 3; k++)
        take_derivative(digest, series[k]), take_derivative(digest, along[k]);
}

static int compare_numbers(const void* a, const void* b)
{
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

/* Guards as a set: what occurs twice in an expression may have one guard or two. */
static void take_guards(uint64_t* digest, const sari_expression* e, const double* at)
{
    enum { MOST = 2000 };
    double g[MOST];
    int n = 0, of_time = 0;
    CHECK(sari_expression_guards(e) <= MOST);
    for (int k = 0; k < sari_expression_guards(e); k++) {
        const double x = sari_expression_guard(e, k, at);
        of_time |= sari_expression_guard_of_time(e, k);
        if (!isnan(x)) g[n++] = x;
    }
    qsort(g, (size_t)n, sizeof *g, compare_numbers);
    for (int k = 0; k < n; k++)
        if (k == 0 || g[k] != g[k - 1]) take(digest, g[k]);
    take(digest, of_time);
}

static void take_series(uint64_t* digest, const sari_time_series* f)
{
    for (int k = 0; k < 2; k++) take(digest, f->at[k]);
    for (int k = 0; k <= SARI_TIME_ORDER; k++)
        take(digest, f->c[k].low), take(digest, f->c[k].high);
}

static void take_time(uint64_t* digest, const sari_expression* e, const double* at)
{
    sari_time_series f, moving[VARIABLES];
    if (!isfinite(sari_expression_value(e, at))) return; // nothing is known of NaN
    take(digest, sari_expression_of_time(e));
    take(digest, sari_expression_over_time(e, at, at[0], at[0] + 0.1, &f));
    take_series(digest, &f);
    for (int k = 0; k < VARIABLES; k++)
        moving[k] = sari_time_cubic(0.1, at[k], at[VARIABLES - 1 - k], at[k] + 0.1, 0.5);
    (void)sari_expression_along(e, moving,
                                &f); // its answer knew of inputs alone when these were taken
    take(digest, true);
    take_series(digest, &f);
}

static void take_break(uint64_t* digest, const sari_expression* e, const double* at)
{
    double examined;
    take(digest, sari_expression_next_break(e, at, at[0], at[0] + 0.05, &examined));
    take(digest, examined);
}

static void take_in_units(uint64_t* digest, const sari_expression* e, const double* at)
{
    sari_conversion conversion[VARIABLES];
    for (int k = 0; k < VARIABLES; k++)
        conversion[k] = (sari_conversion){k % 2 ? 1.0 : 1.0 + 0.25 * k, k % 3 ? 0.0 : 0.125 * k};
    sari_expression* other = sari_expression_in_units(e, conversion, (sari_conversion){0.001, 0.0});
    CHECK(other);
    take_evaluations(digest, other, at);
    take_time(digest, other, at);
    sari_expression_destroy(other);
}

static void choose_point(author* a, int zeros, double* at)
{
    for (int k = 0; k < VARIABLES; k++)
        at[k] = zeros || choose(a, 6) == 0 ? 0.0 : 3.0 * sari_random(&a->seed);
}

static uint64_t digest_of(author* a, sari_expression* e)
{
    uint64_t digest = 0xcbf29ce484222325u;
    double at[VARIABLES], later[VARIABLES];
    take(&digest, sari_expression_is_polynomial(e));
    take(&digest, sari_expression_switches(e));
    for (int point = 0; point < 4; point++) {
        choose_point(a, point == 3, at);
        choose_point(a, 0, later);
        take_evaluations(&digest, e, at);
        take_guards(&digest, e, at);
        take_time(&digest, e, at);
        sari_expression_freeze(e, at);
        take_evaluations(&digest, e, later);
        take_guards(&digest, e, later);
        take_time(&digest, e, later);
        sari_expression_release(e);
        take_evaluations(&digest, e, later);
    }
    take_break(&digest, e, later);
    take_in_units(&digest, e, later);
    return digest;
}

static void write_sum(author* a, int parts)
{
    for (int k = 0; k < parts; k++) {
        if (k > 0) say(a, k % 3 ? " + " : " * ");
        write_expression(a, 1 + choose(a, 4));
    }
}

/* All digests in one. `parts`: each is a sum of so many; 0: one alone. */
static uint64_t digest_many(int variables, int count, int parts, uint64_t seed)
{
    uint64_t digest = 0;
    fixture f;
    make_tables(&f);
    author a = {.seed = seed, .variables = variables, .tables = &f.list};
    for (int k = 0; k < count; k++) {
        a.text[0] = '\0';
        if (parts)
            write_sum(&a, parts);
        else
            write_expression(&a, 1 + choose(&a, 5));
        sari_expression* e = compile(&a);
        const uint64_t one = digest_of(&a, e);
        digest = (digest ^ one) * 0x100000001b3u;
        sari_expression_destroy(e);
    }
    drop_tables(&f);
    return digest;
}

static int check_digest(uint64_t got, uint64_t wanted)
{
    if (got != wanted)
        print_error("digest %016llx, wanted %016llx\n", (unsigned long long)got,
                    (unsigned long long)wanted);
    return got == wanted;
}

TEST(bits_are_those_of_stack_code)
{
    static const struct {
        int variables, count, parts;
        uint64_t wanted;
    } GROUPS[] = {
        {1, 600, 0, 0xce1082a706205d71u}, {2, 600, 0, 0x716b7c6fff129d40u},
        {4, 600, 0, 0x5ac9dda905d11acbu}, {VARIABLES, 600, 0, 0x203dcfddc8d72325u},
        {4, 20, 60, 0x685a0f6c67c8a575u}, {VARIABLES, 20, 80, 0x64c1d33e2d9d514eu},
    };
    int right = 0;
    for (unsigned k = 0; k < sizeof GROUPS / sizeof *GROUPS; k++)
        right +=
            check_digest(digest_many(GROUPS[k].variables, GROUPS[k].count, GROUPS[k].parts, k + 1),
                         GROUPS[k].wanted);
    CHECK(right == sizeof GROUPS / sizeof *GROUPS);
}

/* Every operation with branches, on both sides of each of its guards. */
TEST(bits_of_branches_stay)
{
    static const char* const TEXTS[] = {
        "x*abs(v) + 2",
        "sign(x - v)*a",
        "(x < v ? a*x : a*v) + 1",
        "(x <= v ? a^2 : v)",
        "(x > v ? sin(a) : x)",
        "(x >= a ? x/a : a - v)",
        "min(x^2, a) + v",
        "max(x, v*a)",
        "floor(3*x) + x",
        "mod(x, 0.7 + v^2)*a",
        "ramp(x, v, v + 1)*a",
        "pulse(x, a, a + 1)*v",
        "step(x, a, v, a + 2, x)",
        "step(t, x, v, 3, a^2)",
        "kinked(x*v) + a",
        "curved(x + a)*v",
        "atan2(x, v) + abs(a)",
        "min(x, v, a)",
        "max(abs(x), v, t)",
        "x == v ? a : v",
        "x != v ? ramp(t, 0, 1) : abs(a)",
        "mod(t, 0.3) + floor(v)",
        "abs(x) > 1 ? min(v, a) : max(v, a)",
    };
    uint64_t digest = 0;
    fixture f;
    make_tables(&f);
    author a = {.seed = 7, .variables = VARIABLES, .tables = &f.list};
    for (size_t k = 0; k < sizeof TEXTS / sizeof *TEXTS; k++) {
        snprintf(a.text, TEXT, "%s", TEXTS[k]);
        sari_expression* e = compile(&a);
        for (int guard = 0; guard < sari_expression_guards(e); guard++)
            for (int sign = -1; sign <= 1; sign += 2) {
                double at[VARIABLES], later[VARIABLES];
                choose_point(&a, 0, at);
                choose_point(&a, 0, later);
                sari_expression_freeze(e, at);
                sari_expression_turn(e, guard, sign, later);
                take_evaluations(&digest, e, later);
                take_guards(&digest, e, at);
                take_time(&digest, e, at);
                take_break(&digest, e, at);
                sari_expression_release(e);
            }
        sari_expression_destroy(e);
    }
    drop_tables(&f);
    CHECK(check_digest(digest, 0x11eeb5596fac33b7u));
}

/* ---- reverse mode against forward mode ------------------------------------------------------- */

static void check_gradient(author* a, const sari_expression* e, const double* at)
{
    const int* used;
    const int n = sari_expression_variables(e, &used);
    double gradient[VARIABLES], series[3];
    const double value = sari_expression_gradient(e, at, gradient);
    double scale = fabs(value); // derivatives cancel, those of x/x too
    for (int k = 0; k < n; k++) scale = fmax(scale, fabs(gradient[k]));
    for (int k = 0; k < n; k++) {
        sari_expression_series(e, at, used[k], series);
        const int same = series[1] == gradient[k] || (isnan(series[1]) && isnan(gradient[k]));
        if (!same && !(fabs(series[1] - gradient[k]) <= 1e-11 * scale))
            fail_msg("by %s: %.17g, by reverse mode %.17g: %s", NAMES[used[k]], series[1],
                     gradient[k], a->text);
    }
}

TEST(reverse_mode_finds_the_same_gradients)
{
    fixture f;
    make_tables(&f);
    author a = {.seed = 8, .variables = VARIABLES, .tables = &f.list};
    for (int k = 0; k < 4000; k++) {
        double at[VARIABLES];
        a.text[0] = '\0';
        write_expression(&a, 1 + choose(&a, 5));
        sari_expression* e = compile(&a);
        for (int point = 0; point < 8; point++) {
            choose_point(&a, point == 7, at);
            check_gradient(&a, e, at);
        }
        sari_expression_destroy(e);
    }
    drop_tables(&f);
}

/* How many instructions an expression has. */
static int count_instructions(const char* text)
{
    author a = {.variables = VARIABLES};
    snprintf(a.text, TEXT, "%s", text);
    sari_expression* e = compile(&a);
    const int count = e->count;
    sari_expression_destroy(e);
    return count;
}

TEST(what_occurs_twice_is_computed_once)
{
    CHECK(count_instructions("x") == 2); // and its end
    CHECK(count_instructions("2*sin(x)") == 4);
    CHECK(count_instructions("sin(x)*sin(x) + sin(x)") == 5);
    CHECK(count_instructions("(x - v)^2 + 3*(x - v)") == 7);
    CHECK(count_instructions("x^2 + x*2 - 1") == 6);
    // what one branch computes is not there in the other
    CHECK(count_instructions("x > 0 ? sin(v) : sin(v)") == 12);
    CHECK(count_instructions("sin(v) > 0 ? sin(v) : 2*sin(v)") == 10);
}

static void say_term(author* a, const char* format, int k)
{
    char term[64];
    snprintf(term, sizeof term, format, k);
    say(a, term);
}

/* Many operands that wait, much that is shared, conditions inside each other: as deep as the parser goes. */
TEST(registers_are_always_enough)
{
    author a = {.variables = VARIABLES};
    for (int k = 0; k < 90; k++) say(&a, "x > 0 ? sin(x) : (");
    say(&a, "x");
    for (int k = 0; k < 90; k++) say(&a, ") + 1");
    sari_expression* e = compile(&a);
    CHECK(e->registers >= 90 && e->registers <= SARI_REGISTERS);
    const double at[VARIABLES] = {0.0, -2.0};
    CHECK(sari_expression_value(e, at) == 88.0);
    sari_expression_destroy(e);
    a.text[0] = '\0';
    for (int k = 0; k < 60; k++) say_term(&a, "(sin(x + %d) - ", k);
    for (int k = 0; k < 150; k++) say_term(&a, k ? " + cos(v + %d)" : "cos(v + %d)", k);
    for (int k = 0; k < 150; k++) say_term(&a, "*cos(v + %d)", 149 - k);
    for (int k = 0; k < 60; k++) say(&a, ")");
    e = compile(&a);
    CHECK(e->registers > SARI_STACK_DEPTH && e->registers <= SARI_REGISTERS);
    sari_expression_destroy(e);
}
