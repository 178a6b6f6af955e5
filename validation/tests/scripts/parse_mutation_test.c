/* Scripts with mistakes at random: the reader keeps its promises, soon. */
#include "validation/tests/whole_file.h"

#include <glob.h>
#include <time.h>

#include "validation/fuzz/script_promises.h"
#include "validation/tests/dice.h"

enum { EDITS = 20000, SCRIPTS_MOST = 256 };

static char *texts[SCRIPTS_MOST];
static int n_texts;

/* What an edit may put in, each with ` behind it. */
static char all_pieces[] =
    "(`)`[`]`,`;`:`|`=`==`<=`^`-`*`\n`\n  `\t`#`1e9`if ` else `for a in basket`each t in days`"
    "at expiry`pay `stop`exercise holder pays `min(`sum(`survives(`where `not ` and `spot(`"
    "number `flag `choice `product `inf`true`x`\xC3\xA9`\xFF`%`";

static const char *pieces[64];
static int n_pieces;

/* Edits a text at a few places. */
static size_t mutate(struct dice *dice, char *text, size_t n, size_t room)
{
    for (int edits = 1 + dice_below(dice, 4); edits > 0 && n > 0; edits--) {
        size_t at = (size_t)dice_below(dice, (int)n);
        size_t length = 1 + (size_t)dice_below(dice, dice_chance(dice, 0.2) ? 200 : 6);
        if (length > n - at) length = n - at;
        const char *piece = pieces[dice_below(dice, n_pieces)];
        switch (dice_below(dice, 4)) {
        case 0: text[at] = (char)dice_below(dice, 256); break;
        case 1:
            memmove(text + at, text + at + length, n - at - length);
            n -= length;
            break;
        case 2:
            if (n + length > room) break;
            memmove(text + at + length, text + at, n - at);
            n += length;
            break;
        default:
            if (n + strlen(piece) > room) break;
            memmove(text + at + strlen(piece), text + at, n - at);
            memcpy(text + at, piece, strlen(piece));
            n += strlen(piece);
        }
    }
    return n;
}

TEST(mutations)
{
    static const char *const patterns[] = {"models/payoffs/*.pay",
                                           "validation/fuzz/corpus/script/*"};
    struct dice dice = {.state = 36};
    static char text[1 << 17];
    int right = 0;
    for (char *piece = strtok(all_pieces, "`"); piece; piece = strtok(NULL, "`"))
        pieces[n_pieces++] = piece;
    for (int k = 0; k < 2; k++) {
        glob_t found;
        if (glob(patterns[k], 0, NULL, &found)) continue;
        for (size_t i = 0; i < found.gl_pathc && n_texts < SCRIPTS_MOST; i++)
            texts[n_texts++] = whole_file(found.gl_pathv[i]);
        globfree(&found);
    }
    assert_true(n_texts >= 3);
    clock_t begin = clock();
    for (int i = 0; i < EDITS; i++) {
        const char *from = texts[i % n_texts];
        size_t n = strlen(from);
        memcpy(text, from, n);
        n = mutate(&dice, text, n, sizeof text);
        right += script_must_hold(text, n) == STATUS_OK;
    }
    assert_true(clock() - begin < 60 * CLOCKS_PER_SEC); /* 1 s without sanitizers */
    assert_true(right > EDITS / 100 && right < EDITS / 2);
    for (int i = 0; i < n_texts; i++) free(texts[i]);
}

ALL_TESTS(parse_mutation_test)
