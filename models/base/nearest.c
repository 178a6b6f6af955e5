#include "models/base/nearest.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { WORD_MAX = NAME_ROOM - 16 }; /* longer words get no hint */

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Counts, by optimal string alignment, letters changed, inserted, deleted, or swapped with a
 * neighbour. */
static int edit_distance(const char *a, size_t na, const char *b, size_t nb)
{
    int d[WORD_MAX + 1][WORD_MAX + 1];
    for (size_t i = 0; i <= na; i++) d[i][0] = (int)i;
    for (size_t j = 0; j <= nb; j++) d[0][j] = (int)j;
    for (size_t i = 1; i <= na; i++) {
        for (size_t j = 1; j <= nb; j++) {
            int changed = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            d[i][j] = least(changed, 1 + least(d[i - 1][j], d[i][j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
        }
    }
    return d[na][nb];
}

void nearest_try(struct nearest *nearest, const char *candidate)
{
    size_t na = strlen(nearest->wanted), nb = strlen(candidate), gap = na > nb ? na - nb : nb - na;
    int allowed = (int)(na / 3 > 0 ? na / 3 : 1);
    if (na == 0 || na > WORD_MAX || nb > WORD_MAX || gap > (size_t)allowed) return;
    int distance = strcasecmp(nearest->wanted, candidate)
                       ? edit_distance(nearest->wanted, na, candidate, nb)
                       : 0;
    if (distance > allowed || (nearest->best[0] && distance >= nearest->distance)) return;
    strcpy(nearest->best, candidate);
    nearest->distance = distance;
}

const char *nearest_hint(const struct nearest *nearest, char hint[HINT_ROOM])
{
    hint[0] = '\0';
    if (nearest->best[0]) snprintf(hint, HINT_ROOM, "; did you mean '%s'?", nearest->best);
    return hint;
}
