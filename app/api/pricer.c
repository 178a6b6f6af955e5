#include "app/api/pricer.h"

#include <ctype.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "app/pricing/value/check.h"
#include "app/api/handle.h"
#include "app/config/read_risk.h"
#include "kernels/threads.h"

_Static_assert((int)PRICER_FAILED == (int)STATUS_FAILED &&
                   (int)PRICER_INTERRUPTED == (int)STATUS_INTERRUPTED &&
                   (int)PRICER_ENGINE == (int)STATUS_ENGINE,
               "statuses of the library are those of its floors");

/* ---- status and messages --------------------------------------------------------------------- */

const char *pricer_status_text(enum pricer_status status)
{
    static const char *const texts[] = {[PRICER_OK] = "no error",
                                        [PRICER_BAD_INPUT] = "bad input",
                                        [PRICER_NO_MEMORY] = "not enough memory",
                                        [PRICER_NO_ENGINE] = "no such engine on this machine",
                                        [PRICER_ENGINE] = "the engine failed",
                                        [PRICER_FILE] = "a file could not be read or written",
                                        [PRICER_INTERRUPTED] = "stopped as asked",
                                        [PRICER_FAILED] = "a computation failed"};
    bool known = (unsigned)status < sizeof texts / sizeof *texts;
    return known ? texts[status] : "unknown status";
}

const char *pricer_version(void)
{
    return PRICER_VERSION;
}

enum status pricer_say(struct pricer *pricer, enum status status, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(pricer->why.text, sizeof pricer->why.text, format, values);
    va_end(values);
    const char *text = pricer->why.text;
    for (const char *colon = strchr(text, ':'); colon; colon = strchr(colon + 1, ':')) {
        char *end;
        if (!isdigit((unsigned char)colon[1])) continue;
        long line = strtol(colon + 1, &end, 10);
        if (strncmp(end, ": ", 2)) continue;
        snprintf(pricer->file, sizeof pricer->file, "%.*s", (int)(colon - text), text);
        pricer->line = (int)line;
        break;
    }
    return status;
}

void pricer_notify(const struct pricer *pricer, enum pricer_note kind, const char *line)
{
    if (pricer->options.note) pricer->options.note(pricer->options.context, kind, line);
}

void pricer_notify_all(const struct pricer *pricer, enum pricer_note kind,
                       const struct complaints *complaints)
{
    for (int i = 0; i < complaints->n; i++) pricer_notify(pricer, kind, complaints->list[i].line);
}

/* Forgets the message of the last call. */
static void forget_message(struct pricer *pricer)
{
    pricer->why.text[0] = pricer->file[0] = '\0';
    pricer->line = 0;
}

enum status pricer_begin_with(struct pricer *pricer, const char *names, ...)
{
    va_list pointers;
    enum status status = pricer ? STATUS_OK : STATUS_BAD_INPUT;
    if (pricer) forget_message(pricer);
    va_start(pointers, names);
    while (!status && *names) {
        int length = (int)strcspn(names, " ");
        if (!va_arg(pointers, const void *))
            status = pricer_say(pricer, STATUS_BAD_INPUT, "%.*s is NULL: a pointer must be given",
                                length, names);
        names += length + (names[length] == ' ');
    }
    va_end(pointers);
    return status;
}

enum pricer_status pricer_end(struct pricer *pricer, enum status status)
{
    const char *text = pricer_status_text((enum pricer_status)status);
    if (!status) forget_message(pricer);
    else if (!pricer->why.text[0]) snprintf(pricer->why.text, sizeof pricer->why.text, "%s", text);
    return (enum pricer_status)status;
}

const char *pricer_message(const struct pricer *pricer)
{
    return pricer ? pricer->why.text : "the handle, or what it belongs to, is NULL";
}

const char *pricer_message_file(const struct pricer *pricer)
{
    return pricer && pricer->file[0] ? pricer->file : NULL;
}

int pricer_message_line(const struct pricer *pricer)
{
    return pricer ? pricer->line : 0;
}

/* ---- the handle ------------------------------------------------------------------------------ */

enum { THREADS_MAX = 1024 };

/* Returns the mode that a check begins with, trades may follow it; -1: there is no such one. */
static int check_named(const char *check)
{
    return word_index(check_words, check, strcspn(check, ","));
}

/* Puts copies of what the caller may release in the place of his, and says what is out of range. */
static enum status copy_options(struct pricer *pricer)
{
    struct pricer_options *options = &pricer->options;
    const int *gpus = options->gpus;
    const char **texts[] = {&options->engine, &options->kernel, &options->check, &options->prefix};
    int n_texts = (int)(sizeof texts / sizeof *texts);
    options->gpus = NULL;
    for (int i = 0; i < n_texts; i++) {
        if (!*texts[i] || (*texts[i] = strdup(*texts[i]))) continue;
        while (++i < n_texts) *texts[i] = NULL;
        return STATUS_NO_MEMORY;
    }
    if (options->threads < 0 || options->threads > THREADS_MAX)
        MUST(pricer_say(pricer, STATUS_BAD_INPUT, "threads must be 1 to 1024, or 0"));
    if (options->seed < -1)
        MUST(pricer_say(pricer, STATUS_BAD_INPUT, "seed must be 0 to 2^63 - 1, or -1"));
    if (options->n_gpus && !gpus)
        MUST(pricer_say(pricer, STATUS_BAD_INPUT, "gpus is NULL: n_gpus numbers must be given"));
    if (options->n_gpus < 0 ||
        options->n_gpus > (int)(sizeof pricer->engine_options.gpus / sizeof(int)))
        MUST(pricer_say(pricer, STATUS_BAD_INPUT, "n_gpus must be 0 to 64"));
    for (int i = 0; i < options->n_gpus; i++) pricer->engine_options.gpus[i] = gpus[i];
    if (options->check && check_named(options->check) < 0)
        MUST(
            pricer_say(pricer, STATUS_BAD_INPUT, "check must be all, sample, none, or 1/5 to 5/5"));
    if (options->engine && strcmp(options->engine, "auto")) {
        int known = 0;
        for (int i = 0; engines[i]; i++) known += !strcmp(options->engine, engines[i]->name);
        if (!known) MUST(pricer_say(pricer, STATUS_BAD_INPUT, "engine must be auto, cuda or cpu"));
    }
    if (options->paths < 0 || options->paths > (int64_t)1 << 40)
        MUST(pricer_say(pricer, STATUS_BAD_INPUT, "paths must be 1 to 2^40, or 0"));
    return STATUS_OK;
}

/* Devices wake up while the book is read, unless the options rule them out. */
static void wake(struct pricer *pricer)
{
    const char *only = pricer->options.engine;
    if (pricer->options.dry || (only && !strcmp(only, "cpu"))) return;
    for (int i = 0; engines[i]; i++) {
        if (!engines[i]->wake) continue;
        engines[i]->wake();
        pricer->waking = true;
    }
}

void pricer_await(struct pricer *pricer)
{
    struct message why = {""};
    for (int i = 0; pricer->waking && engines[i]; i++)
        if (engines[i]->wake) engines[i]->ready(&why);
    pricer->waking = false;
}

enum pricer_status pricer_open(const struct pricer_options *options, struct pricer **pricer)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const struct pricer_options defaults = PRICER_OPTIONS;
    if (!pricer) return PRICER_BAD_INPUT;
    struct pricer *made = *pricer = calloc(1, sizeof *made);
    if (!made) return PRICER_NO_MEMORY;
    pthread_once(&once, check_begin);
    made->options = defaults;
    if (options)
        memcpy(&made->options, options,
               options->size < sizeof defaults ? options->size : sizeof defaults);
    enum status status = copy_options(made);
    if (!status && options && !options->size)
        status = pricer_say(made, STATUS_BAD_INPUT, "size is 0: begin with PRICER_OPTIONS");
    if (status == STATUS_NO_MEMORY) {
        pricer_close(made);
        *pricer = NULL;
        return PRICER_NO_MEMORY;
    }
    if (status) return pricer_end(made, status);
    made->stop = (struct stop){made->options.stop, made->options.context};
    made->engine_options.threads = thread_count(made->options.threads);
    made->engine_options.n_gpus = made->options.n_gpus;
    made->engine_options.stop = &made->stop;
    wake(made);
    return PRICER_OK;
}

void pricer_close(struct pricer *pricer)
{
    if (!pricer) return;
    pricer_await(pricer);
    free((char *)pricer->options.engine);
    free((char *)pricer->options.kernel);
    free((char *)pricer->options.check);
    free((char *)pricer->options.prefix);
    free(pricer);
}

/* Puts the name of a setting, and where it is from, in place of the book's. */
static void settle_name(const char *prefix, const char *option, const char *name, char *setting,
                        char *location)
{
    if (!name) return;
    snprintf(setting, SETTING_TEXT, "%s", name);
    snprintf(location, LOCATION_TEXT, "%s%s: ", prefix, option);
}

enum status pricer_settle(struct pricer *pricer, struct settings *settings)
{
    const struct pricer_options *options = &pricer->options;
    const char *prefix = options->prefix ? options->prefix : "";
    if (options->paths) {
        settings->paths = options->paths;
        snprintf(settings->paths_location, LOCATION_TEXT, "%s", prefix);
    }
    if (options->seed >= 0) settings->seed = (uint64_t)options->seed;
    settle_name(prefix, "engine", options->engine, settings->engine, settings->engine_location);
    settle_name(prefix, "kernel", options->kernel, settings->kernel, settings->kernel_location);
    if (options->check) settings->check = (enum check_mode)check_named(options->check);
    if (!settings->control_variates || settings->paths >= CONTROL_PATHS) return STATUS_OK;
    snprintf(pricer->why.text, sizeof pricer->why.text,
             "%spaths must be >= %d with control_variates = true, got %lld",
             settings->paths_location, CONTROL_PATHS, (long long)settings->paths);
    return STATUS_BAD_INPUT;
}

/* ---- a run ----------------------------------------------------------------------------------- */

enum pricer_status pricer_plan(struct pricer *pricer, struct pricer_book *book,
                               struct pricer_results **results)
{
    if (results) *results = NULL;
    if (pricer_begin_with(pricer, "book results", book, results)) return PRICER_BAD_INPUT;
    if (book->n_results && book_is_changed(book))
        return pricer_end(pricer, pricer_say(pricer, STATUS_BAD_INPUT,
                                             "the book has results with a change that is not "
                                             "priced: price them, then plan others"));
    struct pricer_results *run = *results = calloc(1, sizeof *run);
    if (!run) return pricer_end(pricer, STATUS_NO_MEMORY);
    run->pricer = pricer;
    run->owner = book;
    run->book = &book->book;
    book->n_results++;
    run->phases.load = book->seconds;
    enum status status = session_plan(run);
    if (status) {
        pricer_results_free(run);
        *results = NULL;
    }
    return pricer_end(pricer, status);
}

/* Prices what has not been, or no longer is. */
static enum status price_what_is_due(struct pricer_results *run)
{
    if (run->pricer->options.dry)
        return pricer_say(run->pricer, STATUS_BAD_INPUT, "the plan of a dry handle is not priced");
    bool priced = run->priced.done;
    enum status status = session_follow(run);
    if (status) {
        run->priced.done = priced && !run->planned.stale;
        if (!run->priced.done) session_forget_tables(run);
        return status;
    }
    if (run->begun && !run->planned.moved) {
        if (!run->priced.done) status = session_make_results(run, false); /* risk failed */
        run->priced.done = !status;
        return status;
    }
    run->priced.done = false;
    session_forget_tables(run);
    status = session_price(run);
    run->planned.stale = !run->begun && status; /* nothing of it is there */
    run->begun = true;
    run->priced.done = !status;
    return status;
}

enum pricer_status pricer_price(struct pricer_results *results)
{
    if (pricer_begin_with(pricer_of(results), "")) return PRICER_BAD_INPUT;
    return pricer_end(results->pricer, price_what_is_due(results));
}

enum pricer_status pricer_risk(struct pricer_results *results)
{
    if (pricer_begin_with(pricer_of(results), "")) return PRICER_BAD_INPUT;
    const char *fault = !results->priced.done  ? "the book is to be priced before its risk"
                        : results->risked.done ? "the risk of the book is computed already"
                                               : NULL;
    if (fault)
        return pricer_end(results->pricer,
                          pricer_say(results->pricer, STATUS_BAD_INPUT, "%s", fault));
    results->risked.done = true;
    session_forget_tables(results);
    enum status status = session_risk(results);
    results->priced.done = !status;
    if (status) {
        risk_free(&results->risked.risk);
        results->shown.results.risk = NULL;
        results->risked.done = false;
    }
    return pricer_end(results->pricer, status);
}

void pricer_results_free(struct pricer_results *results)
{
    if (!results) return;
    session_free(results);
    results->owner->n_results--;
    free(results);
}

enum pricer_status pricer_keep_in(struct pricer_results *results, const struct pricer_store *store)
{
    if (pricer_begin_with(pricer_of(results), "store", store)) return PRICER_BAD_INPUT;
    const char *fault = !store->recall || !store->keep || !store->flush
                            ? "a store has all three functions"
                        : results->begun ? "a store is given before pricer_price()"
                                         : NULL;
    if (fault)
        return pricer_end(results->pricer,
                          pricer_say(results->pricer, STATUS_BAD_INPUT, "%s", fault));
    results->store = (struct store){store->context, store->recall, store->keep, store->flush};
    return PRICER_OK;
}
