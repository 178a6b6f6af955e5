#include "app/database/wal.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* https://sqlite.org/fileformat2.html#walformat: a header of 32 bytes, then frames: 24 bytes and a
 * page. All numbers have their high byte first; sums are over words of 32 bits, whose order the
 * magic number says. */
enum { HEADER = 32, FRAME = 24, LEAST_PAGE = 512, MOST_PAGE = 65536, TRIES = 3 };

#define MAGIC 0x377f0682u
#define FORMAT 3007000u

struct wal {
    FILE *file;
    unsigned char header[HEADER];
    bool high_first; /* order of the words that are summed */
    uint32_t page;   /* bytes */
    unsigned char *frame;
};

struct wal_sums {
    uint32_t a, b;
};

static uint32_t number_at(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static uint32_t word_at(const unsigned char *bytes, bool high_first)
{
    uint32_t word = number_at(bytes);
    return high_first ? word
                      : word >> 24 | (word >> 8 & 0xff00) | (word << 8 & 0xff0000) | word << 24;
}

static struct wal_sums add(struct wal_sums sums, const unsigned char *bytes, size_t n,
                           bool high_first)
{
    for (size_t i = 0; i < n; i += 8) {
        sums.a += word_at(bytes + i, high_first) + sums.b;
        sums.b += word_at(bytes + i + 4, high_first) + sums.a;
    }
    return sums;
}

static struct wal_sums sums_at(const unsigned char *bytes)
{
    return (struct wal_sums){number_at(bytes), number_at(bytes + 4)};
}

static bool equal(struct wal_sums x, struct wal_sums y)
{
    return x.a == y.a && x.b == y.b;
}

static bool read_header(FILE *file, unsigned char header[HEADER])
{
    rewind(file);
    return fread(header, 1, HEADER, file) == HEADER;
}

static bool header_good(struct wal *wal)
{
    uint32_t magic = number_at(wal->header);
    wal->high_first = magic & 1;
    wal->page = number_at(wal->header + 8);
    return (magic & ~1u) == MAGIC && number_at(wal->header + 4) == FORMAT &&
           wal->page >= LEAST_PAGE && wal->page <= MOST_PAGE && !(wal->page & (wal->page - 1)) &&
           equal(add((struct wal_sums){0, 0}, wal->header, FRAME, wal->high_first),
                 sums_at(wal->header + FRAME));
}

/* Tells whether a transaction is whole that follows a frame which cannot be read: frames are
 * written one after the other, and the last of a transaction says so. A frame's sums go on from
 * those that its predecessor states, so each is judged by itself; frames with other salts are of
 * the log's former life. */
static bool frames_broken(struct wal *wal)
{
    bool broken = false;
    struct wal_sums sums = sums_at(wal->header + FRAME);
    size_t n = FRAME + wal->page;
    while (fread(wal->frame, 1, n, wal->file) == n) {
        bool ours = !memcmp(wal->frame + 8, wal->header + 16, 8),
             last = number_at(wal->frame + 4) != 0;
        struct wal_sums stated = sums_at(wal->frame + 16);
        struct wal_sums found = add(sums, wal->frame, 8, wal->high_first);
        found = add(found, wal->frame + FRAME, wal->page, wal->high_first);
        bool good = ours && equal(found, stated);
        if (good && broken && last) return true;
        broken = broken || !good;
        sums = stated;
    }
    return false;
}

/* Looks at the log, again where another program begins it anew meanwhile. */
static enum status look(struct wal *wal, bool *damaged)
{
    unsigned char then[HEADER];
    for (int i = 0; i < TRIES; i++) {
        if (!read_header(wal->file, wal->header)) {
            *damaged = !feof(wal->file) || ftell(wal->file) > 0; /* an empty log is none */
            return STATUS_OK;
        }
        *damaged = !header_good(wal);
        if (!*damaged) {
            free(wal->frame);
            wal->frame = malloc(FRAME + wal->page);
            if (!wal->frame) return STATUS_NO_MEMORY;
            *damaged = frames_broken(wal);
        }
        if (!*damaged || (read_header(wal->file, then) && !memcmp(then, wal->header, HEADER)))
            break;
    }
    return STATUS_OK;
}

enum status wal_check(const char *path, struct message *why)
{
    enum status status = STATUS_OK;
    bool damaged = false;
    struct wal wal = {0};
    char *target = realpath(path, NULL); /* beside which the log lies */
    const char *beside = target ? target : path;
    size_t room = strlen(beside) + sizeof "-wal";
    char *name = malloc(room);
    if (!name) TRY(STATUS_NO_MEMORY);
    snprintf(name, room, "%s-wal", beside);
    wal.file = fopen(name, "rb");
    if (wal.file) TRY(look(&wal, &damaged));
    if (damaged) {
        snprintf(why->text, sizeof why->text,
                 "%.300s is damaged: it holds what was last written to the database. Put it back, "
                 "or move it "
                 "away to "
                 "go on without it",
                 name);
        status = STATUS_FILE;
    }
done:
    if (wal.file) fclose(wal.file);
    free(wal.frame);
    free(name);
    free(target);
    return status;
}
