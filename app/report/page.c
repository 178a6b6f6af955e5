/* What the sections of a page share: its begin and its end, leaves, links, ids, rankings. */
#include <math.h>
#include <string.h>

#include "app/report/html.h"
#include "app/report/sections.h"

static void write_embedded(FILE *out, const struct embedded *embedded)
{
    fwrite(embedded->bytes, 1, embedded->length, out);
}

void page_begin(FILE *out, const char *title)
{
    /* A policy that allows nothing but what the program itself puts there. */
    fprintf(out,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri "
            "'none'; form-action 'none'; style-src 'sha256-%s'; script-src 'sha256-%s'\">\n",
            report_style.hash, report_script.hash);
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

static void write_id(FILE *out, const char *kind, const char *way, const char *name)
{
    fprintf(out, "%s-", kind);
    if (way) {
        html_slug(out, way);
        putc('=', out);
    }
    html_slug(out, name);
}

static void write_link(FILE *out, const char *kind, const char *way, const char *name)
{
    fputs("<a href=\"#", out);
    write_id(out, kind, way, name);
    html_print(out, "\">%s</a>", name);
}

void leaf_begin(FILE *out, const char *kind, const char *way, const char *name)
{
    fputs("<section class=\"leaf\" id=\"", out);
    write_id(out, kind, way, name);
    fputs("\"><h2>", out);
    html_print(out, "%s%s%s</h2>\n", way, way ? " " : "", name);
}

void leaf_end(FILE *out)
{
    fputs("</section>\n", out);
}

void link_trade(FILE *out, const struct results *results, int index)
{
    const char *id = results->trades[index].id;
    if (index < REPORT_TRADES) write_link(out, "trade", NULL, id);
    else html_text(out, id);
}

void link_group(FILE *out, const struct results *results, const char *way, const char *name)
{
    const struct aggregation *aggregation = &results->sums->aggregation;
    for (int w = BY_ASSET; w < aggregation->n_ways; w++)
        if (!strcmp(aggregation->ways[w], way)) {
            write_link(out, "group", way, name);
            return;
        }
    html_text(out, name); /* a tag of too many values to add up by */
}

void cell_trade(FILE *out, const struct results *results, int index)
{
    fputs("<th scope=\"row\">", out);
    link_trade(out, results, index);
    fputs("</th>", out);
}

void cell_group(FILE *out, const struct results *results, const char *way, const char *name)
{
    fputs("<th scope=\"row\">", out);
    link_group(out, results, way, name);
    fputs("</th>", out);
}

/* ---- ids and rankings ------------------------------------------------------------------------ */

struct table_id table_id(const char *kind, const char *way)
{
    struct table_id id;
    snprintf(id.text, sizeof id.text, "%s-%.40s", kind, way);
    return id;
}

void rank_item(struct ranking *ranking, int item, double key)
{
    int at = ranking->n;
    if (isnan(key) || (at == REPORT_RANKED && !(key > ranking->keys[at - 1]))) return;
    if (at < REPORT_RANKED) ranking->n++;
    else at--;
    for (; at > 0 && key > ranking->keys[at - 1]; at--) {
        ranking->keys[at] = ranking->keys[at - 1];
        ranking->items[at] = ranking->items[at - 1];
    }
    ranking->keys[at] = key;
    ranking->items[at] = item;
}
