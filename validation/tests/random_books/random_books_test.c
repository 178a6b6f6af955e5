/* Random books of every product and model (random_book.h): whatever a book holds, the program ends
 * with a status that is documented, says what is wrong, gives every trade a row and no number that
 * is none, and heeds SIGTERM within a second.
 *
 *   random_books_test [--long] [--first=SEED] [--books=N] [--patience=SECONDS] [--slow=FACTOR]
 *   random_books_test --write=FOLDER --first=SEED     writes that book and ends
 *
 * --patience is processor time after which a book is stopped; --slow is for a program under
 * sanitizers: how many seconds it may take to heed a signal. */
#define _GNU_SOURCE /* mkdtemp, strcasestr */
#include <dirent.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/pricing/base/estimate.h"
#include "models/payoffs/product_numbers.h"
#include "validation/tests/random_books/json_walk.h"
#include "validation/tests/random_books/random_book.h"
#include "validation/tests/random_books/watched_run.h"

enum { SHOWN = 200, PERFECT = 200 };

/* What was asked for, and what all books came to. */
struct trial {
    uint64_t first;
    int books;
    double patience, slow;
    const char *pricer;
    char folder[64];
    int faults, endings[256], slow_books, signals, repeats;
    int verdicts[N_VERDICTS], priced_products[N_PAYOFFS], priced_models[N_MODELS];
    int checked; /* rows with z */
    double longest_wait;
};

/* A row of the results. */
struct row {
    char id[64], status[32], message[512];
    double price, std_error, z;
    bool has_price, has_error, has_z;
};

struct judged {
    struct trial *trial;
    uint64_t seed;
    int n;
    struct row rows[RANDOM_TRADES];
    char digest[32];
    bool more; /* rows than the book can have */
};

static void fault(struct judged *judged, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void fault(struct judged *judged, const char *format, ...)
{
    va_list values;
    if (++judged->trial->faults > SHOWN) return;
    va_start(values, format);
    printf("seed %" PRIu64 ": FAULT: ", judged->seed);
    vprintf(format, values);
    printf("\n");
    va_end(values);
    fflush(stdout);
}

/* ---- what a run has written ------------------------------------------------------------------ */

static void keep_text(char *into, size_t room, const struct json_value *value)
{
    if (value->kind == JSON_TEXT) snprintf(into, room, "%.*s", (int)value->length, value->text);
}

static void keep_number(double *number, bool *has, const struct json_value *value)
{
    *has = value->kind == JSON_NUMBER;
    *number = value->number;
}

static void take_value(void *context, const struct json_value *value)
{
    struct judged *judged = context;
    int index = -1, length = 0;
    if (!strcmp(value->path, "manifest.results_digest"))
        keep_text(judged->digest, sizeof judged->digest, value);
    if (value->kind == JSON_NUMBER && !isfinite(value->number))
        fault(judged, "%s is beyond what a number can be", value->path);
    if (sscanf(value->path, "trades[%d].%n", &index, &length) != 1 || !length) return;
    judged->more |= index >= RANDOM_TRADES;
    if (judged->more) return;
    struct row *row = &judged->rows[index];
    const char *name = value->path + length;
    if (index >= judged->n) judged->n = index + 1;
    if (!strcmp(name, "trade_id")) keep_text(row->id, sizeof row->id, value);
    if (!strcmp(name, "status")) keep_text(row->status, sizeof row->status, value);
    if (!strcmp(name, "message")) keep_text(row->message, sizeof row->message, value);
    if (!strcmp(name, "price")) keep_number(&row->price, &row->has_price, value);
    if (!strcmp(name, "std_error")) keep_number(&row->std_error, &row->has_error, value);
    if (!strcmp(name, "z")) keep_number(&row->z, &row->has_z, value);
}

/* Whether a text has the word nan or inf, in any spelling of printf. */
static const char *find_no_number(const char *text)
{
    static const char *const words[] = {"nan", "inf"};
    for (size_t i = 0; i < 2; i++)
        for (const char *at = text; (at = strcasestr(at, words[i])); at++) {
            bool begins =
                at == text ||
                !(strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_", at[-1]) &&
                  at[-1]);
            bool ends =
                !(at[3] && strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_", at[3]));
            if (begins && ends) return at;
        }
    return NULL;
}

static void judge_text(struct judged *judged, const char *name, const char *text)
{
    const char *at = find_no_number(text);
    if (!at) return;
    const char *begin = at, *end = at + strcspn(at, "\n");
    while (begin > text && begin[-1] != '\n') begin--;
    fault(judged, "%s has a number that is none: %.*s", name, (int)(end - begin), begin);
}

/* ---- judgements ------------------------------------------------------------------------------ */

static int verdict_of(const char *status)
{
    for (int v = 0; v < N_VERDICTS; v++)
        if (!strcmp(verdict_name((enum verdict)v), status)) return v;
    return -1;
}

static void judge_row(struct judged *judged, const struct random_trade *trade,
                      const struct row *row, bool checks_all)
{
    struct trial *trial = judged->trial;
    int verdict = verdict_of(row->status);
    bool priced =
        verdict == VERDICT_OK || verdict == VERDICT_DISAGREES || verdict == VERDICT_UNCHECKED;
    if (strcmp(row->id, trade->id))
        fault(judged, "a row is of '%s' where that of '%s' should stand", row->id, trade->id);
    if (verdict < 0) {
        fault(judged, "%s has the status '%s'", trade->id, row->status);
        return;
    }
    trial->verdicts[verdict]++;
    trial->checked += row->has_z;
    bool asked = verdict != VERDICT_OK && (verdict != VERDICT_UNCHECKED || checks_all);
    if (asked && !row->message[0]) fault(judged, "%s is %s without a word", trade->id, row->status);
    if (priced && !(row->has_price && row->has_error && row->std_error >= 0.0))
        fault(judged, "%s on %s is %s with price %g, error %g%s", trade->id,
              model_name(trade->model), row->status, row->price, row->std_error,
              row->has_price && row->has_error ? "" : ", one of them null");
    if (verdict == VERDICT_DISAGREES ||
        (verdict == VERDICT_UNCHECKED && row->has_z && fabs(row->z) > 5.0))
        printf("seed %" PRIu64 ": %s: %s on %s: price %g, error %g, z %.2f %s\n", judged->seed,
               row->status, trade->id, model_name(trade->model), row->price, row->std_error, row->z,
               row->message);
    if (!priced) return;
    trial->priced_products[trade->product]++;
    trial->priced_models[trade->model]++;
}

/* Whether some line begins as a complaint does: "book.cfg:41: ". */
static bool names_a_line(const char *text)
{
    for (const char *at = text; (at = strstr(at, ".c")); at++) {
        int line = 0;
        if (sscanf(at, ".cfg:%d:", &line) == 1 || sscanf(at, ".csv:%d:", &line) == 1) return true;
    }
    return false;
}

static void judge_rows(struct judged *judged, const struct random_book *book, int status)
{
    int troubles = 0;
    if (judged->more || judged->n != book->n_trades)
        fault(judged, "%d rows of %d trades", judged->n, book->n_trades);
    for (int i = 0; i < judged->n && i < book->n_trades; i++) {
        int verdict = verdict_of(judged->rows[i].status);
        judge_row(judged, &book->trades[i], &judged->rows[i], book->checks_all);
        troubles +=
            verdict == VERDICT_DISAGREES || verdict == VERDICT_FAILED || verdict == VERDICT_REFUSED;
    }
    if (troubles && status != 1)
        fault(judged, "exit status %d with %d trades in trouble", status, troubles);
}

/* Judges a run that nobody stopped. */
static void judge_whole_run(struct judged *judged, const struct random_book *book,
                            const struct ending *ending)
{
    struct trial *trial = judged->trial;
    char *out = read_whole_file(trial->folder, "out"), *err = read_whole_file(trial->folder, "err"),
         *json = read_whole_file(trial->folder, "run.json");
    if (ending->killed || ending->status > 2)
        fault(judged, "%s %d: %.300s", ending->killed ? "killed: status" : "exit status",
              ending->status, err);
    judge_text(judged, "standard output", out);
    judge_text(judged, "standard error", err);
    if (ending->status <= 1) {
        const char *wrong = json_walk(json, take_value, judged);
        if (wrong) fault(judged, "JSON that is none: %.60s", wrong);
        else judge_rows(judged, book, ending->status);
        if (ending->status == 1 && !names_a_line(err) && !names_a_line(out))
            fault(judged, "exit status 1, and no line says why: %.300s", err);
    } else if (ending->status == 2) {
        if (json[0]) fault(judged, "exit status 2 and results");
        if (!names_a_line(err)) fault(judged, "exit status 2, and no line says why: %.300s", err);
        else if (trial->endings[2] <= 20)
            printf("seed %" PRIu64 ": refused: %.*s\n", judged->seed, (int)strcspn(err, "\n"), err);
    }
    free(out);
    free(err);
    free(json);
}

/* Judges a run that SIGTERM stopped: on a machine that others use as well, a wait of little work is
 * no fault. */
static void judge_stopped_run(struct judged *judged, const struct ending *ending, double moment)
{
    struct trial *trial = judged->trial;
    double wait = fmin(ending->after, fmax(ending->busy, ending->after / 8.0));
    trial->signals++;
    if (wait > trial->longest_wait) trial->longest_wait = wait;
    if (ending->status != 143) /* before it has begun, the signal may kill it */
        fault(judged, "SIGTERM after %.3f s: %s %d", moment,
              ending->killed ? "killed: status" : "exit status", ending->status);
    if (wait > trial->slow)
        fault(judged, "SIGTERM after %.3f s: heeded %.2f s later (%.2f s of processor time)",
              moment, ending->after, ending->busy);
    DIR *folder = opendir(trial->folder);
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (!strstr(" . .. book.cfg history.csv closes.csv out err ", entry->d_name))
            fault(judged, "SIGTERM left '%s' behind", entry->d_name);
    if (folder) closedir(folder);
}

/* ---- one book -------------------------------------------------------------------------------- */

static void remove_file(const struct trial *trial, const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", trial->folder, name);
    remove(path);
}

static struct ending price(const struct trial *trial, const char *threads, const char *kernel,
                           double moment)
{
    char *const arguments[] = {(char *)trial->pricer,
                               "--engine=cpu",
                               (char *)threads,
                               (char *)kernel,
                               "--output=run.json",
                               "book.cfg",
                               NULL};
    remove_file(trial, "run.json");
    return watched_run(trial->folder, arguments, "out", "err", moment, trial->patience);
}

static void try_again_otherwise(struct judged *judged, const struct ending *first)
{
    struct trial *trial = judged->trial;
    struct judged other = {.trial = trial, .seed = judged->seed};
    struct ending ending = price(trial, "--threads=3", "--kernel=plain", HUGE_VAL);
    if (ending.stopped) return;
    char *json = read_whole_file(trial->folder, "run.json");
    trial->repeats++;
    if (ending.status != first->status)
        fault(judged, "exit status %d, with another kernel %d", first->status, ending.status);
    else if (ending.status <= 1 &&
             (json_walk(json, take_value, &other) || strcmp(judged->digest, other.digest)))
        fault(judged, "digest %s, with another kernel and other threads %s", judged->digest,
              other.digest);
    free(json);
}

static void try_book(struct trial *trial, uint64_t seed)
{
    struct random_book book;
    struct judged judged = {.trial = trial, .seed = seed};
    remove_file(trial, "history.csv");
    remove_file(trial, "closes.csv");
    if (!random_book_write(&book, trial->folder, seed)) fault(&judged, "cannot write the book");
    if (book.unmade[0])
        fault(&judged, "nothing in validation/tests/random_*.c knows how to write %s", book.unmade);
    struct ending ending = price(trial, "--threads=2", "--kernel=auto", 12.0 * trial->patience);
    if (ending.stopped && (ending.killed || ending.status > 2)) {
        trial->slow_books++;
        judge_stopped_run(&judged, &ending, ending.seconds - ending.after);
        printf("seed %" PRIu64 ": stopped after %.1f s, %.2f s later at its end\n", seed,
               ending.seconds - ending.after, ending.after);
        return;
    }
    trial->endings[ending.status]++;
    judge_whole_run(&judged, &book, &ending);
    if (seed % 10 == 3) try_again_otherwise(&judged, &ending);
    if (seed % 5 != 1) return;
    double moment = dice_real(&book.dice, 0.0, ending.seconds);
    struct ending second = price(trial, "--threads=2", "--kernel=auto", moment);
    if (second.stopped && (second.killed || second.status > 2))
        judge_stopped_run(&judged, &second, moment);
}

/* ---- all books ------------------------------------------------------------------------------- */

/* Says which products and models no book has priced: with hundreds of books there is none. */
static void judge_coverage(struct trial *trial)
{
    struct judged judged = {.trial = trial};
    if (trial->books < PERFECT) return;
    for (int p = 0; p < N_PAYOFFS; p++)
        if (!trial->priced_products[p])
            fault(&judged, "no book has priced a %s", product_name((enum product)p));
    for (int m = 0; m < N_MODELS; m++)
        if (!trial->priced_models[m])
            fault(&judged, "no book has priced anything on %s", model_name((enum model)m));
    if (trial->endings[2] > trial->books / 4)
        fault(&judged, "%d of %d books were refused: they test little", trial->endings[2],
              trial->books);
    if (trial->slow_books > trial->books / 4)
        fault(&judged, "%d of %d books took too long", trial->slow_books, trial->books);
    /* Each that disagrees is printed and worth a look. Few paths of skewed payoffs, and steps far
     * too long for their parameters, bring about one in a hundred books. */
    if (trial->verdicts[VERDICT_DISAGREES] > 5 + trial->books / 100)
        fault(&judged, "%d trades disagree", trial->verdicts[VERDICT_DISAGREES]);
}

static void report(const struct trial *trial)
{
    printf("%d books from seed %" PRIu64
           ": exit status 0: %d, 1: %d, 2: %d; %d took longer than %g s; trades:",
           trial->books, trial->first, trial->endings[0], trial->endings[1], trial->endings[2],
           trial->slow_books, trial->patience);
    for (int v = 0; v < N_VERDICTS; v++)
        printf(" %d %s", trial->verdicts[v], verdict_name((enum verdict)v));
    printf(", %d with a reference; %d run again with the same digest; %d signals, the longest wait "
           "%.2f s; %d faults\n",
           trial->checked, trial->repeats, trial->signals, trial->longest_wait, trial->faults);
}

static const char *option(const char *argument, const char *name)
{
    size_t n = strlen(name);
    return strncmp(argument, name, n) ? NULL : argument + n;
}

int random_books_test(int argc, char **argv)
{
    struct trial trial = {.books = 14,
                          .patience = 0.4,
                          .slow = 1.0,
                          .pricer = getenv("PRICER"),
                          .folder = P_tmpdir "/pricer-random-XXXXXX"};
    const char *write = NULL;
    for (int i = 1; i < argc; i++) {
        const char *value;
        if (!strcmp(argv[i], "--long")) trial.books = 1000, trial.patience = 5.0;
        else if ((value = option(argv[i], "--first="))) trial.first = strtoull(value, NULL, 10);
        else if ((value = option(argv[i], "--books="))) trial.books = atoi(value);
        else if ((value = option(argv[i], "--patience="))) trial.patience = atof(value);
        else if ((value = option(argv[i], "--slow="))) trial.slow = atof(value);
        else if ((value = option(argv[i], "--write="))) write = value;
        else return fprintf(stderr, "%s: no option of random_books_test\n", argv[i]), 2;
    }
    struct random_book book;
    if (write) return !random_book_write(&book, write, trial.first);
    if (!trial.pricer || !mkdtemp(trial.folder))
        return fprintf(stderr, "PRICER must be the path of the program\n"), 2;
    setenv("ASAN_OPTIONS", "exitcode=99:detect_leaks=1:detect_stack_use_after_return=1", 1);
    setenv("UBSAN_OPTIONS", "exitcode=99:print_stacktrace=1:halt_on_error=1", 1);
    for (int i = 0; i < trial.books; i++) try_book(&trial, trial.first + (uint64_t)i);
    judge_coverage(&trial);
    report(&trial);
    static const char *const files[] = {"book.cfg", "history.csv", "closes.csv",
                                        "out",      "err",         "run.json"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) remove_file(&trial, files[i]);
    rmdir(trial.folder);
    return trial.faults > 0;
}
