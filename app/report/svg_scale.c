/* Scales of charts: what axes show, and round ticks on them. */
#include "app/report/html.h"
#include "app/report/svg.h"

enum { WANTED = 6 };

void svg_include(struct svg_range *range, double value)
{
    if (!isfinite(value)) return;
    range->low = fmin(range->low, value);
    range->high = fmax(range->high, value);
}

void svg_include_error(struct svg_range *range, double value, double error)
{
    svg_include(range, value - error);
    svg_include(range, value + error);
}

/* Returns 1, 2 or 5 times a power of ten: the next one from `least` up. */
static double round_step(double least)
{
    double power = pow(10.0, floor(log10(least)));
    double steps[] = {power, 2.0 * power, 5.0 * power, 10.0 * power};
    int i = 0;
    while (i < 3 && steps[i] < least * (1.0 - 1e-9)) i++;
    return steps[i];
}

static double linear_step(struct svg_range range, int wanted)
{
    return round_step(fabs(range.high - range.low) / wanted);
}

struct svg_range svg_rounded(struct svg_range range)
{
    if (!(range.high > range.low) || !isfinite(range.high - range.low)) return range;
    double step = linear_step(range, WANTED);
    range.low = step * floor(range.low / step + 1e-9);
    range.high = step * ceil(range.high / step - 1e-9);
    return range;
}

static void add_tick(struct svg_ticks *ticks, struct svg_range range, double value)
{
    double low = fmin(range.low, range.high), high = fmax(range.low, range.high);
    double slack = 1e-9 * (high - low);
    if (ticks->n < SVG_TICKS_MAX && value >= low - slack && value <= high + slack)
        ticks->at[ticks->n++] = value;
}

static void linear_ticks(struct svg_ticks *ticks, struct svg_range range, int wanted)
{
    double low = fmin(range.low, range.high), high = fmax(range.low, range.high);
    ticks->step = linear_step(range, wanted);
    double first = ceil(low / ticks->step - 1e-9), last = floor(high / ticks->step + 1e-9);
    if (!(fmax(fabs(first), fabs(last)) < 1e15)) return; /* it has no digits between its ends */
    for (double k = first; k <= last && ticks->n < SVG_TICKS_MAX; k++)
        add_tick(ticks, range, ticks->step * k + 0.0); /* and no -0 */
}

/* Adds powers of ten, and twice and five times them where there are few. */
static void log_ticks(struct svg_ticks *ticks, struct svg_range range, int wanted)
{
    static const double between[] = {1.0, 2.0, 5.0};
    double low = fmin(range.low, range.high), high = fmax(range.low, range.high);
    int first = (int)floor(log10(low)), last = (int)ceil(log10(high));
    int stride = 1 + (last - first) / (2 * wanted), each = last - first > 3 ? 1 : 3;
    for (int power = first; power <= last; power += stride)
        for (int i = 0; i < each; i++) add_tick(ticks, range, between[i] * pow(10.0, power));
    if (ticks->n >= 2) return;
    ticks->n = 0;
    linear_ticks(ticks, range, wanted);
}

/* Adds 0, and powers of ten of both signs from the one beyond the linear part on. */
static void symlog_ticks(struct svg_ticks *ticks, struct svg_range range)
{
    double most = fmax(fabs(range.low), fabs(range.high));
    int first = (int)ceil(log10(range.linear)), last = (int)floor(log10(most) + 1e-9);
    int stride = 1 + (last - first) / 5;
    for (int power = last; power >= first; power -= stride) add_tick(ticks, range, -pow(10, power));
    add_tick(ticks, range, 0.0);
    for (int power = first + (last - first) % stride; power <= last; power += stride)
        add_tick(ticks, range, pow(10, power));
}

struct svg_ticks svg_ticks(struct svg_range range, int wanted)
{
    struct svg_ticks ticks = {0};
    switch (range.kind) {
    case SVG_LINEAR: linear_ticks(&ticks, range, wanted); break;
    case SVG_LOG: log_ticks(&ticks, range, wanted); break;
    case SVG_SYMLOG: symlog_ticks(&ticks, range); break;
    }
    return ticks;
}

struct svg_tick_text svg_tick_text(double value, double step, double largest)
{
    static const struct {
        double least, unit;
        const char *name;
    } units[] = {
        {1e13, 1e12, "tn"}, {1e9, 1e9, "bn"}, {1e6, 1e6, "M"}, {1e4, 1e3, "k"}, {0.0, 1.0, ""}};
    struct svg_tick_text text;
    size_t u = 0;
    if (step == 0.0) largest = value, step = fabs(value);
    while (fabs(largest) < units[u].least) u++;
    double number = value / units[u].unit, exact = log10(step / units[u].unit);
    int decimals = exact < -1e-9 ? (int)ceil(-exact - 1e-9) : 0;
    if (value == 0.0) snprintf(text.text, sizeof text.text, "0");
    else if (decimals > 6) snprintf(text.text, sizeof text.text, "%.3g", value);
    else
        snprintf(text.text, sizeof text.text, "%.24s%s", number_text(number, decimals).text,
                 units[u].name);
    return text;
}
