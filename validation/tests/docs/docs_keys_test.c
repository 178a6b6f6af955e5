/* Every key that a book may have, as the library lists them, is explained in docs/book-format.md,
 * stands in an example there (which docs_examples_test prices), and is in some complaint of
 * bad_input/cases.txt (which config_bad_input_test provokes). */
#include <ctype.h>
#include "app/api/pricer.h"
#include "validation/tests/whole_file.h"

static bool is_of_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Tells whether a line of the text that begins with one of `first`, or with anything where that is
 * empty, has the word, with `behind` after it and blanks. */
static bool has_word(const char *text, char first, const char *word, const char *behind)
{
    size_t n = strlen(word);
    for (const char *line = text; line && *line;
         line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        if (first && *line != first) continue;
        size_t length = strcspn(line, "\n");
        for (const char *p = line; p + n <= line + length; p++) {
            if (strncmp(p, word, n) || (p > line && is_of_word(p[-1])) || is_of_word(p[n]))
                continue;
            const char *q = p + n + strspn(p + n, " ");
            if (!strncmp(q, behind, strlen(behind))) return true;
        }
    }
    return false;
}

/* Leaves of a page its examples: what stands between ```cfg, or ```csv, and ```. */
static char *examples_of(const char *page)
{
    char *text = NULL;
    size_t room;
    FILE *memory = open_memstream(&text, &room);
    bool in = false;
    if (!memory) exit(1);
    for (const char *line = page; *line;) {
        size_t length = strcspn(line, "\n");
        bool fence = !strncmp(line, "```", 3);
        if (fence) in = !in && (!strncmp(line, "```cfg", 6) || !strncmp(line, "```csv", 6));
        else if (in) fprintf(memory, "%.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
    fclose(memory);
    return text;
}

/* Leaves of a page what its text has between backquotes. */
static char *code_of(const char *page)
{
    char *text = NULL;
    size_t room;
    FILE *memory = open_memstream(&text, &room);
    bool in_example = false, in = false;
    if (!memory) exit(1);
    for (const char *p = page; *p; p++) {
        bool fence = !strncmp(p, "```", 3);
        if (fence) in_example = !in_example, p += 2;
        else if (*p == '`' && !in_example) in = !in, putc('\n', memory);
        else if (in) putc(*p, memory);
    }
    fclose(memory);
    return text;
}

static const char *page, *cases;
static char *examples, *code;
static int n_keys, failures;

static void complain(const char *table, const char *key, const char *what)
{
    printf("FAILED: %s.%s %s\n", table, key, what);
    failures++;
}

static void walk(const char *table)
{
    struct pricer_key key = {.size = sizeof key};
    for (int i = 0; i < pricer_keys(table); i++) {
        char below[256];
        if (!pricer_key(table, i, &key)) exit(1);
        n_keys++;
        if (!has_word(code, 0, key.name, ""))
            complain(table, key.name, "is not explained in the page");
        if (!has_word(examples, 0, key.name, "=") && !has_word(examples, 0, key.name, ","))
            complain(table, key.name, "is in no example of the page");
        if (!has_word(cases, '!', key.name, ""))
            complain(table, key.name, "is in no complaint of bad_input/cases.txt");
        snprintf(below, sizeof below, "%s%s%s", table, *table ? "." : "", key.name);
        if (pricer_keys(below) > 0) walk(below);
    }
}

TEST_MAIN(docs_keys_test)
{
    page = whole_file("docs/book-format.md");
    cases = whole_file("validation/tests/config/bad_input/cases.txt");
    examples = examples_of(page);
    code = code_of(page);
    walk("");
    if (n_keys < 150) failures += printf("FAILED: only %d keys\n", n_keys) > 0;
    if (!failures) printf("%d keys are explained, shown and judged\n", n_keys);
    free((char *)page);
    free((char *)cases);
    free(examples);
    free(code);
    return failures > 0;
}
