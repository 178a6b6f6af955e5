/* --calibrate: what a person sees of a fit, the same quotes as a table for other programs, and the
 * model as a piece of a book. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/api/handle.h"
#include "app/command/run.h"
#include "app/output/output_file.h"
#include "app/output/results.h"
#include "app/pricing/calibration/model_fit.h"
#include "models/base/clock.h"
#include "models/base/text.h"

/* A fit with what belongs to it. */
struct calibration {
    int index;         /* of the asset in the market */
    const char *asset; /* its name */
    char *file;        /* to include; owned */
    const char *book;  /* that it is to be included in */
    struct surface_quotes quotes;
    struct model_fit fit;
    bool done; /* with success */
    double seconds;
};

/* ---- for a person ---------------------------------------------------------------------------- */

static void print_summary(const struct calibration *calibration)
{
    const struct model_fit *fit = &calibration->fit;
    const struct surface_quotes *quotes = &calibration->quotes;
    const struct quote *worst = &quotes->list[fit->worst];
    const double *p = fit->parameters;
    double pull = 2.0 * p[PARAMETER_HESTON_KAPPA] * p[PARAMETER_HESTON_THETA],
           noise = p[PARAMETER_HESTON_XI] * p[PARAMETER_HESTON_XI];
    printf(
        "%s: %s fitted to %d of %d quotes, %d expiries of %d strikes, from %d starts in %.2f s\n\n",
        calibration->asset, model_name(fit->model), quotes->n_used, quotes->n, quotes->n_times,
        quotes->n_strikes, fit->starts, calibration->seconds);
    printf("  %-10s %12s %12s\n", "parameter", "value", "std error");
    for (int i = 0; i < fit->n; i++) {
        printf("  %-10s %12.6f ", parameter_rows[i].name, p[i]);
        if (isfinite(fit->errors[i])) printf("%12.6f", fit->errors[i]);
        else printf("%12s", "-");
        fputs(fit->at_bound[i] ? "  at the end of its range: the surface does not tell it\n" : "\n",
              stdout);
    }
    printf("\n  root mean square error %.3f volatility points; largest %+.2f, at expiry %.4f, "
           "strike %.6g\n",
           100.0 * fit->rmse, 100.0 * fit->largest, worst->time, worst->strike);
    /* W. Feller, Two singular diffusion problems, Annals of Mathematics 54 (1951) 173-182 */
    printf("  Feller: 2 kappa theta = %.4g is %s xi^2 = %.4g: the variance %s\n", pull,
           pull < noise ? "below" : "not below", noise,
           pull < noise ? "reaches zero" : "stays above zero");
    printf("  the volatilities of the model are within %.1e basis points of the reference's\n\n",
           1e4 * fit->checked);
}

static void print_quotes(const struct calibration *calibration)
{
    printf("  %8s %12s %9s %9s %9s\n", "expiry", "strike", "market %", "model %", "diff. bp");
    for (int i = 0; i < calibration->quotes.n; i++) {
        const struct quote *quote = &calibration->quotes.list[i];
        double volatility = calibration->fit.volatilities[i];
        if (!quote->used) {
            printf("  %8.4f %12.6g %9.2f %9s %9s\n", quote->time, quote->strike,
                   100.0 * quote->volatility, "not used", "-");
            continue;
        }
        printf("  %8.4f %12.6g %9.2f %9.2f %9.1f\n", quote->time, quote->strike,
               100.0 * quote->volatility, 100.0 * volatility,
               1e4 * (volatility - quote->volatility));
    }
    putchar('\n');
}

/* ---- plots ----------------------------------------------------------------------------------- */

enum { PLOT_WIDTH = 66, PLOT_HEIGHT = 11 };

/* The volatilities and strikes of an expiry's used quotes: what the axes span. */
struct plot_axes {
    double low, high, first, last;
};

static struct plot_axes axes_of(const struct quote *quotes, const double *volatilities, int n)
{
    struct plot_axes axes = {INFINITY, 0.0, INFINITY, 0.0};
    for (int i = 0; i < n; i++) {
        if (!quotes[i].used) continue;
        axes.low = fmin(axes.low, fmin(quotes[i].volatility, volatilities[i]));
        axes.high = fmax(axes.high, fmax(quotes[i].volatility, volatilities[i]));
        axes.first = fmin(axes.first, quotes[i].strike);
        axes.last = fmax(axes.last, quotes[i].strike);
    }
    double middle = 0.5 * (axes.low + axes.high), half = fmax(0.5 * (axes.high - axes.low), 0.005);
    axes.low = fmax(middle - half, 0.0);
    axes.high = middle + half;
    return axes;
}

static int cell_of(double value, double low, double high, int cells)
{
    double share = high > low ? (value - low) / (high - low) : 0.5;
    return (int)(fmin(fmax(share, 0.0), 1.0) * (cells - 1) + 0.5);
}

static void mark(char *cell, char with)
{
    *cell = *cell == ' ' || *cell == with ? with : '#';
}

static void print_plot(const struct quote *quotes, const double *volatilities, int n)
{
    char grid[PLOT_HEIGHT][PLOT_WIDTH + 1];
    struct plot_axes axes = axes_of(quotes, volatilities, n);
    if (!(axes.last > 0.0)) return; /* no quote of it is used */
    for (int row = 0; row < PLOT_HEIGHT; row++) {
        memset(grid[row], ' ', PLOT_WIDTH);
        grid[row][PLOT_WIDTH] = '\0';
    }
    for (int i = 0; i < n; i++) {
        if (!quotes[i].used) continue;
        int column = cell_of(quotes[i].strike, axes.first, axes.last, PLOT_WIDTH);
        mark(&grid[cell_of(quotes[i].volatility, axes.low, axes.high, PLOT_HEIGHT)][column], 'o');
        mark(&grid[cell_of(volatilities[i], axes.low, axes.high, PLOT_HEIGHT)][column], '*');
    }
    printf("  expiry %.4f: o market, * model, # both; volatility %% over strike\n", quotes[0].time);
    for (int row = PLOT_HEIGHT - 1; row >= 0; row--) {
        double at = axes.low + (axes.high - axes.low) * row / (PLOT_HEIGHT - 1);
        int used = PLOT_WIDTH;
        while (used && grid[row][used - 1] == ' ') used--;
        printf("  %6.2f |%.*s\n", 100.0 * at, used, grid[row]);
    }
    printf("         +%.*s\n          %-10.6g%*.6g\n\n", PLOT_WIDTH,
           "--------------------------------------------------------------------------------",
           axes.first, PLOT_WIDTH - 10, axes.last);
}

/* ---- for a book ------------------------------------------------------------------------------ */

/* Prints the name of a file within a comment, on one line. */
static void print_name(FILE *out, const char *name)
{
    for (; *name; name++) fputc((unsigned char)*name < ' ' ? '?' : *name, out);
}

/* Returns the file's name alone: an include is looked for beside the including file. */
static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void print_group(FILE *out, const char *name, const struct model_fit *fit, int from, int to)
{
    fprintf(out, "%s = {", name);
    for (int i = from; i < to; i++)
        fprintf(out, "%s%s = %.17g;", i % 3 == from % 3 && i > from ? "\n           " : " ",
                parameter_rows[i].name, fit->parameters[i]);
    fputs(" };\n", out);
}

/* Writes the keys `model`, `heston` and (bates) `jumps`, under a comment that says how the file is
 * included in the book. */
static void calibration_book(FILE *out, const void *context)
{
    const struct calibration *calibration = context;
    const struct model_fit *fit = &calibration->fit;
    fprintf(out, "// %s of %s, fitted by pricer %s to %d implied volatilities of ",
            fit->model == MODEL_BATES ? "Bates's model" : "Heston's model", calibration->asset,
            PRICER_VERSION, calibration->quotes.n_used);
    print_name(out, last_part(calibration->book));
    fprintf(out,
            ":\n// root mean square error %.3f volatility points. In the asset of a book it takes "
            "the place of model and\n// volatility, on a line of its own:\n//\n//     { name = "
            "\"%s\"; currency = ...; spot = ...;\n//       @include \"",
            100.0 * fit->rmse, calibration->asset);
    print_name(out, last_part(calibration->file));
    fprintf(out, "\"\n//     }\n\nmodel = \"%s\";\n", model_name(fit->model));
    print_group(out, "heston", fit, 0, N_HESTON_PARAMETERS);
    if (fit->n > N_HESTON_PARAMETERS) print_group(out, "jumps", fit, N_HESTON_PARAMETERS, fit->n);
}

/* Everything a calibration makes. */
struct calibration_work {
    const struct options *options;
    const struct book *book;
    const struct stop *stop;
    enum model model;
    int n;                    /* assets that have a surface */
    struct calibration *list; /* [n] */
};

/* ---- before the work ------------------------------------------------------------------------- */

/* Writes the path BOOK.heston.cfg, or BOOK.ASSET.heston.cfg where several assets have a surface;
 * the asset's name with characters that suit a file's. */
static char *file_beside(const struct calibration_work *work, const char *asset)
{
    const char *book = work->options->book, *model = work->options->calibrate;
    size_t stem = strlen(book) - (ends_in(book, ".cfg") ? strlen(".cfg") : 0);
    bool one = work->n == 1;
    char *name =
        text_print("%.*s%s%s.%s.cfg", (int)stem, book, one ? "" : ".", one ? "" : asset, model);
    for (char *p = name ? name + stem : NULL; p && *p; p++)
        if (!isalnum((unsigned char)*p) && !strchr(".-_", *p)) *p = '_';
    return name;
}

static enum status check_output(const struct book *book, const char *path, struct message *why)
{
    if (!ends_in(path, ".cfg") && !ends_in(path, ".csv"))
        return say_why(
            STATUS_BAD_INPUT, why,
            "--calibrate: --output must be a file that ends in .cfg or .csv, got '%.400s'", path);
    if (!output_file_is_one_of(path, book->n_files, book->files))
        return output_file_possible(path, why);
    return say_why(
        STATUS_BAD_INPUT, why,
        "--calibrate: the fit would take the place of %.400s, which the book is read from", path);
}

static enum status name_files(struct calibration_work *work, struct message *why)
{
    const struct options *options = work->options;
    int given = 0;
    for (int i = 0; i < options->n_outputs; i++) {
        const char *path = options->outputs[i];
        MUST(check_output(work->book, path, why));
        if (!ends_in(path, ".cfg")) continue;
        if (given < work->n && !(work->list[given].file = strdup(path))) return STATUS_NO_MEMORY;
        given++;
    }
    if (given && given != work->n)
        MUST(
            say_why(STATUS_BAD_INPUT, why,
                    "--calibrate: %d files --output=FILE.cfg for %d assets with a surface: one for "
                    "each, or none",
                    given, work->n));
    for (int i = 0; !given && i < work->n; i++) {
        work->list[i].file = file_beside(work, work->list[i].asset);
        if (!work->list[i].file) return STATUS_NO_MEMORY;
        MUST(check_output(work->book, work->list[i].file, why));
    }
    for (int i = 0; i < work->n; i++)
        for (int j = 0; j < i; j++)
            if (!strcmp(work->list[i].file, work->list[j].file)) /* which would lose a file */
                return say_why(STATUS_BAD_INPUT, why,
                               "two fits would go to %.300s: name them with --output=FILE.cfg, one "
                               "for each asset",
                               work->list[i].file);
    return STATUS_OK;
}

static enum status make_quotes(struct calibration_work *work, struct message *why)
{
    for (int i = 0; i < work->n; i++) {
        struct calibration *to = &work->list[i];
        MUST(surface_quotes_make(&work->book->market, to->index, &to->quotes));
        struct message reason = {""};
        enum status status = fit_possible(&to->quotes, work->model, &reason);
        if (reason.text[0]) say_why(status, why, "asset '%s': %.400s", to->asset, reason.text);
        MUST(status);
    }
    return STATUS_OK;
}

/* ---- the work -------------------------------------------------------------------------------- */

static void write_csv(FILE *out, const void *context)
{
    const struct calibration_work *work = context;
    fputs("asset,model,expiry,strike,market_volatility,model_volatility,difference_bp,used\n", out);
    for (int i = 0; i < work->n; i++) {
        const struct calibration *calibration = &work->list[i];
        for (int q = 0; calibration->done && q < calibration->quotes.n; q++) {
            const struct quote *quote = &calibration->quotes.list[q];
            double volatility = quote->used ? calibration->fit.volatilities[q] : NAN;
            const double numbers[] = {quote->time, quote->strike, quote->volatility, volatility,
                                      1e4 * (volatility - quote->volatility)};
            csv_text(out, calibration->asset);
            fprintf(out, ",%s", model_name(calibration->fit.model));
            csv_numbers(out, sizeof numbers / sizeof *numbers, numbers);
            fprintf(out, ",%s\n", quote->used ? "yes" : "no");
        }
    }
}

/* Fits an asset, shows it and writes its file; a failure is one line, and the others go on. */
static enum status calibrate_asset(const struct calibration_work *work, struct calibration *to,
                                   bool *trouble, struct message *why)
{
    double began = seconds_now();
    enum status status =
        fit_checked(&work->book->market, &to->quotes, work->model, work->stop, &to->fit, why);
    to->seconds = seconds_now() - began;
    if (status == STATUS_FAILED) {
        fprintf(stderr, "pricer: asset '%s': %s\n", to->asset, why->text);
        *trouble = true;
        return STATUS_OK;
    }
    if (status) return status;
    to->done = true;
    if (!work->options->quiet) {
        print_summary(to);
        print_quotes(to);
        for (int i = 0, n = to->quotes.n_strikes; i < to->quotes.n_times; i++)
            print_plot(to->quotes.list + i * n, to->fit.volatilities + i * n, n);
    }
    status = output_file_write(to->file, calibration_book, to, NULL, why);
    if (!status && !work->options->quiet) printf("%s: written to %s\n\n", to->asset, to->file);
    return status;
}

enum status calibrate_book(const struct options *options, const struct pricer_book *book,
                           const struct stop *stop, int *verdict, struct message *why)
{
    enum status status = STATUS_OK;
    bool trouble = false;
    struct calibration_work work = {.options = options,
                                    .book = &book->book,
                                    .stop = stop,
                                    .model = strcmp(options->calibrate, "bates") ? MODEL_HESTON
                                                                                 : MODEL_BATES};
    const struct market *market = &work.book->market;
    work.list = calloc((size_t)market->n_assets + 1, sizeof *work.list);
    if (!work.list) TRY(STATUS_NO_MEMORY);
    for (int i = 0; i < market->n_assets; i++)
        if (quoted_surface(&market->assets[i])->n_times)
            work.list[work.n++] = (struct calibration){
                .index = i, .asset = market->assets[i].name, .book = options->book};
    if (!work.n)
        TRY(say_why(STATUS_BAD_INPUT, why,
                    "--calibrate=%s: no asset of the book has an implied surface, volatility with "
                    "times, strikes and vols",
                    options->calibrate));
    TRY(name_files(&work, why));
    TRY(make_quotes(&work, why));
    for (int i = 0; i < work.n; i++) TRY(calibrate_asset(&work, &work.list[i], &trouble, why));
    for (int i = 0; i < options->n_outputs; i++)
        if (ends_in(options->outputs[i], ".csv"))
            TRY(output_file_write(options->outputs[i], write_csv, &work, NULL, why));
    TRY(output_flush_stdout(why));
done:
    for (int i = 0; i < work.n; i++) {
        free(work.list[i].file);
        surface_quotes_free(&work.list[i].quotes);
        model_fit_free(&work.list[i].fit);
    }
    free(work.list);
    *verdict = trouble ? EXIT_TROUBLE : EXIT_AGREED;
    return status;
}
