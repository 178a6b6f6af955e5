#include "kernels/bridge.h"

#include <math.h>
#include <stdlib.h>

/* An interval of steps whose ends are known: the dates between steps `left` and `right` are not; -1
 * is today.
 */
struct bridge_interval {
    int left, right;
};

/* Step that halves it. */
static int middle_of(struct bridge_interval s)
{
    return s.left + (s.right - s.left + 1) / 2;
}

/* ranks[step]: the last step first, then level by level the middles of what is left, from left to
 * right. */
static enum status rank_steps(int n, int *ranks)
{
    int first = 0, end = 1, rank = 1;
    struct bridge_interval *queue = malloc(sizeof *queue * (size_t)(n + 1));
    if (!queue) return STATUS_NO_MEMORY;
    queue[0] = (struct bridge_interval){-1, n - 1};
    ranks[n - 1] = 0;
    while (first < end) { /* a queue holds at most one interval a date */
        struct bridge_interval s = queue[first++ % (n + 1)];
        if (s.right - s.left < 2) continue;
        int middle = middle_of(s);
        ranks[middle] = rank++;
        queue[end++ % (n + 1)] = (struct bridge_interval){s.left, middle};
        queue[end++ % (n + 1)] = (struct bridge_interval){middle, s.right};
    }
    free(queue);
    return STATUS_OK;
}

static double time_of(const double *times, int step)
{
    return step < 0 ? 0.0 : times[step];
}

/* The value in the middle of an interval given its ends. */
static struct bridge_node node_between(const double *times, struct bridge_interval s)
{
    double left = time_of(times, s.left), right = times[s.right], middle = times[middle_of(s)];
    double part = (middle - left) / (right - left);
    return (struct bridge_node){
        .left = 1.0 - part, .right = part, .deviation = sqrt((right - middle) * part)};
}

/* Nodes in the order in which they are built: `stack` holds the right ends that are known, the
 * nearest on top. */
static void order_nodes(int n, const double *times, const int *ranks, struct bridge *bridge)
{
    int stack[BRIDGE_DEPTH], depth = 0, made = 0, passed = -1;
    struct bridge_node *last = &bridge->nodes[made++];
    *last = (struct bridge_node){.rank = ranks[n - 1], .deviation = sqrt(times[n - 1])};
    stack[depth++] = n - 1;
    while (depth) {
        struct bridge_interval s = {passed, stack[depth - 1]};
        if (s.right - s.left < 2) {
            passed = s.right;
            depth--;
            last->passes++;
            continue;
        }
        last = &bridge->nodes[made++];
        *last = node_between(times, s);
        last->rank = ranks[middle_of(s)];
        stack[depth++] = middle_of(s);
    }
}

enum status bridge_make(int n_steps, const double *times, struct bridge *bridge)
{
    enum status status = STATUS_OK;
    *bridge = (struct bridge){0};
    if (!n_steps) return STATUS_OK;
    int *ranks = malloc(sizeof *ranks * (size_t)n_steps);
    *bridge = (struct bridge){.n = n_steps,
                              .nodes = malloc(sizeof *bridge->nodes * (size_t)n_steps),
                              .scales = malloc(sizeof *bridge->scales * (size_t)n_steps)};
    if (!ranks || !bridge->nodes || !bridge->scales) TRY(STATUS_NO_MEMORY);
    TRY(rank_steps(n_steps, ranks));
    for (int j = 0; j < n_steps; j++)
        bridge->scales[j] = 1.0 / sqrt(times[j] - time_of(times, j - 1));
    order_nodes(n_steps, times, ranks, bridge);
done:
    free(ranks);
    return status;
}

void bridge_free(struct bridge *bridge)
{
    free(bridge->nodes);
    free(bridge->scales);
    *bridge = (struct bridge){0};
}
