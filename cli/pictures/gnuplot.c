#include "pictures/gnuplot.h"

#include "common/command.h"
#include "common/files/output_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
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
                "if (strstrt(GPVAL_TERMINALS, 'pdfcairo')) set terminal pdfcairo size %gin,%gin "
                "font 'Helvetica,10.5'; else set terminal pdf size %gin,%gin\n",
                width / 80.0, height / 80.0, width / 80.0, height / 80.0);
    else
        fprintf(to,
                "if (strstrt(GPVAL_TERMINALS, 'pngcairo')) set terminal pngcairo size %d,%d font "
                "'Helvetica,10.5'; else set terminal png size %d,%d\n",
                width, height, width, height);
    int tics = cli_gnuplot_size(path, 12);
    fprintf(to, "set xtics font ',%d'; set ytics font ',%d'\n", tics, tics);
    char* part = cli_output_part(path);
    fputs("set output ", to);
    fputs(part && part[0] == '|' ? "'./'." : "", to); // a bar would mean a command
    cli_gnuplot_text(to, part);
    free(part);
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

int cli_gnuplot_check(const char* path)
{
    if (!is_svg(path) && !ends_in(path, ".png") && !ends_in(path, ".pdf")) {
        fprintf(stderr, "sarrus: cannot plot to %s: use .svg, .png or .pdf\n", path);
        return CLI_USAGE;
    }
    if (!gnuplot_is_there()) {
        fprintf(stderr, "sarrus: no plot %s: install gnuplot to get it\n", path);
        return CLI_FAILED;
    }
    if (cli_output_check(path) == 0) return 0;
    fprintf(stderr, "sarrus: cannot write %s: %s\n", path, strerror(errno));
    return CLI_FAILED;
}

int cli_gnuplot_open(cli_gnuplot* g, const char* path)
{
    *g = (cli_gnuplot){.path = path};
    if (cli_gnuplot_check(path) != 0) return -1;
    // gnuplot may die while we write to it: then we want an error, not a signal.
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGPIPE, &ignore, &g->before);
    g->to = popen("gnuplot >/dev/null 2>&1", "w");
    return g->to ? 0 : cli_gnuplot_close(g);
}

/* gnuplot does not look whether what it writes arrives: a full disk shows in the end of the file
 * alone. */
static int is_complete(const char* path, const char* part)
{
    static const char png_end[] = "IEND\xAE\x42\x60\x82";
    const char* wanted = is_svg(path) ? "</svg>" : ends_in(path, ".pdf") ? "%%EOF" : png_end;
    char tail[64] = {0};
    FILE* file = fopen(part, "rb");
    if (!file) return 0;
    struct stat about;
    if (fstat(fileno(file), &about) == 0 && !S_ISREG(about.st_mode)) {
        fclose(file);
        return 1; // a pipe: its reader has seen the end
    }
    long length = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : 0;
    long size = length < (long)sizeof tail ? length : (long)sizeof tail;
    int got = size > 0 && fseek(file, -size, SEEK_END) == 0 &&
              fread(tail, 1, (size_t)size, file) == (size_t)size;
    fclose(file);
    long last = size - (long)strlen(wanted);
    for (long k = 0; got && k <= last; k++)
        if (memcmp(tail + k, wanted, strlen(wanted)) == 0) return 1;
    return 0;
}

int cli_gnuplot_close(cli_gnuplot* g)
{
    int status = g->to ? pclose(g->to) : -1;
    sigaction(SIGPIPE, &g->before, NULL);
    char* part = cli_output_part(g->path);
    int drawn = part && status == 0, complete = drawn && is_complete(g->path, part);
    int done = complete && cli_output_rename(g->path) == 0;
    if (drawn && !complete)
        fprintf(stderr, "sarrus: cannot write %s: the picture is cut off; is the disk full?\n",
                g->path);
    else if (complete && !done)
        fprintf(stderr, "sarrus: cannot write %s: %s\n", g->path, strerror(errno));
    else if (!drawn)
        fprintf(stderr, "sarrus: gnuplot failed to draw %s\n", g->path);
    if (!done && part && strcmp(part, g->path) != 0) unlink(part); // half a picture, or none
    free(part);
    return done ? 0 : -1;
}
