#define _GNU_SOURCE // sched_getaffinity
#include "sweep/pool.h"

#include "common/command.h"
#include "common/interrupt.h"
#include "common/text.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WAIT_ALONE = 100, WAIT_IN_A_JOB = 1 }; // [ms]

typedef struct worker {
    pid_t pid;
    int line;  ///< a socket
    long task; ///< without an answer yet; -1: none
    size_t used;
    char heard[CLI_ANSWER + 32]; ///< the beginning of an answer
} worker;

struct cli_pool {
    cli_pool_def def;
    int jobs;
    worker* workers;
    struct pollfd* waiting;
    int* free_places; ///< of each rank
    int places;       ///< workers of all ranks that said so
};

/* ---- a worker ------------------------------------------------------------------------------- */

/// Never returns. Requests and answers are "TASK TEXT\n".
static void work_on(const cli_pool* pool, int line)
{
    char request[CLI_REQUEST + 64], answer[CLI_ANSWER];
    const int back = dup(line);
    FILE *in = fdopen(line, "r"), *out = back < 0 ? NULL : fdopen(back, "w");
    int failed = 0;
    while (in && out && !failed && fgets(request, sizeof request, in)) {
        char* text;
        request[strcspn(request, "\n")] = 0;
        const long task = strtol(request, &text, 10);
        pool->def.work(pool->def.context, text + (*text == ' '), answer);
        fprintf(out, "%ld %s\n", task, answer);
        failed = fflush(out) != 0;
    }
    _exit(0);
}

static void start_worker(cli_pool* pool, worker* w)
{
    int ends[2];
    *w = (worker){.pid = -1, .line = -1, .task = -1};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return;
    fflush(NULL); // or the child would print it again
    pid_t parent = getpid();
    w->pid = fork();
    if (w->pid == 0) {
        signal(SIGINT, SIG_IGN); // Ctrl-C reaches us too: it is for the parent to decide
        signal(SIGTERM, SIG_DFL);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) _exit(0); // it died meanwhile
        for (int k = 0; k < pool->jobs; k++)
            if (pool->workers[k].line >= 0) close(pool->workers[k].line);
        close(ends[0]);
        work_on(pool, ends[1]);
    }
    close(ends[1]);
    if (w->pid > 0)
        w->line = ends[0];
    else
        close(ends[0]);
}

static int cores(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
    return 1;
}

cli_pool* cli_pool_create(const cli_pool_def* def)
{
    cli_pool* pool = cli_allocate(1, sizeof *pool);
    pool->def = *def;
    pool->jobs = def->jobs ? def->jobs : def->ranks->link ? 1 : cores();
    pool->workers = cli_allocate((size_t)pool->jobs, sizeof(worker));
    pool->waiting = cli_allocate((size_t)pool->jobs, sizeof *pool->waiting);
    pool->free_places = cli_allocate((size_t)def->ranks->size, sizeof(int));
    pool->places = pool->jobs;
    for (int k = 0; k < pool->jobs; k++) pool->workers[k].line = -1;
    for (int k = 0; k < pool->jobs; k++) start_worker(pool, &pool->workers[k]);
    return pool;
}

void cli_pool_destroy(cli_pool* pool)
{
    if (!pool) return;
    const cli_ranks* ranks = pool->def.ranks;
    for (int k = 1; k < ranks->size && ranks->rank == 0; k++) ranks->link->send(k, "stop");
    for (int k = 0; k < pool->jobs; k++) {
        worker* w = &pool->workers[k];
        if (w->pid <= 0) continue;
        kill(w->pid, SIGKILL);
        waitpid(w->pid, NULL, 0);
        close(w->line);
    }
    free(pool->workers);
    free(pool->waiting);
    free(pool->free_places);
    free(pool);
}

int cli_pool_jobs(const cli_pool* pool)
{
    return pool->places;
}

/* ---- talking to the workers ----------------------------------------------------------------- */

/// An answer, or a crash, on its way to the one that asked.
typedef struct news {
    long task;
    const char* answer; ///< NULL: crashed
    const char* reason; ///< of the crash
} news;

typedef int (*news_handler)(void* context, const news* n);

static worker* idle_worker(cli_pool* pool)
{
    for (int k = 0; k < pool->jobs; k++)
        if (pool->workers[k].task < 0 && pool->workers[k].line >= 0) return &pool->workers[k];
    return NULL;
}

static void give(worker* w, long task, const char* request)
{
    w->task = task;
    // if this fails the worker is dead, which the next read reports
    char text[CLI_REQUEST + 64];
    int length = snprintf(text, sizeof text, "%ld %s\n", task, request);
    send(w->line, text, (size_t)length, MSG_NOSIGNAL);
}

/// A worker has died: report its task, and start another one.
static int bury(cli_pool* pool, worker* w, news_handler handle, void* context)
{
    int status = 0;
    const long task = w->task;
    char reason[128];
    waitpid(w->pid, &status, 0);
    close(w->line);
    if (WIFSIGNALED(status))
        snprintf(reason, sizeof reason, "the program crashed here: %s",
                 strsignal(WTERMSIG(status)));
    else
        snprintf(reason, sizeof reason, "the program ended here with code %d", WEXITSTATUS(status));
    w->line = -1;
    start_worker(pool, w);
    return task < 0 ? 0 : handle(context, &(news){.task = task, .reason = reason});
}

/// A whole line of a worker.
static int take_answer(worker* w, char* line, news_handler handle, void* context)
{
    char* text;
    news n = {.task = strtol(line, &text, 10)};
    n.answer = text + (*text == ' ');
    if (n.task != w->task) return 0;
    w->task = -1;
    return handle(context, &n);
}

/// Read what a worker has to say.
static int hear(cli_pool* pool, worker* w, news_handler handle, void* context)
{
    ssize_t got = recv(w->line, w->heard + w->used, sizeof w->heard - w->used - 1, 0);
    if (got < 0 && errno == EINTR) return 0;
    if (got <= 0) return bury(pool, w, handle, context);
    w->used += (size_t)got;
    w->heard[w->used] = 0;
    int stop = 0;
    for (char* end; !stop && (end = strchr(w->heard, '\n'));) {
        *end = 0;
        stop = take_answer(w, w->heard, handle, context);
        w->used -= (size_t)(end + 1 - w->heard);
        memmove(w->heard, end + 1, w->used + 1);
    }
    return stop;
}

static int hear_workers(cli_pool* pool, news_handler handle, void* context)
{
    int wait = pool->def.ranks->link ? WAIT_IN_A_JOB : WAIT_ALONE;
    for (int k = 0; k < pool->jobs; k++)
        pool->waiting[k] = (struct pollfd){.fd = pool->workers[k].line, .events = POLLIN};
    if (poll(pool->waiting, (nfds_t)pool->jobs, wait) <= 0) return 0;
    int stop = 0;
    for (int k = 0; k < pool->jobs && !stop; k++)
        if (pool->waiting[k].revents) stop = hear(pool, &pool->workers[k], handle, context);
    return stop;
}

/* ---- rank 0 --------------------------------------------------------------------------------- */

typedef struct course {
    cli_pool* pool;
    const cli_pool_batch* batch;
    long next, done;
} course;

static int take_news(void* context, const news* n)
{
    course* c = context;
    c->done++;
    return c->batch->take(c->batch->context, n->task, n->answer, n->reason);
}

/// The next task, to a worker here, or to one of another rank (w NULL).
static void hand_to(course* c, worker* w, int rank)
{
    char request[CLI_REQUEST], text[CLI_MESSAGE];
    const long task = c->next++;
    c->batch->request(c->batch->context, task, request, sizeof request);
    if (w) {
        give(w, task, request);
    } else {
        snprintf(text, sizeof text, "do %ld %s", task, request);
        c->pool->def.ranks->link->send(rank, text);
    }
}

static int is_more(const course* c)
{
    return c->next < c->batch->count;
}

static void hand_out(course* c)
{
    for (worker* w; is_more(c) && (w = idle_worker(c->pool));) hand_to(c, w, 0);
    for (int k = 1; k < c->pool->def.ranks->size; k++)
        for (; is_more(c) && c->pool->free_places[k] > 0; c->pool->free_places[k]--)
            hand_to(c, NULL, k);
}

/// "place" (another worker), "done TASK ANSWER", "dead TASK REASON" from other ranks.
static int hear_ranks(course* c)
{
    const cli_ranks* ranks = c->pool->def.ranks;
    char text[CLI_MESSAGE];
    int from, stop = 0;
    while (ranks->link && !stop && ranks->link->receive(text, sizeof text, &from)) {
        c->pool->free_places[from]++;
        if (strcmp(text, "place") == 0) {
            c->pool->places++;
            continue;
        }
        char* rest;
        news n = {.task = strtol(text + 5, &rest, 10)};
        rest += *rest == ' ';
        if (strncmp(text, "done ", 5) == 0) n.answer = rest;
        if (strncmp(text, "dead ", 5) == 0) n.reason = rest;
        stop = take_news(c, &n);
    }
    return stop;
}

int cli_pool_run(cli_pool* pool, const cli_pool_batch* batch)
{
    course c = {.pool = pool, .batch = batch};
    int stop = 0;
    if (!idle_worker(pool) && !pool->def.ranks->link) {
        cli_error(NULL, "cannot start worker processes");
        return CLI_FAILED;
    }
    while (c.done < batch->count && !stop) {
        if (cli_interrupted) stop = CLI_INTERRUPTED;
        if (stop) break;
        hand_out(&c);
        stop = hear_workers(pool, take_news, &c);
        if (!stop) stop = hear_ranks(&c);
        if (batch->tick) batch->tick(batch->context);
    }
    return stop;
}

/* ---- the other ranks ------------------------------------------------------------------------ */

static int pass_on(void* context, const news* n)
{
    const cli_pool* pool = context;
    char text[CLI_MESSAGE];
    snprintf(text, sizeof text, "%s %ld %s", n->answer ? "done" : "dead", n->task,
             n->answer ? n->answer : n->reason);
    pool->def.ranks->link->send(0, text);
    return 0;
}

int cli_pool_serve(cli_pool* pool)
{
    const cli_ranks_link* link = pool->def.ranks->link;
    char text[CLI_MESSAGE];
    int from;
    for (int k = 0; k < pool->jobs; k++) link->send(0, "place");
    while (!cli_interrupted) {
        while (link->receive(text, sizeof text, &from)) {
            if (strcmp(text, "stop") == 0) return 0;
            char* rest;
            const long task = strtol(text + 3, &rest, 10); // "do TASK REQUEST"
            worker* w = idle_worker(pool);
            if (w) give(w, task, rest + (*rest == ' '));
        }
        hear_workers(pool, pass_on, pool);
    }
    return CLI_INTERRUPTED;
}
