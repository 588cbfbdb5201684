#include "run/impacts.h"

#include "common/summary.h"

enum { LABEL = 12, MOST_EVENTS = 10 };

static const char* const words[] = {"impact", "impacts end", "contact closes", "contact opens"};

void cli_impacts_print(const cli_report* r, FILE* out)
{
    int rows = 0;
    long impacts = 0;
    for (int k = 0; k < r->impact_count; k++) impacts += r->impacts[k].kind == SAR_IMPACT;
    cli_print_label(out, "bounds");
    fprintf(out, "%s%ld impact%s\n", r->impact_total > r->impact_count ? "more than " : "", impacts,
            cli_plural(impacts));
    for (int k = 0; k < r->impact_count; k++) {
        const sar_impact* i = &r->impacts[k];
        if (i->kind == SAR_IMPACT && rows >= MOST_EVENTS) continue; // others are few
        if (rows++ > 4 * MOST_EVENTS) break;
        fprintf(out, "%*st = %-12.10g %s: %s", LABEL + 4, "", i->t,
                sar_model_joint_name(r->model_of_impacts, i->joint), words[i->kind]);
        if (i->kind == SAR_IMPACT)
            fprintf(out, ", rate %.6g to %.6g, impulse %.6g", i->rate_before, i->rate_after,
                    i->impulse);
        fputc('\n', out);
    }
    if (impacts > MOST_EVENTS)
        fprintf(out, "%*sand %ld impacts more; --json lists %s\n", LABEL + 4, "",
                impacts - MOST_EVENTS,
                r->impact_total > r->impact_count ? "the first ones" : "all of them");
}

void cli_impacts_json(const cli_report* r, cli_json* j)
{
    cli_json_integer(j, "impact_count", r->impact_total);
    cli_json_open(j, "impacts", '[');
    for (int k = 0; k < r->impact_count; k++) {
        const sar_impact* i = &r->impacts[k];
        cli_json_open(j, NULL, '{');
        cli_json_text(j, "what", words[i->kind]);
        cli_json_text(j, "constraint", sar_model_joint_name(r->model_of_impacts, i->joint));
        cli_json_text(j, "bound", i->upper ? "upper" : "lower");
        cli_json_number(j, "t", i->t);
        cli_json_number(j, "rate_before", i->rate_before);
        cli_json_number(j, "rate_after", i->rate_after);
        cli_json_number(j, "impulse", i->impulse);
        cli_json_close(j);
    }
    cli_json_close(j);
}
