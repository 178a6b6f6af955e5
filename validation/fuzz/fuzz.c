#define _XOPEN_SOURCE 700 /* mkdtemp */

#include "validation/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "validation/tests/load_book_file.h"
#include "models/base/text.h"

static char folder[] = P_tmpdir "/pricer-fuzz-XXXXXX";
static char path[sizeof folder + 32];

static void remove_folder(void)
{
    static const char *const names[] = {"book.cfg", "t.csv"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        remove(path);
    }
    rmdir(folder);
}

static const char *in_folder(const char *name)
{
    static int made;
    if (!made++ && (!mkdtemp(folder) || atexit(remove_folder))) abort();
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

void fuzz_write(const char *name, const void *bytes, size_t length)
{
    FILE *file = fopen(in_folder(name), "wb");
    if (!file || fwrite(bytes, 1, length, file) != length || fclose(file)) abort();
}

static void must_be_printable(const char *line)
{
    if (!*line) abort();
    for (int n; *line; line += n)
        if (!(n = text_character(line))) abort();
}

void fuzz_load(void)
{
    struct book book;
    struct complaints complaints = {0};
    enum status status = book_load(in_folder("book.cfg"), &book, &complaints);
    if (status &&
        (!complaints.n || book.trades || book.unpriced || book.market.assets || book.files))
        abort();
    if (!status && !book.n_trades && !book.n_unpriced) abort();
    int refused = 0;
    for (int i = 0; i < book.n_unpriced; i++) {
        refused += !book.unpriced[i].expired;
        must_be_printable(book.unpriced[i].message);
        must_be_printable(book.unpriced[i].trade.id);
    }
    if (!status && !refused != !complaints.n) abort();
    for (int i = 0; i < complaints.n; i++) must_be_printable(complaints.list[i].line);
    book_free(&book);
    complaints_free(&complaints);
}
