/* Files that use files. An entry of `use` opens a file as an assembly:
 *
 *     use:
 *       left: {file: side.yaml, with: {k: 3e4, chassis: beam}}
 *       right: {file: side.yaml, with: {k: 3e4, chassis: beam}, mirror: y}
 *
 * Every use is a scope: parameters, tables and names of its own. `with` gives values to parameters
 * and says what the ports of the file are. All scopes are opened before anything is added to the
 * model; after that the sections are read one by one, each from all scopes. */
#include "base/memory.h"
#include "base/status.h"
#include "input/reader.h"
#include "math/vec3.h"
#include "model/parts.h"

#include <stdio.h>
#include <string.h>

enum { DEPTH_MOST = 16 };

/* ---- scopes --------------------------------------------------------------------------------- */

void sari_enter(sari_reader* r, sari_scope* scope)
{
    r->scope = scope;
    r->diagnostics->used = r->notes->used = scope->used;
}

static sari_scope* new_scope(sari_reader* r, const sari_file* file)
{
    sari_scope* s = sari_scratch_allocate(&r->kept, sizeof *s);
    if (!s) {
        sari_fail_memory(r);
        return NULL;
    }
    s->file = file;
    s->root = file->root;
    s->prefix = "";
    s->placement = sari_identity();
    r->scopes++;
    return s;
}

static void keep_inner(sari_scope* outer, sari_scope* inner)
{
    inner->outer = outer;
    inner->depth = outer->depth + 1;
    if (outer->last)
        outer->last->next = inner;
    else
        outer->first = inner;
    outer->last = inner;
}

static void clear_scope(sari_scope* s)
{
    for (; s; s = s->next) {
        for (int k = 0; k < s->constants_count; k++) sari_release(s->constants[k].name);
        for (int k = 0; k < s->repeats_count; k++) sari_release(s->repeats[k].index);
        sari_release(s->constants);
        sari_release(s->repeats);
        sari_hash_release(&s->constants_by_name);
        sari_name_list_clear(&s->indices);
        clear_scope(s->first);
    }
}

void sari_clear_scopes(sari_reader* r)
{
    clear_scope(r->world);
}

/* ---- files ---------------------------------------------------------------------------------- */

static sari_file* file_at(sari_reader* r, const char* path)
{
    sari_file* file = sari_files_find(r->files, path);
    if (!file) file = sari_files_add(r->files, path);
    if (!file) sari_fail_memory(r);
    return file;
}

static void parse_file(sari_reader* r, const sari_node* node, sari_file* file)
{
    static const char mark[] = "\xef\xbb\xbf"; // some editors start a text with it
    sari_source* source = &file->source;
    if (source->length >= 3 && memcmp(source->text, mark, 3) == 0)
        source->text += 3, source->length -= 3;
    sari_file_identify(file);
    sari_node* root = NULL;
    const char* used = r->diagnostics->used;
    r->diagnostics->used = sari_print(r, "%s:%d:%d", r->scope->file->source.name, node->place.line,
                                      node->place.column);
    const int shown = r->diagnostics->count;
    const sar_status status = sari_document_parse(source, &file->nodes, r->diagnostics, &root);
    r->diagnostics->used = used;
    if (status == SAR_E_NOMEM) r->out_of_memory = true;
    if (status != SAR_OK) r->failures++;
    if (root && root->kind != SARI_NODE_MAP && r->diagnostics->count == shown)
        sari_report(r, node, "%s is not a model: a model is a map of keys and values", file->path);
    file->root = root && root->kind == SARI_NODE_MAP ? root : NULL;
    file->flawed = status != SAR_OK || !file->root;
}

/* For the first time in this reading. */
static void open_first(sari_reader* r, const sari_node* node, sari_file* file)
{
    const char* why;
    if (!sari_file_read(file, &why)) {
        sari_report(r, node, "cannot read %s: %s", file->path, why);
        sari_hint(r, "files are looked for beside the one that names them");
        return;
    }
    if (sari_model_add_file(r->model, file->path) != SAR_OK) sari_fail_memory(r);
    if (!file->root) parse_file(r, node, file);
}

sari_file* sari_open_data(sari_reader* r, const char* path, const char** why)
{
    sari_file* file = file_at(r, path);
    *why = sar_status_text(SAR_E_NOMEM);
    return file && sari_file_read(file, why) ? file : NULL;
}

/* NULL: reported, now or when it was opened first. */
static const sari_file* open_file(sari_reader* r, const sari_node* node)
{
    const int before = r->failures;
    const char* name = sari_read_text(r, node, "file").text;
    const char* path = r->failures == before ? sari_path_beside(r, name) : NULL;
    if (!path) return NULL;
    sari_file* file = file_at(r, path);
    if (file && sari_files_open(r->files, file)) open_first(r, node, file);
    if (file && !file->root) sari_fail_silently(r);
    return file && file->root ? file : NULL;
}

/* "car.yaml uses axle.yaml, which uses side.yaml": a chain that ends where it began. */
static bool check_chain(sari_reader* r, const sari_node* node, const sari_file* file)
{
    const sari_scope* s = r->scope;
    if (s->depth >= DEPTH_MOST) {
        sari_report(r, node, "files use files more than %d deep here", (int)DEPTH_MOST);
        return false;
    }
    while (s && !sari_file_is(s->file, file)) s = s->outer;
    if (!s) return true;
    char chain[400] = "";
    size_t used = 0;
    for (const sari_scope* k = r->scope; k; k = k == s ? NULL : k->outer) {
        const int bytes = snprintf(chain + used, sizeof chain - used, "%s is used by %s",
                                   used ? ", which" : file->source.name, k->file->source.name);
        used += bytes > 0 && used + (size_t)bytes < sizeof chain ? (size_t)bytes : 0;
    }
    sari_report(r, node, "the file uses itself: %s", chain);
    return false;
}

/* ---- ports ---------------------------------------------------------------------------------- */

static const sari_node* port_name(const sari_node* ports, int k)
{
    return ports->kind == SARI_NODE_MAP ? ports->keys[k] : ports->values[k];
}

static bool is_port(const sari_node* root, const char* name)
{
    const sari_node* ports = sari_node_get(root, "ports");
    for (int k = 0; ports && ports->kind != SARI_NODE_SCALAR && k < ports->count; k++) {
        const sari_node* key = port_name(ports, k);
        if (key->kind == SARI_NODE_SCALAR && strcmp(key->text, name) == 0) return true;
    }
    return false;
}

static const sari_node* given(const sari_node* with, const char* name)
{
    return with && with->kind == SARI_NODE_MAP ? sari_node_get(with, name) : NULL;
}

/* What the outer file, which is being read, calls it. */
static const char* read_port_path(sari_reader* r, const sari_node* value, const char* name)
{
    const int before = r->failures;
    const sari_text t = sari_read_text(r, value, name);
    const char* path = r->failures == before ? sari_full_path(r, t.text) : NULL;
    const char* kept = path ? sari_scratch_text(&r->kept, path, strlen(path)) : NULL;
    if (path && !kept) sari_fail_memory(r);
    return kept;
}

/* `node` is where a missing one is reported; NULL: the file is read alone, and its ports are the
 * ground. */
static void connect_ports(sari_reader* r, sari_scope* inner, const sari_node* with,
                          const sari_node* node)
{
    const sari_node* ports = sari_node_get(inner->root, "ports");
    if (!ports || ports->kind == SARI_NODE_SCALAR) return; // reported with the inner file's keys
    inner->ports = sari_scratch_allocate(&r->kept, (size_t)(ports->count + 1) * sizeof(sari_port));
    if (!inner->ports) {
        sari_fail_memory(r);
        return;
    }
    for (int k = 0; k < ports->count; k++) {
        const sari_node* key = port_name(ports, k);
        if (key->kind != SARI_NODE_SCALAR) continue;
        sari_port port = {.name = key->text, .key = key};
        if (ports->kind == SARI_NODE_MAP && ports->values[k]->kind == SARI_NODE_MAP)
            port.map = ports->values[k];
        const sari_node* value = given(with, key->text);
        if (value) {
            port.path = read_port_path(r, value, key->text);
        } else if (!node) {
            port.path = "ground";
        } else {
            sari_report(r, node, "%s has a port '%.60s', which is not connected",
                        inner->file->source.name, key->text);
            sari_hint(r, "write with: {%.60s: BODY}", key->text);
        }
        inner->ports[inner->ports_count++] = port;
    }
}

/* ---- parameters ----------------------------------------------------------------------------- */

static bool has_parameter(const sari_node* root, const char* name)
{
    const sari_node* map = sari_node_get(root, "parameters");
    return map && map->kind == SARI_NODE_MAP && sari_node_get(map, name);
}

static void report_unknown(sari_reader* r, const sari_node* key, const sari_file* file)
{
    const sari_node* maps[2] = {sari_node_get(file->root, "parameters"),
                                sari_node_get(file->root, "ports")};
    int room = 1, count = 0;
    sari_report(r, key, "%s has no parameter or port '%.60s'", file->source.name, key->text);
    for (int i = 0; i < 2; i++) room += maps[i] ? maps[i]->count : 0;
    const char** words = sari_scratch_allocate(&r->texts, (size_t)room * sizeof *words);
    for (int i = 0; words && i < 2; i++)
        for (int k = 0; maps[i] && maps[i]->kind != SARI_NODE_SCALAR && k < maps[i]->count; k++) {
            const sari_node* name = port_name(maps[i], k);
            if (name->kind == SARI_NODE_SCALAR) words[count++] = name->text;
        }
    if (count)
        sari_suggest(r, key->text, words, count);
    else
        sari_hint(r, "it has neither 'parameters' nor 'ports'");
}

static void read_with(sari_reader* r, sari_scope* inner, const sari_node* with)
{
    inner->overrides =
        sari_scratch_allocate(&r->kept, (size_t)(with->count + 1) * sizeof(sari_override));
    if (!inner->overrides) {
        sari_fail_memory(r);
        return;
    }
    for (int k = 0; k < with->count; k++) {
        const sari_node *key = with->keys[k], *value = with->values[k];
        if (is_port(inner->root, key->text)) continue;
        if (!has_parameter(inner->root, key->text)) {
            report_unknown(r, key, inner->file);
            continue;
        }
        const int before = r->failures;
        sari_override override = {.key = key, .value = sari_read_number(r, value, key->text)};
        override.failed = r->failures != before;
        override.dimension = r->measured;
        inner->overrides[inner->overrides_count++] = override;
    }
}

/* ---- an entry ------------------------------------------------------------------------------- */

static sari_placement read_placement(sari_reader* r, const sari_element* e)
{
    static const char* const words[] = {"x", "y", "z"};
    sari_placement p = sari_identity();
    const int axis = sari_read_word(r, e, "mirror", words, r->dimension, -1);
    sari_read_place(r, e, p.d, p.A, NULL);
    for (int k = 0; k < 9; k++) p.moved |= p.A[k] != (k % 4 == 0);
    for (int k = 0; k < 3; k++) p.moved |= p.d[k] != 0.0;
    if (axis < 0) return p;
    for (int k = 0; k < 3; k++) p.A[3 * k + axis] *= -1.0;
    p.S[axis] = -1.0;
    p.moved = p.mirrored = true;
    return p;
}

static void name_scope(sari_reader* r, sari_scope* inner, const sari_element* e)
{
    const sari_scope* outer = r->scope;
    const char* prefix = sari_print(r, "%s.", e->name);
    const char* used = sari_print(r, "%s:%d:%d as %s%s%s", outer->file->source.name,
                                  e->key->place.line, e->key->place.column, e->name,
                                  outer->used ? ", by " : "", outer->used ? outer->used : "");
    if (!prefix || !used) return;
    inner->prefix = sari_scratch_text(&r->kept, prefix, strlen(prefix));
    inner->used = sari_scratch_text(&r->kept, used, strlen(used));
    if (!inner->prefix || !inner->used) sari_fail_memory(r);
}

/* The ground as the assembly draws it. */
static void add_ground(sari_reader* r, const sari_element* e, const sari_scope* inner)
{
    static const char *const points[] = {"origin", "center"}, *const axes[] = {"x", "y", "z"};
    for (int k = 0; k < 2 + r->dimension; k++) {
        double v[3] = {0};
        sar_error error;
        const char* name = sari_print(r, "%s%s", inner->prefix, k < 2 ? points[k] : axes[k - 2]);
        if (!name) return;
        if (k < 2) {
            sari_put_point(&inner->placement, v);
        } else {
            v[k - 2] = 1.0;
            sari_put_vector(&inner->placement, v);
        }
        if ((k < 2 ? sar_model_add_point : sar_model_add_axis)(r->model, SAR_GROUND, name, v,
                                                               &error) == SAR_OK)
            continue;
        snprintf(error.field, sizeof error.field, "name");
        sari_reject(r, e, &error);
        return;
    }
}

static void open_scope(sari_reader* r, const sari_element* e, const sari_file* file,
                       const sari_placement* placement)
{
    const sari_node* with = sari_node_get(e->map, "with");
    sar_error error;
    if (sari_model_add_assembly(r->model, e->name, &error) != SAR_OK) {
        sari_reject(r, e, &error);
        return;
    }
    sari_scope* inner = new_scope(r, file);
    if (!inner) return;
    inner->placement = sari_compose(&r->scope->placement, placement);
    name_scope(r, inner, e);
    if (r->out_of_memory) return;
    add_ground(r, e, inner);
    keep_inner(r->scope, inner);
    if (with && sari_expect_map(r, with, "with")) read_with(r, inner, with);
    connect_ports(r, inner, with, e->key);
}

static void read_use(sari_reader* r, const sari_node* key, const sari_node* value)
{
    static const sari_key keys[] = {
        {"file", SARI_KEY_REQUIRED},
        {"with", 0},
        {"mirror", 0},
        {"position", 0},
        {"angle", SARI_KEY_PLANAR},
        {"rotation", SARI_KEY_SPATIAL},
        {"when", 0},
    };
    const int before = r->failures;
    sari_element e;
    if (!sari_element_open(r, "assembly", key, value, &e)) {
        if (value->kind == SARI_NODE_SCALAR && value->length > 0)
            sari_hint(r, "write %.60s: {file: %.60s}", key->text, value->text);
        r->incomplete = true;
        return;
    }
    SARI_CHECK_KEYS(r, &e, keys);
    const sari_placement placement = read_placement(r, &e);
    const sari_node* node = sari_node_get(value, "file");
    const sari_file* file = node ? open_file(r, node) : NULL;
    if (r->scopes > r->limits.instances) {
        sari_report(r, key, "the model uses more than %d files", r->limits.instances);
        file = NULL;
    }
    if (file && check_chain(r, node, file)) open_scope(r, &e, file, &placement);
    if (r->failures != before) r->incomplete = true;
}

/* ---- all of them ---------------------------------------------------------------------------- */

/* What a file that is used may not have. */
static void check_inner(sari_reader* r)
{
    const sari_node* phases = sari_node_key(r->scope->root, "phases");
    int dimension;
    if (phases) {
        sari_report(r, phases,
                    "a file that another one uses has no phases: they happen in one order");
        sari_hint(r, "move them to the first file, where joints of assemblies are NAME.JOINT");
    }
    if (!sari_read_dimension(r, &dimension) || dimension == r->dimension) return;
    sari_report(r, sari_node_get(r->scope->root, "dimension"),
                "this file is %s, but the model that uses it is %s",
                dimension == 2 ? "planar" : "spatial", r->dimension == 2 ? "planar" : "spatial");
}

static void expand(sari_reader* r, sari_scope* s)
{
    const int before = r->failures;
    sari_enter(r, s);
    if (s->outer) {
        if (!sari_check_head(r)) {
            r->incomplete = true;
            return;
        }
        check_inner(r);
        sari_read_constants(r);
    }
    sari_pass_parameters(r);
    sari_each_element_here(r, "tables", sari_read_table_element); // before any repeat entry
    sari_each_element_here(r, "inputs", sari_read_input_element);
    sari_read_repeats(r);
    sari_each_element_here(r, "use", read_use);
    if (s->outer && r->failures != before) r->incomplete = true;
    for (sari_scope* k = s->first; k && !r->out_of_memory; k = k->next) expand(r, k);
}

void sari_read_uses(sari_reader* r)
{
    expand(r, r->world);
    sari_enter(r, r->world);
}

sari_scope* sari_create_world(sari_reader* r, const sari_file* file)
{
    r->world = new_scope(r, file);
    if (!r->world) return NULL;
    sari_enter(r, r->world);
    connect_ports(r, r->world, NULL, NULL);
    return r->world;
}

/* ---- points and axes of ports --------------------------------------------------------------- */

/* From the drawing of the file to the body's frame. False: reported. */
static bool to_body(sari_reader* r, const sari_node* key, sar_body_id body, bool point, double v[3])
{
    const sari_placement* p = &r->scope->placement;
    const sar_body_def* def = &r->model->bodies[body.i].def;
    if (point)
        sari_put_point(p, v);
    else
        sari_put_vector(p, v);
    if (body.i == SAR_GROUND.i) return true;
    if (!sari_is_drawn(r, body) && (point || !def->has_rotation)) {
        sari_report(r, key, "'%.60s' is given as drawn, but '%s' is drawn without %s", key->text,
                    r->model->bodies[body.i].name,
                    def->has_rotation   ? "a 'position'"
                    : r->dimension == 2 ? "an 'angle'"
                                        : "a 'rotation'");
        return false;
    }
    for (int k = 0; k < 3 && point; k++) v[k] -= def->position[k];
    sari_rotate_back(def->rotation, v, v);
    return true;
}

static void add_part(sari_reader* r, const sari_node* key, const sari_node* value, sar_body_id body,
                     bool point)
{
    const int before = r->failures;
    const char* name = sari_read_name(r, key, point ? "point" : "axis");
    double v[3];
    sar_error error;
    sari_read_vector_in(r, value, key->text, point ? "[m]" : NULL, v);
    if (r->failures != before || !to_body(r, key, body, point, v)) return;
    name = sari_full_name(r, name);
    if (!name || (point ? sar_model_add_point : sar_model_add_axis)(r->model, body, name, v,
                                                                    &error) == SAR_OK)
        return;
    const sari_element e = {point ? "point" : "axis", name, key, value};
    sari_reject(r, &e, &error);
}

static void read_port(sari_reader* r, const sari_port* port)
{
    static const sari_key keys[] = {{"points", 0}, {"axes", 0}};
    static const char* const sections[] = {"points", "axes"};
    const sari_element e = {"a port", NULL, port->key, port->map};
    const char *head, *tail;
    sar_body_id body;
    SARI_CHECK_KEYS(r, &e, keys);
    if (!port->path || !sari_split_path(r, port->path, &head, &tail)) return;
    if (sar_model_find_body(r->model, head, strlen(head), &body) != SAR_OK) {
        if (r->incomplete || sari_remembers(&r->failed, head, strlen(head))) {
            sari_fail_silently(r);
        } else {
            sari_report(r, port->key, "the port '%.60s' is given '%.60s', which is no body",
                        port->name, port->path);
        }
        return;
    }
    const int before = r->failures;
    for (int k = 0; k < 2; k++) {
        const sari_node* map = sari_node_get(port->map, sections[k]);
        if (!map || !sari_expect_map(r, map, sections[k])) continue;
        for (int i = 0; i < map->count; i++)
            add_part(r, map->keys[i], map->values[i], body, k == 0);
    }
    if (r->failures != before) r->bodies[body.i].flawed = true;
}

static void read_ports_of(sari_reader* r, sari_scope* s)
{
    const sari_node* ports = sari_node_get(s->root, "ports");
    sari_enter(r, s);
    if (ports && ports->kind == SARI_NODE_SCALAR) {
        sari_report(r, ports, "ports must be a list of names, or a map of names with their points");
        sari_hint(r, "write ports: [chassis], or ports: {chassis: {points: {A: [..]}}}");
    }
    for (int k = 0; k < s->ports_count; k++) {
        sari_scratch_reset(&r->texts);
        const sari_port* port = &s->ports[k];
        if (!sari_read_name(r, port->key, "port")) continue;
        if (sari_find_constant(r, port->name, strlen(port->name)))
            sari_report(r, port->key, "the port '%s' is also a parameter; choose another name",
                        port->name);
        if (port->map) read_port(r, port);
    }
    for (sari_scope* k = s->first; k; k = k->next) read_ports_of(r, k);
}

void sari_read_ports(sari_reader* r)
{
    read_ports_of(r, r->world);
    sari_enter(r, r->world);
}
