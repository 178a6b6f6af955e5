#include "app/report/report.h"

#include <stdlib.h>

#include "app/output/output_file.h"
#include "app/report/sections.h"
#include "app/report/embedded.h"
#include "app/report/html.h"

struct section {
    const char *id, *title;
    bool (*present)(const struct results *results); /* NULL: always */
    void (*write)(FILE *out, const struct results *results);
};

static const struct section sections[] = {
    {"attention", "Attention", NULL, page_attention},
    {"value", "Value", NULL, page_value},
    {"prices", "Prices", NULL, page_prices},
    {"agreement", "Agreement with the reference", NULL, page_agreement},
    {"greeks", "Greeks", has_greeks, page_greeks},
    {"scenarios", "Scenarios", has_scenarios, page_scenarios},
    {"past", "Value at risk", has_past, page_past},
    {"tags", "Tags", has_tags, page_tags},
    {"market", "Market", NULL, page_market},
    {"timing", "Timing", NULL, page_timing},
    {"run", "The run", NULL, page_origin},
};
enum { N_SECTIONS = sizeof sections / sizeof *sections };

static void write_embedded(FILE *out, const struct embedded *embedded)
{
    fwrite(embedded->bytes, 1, embedded->length, out);
}

/* Writes the policy that allows nothing but what the program itself puts there. */
static void write_policy(FILE *out)
{
    fprintf(out,
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri "
            "'none'; form-action 'none'; style-src 'sha256-%s'; script-src 'sha256-%s'\">\n",
            report_style.hash, report_script.hash);
}

void page_begin(FILE *out, const char *title)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n", out);
    write_policy(out);
    html_print(out,
               "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta "
               "name=\"color-scheme\" content=\"light dark\">\n<title>%s - pricer</title>\n<style>",
               title);
    write_embedded(out, &report_style);
    fputs("</style>\n</head>\n", out);
}

void page_end(FILE *out)
{
    fputs("<script>", out);
    write_embedded(out, &report_script);
    fputs("</script>\n</body>\n</html>\n", out);
}

static void write_header(FILE *out, const struct results *results, bool change)
{
    const struct manifest *m = &results->manifest;
    html_print(out, "<header>\n<h1>%s</h1>\n<p>", m->book_name);
    html_print(
        out,
        "%s%s%s paths on %s</p>\n<nav aria-label=\"Sections\"><a href=\"#summary\">Summary</a> ",
        m->valuation_date, m->valuation_date[0] ? ", " : "", number_text((double)m->paths, 0).text,
        m->device);
    if (change) fputs("<a href=\"#change\">Change</a> ", out);
    for (int i = 0; i < N_SECTIONS; i++)
        if (!sections[i].present || sections[i].present(results))
            fprintf(out, "<a href=\"#%s\">%s</a> ", sections[i].id, sections[i].title);
    fputs("</nav>\n</header>\n", out);
}

static enum status write_page(FILE *out, const struct results *results,
                              const struct changes *changes)
{
    page_begin(out, results->manifest.book_name);
    fputs("<body>\n", out);
    bool change = changes && changes->n;
    write_header(out, results, change);
    fputs("<main>\n", out);
    page_tiles(out, results);
    fputs("<section id=\"summary\">\n<h2>Summary</h2>\n", out);
    page_summary(out, results, changes);
    fputs("</section>\n", out);
    if (change) {
        fputs("<section id=\"change\">\n<h2>Change</h2>\n", out);
        page_change(out, changes);
        fputs("</section>\n", out);
    }
    for (int i = 0; i < N_SECTIONS; i++) {
        if (sections[i].present && !sections[i].present(results)) continue;
        fprintf(out, "<section id=\"%s\">\n<h2>%s</h2>\n", sections[i].id, sections[i].title);
        sections[i].write(out, results);
        fputs("</section>\n", out);
    }
    fputs("<noscript id=\"leaves\">\n", out);
    MUST(page_group_leaves(out, results));
    MUST(page_trade_leaves(out, results));
    fputs("</noscript>\n</main>\n", out);
    page_end(out);
    return STATUS_OK;
}

/* Writes the page into memory that the caller frees. STATUS_NO_MEMORY. */
static enum status make_page(const struct results *results, const struct changes *changes,
                             char **page)
{
    enum status status = STATUS_OK;
    size_t length;
    FILE *memory = open_memstream(page, &length);
    if (!memory) return STATUS_NO_MEMORY;
    status = write_page(memory, results, changes);
    if (ferror(memory)) status = STATUS_NO_MEMORY;
    if (fclose(memory)) status = STATUS_NO_MEMORY;
    return status;
}

enum status report_possible(const char *page, const char *charts, struct message *why)
{
    enum status status = charts ? chart_files_possible(charts, why) : STATUS_OK;
    return status ? status : output_file_possible(page, why);
}

static void write_text(FILE *out, const void *text)
{
    fputs(text, out);
}

enum status report_write(const char *page, const char *charts, const struct results *results,
                         const struct changes *changes, const struct stop *stop,
                         struct message *why)
{
    enum status status = STATUS_OK;
    char *text = NULL;
    TRY(make_page(results, changes, &text));
    TRY(output_file_write(page, write_text, text, stop, why));
    if (charts) TRY(chart_files_write(charts, text, why));
done:
    free(text);
    return status;
}
