#include "gnuplot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* Single quotes: gnuplot takes nothing inside for a command. A quote is doubled, a line break a
 * blank. */
void cli_gnuplot_text(FILE* to, const char* text)
{
    fputc('\'', to);
    for (const char* c = text ? text : ""; *c; c++) {
        if (*c == '\'') fputc('\'', to);
        fputc(*c == '\n' || *c == '\r' ? ' ' : *c, to);
    }
    fputc('\'', to);
}

static int ends_in(const char* path, const char* ending)
{
    const char* last = strrchr(path, '.');
    return last && strcasecmp(last, ending) == 0;
}

static int is_svg(const char* path)
{
    return ends_in(path, ".svg");
}

// SVG counts in pixels, PNG and PDF in points.
int cli_gnuplot_size(const char* path, int pixels)
{
    return is_svg(path) ? pixels : (13 * pixels + 8) / 16;
}

void cli_gnuplot_terminal(FILE* to, const char* path, int width, int height)
{
    if (is_svg(path))
        fprintf(to, "set terminal svg size %d,%d font 'Helvetica,13' background '#ffffff'\n", width,
                height);
    else if (ends_in(path, ".pdf")) // 80 pixels to the inch
        fprintf(to,
                "if (strstrt(GPVAL_TERMINALS, 'pdfcairo')) "
                "set terminal pdfcairo size %gin,%gin font 'Helvetica,10.5'; "
                "else set terminal pdf size %gin,%gin\n",
                width / 80.0, height / 80.0, width / 80.0, height / 80.0);
    else
        fprintf(to,
                "if (strstrt(GPVAL_TERMINALS, 'pngcairo')) "
                "set terminal pngcairo size %d,%d font 'Helvetica,10.5'; "
                "else set terminal png size %d,%d\n",
                width, height, width, height);
    int tics = cli_gnuplot_size(path, 12);
    fprintf(to, "set xtics font ',%d'; set ytics font ',%d'\n", tics, tics);
    fputs("set output ", to);
    fputs(path[0] == '|' ? "'./'." : "", to); // a bar would mean a command
    cli_gnuplot_text(to, path);
    fputs("\nset encoding utf8\n", to);
}

static int gnuplot_is_there(void)
{
    const char* path = getenv("PATH");
    while (path && *path) {
        size_t length = strcspn(path, ":");
        char file[4096];
        int count = snprintf(file, sizeof file, "%.*s/gnuplot", (int)length, path);
        if (count > 0 && (size_t)count < sizeof file && access(file, X_OK) == 0) return 1;
        path += length + (path[length] == ':');
    }
    return 0;
}

/* Everything that can be known to be wrong before gnuplot starts. 0: nothing. */
static int check(const char* path)
{
    if (!is_svg(path) && !ends_in(path, ".png") && !ends_in(path, ".pdf")) {
        fprintf(stderr, "sarrus: cannot plot to %s: use .svg, .png or .pdf\n", path);
        return -1;
    }
    if (!gnuplot_is_there()) {
        fprintf(stderr, "sarrus: no plot %s: install gnuplot to get it\n", path);
        return -1;
    }
    FILE* file = fopen(path, "wb");
    if (!file) {
        fprintf(stderr, "sarrus: cannot write %s: %s\n", path, strerror(errno));
        return -1;
    }
    fclose(file);
    return 0;
}

int cli_gnuplot_open(cli_gnuplot* g, const char* path)
{
    *g = (cli_gnuplot){.path = path};
    if (check(path) != 0) return -1;
    // gnuplot may die while we write to it: then we want an error, not a signal.
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGPIPE, &ignore, &g->before);
    g->to = popen("gnuplot >/dev/null 2>&1", "w");
    return g->to ? 0 : cli_gnuplot_close(g);
}

int cli_gnuplot_close(cli_gnuplot* g)
{
    int status = g->to ? pclose(g->to) : -1;
    sigaction(SIGPIPE, &g->before, NULL);
    if (status == 0) return 0;
    unlink(g->path); // half a picture, or none
    fprintf(stderr, "sarrus: gnuplot failed to draw %s\n", g->path);
    return -1;
}
