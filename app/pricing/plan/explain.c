#include "app/pricing/plan/explain.h"

#include <math.h>
#include <string.h>

#include "models/market/days.h"
#include "models/payoffs/scripted.h"

/* What is being explained. */
struct explained {
    FILE *out;
    const struct market *market;
    const struct trade *trade;
    const struct program *program;
    long today;
};

/* Writes a time as its day where the book has days, else in years. */
static void put_time(const struct explained *of, double years)
{
    if (!of->today) {
        fprintf(of->out, "%.6g years", years);
        return;
    }
    struct written_day day = day_written(of->today + lround(years * 365.0));
    fprintf(of->out, "%04d-%02d-%02d", day.year, day.month, day.day);
}

static void put_script(const struct explained *of, const char *text)
{
    for (int line = 1; *text; line++) {
        size_t length = strcspn(text, "\n");
        fprintf(of->out, "%4d  %.*s\n", line, (int)length, text);
        text += length + (text[length] == '\n');
    }
}

static void put_input(const struct explained *of, const struct program_input *input)
{
    static const char *const words[] = {[INPUT_SPOT] = "log2 of ",
                                        [INPUT_PRICE] = "price of ",
                                        [INPUT_HIGHEST] = "log2 of the highest ",
                                        [INPUT_LOWEST] = "log2 of the lowest ",
                                        [INPUT_SURVIVAL] = "survival of "};
    int asset = trade_asset(of->trade, input->asset);
    fprintf(of->out, "%s%s %s ", words[input->kind], of->market->assets[asset].name,
            input->kind <= INPUT_PRICE ? "on" : "to");
    put_time(of, input->date);
    if (input->kind != INPUT_SURVIVAL) return;
    if (input->lower > 0.0) fprintf(of->out, " above %.10g", input->lower);
    if (isfinite(input->upper)) fprintf(of->out, " below %.10g", input->upper);
}

static void put_coefficient(const struct explained *of, const struct program_coefficient *number)
{
    switch (number->kind) {
    case COEFFICIENT_NUMBER: fprintf(of->out, "%.10g", number->number); break;
    case COEFFICIENT_DISCOUNT:
        fprintf(of->out, "discount factor of ");
        put_time(of, number->number);
        break;
    case COEFFICIENT_TODAY:
    case COEFFICIENT_LOG_TODAY:
        fprintf(of->out, "%sspot of %s today", number->kind == COEFFICIENT_TODAY ? "" : "log2 of ",
                of->market->assets[trade_asset(of->trade, number->index)].name);
        break;
    case COEFFICIENT_POLICY:
        fprintf(of->out, "number %d of decision %d", number->index + 1, number->decision + 1);
        break;
    }
}

static void put_instruction(const struct explained *of, const struct instruction *step)
{
    static const struct {
        const char *name;
        int operands;
    } operations[N_OPERATIONS] = {
        [OPERATION_OUTPUT] = {"output", 1},
        [OPERATION_END] = {"value", 1},
#define OPERATION(NAME, name, operands, ...) [OPERATION_##NAME] = {#name, operands},
#include "models/programs/operations.def"
#undef OPERATION
    };
    if (step->operation == OPERATION_INPUT || step->operation == OPERATION_COEFFICIENT) {
        fprintf(of->out, "  r%d = ", step->to);
        if (step->operation == OPERATION_INPUT) put_input(of, &of->program->inputs[step->at]);
        else put_coefficient(of, &of->program->coefficients[step->at]);
    } else {
        const int operands[] = {step->a, step->b, step->c};
        bool writes = step->operation != OPERATION_OUTPUT && step->operation != OPERATION_END;
        if (writes) fprintf(of->out, "  r%d = ", step->to);
        else fprintf(of->out, "  ");
        fprintf(of->out, "%s", operations[step->operation].name);
        if (step->operation == OPERATION_OUTPUT) fprintf(of->out, " %u", step->at + 1);
        for (int i = 0; i < operations[step->operation].operands; i++)
            fprintf(of->out, " r%d", operands[i]);
    }
    fprintf(of->out, "\n");
}

static void put_events(const struct explained *of)
{
    const struct program *program = of->program;
    for (int i = 0; i < program->n_flows; i++) {
        const struct program_flow *flow = &program->flows[i];
        fprintf(of->out, "  ");
        put_time(of, flow->years);
        if (flow->certain)
            fprintf(of->out, "  pays %.10g, line %d\n", flow->amount, flow->place.line);
        else fprintf(of->out, "  pays by the path, line %d\n", flow->place.line);
    }
    for (int i = 0; i < program->n_decisions; i++) {
        const struct program_decision *decision = &program->decisions[i];
        fprintf(of->out, "  ");
        put_time(of, decision->years);
        fprintf(of->out, "  the %s may exercise, line %d: a polynomial of %d terms in %d numbers\n",
                decision->issuer ? "issuer" : "holder", decision->place.line, decision->n_terms,
                decision->n_features);
    }
}

void explain_program(FILE *out, const struct market *market, const struct trade *trade, long today)
{
    if (!trade->scripted) return;
    const struct program *program = &trade->scripted->program;
    const struct explained of = {out, market, trade, program, today};
    fprintf(out, "script %s:\n", trade->scripted->script->name);
    put_script(&of, trade->scripted->script->text);
    fprintf(out, "fixings to come: %d\n", program->n_inputs);
    for (int i = 0; i < program->n_inputs; i++) {
        fprintf(out, "  ");
        put_input(&of, &program->inputs[i]);
        fprintf(out, "\n");
    }
    fprintf(out, "payments and decisions to come: %d\n", program->n_flows + program->n_decisions);
    put_events(&of);
    fprintf(out, "program: %d instructions in %d registers, %d inputs, %d coefficients\n",
            program->n_instructions, program->n_registers, program->n_inputs,
            program->n_coefficients);
    for (int i = 0; i < program->n_instructions; i++) put_instruction(&of, &program->code[i]);
    fprintf(out,
            "runs: interpreted, 256 paths an operation on the CPU, two paths a thread on a GPU\n");
}
