#include "app/command/options.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "app/config/names.h"
#include "app/pricing/base/settings.h"
#include "models/base/text.h"

enum option_form {
    OPTION_FORM_FLAG,   /* bool */
    OPTION_FORM_TEXT,   /* const char * */
    OPTION_FORM_CHOICE, /* const char *, one of the words of its argument */
    OPTION_FORM_NUMBER, /* int64_t from `least` to `most` */
    OPTION_FORM_COUNT,  /* int, the same */
    OPTION_FORM_TIME,   /* double: seconds, as 90s, 15m or 2h */
    OPTION_FORM_GPUS,
    OPTION_FORM_SET,
    OPTION_FORM_BY,
    OPTION_FORM_FIXINGS,
    OPTION_FORM_STRICT,
    OPTION_FORM_OUTPUT,
    OPTION_FORM_PATH /* const char *, ends as its argument does where that is FILE or FOLDER */
};

struct option_row {
    const char *name;
    char letter; /* that stands for it as well; 0: none does */
    enum option_form form;
    size_t offset;
    /* As the help shows it; of a choice, its words separated by |, the first of which may be "":
     * then it may be left out, and after the last of which [ says that a list may follow it */
    const char *argument;
    int64_t least, most; /* of a number */
    const char *help;
};

static const struct option_row rows[] = {
    {"engine", 0, OPTION_FORM_CHOICE, offsetof(struct options, library.engine), "auto|cuda|cpu", 0,
     0, "engine to price with; auto uses a GPU if there is one"},
    {"kernel", 0, OPTION_FORM_TEXT, offsetof(struct options, library.kernel), "NAME", 0, 0,
     "kernel that simulates paths: auto, or a name from --list-kernels"},
    {"list-kernels", 0, OPTION_FORM_FLAG, offsetof(struct options, list_kernels), NULL, 0, 0,
     "list the kernels of each engine"},
    {"paths", 'n', OPTION_FORM_NUMBER, offsetof(struct options, library.paths), "N", 1,
     (int64_t)1 << 40, "number of paths of each trade"},
    {"seed", 0, OPTION_FORM_NUMBER, offsetof(struct options, library.seed), "N", 0, INT64_MAX,
     "seed of the random numbers"},
    {"threads", 0, OPTION_FORM_COUNT, offsetof(struct options, library.threads), "N", 1, 1024,
     "number of threads of the CPU engine"},
    {"gpus", 0, OPTION_FORM_GPUS, 0, "all|0,1", 0, 0, "GPUs to use"},
    {"set", 0, OPTION_FORM_SET, 0, "PATH=VALUE", 0, 0,
     "set a value of the book, e.g. market.assets[AAPL].spot=101.5; repeatable"},
    {"fixings", 0, OPTION_FORM_FIXINGS, 0, "FILE.csv", 0, 0,
     "read past closes, for averages, extremes, touched barriers and coupons"},
    {"by", 0, OPTION_FORM_BY, 0, "TAG", 0, 0,
     "print totals by a tag of trades, e.g. desk, or by asset; repeatable"},
    {"check", 0, OPTION_FORM_CHOICE, offsetof(struct options, library.check),
     "all|sample|none|1/5|2/5|3/5|4/5|5/5[,TRADE]", 0, 0,
     "check all prices, a tenth, none, a fifth; trades too"},
    {"strict", 0, OPTION_FORM_STRICT, 0, NULL, 0, 0,
     "refuse likely mistakes, e.g. a barrier that the spot has passed"},
    {"plan", 0, OPTION_FORM_FLAG, offsetof(struct options, plan), NULL, 0, 0,
     "print the plan and stop"},
    {"explain", 0, OPTION_FORM_TEXT, offsetof(struct options, explain), "TRADE", 0, 0,
     "print how a trade is priced, its script and program too, and stop"},
    {"compile", 0, OPTION_FORM_COUNT, offsetof(struct options, compile), "SM", 50, 999,
     "compile kernels of this book for GPUs of a compute capability, e.g. 90"},
    {"bench", 0, OPTION_FORM_CHOICE, offsetof(struct options, bench), "|ladder", 0, 0,
     "time kernels on this book; ladder: every kernel"},
    {"calibrate", 0, OPTION_FORM_CHOICE, offsetof(struct options, calibrate), "heston|bates", 0, 0,
     "fit a model to implied surfaces; write BOOK.MODEL.cfg or --output=FILE.cfg"},
    {"output", 'o', OPTION_FORM_OUTPUT, 0, "FILE", 0, 0,
     "write results to FILE.csv, FILE.json, database FILE.db, FOLDER/ of CSV, or -"},
    {"report", 0, OPTION_FORM_PATH, offsetof(struct options, report), "FILE.html", 0, 0,
     "write a report with charts as one HTML page"},
    {"charts", 0, OPTION_FORM_PATH, offsetof(struct options, charts), "FOLDER/", 0, 0,
     "write each chart of the report to FOLDER/NAME.svg"},
    {"since", 0, OPTION_FORM_PATH, offsetof(struct options, since), "FILE.db[:RUN]", 0, 0,
     "report the change since an earlier run; needs --output=FILE.db"},
    {"resume", 0, OPTION_FORM_PATH, offsetof(struct options, resume), "FILE.db", 0, 0,
     "finish an interrupted run of this book, or start one"},
    {"max-time", 0, OPTION_FORM_TIME, offsetof(struct options, max_time), "TIME", 0, 0,
     "stop after a time, e.g. 90s, 15m or 2h; a run with a database can be resumed"},
    {"all-errors", 0, OPTION_FORM_FLAG, offsetof(struct options, all_errors), NULL, 0, 0,
     "show all errors of a book, not only the first 100"},
    {"quiet", 'q', OPTION_FORM_FLAG, offsetof(struct options, quiet), NULL, 0, 0,
     "print no progress and no table"},
    {"help", 'h', OPTION_FORM_FLAG, offsetof(struct options, help), NULL, 0, 0, "show this help"},
    {"version", 'v', OPTION_FORM_FLAG, offsetof(struct options, version), NULL, 0, 0,
     "show the version"},
};
enum { N_ROWS = sizeof rows / sizeof *rows, FIRST_VALUE = 256 };

__attribute__((format(printf, 2, 3))) static enum status refuse(struct message *why,
                                                                const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(why->text, sizeof why->text, format, values);
    va_end(values);
    for (char *p = why->text; *p; p++)
        if ((unsigned char)*p < ' ') *p = '?';
    return STATUS_BAD_INPUT;
}

/* Reads a whole number in decimal digits, or as 1e6, and nothing else. */
static bool read_digits(const char *text, long long most, long long *value)
{
    char *end;
    if (strspn(text, "0123456789.eE") != strlen(text) || !strspn(text, "0123456789")) return false;
    if (strpbrk(text, ".eE")) {
        double number = strtod(text, &end);
        if (*end || !(number <= 0x1p53) || number != floor(number)) return false;
        *value = (long long)number;
        return *value <= most;
    }
    errno = 0;
    *value = strtoll(text, NULL, 10);
    return !errno && *value <= most;
}

static enum status read_number(const struct option_row *row, const char *text, void *field,
                               struct message *why)
{
    long long value;
    if (!read_digits(text, row->most, &value) || value < row->least)
        return refuse(why, "--%s must be a whole number from %lld to %lld, got '%s'", row->name,
                      (long long)row->least, (long long)row->most, text);
    int narrow = (int)value;
    int64_t wide = value;
    if (row->form == OPTION_FORM_COUNT) memcpy(field, &narrow, sizeof narrow);
    else memcpy(field, &wide, sizeof wide);
    return STATUS_OK;
}

/* Reads a time above 0 with its unit. */
static enum status read_seconds(const struct option_row *row, const char *text, void *field,
                                struct message *why)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"s", 1.0}, {"m", 60.0}, {"h", 3600.0}};
    char *end = NULL;
    double number = strspn(text, "0123456789.") ? strtod(text, &end) : 0.0;
    for (size_t i = 0; i < sizeof units / sizeof *units && number > 0.0 && number < 1e9; i++) {
        if (strcmp(end, units[i].unit)) continue;
        number *= units[i].seconds;
        memcpy(field, &number, sizeof number);
        return STATUS_OK;
    }
    return refuse(why, "--%s must be a time as 90s, 15m or 2h, got '%s'", row->name, text);
}

static enum status read_choice(const struct option_row *row, const char *text, void *field,
                               struct message *why)
{
    size_t n, length = strcspn(text, strchr(row->argument, '[') ? "," : "");
    for (const char *word = row->argument; *word && *word != '['; word += n + (word[n] == '|')) {
        n = strcspn(word, "|[");
        if (n != length || strncmp(word, text, n)) continue;
        memcpy(field, &text, sizeof text);
        return STATUS_OK;
    }
    return refuse(why, "--%s must be %s, got '%s'", row->name,
                  row->argument + (row->argument[0] == '|'), text);
}

static enum status read_text(const struct option_row *row, const char *text, void *field,
                             struct message *why)
{
    if (!*text || strlen(text) >= SETTING_TEXT)
        return refuse(why, "--%s must be a %s of 1 to %d characters, got '%s'", row->name,
                      row->argument, SETTING_TEXT - 1, text);
    memcpy(field, &text, sizeof text);
    return STATUS_OK;
}

/* Reads "all", or numbers of devices separated by commas, none twice. */
static enum status read_gpus(const char *text, struct options *options, struct message *why)
{
    int *n_gpus = &options->library.n_gpus;
    *n_gpus = 0;
    if (!strcmp(text, "all")) return STATUS_OK;
    for (const char *p = text;; p++) {
        char digits[8] = "";
        size_t n = strcspn(p, ",");
        long long gpu;
        if (n < sizeof digits) memcpy(digits, p, n);
        bool good =
            n < sizeof digits && read_digits(digits, INT_MAX, &gpu) && *n_gpus < OPTIONS_GPUS;
        for (int i = 0; good && i < *n_gpus; i++) good = options->gpus[i] != gpu;
        if (!good)
            return refuse(why, "--gpus must be all, or different numbers as 0,1, got '%s'", text);
        options->gpus[(*n_gpus)++] = (int)gpu;
        p += n;
        if (!*p) return STATUS_OK;
    }
}

static enum status append(const char ***list, int *n, const char *text)
{
    const char **larger = realloc(*list, (size_t)(*n + 1) * sizeof *larger);
    if (!larger) return STATUS_NO_MEMORY;
    *list = larger;
    larger[(*n)++] = text;
    return STATUS_OK;
}

bool ends_in(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n > m && !strcmp(text + n - m, end);
}

static enum status read_output(const char *text, struct options *options, struct message *why)
{
    if (ends_in(text, ".db")) {
        if (options->database)
            return refuse(why, "--output: one database at a time, got '%s' and '%s'",
                          options->database, text);
        options->database = text;
        return STATUS_OK;
    }
    /* .cfg goes with --calibrate alone and .json does not: said where the file is used. */
    if (strcmp(text, "-") && !ends_in(text, "/") && !ends_in(text, ".csv") &&
        !ends_in(text, ".json") && !ends_in(text, ".cfg"))
        return refuse(why,
                      "--output must be a file that ends in .csv, .json or .db, a folder that ends "
                      "in /, or -, got '%s'",
                      text);
    return append(&options->outputs, &options->n_outputs, text);
}

static enum status read_path(const struct option_row *row, const char *text, void *field,
                             struct message *why)
{
    static const struct {
        const char *end, *description;
    } kinds[] = {{".db", "database, a file that ends in .db"},
                 {".html", "file that ends in .html"},
                 {"/", "folder that ends in /"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (ends_in(row->argument, kinds[i].end) && !ends_in(text, kinds[i].end))
            return refuse(why, "--%s must be a %s, got '%s'", row->name, kinds[i].description,
                          text);
    memcpy(field, &text, sizeof text);
    return STATUS_OK;
}

static enum status read_set(const char *text, struct options *options, struct message *why)
{
    if (strchr("=-", text[0]) || !strchr(text, '='))
        return refuse(why, "--set must be PATH=VALUE, as settings.paths=4096, got '%s'", text);
    return append(&options->sets, &options->n_sets, text);
}

/* Sets the book's key `fixings`: with the dashes that complaints show. */
static enum status read_fixings(const char *text, struct options *options, struct message *why)
{
    if (options->fixings) return refuse(why, "--fixings: one file at a time, got also '%s'", text);
    if (!ends_in(text, ".csv"))
        return refuse(why, "--fixings must be a file that ends in .csv, got '%s'", text);
    if (!(options->fixings = text_print("--fixings=%s", text))) return STATUS_NO_MEMORY;
    return append(&options->sets, &options->n_sets, options->fixings);
}

static enum status read_option(const struct option_row *row, const char *text,
                               struct options *options, struct message *why)
{
    void *field = (char *)options + row->offset;
    switch (row->form) {
    case OPTION_FORM_FLAG: *(bool *)field = true; return STATUS_OK;
    case OPTION_FORM_TEXT: return read_text(row, text, field, why);
    case OPTION_FORM_CHOICE: return read_choice(row, text ? text : "", field, why);
    case OPTION_FORM_NUMBER:
    case OPTION_FORM_COUNT: return read_number(row, text, field, why);
    case OPTION_FORM_TIME: return read_seconds(row, text, field, why);
    case OPTION_FORM_GPUS: return read_gpus(text, options, why);
    case OPTION_FORM_SET: return read_set(text, options, why);
    case OPTION_FORM_BY: return append(&options->bys, &options->n_bys, text);
    case OPTION_FORM_FIXINGS: return read_fixings(text, options, why);
    case OPTION_FORM_STRICT:
        return append(&options->sets, &options->n_sets, "settings.strict=true");
    case OPTION_FORM_OUTPUT: return read_output(text, options, why);
    case OPTION_FORM_PATH: return read_path(row, text, field, why);
    }
    return STATUS_BAD_INPUT;
}

static bool may_stand_alone(int row)
{
    return rows[row].argument && rows[row].argument[0] == '|';
}

/* Makes getopt's table, and its list of letters, from ours. */
static void make_getopt_table(struct option table[N_ROWS + 1], char letters[2 * N_ROWS + 2])
{
    strcpy(letters, ":");
    memset(table, 0, (N_ROWS + 1) * sizeof *table);
    for (int i = 0; i < N_ROWS; i++) {
        table[i].name = rows[i].name;
        table[i].has_arg = !rows[i].argument    ? no_argument
                           : may_stand_alone(i) ? optional_argument
                                                : required_argument;
        table[i].val = FIRST_VALUE + i;
        if (!rows[i].letter) continue;
        strncat(letters, &rows[i].letter, 1);
        if (rows[i].argument) strcat(letters, ":");
    }
}

static enum status refuse_option(char **argv, int code, struct message *why)
{
    const char *given = argv[optind - 1];
    if (code == ':') return refuse(why, "%s needs a value; --help lists the options", given);
    if (optopt >= FIRST_VALUE)
        return refuse(why, "--%s takes no value", rows[optopt - FIRST_VALUE].name);
    if (optopt) return refuse(why, "unknown option -%c; --help lists the options", optopt);
    char name[64] = "", hint[HINT_ROOM];
    struct nearest nearest = {.wanted = name};
    snprintf(name, sizeof name, "%.*s", (int)strcspn(given + 2, "="), given + 2);
    for (int i = 0; i < N_ROWS; i++) nearest_try(&nearest, rows[i].name);
    return refuse(why, "unknown or ambiguous option %s%s; --help lists the options", given,
                  nearest_hint(&nearest, hint));
}

/* Databases and reports are of runs that price; files of results of those, of benchmarks and of
 * calibrations. */
static enum status check_pricing(const struct options *options, struct message *why)
{
    const struct {
        const char *name;
        bool asked, silent;
    } ways[] = {{"plan", options->plan, true},       {"explain", options->explain, true},
                {"compile", options->compile, true}, {"list-kernels", options->list_kernels, true},
                {"bench", options->bench, false},    {"calibrate", options->calibrate, false}};
    const char *silent = NULL, *other = NULL;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (!ways[i].asked) continue;
        if (other) return refuse(why, "--%s and --%s: one at a time", other, ways[i].name);
        other = ways[i].name;
        if (ways[i].silent) silent = other;
    }
    if (options->database && options->resume)
        return refuse(why, "--output=%s and --resume=%s: a run has one database", options->database,
                      options->resume);
    if (other && (options->database || options->resume))
        return refuse(why, "--%s prices nothing: a database has no place for it", other);
    if (silent && options->n_outputs)
        return refuse(why, "--%s prices nothing: it writes no --output=%s", silent,
                      options->outputs[0]);
    if (options->since && (!options->report || (!options->database && !options->resume)))
        return refuse(why, "--since needs --report=FILE.html, and --output=FILE.db for this run");
    if (options->charts && !options->report)
        return refuse(why, "--charts needs --report=FILE.html, the page that they are of");
    if (other && options->report)
        return refuse(why, "--%s prices nothing: there is nothing to report", other);
    return STATUS_OK;
}

static enum status read_book(int argc, char **argv, struct options *options, struct message *why)
{
    if (argc - optind > 1)
        return refuse(why, "one book at a time, got '%s' and '%s'", argv[optind], argv[optind + 1]);
    if (optind < argc) options->book = argv[optind];
    if (options->book || options->help || options->version || options->list_kernels)
        return STATUS_OK;
    return refuse(why, "no book given: pricer [options] BOOK.cfg; --help lists the options");
}

enum status options_read(int argc, char **argv, struct options *options, struct message *why)
{
    struct option table[N_ROWS + 1];
    char letters[2 * N_ROWS + 2];
    enum status status = STATUS_OK;
    int code;
    *options = (struct options){.library = PRICER_OPTIONS};
    options->library.gpus = options->gpus;
    options->library.prefix = "--";
    why->text[0] = '\0';
    make_getopt_table(table, letters);
    optind = 0; /* glibc and musl begin anew */
    opterr = 0;
    while (!status && (code = getopt_long(argc, argv, letters, table, NULL)) != -1) {
        int row = code >= FIRST_VALUE ? code - FIRST_VALUE : N_ROWS - 1;
        while (code < FIRST_VALUE && row >= 0 && (!rows[row].letter || rows[row].letter != code))
            row--;
        if (row >= 0) status = read_option(&rows[row], optarg, options, why);
        else status = refuse_option(argv, code, why);
    }
    if (!status) status = check_pricing(options, why);
    if (options->resume) options->database = options->resume;
    options->library.dry =
        options->plan || options->explain || options->compile || options->calibrate;
    return status ? status : read_book(argc, argv, options, why);
}

void options_follow(struct options *options)
{
    options->database = options->resume = options->report = options->since = NULL;
    options->charts = NULL;
    options->n_outputs = 0;
    options->max_time = 0.0; /* rank 0 says when */
    options->quiet = true;
}

void options_help(FILE *stream)
{
    fputs("Usage: pricer [options] BOOK.cfg\n"
          "  or:  pricer [options] - <BOOK.cfg\n"
          "  or:  pricer diff [--output=FILE] FILE.db[:RUN] [FILE.db[:RUN]]\n"
          "Prices a book of equity and FX derivatives by Monte Carlo and checks every price.\n"
          "With diff: explains the change between two runs in results databases.\n\n",
          stream);
    for (int i = 0; i < N_ROWS; i++) {
        char left[64];
        const char *argument = rows[i].argument ? rows[i].argument : "";
        if (may_stand_alone(i))
            snprintf(left, sizeof left, "--%s[=%s]", rows[i].name, argument + 1);
        else snprintf(left, sizeof left, "--%s%s%s", rows[i].name, *argument ? "=" : "", argument);
        if (rows[i].letter)
            fprintf(stream, "  -%c, %-26s %s\n", rows[i].letter, left, rows[i].help);
        else fprintf(stream, "      %-26s %s\n", left, rows[i].help);
    }
    fputs(
        "\nExit status: 0 every trade priced and in agreement with its reference; 1 some trade was "
        "refused,\nfailed or disagreed; 2 the command line or the book is wrong; 3 the engine or "
        "the machine failed;\n124 --max-time was over; 128 and the number of a signal that ended "
        "the run.\n",
        stream);
}

void options_free(struct options *options)
{
    free(options->sets);
    free(options->bys);
    free(options->fixings);
    free(options->outputs);
    *options = (struct options){0};
}
