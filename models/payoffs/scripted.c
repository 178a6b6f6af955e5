#include "models/payoffs/scripted.h"

#include <stdlib.h>

void scripted_free(struct scripted *scripted)
{
    if (!scripted) return;
    binding_free(&scripted->binding);
    program_free(&scripted->program);
    free(scripted);
}

int scripted_traits(const struct scripted *scripted)
{
    const struct program *program = &scripted->program;
    return (program->jumps ? JUMPS : 0) | (program->one_way ? PAYS_ONE_WAY : 0) |
           (program->n_decisions ? DECIDES : 0) | (program->closely ? WATCHES_CLOSELY : 0);
}

void scripted_coefficients(const struct market *market, const struct trade *trade,
                           double *coefficients)
{
    const struct program *program = &trade->scripted->program;
    for (int i = 0; i < program->n_coefficients; i++) {
        const struct program_coefficient *c = &program->coefficients[i];
        switch (c->kind) {
        case COEFFICIENT_NUMBER: coefficients[i] = c->number; break;
        case COEFFICIENT_DISCOUNT:
        case COEFFICIENT_POLICY_DISCOUNT:
            coefficients[i] = discount_factor(market, trade, c->number);
            break;
        case COEFFICIENT_TODAY: coefficients[i] = spot_today(market, trade, c->index); break;
        case COEFFICIENT_LOG_TODAY:
            coefficients[i] = exact_log2(spot_today(market, trade, c->index));
            break;
        case COEFFICIENT_POLICY: coefficients[i] = policy_of_nobody(program, c); break;
        }
    }
}

struct functional scripted_functional(const struct trade *trade, int i)
{
    static const enum functional_kind kinds[] = {
        [INPUT_SPOT] = FUNCTIONAL_SPOT,         [INPUT_PRICE] = FUNCTIONAL_SPOT,
        [INPUT_VARIANCE] = FUNCTIONAL_VARIANCE, [INPUT_HIGHEST] = FUNCTIONAL_HIGH,
        [INPUT_LOWEST] = FUNCTIONAL_LOW,        [INPUT_SURVIVAL] = FUNCTIONAL_SURVIVAL};
    const struct program_input at_expiry = {.kind = INPUT_SPOT},
                               *input = trade->scripted->program.n_inputs
                                            ? &trade->scripted->program.inputs[i]
                                            : &at_expiry;
    const double *date = input == &at_expiry ? &trade->expiry : &input->date;
    struct functional functional = {.kind = kinds[input->kind],
                                    .trade = trade,
                                    .end = *date,
                                    .asset = input->asset,
                                    .source = -1};
    if (input->kind == INPUT_SPOT || input->kind == INPUT_PRICE || input->kind == INPUT_VARIANCE)
        functional.dates = (struct schedule){.n = 1, .times = (double *)date};
    else functional.dates.continuous = true, functional.begin = input->from;
    functional.closely = functional.dates.continuous && trade->scripted->program.closely;
    if (input->kind == INPUT_SURVIVAL)
        functional.lower = input->lower, functional.upper = input->upper;
    return functional;
}
