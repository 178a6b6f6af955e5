#include "app/command/calibrate.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/command/calibration_report.h"
#include "app/command/notes.h"
#include "app/command/run.h"
#include "app/output/output_file.h"
#include "app/pricing/calibration/model_fit_check.h"
#include "app/api/handle.h"
#include "models/base/clock.h"

/* Everything a calibration makes. */
struct calibration_work {
    const struct options *options;
    const struct book *book;
    const struct stop *stop;
    enum model model;
    int n;                           /* assets that have a surface */
    int *assets;                     /* [n] */
    char **files;                    /* [n] to include; owned */
    struct calibration *calibration; /* [n] */
    bool *good;                      /* [n] */
};

/* ---- before the work ------------------------------------------------------------------------- */

static enum status find_surfaces(struct calibration_work *work, struct message *why)
{
    const struct market *market = &work->book->market;
    size_t most = (size_t)market->n_assets + 1;
    work->assets = calloc(most, sizeof *work->assets);
    work->files = calloc(most, sizeof *work->files);
    work->calibration = calloc(most, sizeof *work->calibration);
    work->good = calloc(most, sizeof *work->good);
    if (!work->assets || !work->files || !work->calibration || !work->good) return STATUS_NO_MEMORY;
    for (int i = 0; i < market->n_assets; i++)
        if (market->assets[i].surface.n_times) work->assets[work->n++] = i;
    if (work->n) return STATUS_OK;
    snprintf(why->text, sizeof why->text,
             "--calibrate=%s: no asset of the book has an implied surface, model = \"local_vol\" "
             "with times, "
             "strikes and vols",
             work->options->calibrate);
    return STATUS_BAD_INPUT;
}

/* Writes the path BOOK.heston.cfg, or BOOK.ASSET.heston.cfg where several assets have a surface;
 * the asset's name with characters that suit a file's. */
static char *file_beside(const struct calibration_work *work, const char *asset)
{
    const char *book = work->options->book, *model = work->options->calibrate;
    size_t stem = strlen(book) - (ends_in(book, ".cfg") ? strlen(".cfg") : 0);
    size_t room = stem + strlen(asset) + strlen(model) + sizeof "...cfg";
    char *name = malloc(room);
    if (!name) return NULL;
    if (work->n == 1) snprintf(name, room, "%.*s.%s.cfg", (int)stem, book, model);
    else snprintf(name, room, "%.*s.%s.%s.cfg", (int)stem, book, asset, model);
    for (char *p = name + stem; *p; p++)
        if (!isalnum((unsigned char)*p) && !strchr(".-_", *p)) *p = '_';
    return name;
}

static enum status check_output(const struct book *book, const char *path, struct message *why)
{
    if (!ends_in(path, ".cfg") && !ends_in(path, ".csv")) {
        snprintf(why->text, sizeof why->text,
                 "--calibrate: --output must be a file that ends in .cfg or .csv, got '%.400s'",
                 path);
        return STATUS_BAD_INPUT;
    }
    if (!output_file_is_one_of(path, book->n_files, book->files))
        return output_file_possible(path, why);
    snprintf(why->text, sizeof why->text,
             "--calibrate: the fit would take the place of %.400s, which the book is read from",
             path);
    return STATUS_BAD_INPUT;
}

static enum status refuse_outputs(const struct calibration_work *work, int given,
                                  struct message *why)
{
    snprintf(why->text, sizeof why->text,
             "--calibrate: %d files --output=FILE.cfg for %d assets with a surface: one for each, "
             "or none",
             given, work->n);
    return STATUS_BAD_INPUT;
}

/* Refuses two names that became one, which would lose a file. */
static enum status check_distinct(const struct calibration_work *work, struct message *why)
{
    for (int i = 0; i < work->n; i++)
        for (int j = 0; j < i; j++) {
            if (strcmp(work->files[i], work->files[j])) continue;
            snprintf(
                why->text, sizeof why->text,
                "two fits would go to %.300s: name them with --output=FILE.cfg, one for each asset",
                work->files[i]);
            return STATUS_BAD_INPUT;
        }
    return STATUS_OK;
}

static enum status name_files(struct calibration_work *work, struct message *why)
{
    enum status status = STATUS_OK;
    const struct options *options = work->options;
    int given = 0;
    for (int i = 0; i < options->n_outputs; i++) {
        const char *path = options->outputs[i];
        TRY(check_output(work->book, path, why));
        if (!ends_in(path, ".cfg")) continue;
        if (given < work->n && !(work->files[given] = strdup(path))) TRY(STATUS_NO_MEMORY);
        given++;
    }
    if (given && given != work->n) TRY(refuse_outputs(work, given, why));
    for (int i = 0; !given && i < work->n; i++) {
        work->files[i] = file_beside(work, work->book->market.assets[work->assets[i]].name);
        if (!work->files[i]) TRY(STATUS_NO_MEMORY);
        TRY(check_output(work->book, work->files[i], why));
    }
    TRY(check_distinct(work, why));
done:
    return status;
}

/* Makes one sentence with the asset's name before it. */
static enum status about_asset(const char *asset, enum status status, struct message *why)
{
    struct message what = *why;
    if (what.text[0]) snprintf(why->text, sizeof why->text, "asset '%s': %.400s", asset, what.text);
    return status;
}

static enum status make_quotes(struct calibration_work *work, struct message *why)
{
    enum status status = STATUS_OK;
    for (int i = 0; i < work->n; i++) {
        struct calibration *to = &work->calibration[i];
        to->asset = work->book->market.assets[work->assets[i]].name;
        TRY(surface_quotes_make(&work->book->market, work->assets[i], &to->quotes));
        TRY(about_asset(to->asset, fit_possible(&to->quotes, work->model, why), why));
    }
done:
    return status;
}

/* ---- the work -------------------------------------------------------------------------------- */

/* The file that a fit goes to. */
struct fit_file {
    const struct calibration_work *work;
    int i;
};

static void write_book(FILE *out, const void *context)
{
    const struct fit_file *file = context;
    const struct calibration_work *work = file->work;
    calibration_book(out, &work->calibration[file->i], work->options->book, work->files[file->i]);
}

static void write_csv(FILE *out, const void *context)
{
    const struct calibration_work *work = context;
    calibration_csv_header(out);
    for (int i = 0; i < work->n; i++)
        if (work->good[i]) calibration_csv(out, &work->calibration[i]);
}

/* Fits asset i, shows it and writes its file; a failure is one line, and the others go on. */
static enum status calibrate_asset(struct calibration_work *work, int i, bool *trouble,
                                   struct message *why)
{
    struct calibration *done = &work->calibration[i];
    double began = seconds_now();
    enum status status =
        fit_checked(&work->book->market, &done->quotes, work->model, work->stop, &done->fit, why);
    done->seconds = seconds_now() - began;
    if (status == STATUS_FAILED) {
        fprintf(stderr, "pricer: asset '%s': %s\n", done->asset, why->text);
        *trouble = true;
        return STATUS_OK;
    }
    if (status) return status;
    work->good[i] = true;
    if (!work->options->quiet) calibration_print(stdout, done);
    status = output_file_write(work->files[i], write_book, &(struct fit_file){work, i}, NULL, why);
    if (!status && !work->options->quiet)
        printf("%s: written to %s\n\n", done->asset, work->files[i]);
    return status;
}

static void release(struct calibration_work *work)
{
    for (int i = 0; i < work->n; i++) {
        free(work->files[i]);
        surface_quotes_free(&work->calibration[i].quotes);
        model_fit_free(&work->calibration[i].fit);
    }
    free(work->assets);
    free(work->files);
    free(work->calibration);
    free(work->good);
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
    TRY(find_surfaces(&work, why));
    TRY(name_files(&work, why));
    TRY(make_quotes(&work, why));
    for (int i = 0; i < work.n; i++) TRY(calibrate_asset(&work, i, &trouble, why));
    for (int i = 0; i < options->n_outputs; i++)
        if (ends_in(options->outputs[i], ".csv"))
            TRY(output_file_write(options->outputs[i], write_csv, &work, NULL, why));
    TRY(output_flush_stdout(why));
done:
    release(&work);
    *verdict = trouble ? EXIT_TROUBLE : EXIT_AGREED;
    return status;
}
