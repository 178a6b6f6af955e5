#include "app/command/run.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/command/calibration_report.h"
#include "app/command/notes.h"
#include "app/output/output_file.h"
#include "app/pricing/calibration/model_fit.h"
#include "app/api/handle.h"
#include "models/base/clock.h"

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

static enum status find_surfaces(struct calibration_work *work, struct message *why)
{
    const struct market *market = &work->book->market;
    work->list = calloc((size_t)market->n_assets + 1, sizeof *work->list);
    if (!work->list) return STATUS_NO_MEMORY;
    for (int i = 0; i < market->n_assets; i++)
        if (market->assets[i].surface.n_times)
            work->list[work->n++] = (struct calibration){
                .index = i, .asset = market->assets[i].name, .book = work->options->book};
    if (work->n) return STATUS_OK;
    return say_why(
        STATUS_BAD_INPUT, why,
        "--calibrate=%s: no asset of the book has an implied surface, model = \"local_vol\" "
        "with times, "
        "strikes and vols",
        work->options->calibrate);
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

/* Refuses two names that became one, which would lose a file. */
static enum status check_distinct(const struct calibration_work *work, struct message *why)
{
    for (int i = 0; i < work->n; i++)
        for (int j = 0; j < i; j++) {
            if (strcmp(work->list[i].file, work->list[j].file)) continue;
            return say_why(
                STATUS_BAD_INPUT, why,
                "two fits would go to %.300s: name them with --output=FILE.cfg, one for each asset",
                work->list[i].file);
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
        if (given < work->n && !(work->list[given].file = strdup(path))) TRY(STATUS_NO_MEMORY);
        given++;
    }
    if (given && given != work->n)
        TRY(say_why(STATUS_BAD_INPUT, why,
                    "--calibrate: %d files --output=FILE.cfg for %d assets with a surface: one for "
                    "each, or none",
                    given, work->n));
    for (int i = 0; !given && i < work->n; i++) {
        work->list[i].file = file_beside(work, work->list[i].asset);
        if (!work->list[i].file) TRY(STATUS_NO_MEMORY);
        TRY(check_output(work->book, work->list[i].file, why));
    }
    TRY(check_distinct(work, why));
done:
    return status;
}

static enum status make_quotes(struct calibration_work *work, struct message *why)
{
    enum status status = STATUS_OK;
    for (int i = 0; i < work->n; i++) {
        struct calibration *to = &work->list[i];
        TRY(surface_quotes_make(&work->book->market, to->index, &to->quotes));
        struct message reason = {""};
        status = fit_possible(&to->quotes, work->model, &reason);
        if (reason.text[0]) say_why(status, why, "asset '%s': %.400s", to->asset, reason.text);
        TRY(status);
    }
done:
    return status;
}

/* ---- the work -------------------------------------------------------------------------------- */

static void write_csv(FILE *out, const void *context)
{
    const struct calibration_work *work = context;
    fputs(CALIBRATION_CSV_HEADER, out);
    for (int i = 0; i < work->n; i++)
        if (work->list[i].done) calibration_csv(out, &work->list[i]);
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
    if (!work->options->quiet) calibration_print(stdout, to);
    status = output_file_write(to->file, calibration_book, to, NULL, why);
    if (!status && !work->options->quiet) printf("%s: written to %s\n\n", to->asset, to->file);
    return status;
}

static void release(struct calibration_work *work)
{
    for (int i = 0; i < work->n; i++) {
        free(work->list[i].file);
        surface_quotes_free(&work->list[i].quotes);
        model_fit_free(&work->list[i].fit);
    }
    free(work->list);
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
    for (int i = 0; i < work.n; i++) TRY(calibrate_asset(&work, &work.list[i], &trouble, why));
    for (int i = 0; i < options->n_outputs; i++)
        if (ends_in(options->outputs[i], ".csv"))
            TRY(output_file_write(options->outputs[i], write_csv, &work, NULL, why));
    TRY(output_flush_stdout(why));
done:
    release(&work);
    *verdict = trouble ? EXIT_TROUBLE : EXIT_AGREED;
    return status;
}
