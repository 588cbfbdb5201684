/* The description of an FMU, modelDescription.xml, in the words of FMI 2.0 [fmi2014] or 3.0 [fmi2022].
 *
 * Variables, in the order of their references: time; parameters, which are fixed from initialisation on; inputs;
 * outputs; where there is Model Exchange its states, their derivatives and event indicators. In FMI 2.0 the place in this list, from
 * 1, is what the structure of the model speaks of, in 3.0 the reference. */
#include "expression/quantity.h"
#include "fmu/export.h"

#include <math.h>
#include <string.h>

/* ---- text ----------------------------------------------------------------------------------- */

static void escape(FILE* to, const char* text)
{
    for (; *text; text++) switch (*text) {
        case '<':
            fputs("&lt;", to);
            break;
        case '>':
            fputs("&gt;", to);
            break;
        case '&':
            fputs("&amp;", to);
            break;
        case '"':
            fputs("&quot;", to);
            break;
        default:
            fputc((unsigned char)*text < ' ' ? ' ' : *text, to);
        }
}

static void attribute(FILE* to, const char* name, const char* text)
{
    fprintf(to, " %s=\"", name);
    escape(to, text);
    fputc('"', to);
}

static void number(FILE* to, const char* name, double value)
{
    char text[32];
    sari_fmu_number(value, text);
    attribute(to, name, text);
}

/* ---- units ---------------------------------------------------------------------------------- */

/// What a unit of the model is in SI units.
typedef struct unit {
    char name[48];       ///< of the SI unit
    const char* display; ///< as the user wrote it, where that is another one; else NULL
    sari_unit is;
    int rad;
} unit;

/// False: it is none that is known.
static bool find_unit(const char* text, unit* out)
{
    static const char* const base[] = {"m", "kg", "s"};
    *out = (unit){.name = ""};
    if (!text || !*text) return false;
    if (sari_unit_read(text, NULL, NULL, &out->is) != (int)strlen(text)) return false;
    const bool over = strstr(text, "/rad") || strstr(text, "/deg");
    const bool angle = strncmp(text, "rad", 3) == 0 || strncmp(text, "deg", 3) == 0 ||
                       strncmp(text, "rev", 3) == 0 || strcmp(text, "rpm") == 0;
    out->rad = over ? -1 : angle;
    if (out->is.times == out->is.by) {
        snprintf(out->name, sizeof out->name, "%s", text);
        return true;
    }
    const int power[] = {out->is.dimension.length, out->is.dimension.mass, out->is.dimension.time};
    size_t used = 0;
    if (out->rad)
        used = (size_t)snprintf(out->name, sizeof out->name, out->rad > 0 ? "rad" : "rad-1");
    for (int k = 0; k < 3; k++)
        if (power[k])
            used += (size_t)snprintf(out->name + used, sizeof out->name - used,
                                     power[k] == 1 ? "%s%s" : "%s%s%d", used ? "." : "", base[k],
                                     power[k]);
    out->display = text;
    return true;
}

/// Unit of an input or output; NULL: none.
static const char* unit_text(const sari_fmu_export* e, sari_fmu_kind kind, int k)
{
    if (kind == SARI_FMU_TIME) return "s";
    if (kind == SARI_FMU_INPUT) return sar_model_input_unit(e->model, k);
    if (kind == SARI_FMU_OUTPUT) return sar_model_output_unit(e->model, k);
    return NULL;
}

/// Call `put` for every variable with a unit that no variable before it has.
static void each_unit(const sari_fmu_export* e, FILE* to, void (*put)(FILE* to, const unit* u))
{
    const int count = 1 + e->layout.parameters + e->layout.inputs + e->layout.outputs;
    for (int i = 0; i < count; i++) {
        unit u, other;
        int k, seen = 0;
        const sari_fmu_kind kind = sari_fmu_find(&e->layout, (unsigned)i, &k);
        if (!find_unit(unit_text(e, kind, k), &u)) continue;
        for (int j = 0; j < i && !seen; j++) {
            const sari_fmu_kind of = sari_fmu_find(&e->layout, (unsigned)j, &k);
            seen = find_unit(unit_text(e, of, k), &other) && strcmp(u.name, other.name) == 0;
        }
        if (!seen) put(to, &u);
    }
}

static void put_unit(FILE* to, const unit* u)
{
    const struct {
        const char* name;
        int power;
    } parts[] = {{"kg", u->is.dimension.mass},
                 {"m", u->is.dimension.length},
                 {"s", u->is.dimension.time},
                 {"rad", u->rad}};
    fputs("    <Unit", to);
    attribute(to, "name", u->name);
    fputs("><BaseUnit", to);
    for (int k = 0; k < 4; k++)
        if (parts[k].power) fprintf(to, " %s=\"%d\"", parts[k].name, parts[k].power);
    fputs("/>", to);
    if (u->display) {
        fputs("<DisplayUnit", to);
        attribute(to, "name", u->display);
        number(to, "factor", u->is.by / u->is.times);
        fputs("/>", to);
    }
    fputs("</Unit>\n", to);
}

/* ---- variables ------------------------------------------------------------------------------ */

/// Does a variable of a later kind have the name? Names of models are unique among their own kind.
static int is_taken(const sari_fmu_export* e, sari_fmu_kind kind, const char* name)
{
    int taken = strcmp(name, "time") == 0;
    for (int k = 0; kind < SARI_FMU_INPUT && k < e->layout.inputs; k++)
        taken |= strcmp(sar_model_input_name(e->model, k), name) == 0;
    for (int k = 0; kind < SARI_FMU_OUTPUT && k < e->layout.outputs; k++)
        taken |= strcmp(sar_model_output_name(e->model, k), name) == 0;
    return taken;
}

static void name_of(const sari_fmu_export* e, sari_fmu_kind kind, int k, char* name, size_t room)
{
    const sari_state* x = &e->simulation->state;
    const char* own;
    char coordinate[160];
    switch (kind) {
    case SARI_FMU_PARAMETER:
        own = sar_model_parameter_name(e->model, k);
        snprintf(name, room, "%s%s", is_taken(e, kind, own) ? "parameter." : "", own);
        return;
    case SARI_FMU_INPUT:
        own = sar_model_input_name(e->model, k);
        snprintf(name, room, "%s%s", is_taken(e, kind, own) ? "input." : "", own);
        return;
    case SARI_FMU_OUTPUT:
        snprintf(name, room, "%s", sar_model_output_name(e->model, k));
        return;
    case SARI_FMU_STATE:
    case SARI_FMU_DERIVATIVE:
        snprintf(coordinate, sizeof coordinate, k < x->np ? "state.q[%d]" : "state.v[%d]",
                 k < x->np ? k + 1 : k - x->np + 1);
        snprintf(name, room, kind == SARI_FMU_STATE ? "%s" : "der(%s)", coordinate);
        return;
    case SARI_FMU_INDICATOR:
        snprintf(name, room, "event[%d]", k + 1);
        return;
    default:
        snprintf(name, room, "time");
    }
}

static const char* const causalities[] = {"independent", "parameter", "input", "output",
                                          "local",       "local",     "local"};

static void causality(const sari_fmu_export* e, FILE* to, sari_fmu_kind kind, int k)
{
    const int calculated = kind == SARI_FMU_PARAMETER && e->calculated[k];
    attribute(to, "causality", calculated ? "calculatedParameter" : causalities[kind]);
    attribute(to, "variability", kind == SARI_FMU_PARAMETER ? "fixed" : "continuous");
    if (kind == SARI_FMU_PARAMETER && !calculated) attribute(to, "initial", "exact");
    if (calculated || kind >= SARI_FMU_OUTPUT) attribute(to, "initial", "calculated");
}

static void value(const sari_fmu_export* e, FILE* to, sari_fmu_kind kind, int k)
{
    unit u;
    if (find_unit(unit_text(e, kind, k), &u)) {
        attribute(to, "unit", u.name);
        if (u.display) attribute(to, "displayUnit", u.display);
    }
    if (kind == SARI_FMU_PARAMETER && !e->calculated[k])
        number(to, "start", sar_model_parameter_value(e->model, k));
    if (kind == SARI_FMU_INPUT) number(to, "start", sar_model_input_start(e->model, k));
    if (kind == SARI_FMU_DERIVATIVE) {
        const unsigned of = sari_fmu_reference(&e->layout, SARI_FMU_STATE, k);
        fprintf(to, " derivative=\"%u\"", e->def->version == 2 ? of + 1 : of);
    }
    if (kind == SARI_FMU_STATE) number(to, "nominal", 1.0);
}

static int variables(const sari_fmu_export* e)
{
    const sari_fmu_layout* l = &e->layout;
    return 1 + l->parameters + l->inputs + l->outputs + 2 * l->states + l->indicators;
}

static void write_variables(const sari_fmu_export* e, FILE* to)
{
    const int old = e->def->version == 2;
    fputs("  <ModelVariables>\n", to);
    for (int i = 0; i < variables(e); i++) {
        char name[200];
        int k;
        const sari_fmu_kind kind = sari_fmu_find(&e->layout, (unsigned)i, &k);
        name_of(e, kind, k, name, sizeof name);
        fprintf(to, "    <%s", old ? "ScalarVariable" : "Float64");
        attribute(to, "name", name);
        fprintf(to, " valueReference=\"%d\"", i);
        if (kind == SARI_FMU_STATE)
            attribute(to, "description", "a coordinate of the run, in units of its own");
        causality(e, to, kind, k);
        if (old) fputs("><Real", to);
        value(e, to, kind, k);
        fputs(old ? "/></ScalarVariable>\n" : "/>\n", to);
    }
    fputs("  </ModelVariables>\n", to);
}

/* ---- structure ------------------------------------------------------------------------------ */

/// Does an output show positions and time alone? Then inputs have no part in it.
static int is_positional(const sari_fmu_export* e, int output)
{
    const sari_output* o = &e->simulation->model->outputs[output];
    if (o->integral) return 0;
    for (int k = 0; k < e->layout.inputs; k++)
        if (strstr(e->model->outputs[output].text, sar_model_input_name(e->model, k))) return 0;
    return sari_signals_positional(&e->simulation->seen, o->value);
}

static void put_list(const sari_fmu_export* e, FILE* to, sari_fmu_kind kind, int count, int* some)
{
    for (int k = 0; k < count; k++) {
        const unsigned at = sari_fmu_reference(&e->layout, kind, k);
        fprintf(to, "%s%u", *some ? " " : "", e->def->version == 2 ? at + 1 : at);
        *some = 1;
    }
}

static void unknown(const sari_fmu_export* e, FILE* to, const char* element, sari_fmu_kind kind,
                    int k)
{
    const unsigned at = sari_fmu_reference(&e->layout, kind, k);
    int some = 0;
    fprintf(to,
            e->def->version == 2 ? "<%s index=\"%u\" dependencies=\""
                                 : "<%s valueReference=\"%u\" dependencies=\"",
            element, e->def->version == 2 ? at + 1 : at);
    if (kind != SARI_FMU_OUTPUT || !is_positional(e, k))
        put_list(e, to, SARI_FMU_INPUT, e->layout.inputs, &some);
    put_list(e, to, SARI_FMU_STATE, e->layout.states, &some);
    fputs("\"/>\n", to);
}

/// At the start everything depends on everything: no list.
static void initial_unknown(const sari_fmu_export* e, FILE* to, sari_fmu_kind kind, int k)
{
    const unsigned at = sari_fmu_reference(&e->layout, kind, k);
    if (e->def->version == 2)
        fprintf(to, "      <Unknown index=\"%u\"/>\n", at + 1);
    else
        fprintf(to, "    <InitialUnknown valueReference=\"%u\"/>\n", at);
}

static void write_structure(const sari_fmu_export* e, FILE* to)
{
    const int old = e->def->version == 2;
    const sari_fmu_layout* l = &e->layout;
    fputs("  <ModelStructure>\n", to);
    if (old && l->outputs) fputs("    <Outputs>\n", to);
    for (int k = 0; k < l->outputs; k++) {
        fputs(old ? "      " : "    ", to);
        unknown(e, to, old ? "Unknown" : "Output", SARI_FMU_OUTPUT, k);
    }
    if (old && l->outputs) fputs("    </Outputs>\n", to);
    if (old && l->states) fputs("    <Derivatives>\n", to);
    for (int k = 0; k < l->states; k++) {
        fputs(old ? "      " : "    ", to);
        unknown(e, to, old ? "Unknown" : "ContinuousStateDerivative", SARI_FMU_DERIVATIVE, k);
    }
    if (old && l->states) fputs("    </Derivatives>\n", to);
    int some = l->outputs + l->states;
    for (int k = 0; k < l->parameters; k++) some += e->calculated[k];
    if (old && some) fputs("    <InitialUnknowns>\n", to);
    for (int k = 0; k < l->parameters; k++)
        if (e->calculated[k]) initial_unknown(e, to, SARI_FMU_PARAMETER, k);
    for (int k = 0; k < l->outputs; k++) initial_unknown(e, to, SARI_FMU_OUTPUT, k);
    for (int k = 0; k < l->states; k++) initial_unknown(e, to, SARI_FMU_STATE, k);
    for (int k = 0; k < l->states; k++) initial_unknown(e, to, SARI_FMU_DERIVATIVE, k);
    if (old && some) fputs("    </InitialUnknowns>\n", to);
    for (int k = 0; !old && k < l->indicators; k++) {
        fputs("    ", to);
        unknown(e, to, "EventIndicator", SARI_FMU_INDICATOR, k);
    }
    fputs("  </ModelStructure>\n", to);
}

/* ---- the head ------------------------------------------------------------------------------- */

static void interface_2(const sari_fmu_export* e, FILE* to, const char* element, const char* more)
{
    fprintf(to,
            "  <%s modelIdentifier=\"%s\" canGetAndSetFMUstate=\"true\" "
            "canSerializeFMUstate=\"true\" providesDirectionalDerivative=\"true\" "
            "canNotUseMemoryManagementFunctions=\"true\"%s>\n",
            element, e->identifier, more);
    sari_fmu_list_sources(e, to);
    fprintf(to, "  </%s>\n", element);
}

static void interfaces_2(const sari_fmu_export* e, FILE* to)
{
    if (e->layout.states) interface_2(e, to, "ModelExchange", "");
    interface_2(e, to, "CoSimulation",
                " canHandleVariableCommunicationStepSize=\"true\" canInterpolateInputs=\"true\" "
                "maxOutputDerivativeOrder=\"1\"");
}

static void interfaces_3(const sari_fmu_export* e, FILE* to)
{
    static const char can[] = " canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\" "
                              "providesDirectionalDerivatives=\"true\" "
                              "providesAdjointDerivatives=\"true\"";
    if (e->layout.states)
        fprintf(to, "  <ModelExchange modelIdentifier=\"%s\"%s/>\n", e->identifier, can);
    fprintf(
        to,
        "  <CoSimulation modelIdentifier=\"%s\"%s canHandleVariableCommunicationStepSize=\"true\" "
        "maxOutputDerivativeOrder=\"1\" hasEventMode=\"true\"",
        e->identifier, can);
    if (!e->simulation->integrator->variable)
        number(to, "fixedInternalStepSize", e->def->options->step);
    fputs("/>\n", to);
}

static void write_head(const sari_fmu_export* e, FILE* to)
{
    const int old = e->def->version == 2;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription", to);
    attribute(to, "fmiVersion", old ? "2.0" : "3.0");
    attribute(to, "modelName", sar_model_name(e->model));
    attribute(to, old ? "guid" : "instantiationToken", e->token);
    attribute(to, "generationTool", "Sarrus " SAR_VERSION);
    attribute(to, "variableNamingConvention", "flat");
    if (old) fprintf(to, " numberOfEventIndicators=\"%d\"", e->layout.indicators);
    fputs(">\n", to);
    (old ? interfaces_2 : interfaces_3)(e, to);
}

static void write_categories(FILE* to)
{
#define X(name, tells) "    <Category name=\"" name "\" description=\"" tells "\"/>\n"
    fputs("  <LogCategories>\n" SARI_FMU_LOG_LIST(X), to);
#undef X
    fputs("  </LogCategories>\n", to);
}

void sari_fmu_describe(const sari_fmu_export* e, FILE* to)
{
    const sar_options* o = e->def->options;
    write_head(e, to);
    fputs("  <UnitDefinitions>\n", to);
    each_unit(e, to, put_unit);
    fputs("  </UnitDefinitions>\n", to);
    write_categories(to);
    fputs("  <DefaultExperiment", to);
    number(to, "startTime", o->start);
    number(to, "stopTime", o->end);
    if (e->simulation->integrator->variable) number(to, "tolerance", o->tolerance);
    number(to, "stepSize", e->step);
    fputs("/>\n", to);
    write_variables(e, to);
    write_structure(e, to);
    fputs("</fmiModelDescription>\n", to);
}

/* ---- the page ------------------------------------------------------------------------------- */

void sari_fmu_document(const sari_fmu_export* e, FILE* to)
{
    const sar_options* o = e->def->options;
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>", to);
    escape(to, sar_model_name(e->model));
    fputs("</title></head><body>\n<h1>", to);
    escape(to, sar_model_name(e->model));
    fprintf(
        to,
        "</h1>\n<p>A mechanism, exported by Sarrus " SAR_VERSION
        ". It runs with %s coordinates, the formulation %s and the integrator %s. The model is in "
        "<code>resources</code>.</p>\n",
        o->coordinates, o->formulation, o->integrator);
    if (e->rows)
        fprintf(
            to,
            "<p><code>resources/reference.csv</code> is its motion from t = %g s to %g s, with "
            "an estimate of its error beside every output where one is known. <code>sarrus check "
            "FILE.fmu</code> compares the FMU with it.</p>\n",
            o->start, o->end);
    fputs("</body></html>\n", to);
}
