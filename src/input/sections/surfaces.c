/* Points on surfaces: f(x, y, z) = 0 in the axes of a body, as a constraint on positions. */
#include "input/reader.h"

#include <string.h>

/* BODY of BODY.POINT, as the file calls it. */
static const char* body_of(sari_reader* r, const char* point)
{
    const char* dot = strrchr(point, '.');
    return dot ? sari_print(r, "%.*s", (int)(dot - point), point) : NULL;
}

/* Component k of the point q from p, along the axes of p's body. */
static const char* component(sari_reader* r, const char* p, const char* q, const char* body, char k)
{
    return strcmp(body, "ground") == 0
               ? sari_print(r, "(%s.%c - %s.%c)", q, k, p, k)
               : sari_print(r, "(%s.%c@%s - %s.%c@%s)", q, k, body, p, k, body);
}

/* Both points are there and are written as BODY.POINT; false: reported. */
static bool are_points(sari_reader* r, const sari_element* e, const sari_node* between)
{
    if (!between) {
        sari_report(r, e->key, "the surface of '%s' lacks the key 'between'", e->name);
        sari_hint(r, "between: [BODY.POINT of the surface, BODY.POINT that stays on it]");
        return false;
    }
    if (!sari_expect_list(r, between, "between", 2)) return false;
    for (int k = 0; k < 2; k++) {
        sar_end end = {0};
        const sari_node* node = between->values[k];
        if (!sari_read_point(r, node, "between", &end)) return false;
        if (strchr(node->text, '.')) continue;
        sari_report(r, node, "'%.60s' is a body: name a point of it", node->text);
        sari_hint(r, "write %.60s.origin", node->text);
        return false;
    }
    return true;
}

const char* sari_read_surface(sari_reader* r, const sari_element* e, const sari_node* surface)
{
    const sari_node *between = sari_node_get(e->map, "between"),
                    *key = sari_node_key(e->map, "between");
    if (!surface && key) {
        sari_report(r, key, "between is for points on surfaces");
        sari_hint(r, "give the surface too, an expression of x, y and z, or remove the key");
    }
    if (!surface || !are_points(r, e, between)) return NULL;
    if (surface->kind != SARI_NODE_SCALAR) {
        sari_report(r, surface, "surface must be an expression of x, y and z");
        return NULL;
    }
    const char *p = between->values[0]->text, *q = between->values[1]->text, *body = body_of(r, p),
               *text = surface->text;
    for (const char* k = "xyz"; *k && body && text; k++) {
        if (r->dimension == 2 && *k == 'z') break;
        const char name[2] = {*k, 0}, *by = component(r, p, q, body, *k);
        text = by ? sari_replace_name(r, text, name, by) : NULL;
    }
    if (!text) return NULL;
    sari_node node = *surface;
    node.text = (char*)text;
    node.length = strlen(text);
    return sari_read_expression(r, &node, "surface", SARI_WITH_TIME | SARI_WITH_SIGNALS);
}
