#include "app/pricing/plan/explain.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "kernels/plan.h"
#include "models/market/days.h"
#include "models/payoffs/scripted.h"

struct explained {
    FILE *out;
    const struct market *market;
    const struct trade *trade;
    const struct program *program;
    long today;
};

/* Writes a time as its day where it is one of a book that has days, else in years. */
static void put_time(const struct explained *explained, double years)
{
    if (!explained->today || fabs(years * 365.0 - rint(years * 365.0)) > 1e-4) {
        fprintf(explained->out, "%.6g years", years);
        return;
    }
    struct written_day day = day_written(explained->today + lround(years * 365.0));
    fprintf(explained->out, "%04d-%02d-%02d", day.year, day.month, day.day);
}

/* Writes what a functional is of: an asset or all of the trade's, and its barriers. Returns it. */
static struct functional put_observed(const struct explained *explained,
                                      struct functional functional)
{
    static const char *const words[] = {
        [FUNCTIONAL_SPOT] = "spot",
        [FUNCTIONAL_VARIANCE] = "variance",
        [FUNCTIONAL_SUM] = "sum",
        [FUNCTIONAL_LOG_SUM] = "sum of log2",
        [FUNCTIONAL_HIGH] = "highest",
        [FUNCTIONAL_LOW] = "lowest",
        [FUNCTIONAL_SURVIVAL] = "survival",
        [FUNCTIONAL_PAYMENT_AT_HIT] = "payment at the touch",
        [FUNCTIONAL_SUM_OF] = "weighted sum",
        [FUNCTIONAL_LOG_OF] = "log2 of the geometric mean",
        [FUNCTIONAL_TOP_OF] = "two greatest",
        [FUNCTIONAL_BOTTOM_OF] = "two least",
        [FUNCTIONAL_BEST_OF] = "best",
        [FUNCTIONAL_WORST_OF] = "worst",
        [FUNCTIONAL_RETURNS] = "sum of clipped returns",
        [FUNCTIONAL_SQUARES] = "sum of squared returns",
        [FUNCTIONAL_CALLS] = "coupons and calls",
        [FUNCTIONAL_EXERCISE] = "exercise",
        [FUNCTIONAL_MARGIN] = "normal at the touch",
        [FUNCTIONAL_OPEN_WORST] = "two least but for a normal",
        [FUNCTIONAL_OPEN_CALLS] = "coupons and calls over that normal",
        [FUNCTIONAL_REST] = "mean over a normal",
    };
    bool one = functional.kind < FUNCTIONAL_SUM_OF;
    int n = one ? 1 : trade_n_assets(explained->trade);
    fprintf(explained->out, "%s of", words[functional.kind]);
    for (int i = 0; i < n; i++)
        fprintf(explained->out, "%s %s", i ? "," : "",
                explained->market->assets[trade_asset(explained->trade, one ? functional.asset : i)]
                    .name);
    if (functional.kind != FUNCTIONAL_SURVIVAL) return functional;
    if (functional.lower > 0.0) fprintf(explained->out, " above %.10g", functional.lower);
    if (isfinite(functional.upper)) fprintf(explained->out, " below %.10g", functional.upper);
    return functional;
}

static void put_moments(const struct explained *explained, struct functional functional)
{
    const struct schedule *dates = &functional.dates;
    bool one = !dates->continuous && dates->n == 1, several = !dates->continuous && dates->n > 1;
    if (several) fprintf(explained->out, " on %d dates, ", dates->n);
    else if (functional.begin > 0.0)
        fputs(" at any moment from ", explained->out), put_time(explained, functional.begin),
            fputs(" to ", explained->out);
    else fputs(one ? " at " : dates->continuous ? " at any moment to " : " to ", explained->out);
    if (several) put_time(explained, dates->times[0]), fputs(" to ", explained->out);
    put_time(explained, one || several ? dates->times[dates->n - 1] : functional.end);
}

/* Writes what the program reads as input i, but not when, and returns it. */
static struct functional put_input(const struct explained *explained, int i)
{
    enum input_kind kind = explained->program->inputs[i].kind;
    bool log = kind == INPUT_SPOT || kind == INPUT_HIGHEST || kind == INPUT_LOWEST;
    if (log) fprintf(explained->out, "log2 of the ");
    return put_observed(explained, scripted_functional(explained->trade, i));
}

static void put_coefficient(const struct explained *explained,
                            const struct program_coefficient *number)
{
    switch (number->kind) {
    case COEFFICIENT_NUMBER: fprintf(explained->out, "%.10g", number->number); break;
    case COEFFICIENT_DISCOUNT:
    case COEFFICIENT_POLICY_DISCOUNT:
        fprintf(explained->out, "discount factor of ");
        put_time(explained, number->number);
        break;
    case COEFFICIENT_TODAY:
    case COEFFICIENT_LOG_TODAY:
        fprintf(explained->out, "%sspot of %s today",
                number->kind == COEFFICIENT_TODAY ? "" : "log2 of ",
                explained->market->assets[trade_asset(explained->trade, number->index)].name);
        break;
    case COEFFICIENT_POLICY:
        fprintf(explained->out, "number %d of decision %d", number->index + 1,
                number->decision + 1);
        break;
    }
}

static void put_instruction(const struct explained *explained, const struct instruction *step)
{
    const struct operation_kind *kind = &operation_kinds[step->operation];
    const int operands[] = {step->a, step->b, step->c};
    fprintf(explained->out, "  ");
    if (kind->writes) fprintf(explained->out, "r%d = ", step->to);
    if (step->operation == OPERATION_INPUT)
        put_moments(explained, put_input(explained, (int)step->at));
    else if (step->operation == OPERATION_COEFFICIENT)
        put_coefficient(explained, &explained->program->coefficients[step->at]);
    else fprintf(explained->out, "%s", kind->name);
    if (step->operation == OPERATION_OUTPUT) fprintf(explained->out, " %u", step->at + 1);
    for (int i = 0; i < kind->operands; i++) fprintf(explained->out, " r%d", operands[i]);
    fprintf(explained->out, "\n");
}

/* Returns the first date after another on which the program reads, pays or decides; HUGE_VAL: there
 * is none. */
static double next_date(const struct program *program, double after)
{
    double next = HUGE_VAL;
    for (int i = 0; i < program->n_inputs; i++)
        if (program->inputs[i].date > after) next = fmin(next, program->inputs[i].date);
    for (int i = 0; i < program->n_flows; i++)
        if (program->flows[i].years > after) next = fmin(next, program->flows[i].years);
    for (int i = 0; i < program->n_decisions; i++)
        if (program->decisions[i].years > after) next = fmin(next, program->decisions[i].years);
    return next;
}

/* Writes what the program reads on a date, and the lines of the script that pay and decide. */
static void put_date(const struct explained *explained, double date)
{
    const struct program *program = explained->program;
    const char *between = "  ";
    fprintf(explained->out, "  ");
    put_time(explained, date);
    for (int i = 0; i < program->n_inputs; i++) {
        if (program->inputs[i].date != date) continue;
        fputs(between, explained->out);
        put_input(explained, i);
        between = "; ";
    }
    for (int i = 0; i < program->n_flows; i++) {
        const struct program_flow *flow = &program->flows[i];
        if (flow->years != date) continue;
        if (flow->certain)
            fprintf(explained->out, "%spays %.10g (line %d)", between, flow->amount,
                    flow->place.line);
        else fprintf(explained->out, "%smay pay (line %d)", between, flow->place.line);
        between = "; ";
    }
    for (int i = 0; i < program->n_decisions; i++) {
        const struct program_decision *decision = &program->decisions[i];
        if (decision->years != date) continue;
        fprintf(explained->out, "%sthe %s may exercise (line %d), by %d terms in %d numbers",
                between, decision->issuer ? "issuer" : "holder", decision->place.line,
                decision->n_terms, decision->n_features);
        between = "; ";
    }
    fprintf(explained->out, "\n");
}

void explain_script(FILE *out, const struct market *market, const struct trade *trade, long today,
                    int dates)
{
    if (!trade->scripted || !trade_is_known(trade)) return;
    const struct program *program = &trade->scripted->program;
    const struct explained explained = {out, market, trade, program, today};
    int n = 0;
    const char *text = trade->scripted->script->text;
    for (int line = 1; *text; line++) {
        size_t length = strcspn(text, "\n");
        fprintf(out, "%4d  %.*s\n", line, (int)length, text);
        text += length + (text[length] == '\n');
    }
    fprintf(out, "to come, by date:\n");
    for (double date = next_date(program, -1.0); isfinite(date); date = next_date(program, date))
        if (n++ < dates) put_date(&explained, date);
    if (n > dates) fprintf(out, "  and %d dates more\n", n - dates);
    if (!n) fprintf(out, "  nothing\n");
}

void explain_trade(FILE *out, const struct market *market, const struct trade *trade, long today)
{
    struct payoff_definition definition;
    struct explained explained = {out, market, trade, NULL, today};
    fprintf(out, "trade %s: %s\n", trade->id, trade_type(trade));
    explain_script(out, market, trade, today, INT_MAX);
    if (trade->past_event) fprintf(out, "%s\n", trade->past_event);
    if (trade->expired) fprintf(out, "%s\n", trade->expired);
    else if (!trade_has_paths(trade)) fprintf(out, "exact, without paths\n");
    if (!trade_has_paths(trade)) return;
    if (!trade->scripted) {
        fprintf(out, "observes on each path:\n");
        payoff_define(market, trade, &definition);
        for (int i = 0; i < definition.n_functionals; i++) {
            fprintf(out, "  ");
            put_moments(&explained, put_observed(&explained, definition.functionals[i]));
            fprintf(out, "\n");
        }
        return;
    }
    explained.program = &trade->scripted->program;
    fprintf(out, "program: %d instructions in %d registers, %d inputs, %d coefficients\n",
            explained.program->n_instructions, explained.program->n_registers,
            explained.program->n_inputs, explained.program->n_coefficients);
    for (int i = 0; i < explained.program->n_instructions; i++)
        put_instruction(&explained, &explained.program->code[i]);
    fprintf(out,
            "runs: interpreted, 256 paths an operation on the CPU, two paths a thread on a GPU%s\n",
            explained.program->n_instructions > PROGRAM_COMPILED_MOST
                ? ", too long to be compiled there"
                : " until it is compiled there");
}
