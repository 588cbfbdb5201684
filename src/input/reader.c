/* The model file: its top level, and the two functions of sarrus/load.h. */
#include "input/reader.h"
#include "import/import.h"
#include "input/robots.h"

#include "base/memory.h"
#include "base/status.h"
#include "model/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const sari_limits sari_usual_limits = {.instances = 100000, .elements = 2000000};

/* ---- outputs and start ---------------------------------------------------------------------- */

/* {mean: expression}, and the like */
static void read_statistic(sari_reader* r, const sari_element* e, const sari_node* node,
                           sar_statistic statistic, int before)
{
    sar_error error;
    const char* expression =
        sari_read_expression(r, node, "an output", SARI_WITH_TIME | SARI_WITH_SIGNALS);
    if (r->failures == before &&
        sar_model_add_statistic(r->model, e->name, statistic, expression, &error) != SAR_OK)
        sari_report_at(r, node, error.offset, "%s", error.message);
}

static void read_filter(sari_reader* r, const sari_element* e, const sari_node* node,
                        const sari_node* constant, int before)
{
    sar_error error;
    const double T = sari_read_number_in(r, constant, "time_constant", "[s]");
    const char* expression =
        sari_read_expression(r, node, "filter", SARI_WITH_TIME | SARI_WITH_SIGNALS);
    if (r->failures != before ||
        sar_model_add_filter(r->model, e->name, expression, T, &error) == SAR_OK)
        return;
    if (strcmp(error.field, "expression") == 0) snprintf(error.field, sizeof error.field, "filter");
    sari_reject(r, e, &error);
}

/* {integral: expression, over: expression}, or a statistic */
static void read_integral(sari_reader* r, const sari_node* key, const sari_node* value)
{
    static const sari_key keys[] = {{"integral", 0}, {"over", 0},         {"mean", 0},
                                    {"rms", 0},      {"min", 0},          {"max", 0},
                                    {"filter", 0},   {"time_constant", 0}};
    const unsigned use = SARI_WITH_TIME | SARI_WITH_SIGNALS;
    int before = r->failures, given = 0;
    sari_element e;
    if (!sari_element_open(r, "output", key, value, &e)) return;
    SARI_CHECK_KEYS(r, &e, keys);
    const sari_node* over_node = sari_node_get(value, "over");
    const sari_node *filter = sari_node_get(value, "filter"),
                    *constant = sari_node_get(value, "time_constant");
    for (int k = 0; k < 7; k++) given += k != 1 && sari_node_get(value, keys[k].word);
    if (given != 1 || (over_node && !sari_node_get(value, "integral")) || !filter != !constant) {
        sari_report(r, key,
                    "an output is an expression, or one of integral, mean, rms, min, max, "
                    "filter");
        sari_hint(r,
                  "write {integral: EXPRESSION, over: EXPRESSION}, {max: EXPRESSION} or {filter: "
                  "EXPRESSION, time_constant: T}");
        return;
    }
    if (filter) {
        read_filter(r, &e, filter, constant, before);
        return;
    }
    for (int k = 2; k < 6; k++) {
        const sari_node* node = sari_node_get(value, keys[k].word);
        if (node) read_statistic(r, &e, node, (sar_statistic)(k - 2), before);
        if (node) return;
    }
    const sari_node* node = sari_node_get(value, "integral");
    const char* expression = sari_read_expression(r, node, "integral", use);
    const char* over = over_node ? sari_read_expression(r, over_node, "over", use) : NULL;
    sar_error error;
    if (r->failures != before ||
        sar_model_add_integral(r->model, e.name, expression, over, &error) == SAR_OK)
        return;
    if (strcmp(error.field, "expression") == 0)
        snprintf(error.field, sizeof error.field, "integral");
    sari_reject(r, &e, &error);
}

static bool uses(const sari_expression* e, int variable)
{
    const int* used = NULL;
    const int count = e ? sari_expression_variables(e, &used) : 0;
    for (int k = 0; k < count; k++)
        if (used[k] == variable) return true;
    return false;
}

/* An element of a file that this one uses, which knows nothing of outputs here. */
static bool is_of_assembly(const sari_reader* r, const char* name)
{
    return r->scope == r->world && sari_last_piece(name) != name;
}

/* Springs and roads have an x and a v of their own, which an output of that name does not change.
 */
static void note_own_variables(sari_reader* r, const sari_node* key, const char* name)
{
    const sar_model* m = r->model;
    if (strcmp(name, "x") != 0 && strcmp(name, "v") != 0) return;
    const int variable = name[0] == 'x' ? SARI_VARIABLE_X : SARI_VARIABLE_V;
    const char* user = NULL;
    for (int type = 0; type < SARI_FORCE_TYPES; type++)
        for (int k = 0; k < m->forces[type].count; k++)
            for (int i = 0; i < SARI_FORCE_TEXTS && !user; i++)
                if (uses(m->forces[type].at[k].expression[i], variable) &&
                    !is_of_assembly(r, m->forces[type].at[k].name))
                    user = m->forces[type].at[k].name;
    if (user)
        sari_note(r, key, "in '%s' the name %s means its own variable, not this output", user,
                  name);
}

static void read_output(sari_reader* r, const sari_node* key, const sari_node* value)
{
    if (value->kind == SARI_NODE_MAP) {
        read_integral(r, key, value);
        return;
    }
    int before = r->failures;
    const char* name = sari_read_name(r, key, "output");
    if (name) name = sari_full_name(r, name);
    const char* expression = sari_read_expression(r, value, name ? name : "an output",
                                                  SARI_WITH_TIME | SARI_WITH_SIGNALS);
    const sari_element e = {"output", name, key, value};
    sar_error error;
    if (r->failures == before && sar_model_add_output(r->model, name, expression, &error) != SAR_OK)
        sari_reject(r, &e, &error);
    else if (r->failures == before)
        note_own_variables(r, key, name);
}

/* By the last word of the signal. */
static const char* unit_of_start(const char* signal)
{
    static const char* const words[][2] = {
        {"x", "[m]"},
        {"y", "[m]"},
        {"z", "[m]"},
        {"displacement", "[m]"},
        {"displacement2", "[m]"},
        {"distance", "[m]"},
        {"length", "[m]"},
        {"vx", "[m/s]"},
        {"vy", "[m/s]"},
        {"vz", "[m/s]"},
        {"speed", "[m/s]"},
        {"speed2", "[m/s]"},
        {"angle", "[rad]"},
        {"angle2", "[rad]"},
        {"rate", "[rad/s]"},
        {"rate2", "[rad/s]"},
        {"wx", "[rad/s]"},
        {"wy", "[rad/s]"},
        {"wz", "[rad/s]"},
        {"yaw", "[rad]"},
        {"pitch", "[rad]"},
        {"roll", "[rad]"},
    };
    const char* dot = strrchr(signal, '.');
    for (size_t k = 0; dot && k < sizeof words / sizeof words[0]; k++)
        if (strcmp(dot + 1, words[k][0]) == 0) return words[k][1];
    return NULL;
}

/* `equilibrium: yes` among the start conditions: an option of the run. */
static void read_equilibrium(sari_reader* r, const sari_node* key, const sari_node* value)
{
    const char* text = value->text ? value->text : "";
    if (r->scope != r->world)
        sari_report(r, key, "equilibrium is a matter of the whole: ask for it in the first file");
    else if (strcmp(text, "yes") != 0 && strcmp(text, "no") != 0)
        sari_report(r, value, "equilibrium must be yes or no");
    else
        r->equilibrium = strcmp(text, "yes") == 0;
}

static void read_start(sari_reader* r, const sari_node* key, const sari_node* value)
{
    int before = r->failures;
    if (key->text && strcmp(key->text, "equilibrium") == 0) {
        read_equilibrium(r, key, value);
        return;
    }
    // The signal is an expression without operators: checking it as one finds unknown parameters
    // and consequences.
    const char* signal =
        sari_read_expression(r, key, "a start condition", SARI_WITH_TIME | SARI_WITH_SIGNALS);
    double number = sari_read_number_in(r, value, key->text, unit_of_start(key->text));
    sar_error error;
    if (r->failures == before && r->scopes > 1)
        signal = sari_start_signal(r, key, sari_read_text(r, key, "a start").text, &number);
    if (r->failures != before || sar_model_add_start(r->model, signal, number, &error) == SAR_OK)
        return;
    if (error.status == SAR_E_NOMEM)
        sari_fail_memory(r);
    else
        sari_report_at(r, strcmp(error.field, "value") == 0 ? value : key, error.offset, "%s",
                       error.message);
}

/* ---- top level ------------------------------------------------------------------------------ */

/* Everything else may mean something else in another version, so that nothing is read after a wrong
 * one. */
static bool check_version(sari_reader* r)
{
    const sari_node* node = sari_node_get(r->scope->root, "sarrus");
    if (!node) {
        sari_report(r, r->scope->root,
                    "the model lacks the key 'sarrus', the version of its format");
        sari_hint(r, "start the file with 'sarrus: 1'");
        return true;
    }
    if (node->kind == SARI_NODE_SCALAR && strcmp(node->text, "1") == 0) return true;
    char found[64];
    sari_report(r, node, "this program reads version 1 of the format, here is %s",
                sari_node_describe(node, found, sizeof found));
    sari_hint(r, "write 'sarrus: 1'");
    return false;
}

static const char* read_model_name(sari_reader* r)
{
    enum { LONGEST = 120 };
    const sari_node* node = sari_node_get(r->scope->root, "name");
    if (!node) return "";
    char found[64];
    if (node->kind != SARI_NODE_SCALAR || node->length == 0) {
        sari_report(r, node, "name must be a text, here is %s",
                    sari_node_describe(node, found, sizeof found));
        return "";
    }
    bool printable = true;
    for (const char* c = node->text; *c; c++)
        printable = printable && (unsigned char)*c >= 0x20 && *c != 0x7f;
    if (node->length > LONGEST || !printable)
        sari_report(r, node, "name must be one line of at most %d characters", (int)LONGEST);
    return node->text;
}

static void check_top_keys(sari_reader* r)
{
    static const sari_key keys[] = {
        {"sarrus", 0},
        {"name", SARI_KEY_REQUIRED},
        {"dimension", SARI_KEY_REQUIRED},
        {"description", 0},
        {"parameters", 0},
        {"tables", 0},
        {"inputs", 0},
        {"breakpoints", 0},
        {"gravity", 0},
        {"ground", 0},
        {"bodies", 0},
        {"frames", 0},
        {"joints", 0},
        {"drives", 0},
        {"states", 0},
        {"forces", 0},
        {"constraints", 0},
        {"phases", 0},
        {"outputs", 0},
        {"start", 0},
        {"repeat", 0},
        {"use", 0},
        {"ports", 0},
        {"method", 0},
    };
    const sari_element e = {"a model", NULL, r->scope->root, r->scope->root};
    const int before = r->failures;
    SARI_CHECK_KEYS(r, &e, keys);
    if (r->failures != before) r->incomplete = r->lacks_section = true;
    const sari_node* repeat = sari_node_get(r->scope->root, "repeat");
    bool has_bodies = sari_node_get(r->scope->root, "bodies") ||
                      sari_node_get(r->scope->root, "use") || r->scope->outer;
    for (int k = 0; repeat && repeat->kind == SARI_NODE_LIST && k < repeat->count; k++)
        has_bodies = has_bodies || sari_node_get(repeat->values[k], "bodies") ||
                     sari_node_get(repeat->values[k], "use");
    if (!has_bodies && !r->lacks_section)
        sari_report(r, r->scope->root, "a model lacks the key 'bodies'");
    const sari_node* description = sari_node_get(r->scope->root, "description");
    if (description && description->kind != SARI_NODE_SCALAR)
        sari_report(r, description, "description must be a text");
}

bool sari_check_head(sari_reader* r)
{
    if (!check_version(r)) return false;
    check_top_keys(r);
    (void)read_model_name(r);
    return true;
}

bool sari_read_dimension(sari_reader* r, int* out)
{
    const sari_node* node = sari_node_get(r->scope->root, "dimension");
    if (!node) return false;
    int before = r->failures;
    double dimension = sari_read_number(r, node, "dimension");
    if (r->failures != before) return false;
    if (dimension != 2.0 && dimension != 3.0) {
        sari_report(r, node, "dimension must be 2 (planar) or 3 (spatial), not %g", dimension);
        return false;
    }
    *out = (int)dimension;
    return true;
}

void sari_pass_parameters(sari_reader* r)
{
    const sari_scope* s = r->scope;
    for (int k = 0; k < s->constants_count; k++) {
        const sari_constant* c = &s->constants[k];
        sar_error error;
        sari_scratch_reset(&r->texts);
        const char* name = sari_full_name(r, c->name);
        if (!name || c->failed ||
            sar_model_set_parameter(r->model, name, c->value, &error) == SAR_OK)
            continue;
        if (error.status == SAR_E_NOMEM)
            sari_fail_memory(r);
        else
            sari_report(r, c->key, "%s", error.message);
    }
}

static int by_value(const void* a_, const void* b_)
{
    const double a = *(const double*)a_, b = *(const double*)b_;
    return (a > b) - (a < b);
}

static void read_breakpoints(sari_reader* r, sari_scope* scope)
{
    const sari_node* list = sari_node_get(scope->root, "breakpoints");
    for (sari_scope* k = scope->first; k; k = k->next) read_breakpoints(r, k);
    sari_enter(r, scope);
    if (!list) return;
    if (list->kind != SARI_NODE_LIST) {
        char found[64];
        sari_report(r, list, "breakpoints must be a list of times, here is %s",
                    sari_node_describe(list, found, sizeof found));
        return;
    }
    double* times = SARI_NEW_ARRAY(double, list->count);
    if (!times) {
        sari_fail_memory(r);
        return;
    }
    for (int k = 0; k < list->count; k++) {
        sari_scratch_reset(&r->texts);
        times[k] = sari_read_number_in(r, list->values[k], "a breakpoint", "[s]");
    }
    qsort(times, (size_t)list->count, sizeof *times, by_value); // each then goes to the end
    for (int k = 0; k < list->count && !r->out_of_memory; k++)
        if (sar_model_add_breakpoint(r->model, times[k], NULL) != SAR_OK) sari_fail_memory(r);
    sari_release(times);
}

static void read_sections(sari_reader* r)
{
    const sari_node* gravity = sari_node_get(r->scope->root, "gravity");
    sari_remember_ground(r);
    if (r->out_of_memory) return;
    sari_read_uses(r);
    sari_check_settings(r);
    if (gravity) {
        double g[3] = {0};
        sari_read_vector_in(r, gravity, "gravity", "[m/s^2]", g);
        sar_model_set_gravity(r->model, g);
    }
    read_breakpoints(r, r->world);
    sari_each_ground(r);
    sari_each_element(r, "bodies", sari_read_body_element);
    sari_read_ports(r);
    sari_each_element(r, "frames", sari_read_frame_element);
    sari_each_element(r, "joints", sari_read_joint_element);
    sari_each_element(r, "joints", sari_read_rotor_element);
    sari_each_element(r, "joints", sari_read_coupling_element);
    sari_each_element(r, "drives", sari_read_drive_element);
    sari_each_element(r, "constraints", sari_read_early_constraint);
    sari_each_element(r, "states", sari_read_state_element);
    sari_each_element(r, "forces", sari_read_force_element);
    sari_each_element(r, "states", sari_read_state_rate);
    sari_each_element(r, "constraints", sari_read_constraint_element);
    sari_read_phases(r);
    sari_each_element(r, "outputs", read_output);
    sari_each_element(r, "start", read_start);
}

static void read_model(sari_reader* r, sar_options* options)
{
    if (r->scope->root->kind != SARI_NODE_MAP) {
        sari_report(r, r->scope->root, "a model is a map of keys and values");
        sari_hint(r, "start the file with 'sarrus: 1'");
        return;
    }
    r->dimension = 3; // until it is known
    if (!sari_check_head(r)) return;
    sari_read_constants(r);
    sari_read_method(r, options);
    if (!sari_read_dimension(r, &r->dimension)) return;
    const sari_node* name = sari_node_get(r->scope->root, "name");
    r->model = sar_model_create(name && name->text ? name->text : "", r->dimension);
    if (r->model)
        read_sections(r);
    else
        sari_fail_memory(r);
    if (r->equilibrium && options) (void)sar_options_set(options, "equilibrium", "1", NULL);
}

static void clear_reader(sari_reader* r)
{
    sari_clear_scopes(r);
    sari_release(r->setting_used);
    sari_release(r->bodies);
    sari_release(r->reversed);
    sari_name_list_clear(&r->failed);
    sari_name_list_clear(&r->left_out);
    sari_name_list_clear(&r->early);
    sar_model_destroy(r->model);
}

/* ---- public --------------------------------------------------------------------------------- */

/* The tree of the first file, unless it is there from an earlier reading. */
static sar_status parse_first(sari_reader* r, sari_file* first)
{
    sari_node* root = NULL;
    if (first->root) return SAR_OK;
    const sar_status status =
        sari_document_parse(&first->source, &first->nodes, r->diagnostics, &root);
    first->root = root;
    first->flawed = status != SAR_OK;
    return status;
}

static sar_status parse_into(sari_reader* r, sari_file* first, sar_options* options)
{
    sari_files_open(r->files, first);
    const sar_status status = parse_first(r, first);
    if (status != SAR_OK) r->failures++;
    if (!first->root) return status;
    r->setting_used = SARI_NEW_ARRAY(bool, r->settings_count + 1);
    if (!r->setting_used || !sari_create_world(r, first)) return SAR_E_NOMEM;
    read_model(r, options);
    if (r->out_of_memory) return SAR_E_NOMEM;
    return r->failures ? SAR_E_MODEL : SAR_OK;
}

/* The errors, or the notes when there are none. */
static sar_status give_messages(const sari_reader* r, sar_status status, char** messages)
{
    sari_diagnostics* d = status == SAR_OK ? r->notes : r->diagnostics;
    if (!messages || (status == SAR_OK && d->count == 0)) return status;
    *messages = sari_diagnostics_format(d);
    return *messages ? status : SAR_E_NOMEM;
}

sar_status sari_reader_read(sari_files* files, const sar_setting* settings, int count,
                            sari_limits limits, sar_model** out, sar_options* options,
                            char** messages)
{
    sari_file* first = files->at[0];
    const sari_source* s = &first->source;
    sari_files_begin(files);
    if (!files->found) files->found = SARI_NEW_ARRAY(sari_diagnostics, 2);
    sari_diagnostics* d = files->found;
    if (!d) return SAR_E_NOMEM;
    sari_diagnostics_init(&d[0], "error", s->name, s->text, s->length);
    sari_diagnostics_init(&d[1], "note", s->name, s->text, s->length);
    sari_reader r = {.diagnostics = &d[0],
                     .notes = &d[1],
                     .limits = limits,
                     .settings = settings,
                     .settings_count = count,
                     .files = files,
                     .texts = files->texts,
                     .kept = files->scopes};
    sar_options given = options ? *options : sar_options_default();
    sar_status status = parse_into(&r, first, &given);
    if (status == SAR_OK || status == SAR_E_MODEL) status = give_messages(&r, status, messages);
    if (status == SAR_OK) {
        *out = r.model;
        r.model = NULL;
        if (options) *options = given;
    }
    clear_reader(&r);
    files->texts = r.texts;
    files->scopes = r.kept;
    for (int k = 0; k < 2; k++) sari_diagnostics_clear(&d[k]);
    return status;
}

sar_status sari_reader_parse(const char* text, size_t length, const char* name,
                             const sar_setting* settings, int count, sari_limits limits,
                             sar_model** out, sar_options* options, char** messages)
{
    sari_files files = {0};
    if (out) *out = NULL;
    if (messages) *messages = NULL;
    if (!text || !out || count < 0 || (count > 0 && !settings)) return SAR_E_ARG;
    sar_status status = sari_files_add_first(&files, text, length, name);
    if (status == SAR_OK)
        status = sari_reader_read(&files, settings, count, limits, out, options, messages);
    sari_files_clear(&files);
    return status;
}

sar_status sar_model_parse(const char* text, size_t length, const char* name,
                           const sar_setting* settings, int count, sar_model** out,
                           sar_options* options, char** messages)
{
    if (text && out && count >= 0 && sari_import_begins(text, length)) {
        *out = NULL;
        if (messages) *messages = NULL;
        return sari_parse_robot(text, length, name, settings, count, out, options, messages);
    }
    return sari_reader_parse(text, length, name, settings, count, sari_usual_limits, out, options,
                             messages);
}

const char* sari_path_beside(sari_reader* r, const char* file)
{
    const char* model = r->scope->file->source.name;
    const char* slash = file[0] == '/' ? NULL : strrchr(model, '/');
    return sari_print(r, "%.*s%s", slash ? (int)(slash - model) + 1 : 0, model, file);
}

sar_status sar_model_load(const char* path, const sar_setting* settings, int count, sar_model** out,
                          sar_options* options, char** messages)
{
    if (out) *out = NULL;
    if (messages) *messages = NULL;
    if (!path || !out) return SAR_E_ARG;
    size_t length;
    const char* why;
    char* text = sari_read_file(path, &length, &why);
    if (!text) {
        size_t size = strlen(path) + strlen(why) + 64;
        if (messages) *messages = sari_allocate(size, 1);
        if (messages && *messages)
            snprintf(*messages, size, "%s: error: cannot read the file: %s\n", path, why);
        return SAR_E_IO;
    }
    sar_status status =
        sar_model_parse(text, length, path, settings, count, out, options, messages);
    sari_release(text);
    return status;
}

void sar_text_free(char* text)
{
    sari_release(text);
}
