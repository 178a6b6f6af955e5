#include "app/command/calibration_report.h"

#include <math.h>
#include <string.h>

#include "app/output/results_file.h"

/* ---- for a person ---------------------------------------------------------------------------- */

static void print_parameters(FILE *out, const struct model_fit *fit)
{
    fprintf(out, "  %-10s %12s %12s\n", "parameter", "value", "std error");
    for (int i = 0; i < fit->n; i++) {
        fprintf(out, "  %-10s %12.6f ", parameter_rows[i].name, fit->parameters[i]);
        if (isfinite(fit->errors[i])) fprintf(out, "%12.6f", fit->errors[i]);
        else fprintf(out, "%12s", "-");
        fputs(fit->at_bound[i] ? "  at the end of its range: the surface does not tell it\n" : "\n",
              out);
    }
}

/* Says whether the fit meets Feller's condition (Two singular diffusion problems, Annals of
 * Mathematics 54 (1951) 173-182). */
static void print_feller(FILE *out, const double *p)
{
    double pull = 2.0 * p[PARAMETER_HESTON_KAPPA] * p[PARAMETER_HESTON_THETA],
           noise = p[PARAMETER_HESTON_XI] * p[PARAMETER_HESTON_XI];
    fprintf(out, "  Feller: 2 kappa theta = %.4g is %s xi^2 = %.4g: the variance %s\n", pull,
            pull < noise ? "below" : "not below", noise,
            pull < noise ? "reaches zero" : "stays above zero");
}

static void print_summary(FILE *out, const struct calibration *calibration)
{
    const struct model_fit *fit = &calibration->fit;
    const struct surface_quotes *quotes = &calibration->quotes;
    const struct quote *worst = &quotes->list[fit->worst];
    fprintf(
        out,
        "%s: %s fitted to %d of %d quotes, %d expiries of %d strikes, from %d starts in %.2f s\n\n",
        calibration->asset, model_name(fit->model), quotes->n_used, quotes->n, quotes->n_times,
        quotes->n_strikes, fit->starts, calibration->seconds);
    print_parameters(out, fit);
    fprintf(out,
            "\n  root mean square error %.3f volatility points; largest %+.2f, at expiry %.4f, "
            "strike %.6g\n",
            100.0 * fit->rmse, 100.0 * fit->largest, worst->time, worst->strike);
    print_feller(out, fit->parameters);
    fprintf(out,
            "  the volatilities of the model are within %.1e basis points of the reference's\n\n",
            1e4 * calibration->fit.checked);
}

static void print_quotes(FILE *out, const struct calibration *calibration)
{
    fprintf(out, "  %8s %12s %9s %9s %9s\n", "expiry", "strike", "market %", "model %", "diff. bp");
    for (int i = 0; i < calibration->quotes.n; i++) {
        const struct quote *quote = &calibration->quotes.list[i];
        double volatility = calibration->fit.volatilities[i];
        if (!quote->used) {
            fprintf(out, "  %8.4f %12.6g %9.2f %9s %9s\n", quote->time, quote->strike,
                    100.0 * quote->volatility, "not used", "-");
            continue;
        }
        fprintf(out, "  %8.4f %12.6g %9.2f %9.2f %9.1f\n", quote->time, quote->strike,
                100.0 * quote->volatility, 100.0 * volatility,
                1e4 * (volatility - quote->volatility));
    }
    fputc('\n', out);
}

/* ---- plots ----------------------------------------------------------------------------------- */

enum { PLOT_WIDTH = 66, PLOT_HEIGHT = 11 };

/* The volatilities and strikes of an expiry's used quotes: what the axes span. */
struct plot_axes {
    double low, high, first, last;
};

static struct plot_axes axes_of(const struct quote *quotes, const double *volatilities, int n)
{
    struct plot_axes axes = {INFINITY, 0.0, INFINITY, 0.0};
    for (int i = 0; i < n; i++) {
        if (!quotes[i].used) continue;
        axes.low = fmin(axes.low, fmin(quotes[i].volatility, volatilities[i]));
        axes.high = fmax(axes.high, fmax(quotes[i].volatility, volatilities[i]));
        axes.first = fmin(axes.first, quotes[i].strike);
        axes.last = fmax(axes.last, quotes[i].strike);
    }
    double middle = 0.5 * (axes.low + axes.high), half = fmax(0.5 * (axes.high - axes.low), 0.005);
    axes.low = fmax(middle - half, 0.0);
    axes.high = middle + half;
    return axes;
}

static int cell_of(double value, double low, double high, int cells)
{
    double share = high > low ? (value - low) / (high - low) : 0.5;
    return (int)(fmin(fmax(share, 0.0), 1.0) * (cells - 1) + 0.5);
}

static void mark(char *cell, char with)
{
    *cell = *cell == ' ' || *cell == with ? with : '#';
}

static void print_plot(FILE *out, const struct quote *quotes, const double *volatilities, int n)
{
    char grid[PLOT_HEIGHT][PLOT_WIDTH + 1];
    struct plot_axes axes = axes_of(quotes, volatilities, n);
    if (!(axes.last > 0.0)) return; /* no quote of it is used */
    for (int row = 0; row < PLOT_HEIGHT; row++) {
        memset(grid[row], ' ', PLOT_WIDTH);
        grid[row][PLOT_WIDTH] = '\0';
    }
    for (int i = 0; i < n; i++) {
        if (!quotes[i].used) continue;
        int column = cell_of(quotes[i].strike, axes.first, axes.last, PLOT_WIDTH);
        mark(&grid[cell_of(quotes[i].volatility, axes.low, axes.high, PLOT_HEIGHT)][column], 'o');
        mark(&grid[cell_of(volatilities[i], axes.low, axes.high, PLOT_HEIGHT)][column], '*');
    }
    fprintf(out, "  expiry %.4f: o market, * model, # both; volatility %% over strike\n",
            quotes[0].time);
    for (int row = PLOT_HEIGHT - 1; row >= 0; row--) {
        double at = axes.low + (axes.high - axes.low) * row / (PLOT_HEIGHT - 1);
        int used = PLOT_WIDTH;
        while (used && grid[row][used - 1] == ' ') used--;
        fprintf(out, "  %6.2f |%.*s\n", 100.0 * at, used, grid[row]);
    }
    fprintf(out, "         +%.*s\n          %-10.6g%*.6g\n\n", PLOT_WIDTH,
            "--------------------------------------------------------------------------------",
            axes.first, PLOT_WIDTH - 10, axes.last);
}

void calibration_print(FILE *out, const struct calibration *calibration)
{
    const struct surface_quotes *quotes = &calibration->quotes;
    print_summary(out, calibration);
    print_quotes(out, calibration);
    for (int i = 0; i < quotes->n_times; i++)
        print_plot(out, quotes->list + i * quotes->n_strikes,
                   calibration->fit.volatilities + i * quotes->n_strikes, quotes->n_strikes);
}

/* ---- for other programs ---------------------------------------------------------------------- */

void calibration_csv(FILE *out, const struct calibration *calibration)
{
    for (int i = 0; i < calibration->quotes.n; i++) {
        const struct quote *quote = &calibration->quotes.list[i];
        double volatility = quote->used ? calibration->fit.volatilities[i] : NAN;
        const double numbers[] = {quote->time, quote->strike, quote->volatility, volatility,
                                  1e4 * (volatility - quote->volatility)};
        csv_text(out, calibration->asset);
        fprintf(out, ",%s", model_name(calibration->fit.model));
        csv_numbers(out, sizeof numbers / sizeof *numbers, numbers);
        fprintf(out, ",%s\n", quote->used ? "yes" : "no");
    }
}

/* ---- for a book ------------------------------------------------------------------------------ */

/* Prints a name within a comment, on one line. */
static void print_name(FILE *out, const char *name)
{
    for (; *name; name++) fputc((unsigned char)*name < ' ' ? '?' : *name, out);
}

/* Returns the file's name alone: an include is looked for beside the including file. */
static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void print_group(FILE *out, const char *name, const struct model_fit *fit, int from, int to)
{
    fprintf(out, "%s = {", name);
    for (int i = from; i < to; i++)
        fprintf(out, "%s%s = %.17g;", i % 3 == from % 3 && i > from ? "\n           " : " ",
                parameter_rows[i].name, fit->parameters[i]);
    fputs(" };\n", out);
}

void calibration_book(FILE *out, const void *context)
{
    const struct calibration *calibration = context;
    const struct model_fit *fit = &calibration->fit;
    fprintf(out, "// %s of ", fit->model == MODEL_BATES ? "Bates's model" : "Heston's model");
    print_name(out, calibration->asset);
    fprintf(out, ", fitted by pricer %s to %d implied volatilities of ", PRICER_VERSION,
            calibration->quotes.n_used);
    print_name(out, last_part(calibration->book));
    fprintf(out,
            ":\n// root mean square error %.3f volatility points. In the asset of a book it takes "
            "the place of "
            "model and\n// volatility, on a line of its own:\n//\n//     { name = \"",
            100.0 * fit->rmse);
    print_name(out, calibration->asset);
    fputs("\"; currency = ...; spot = ...;\n//       @include \"", out);
    print_name(out, last_part(calibration->file));
    fprintf(out, "\"\n//     }\n\nmodel = \"%s\";\n", model_name(fit->model));
    print_group(out, "heston", fit, 0, N_HESTON_PARAMETERS);
    if (fit->n > N_HESTON_PARAMETERS) print_group(out, "jumps", fit, N_HESTON_PARAMETERS, fit->n);
}
