/* Arithmetic Asians by recursive convolution in one dimension (Carverhill and Clewlow 1990;
 * Benhamou 2002).
 *
 * With X_i the independent normal moves of log spot between fixings, taken from the last one back,
 *     Y_0 = a_0,    Y_i = a_i + exp(X_i) Y_{i-1}
 * ends in the average over spot. The density of Z_i = X_i + log Y_{i-1} is that of Z_{i-1}, sent
 * through z -> log(a + exp z), spread by a normal: a smooth integrand that dies at both ends, for
 * which the trapezoid rule converges faster than any power (error exp(-2 pi^2 (deviation /
 * step)^2)); the new density is evaluated straight at the new nodes, so that nothing is
 * interpolated. The outermost move is integrated by Black's formula, which takes the kink of the
 * payoff away.
 *
 * The floating strike is the same recursion under the measure of the asset: E[(S_T - A)+] = F_T
 * E'[(1 - A / S_T)+], and A / S_t follows it forward in time, moves reversed in sign; what a
 * seasoned trade has fixed is a fixing at time 0 of weight (past sum) / spot. A fixed strike takes
 * what has been fixed off the strike. */
#include <math.h>

#include "validation/reference/methods.h"

/* Y_0 = start; then for each move: Y = add + exp(X) Y, X normal(mean, variance). Worth
 * E[(sign)(scale * Y - strike)+]. */
struct average_chain {
    int n;
    struct average_move {
        double add, mean, variance;
    } * moves; /* [n] */
    double start, scale, strike;
    enum option option;
    struct effort *effort;
};

/* Y = base + factor * exp(z), with z distributed on n equally spaced nodes; n = 0: Y = base for
 * certain. */
struct average_state {
    double base, factor;
    int n;
    double low, step; /* z_j = low + j * step */
    double *mass;     /* [n] density * step */
    double scale;     /* length over which the density is smooth */
};

static double state_log(const struct average_state *state, int j)
{
    return log(state->base + state->factor * exp(state->low + j * state->step));
}

/* Cuts off the nodes that carry nothing, for prices that grow like exp(z). */
static void state_trim(struct average_state *state)
{
    int peak = 0, first = 0, last = state->n - 1;
    for (int j = 0; j < state->n; j++)
        if (state->mass[j] > state->mass[peak]) peak = j;
    double least = 1e-20 * state->mass[peak];
    while (first < peak && state->mass[first] < least) first++;
    while (last > peak && state->mass[last] * exp((last - peak) * state->step) < least) last--;
    state->n = last - first + 1;
    state->low += first * state->step;
    for (int j = 0; j < state->n; j++) state->mass[j] = state->mass[first + j];
}

/* What the nodes near a source get of it. With d the distance of the nearest node, step the
 * distance of nodes and r = -1 / (2 variance), the k-th from it gets exp(r (d + k step)^2) = exp(r
 * d^2) exp(2 r d step)^k exp(r step^2 k^2), of which the last factor is the same for all sources,
 * and the one before a product of the one to its left. */
struct convolution_kernel {
    double rate, step;
    int reach;             /* k from -reach to reach */
    double *power, *shape; /* [2 reach + 1] */
};

/* Nodes farther apart than this many deviations are few near a source, and the powers might
 * overflow. */
static const double FAR_APART = 2.0;

/* Adds `mass` of a source `away` from the node on the left of which `reach` nodes lie in
 * density[]. */
static void kernel_add(const struct convolution_kernel *kernel, double mass, double away,
                       double *restrict density)
{
    double bend = 2.0 * kernel->rate * away * kernel->step, factor = exp(bend),
           fourth = factor * factor;
    double *restrict power = kernel->power;
    const double *restrict shape = kernel->shape;
    int n = 2 * kernel->reach + 1;
    fourth *= fourth;
    power[0] = mass * exp(kernel->rate * away * away - bend * kernel->reach);
    for (int k = 1; k < 4 && k < n; k++) power[k] = power[k - 1] * factor;
    for (int k = 4; k < n; k++) power[k] = power[k - 4] * fourth;
    for (int k = 0; k < n; k++) density[k] += power[k] * shape[k];
}

/* Does the same of nodes that are far apart. */
static void direct_add(const struct convolution_kernel *kernel, double mass, double away,
                       double *density)
{
    for (int k = -kernel->reach; k <= kernel->reach; k++) {
        double d = away + k * kernel->step;
        density[k + kernel->reach] += mass * exp(kernel->rate * d * d);
    }
}

/* Adds what all sources give to the nodes of another state. */
static enum status spread_sources(struct effort *effort, const struct average_state *state,
                                  const double *centre, double variance,
                                  const struct average_state *to)
{
    double low = to->low, step = to->step;
    struct convolution_kernel kernel = {.rate = -0.5 / variance, .step = step};
    bool far = step > FAR_APART * sqrt(variance);
    double height = step / sqrt(2.0 * acos(-1.0) * variance);
    kernel.reach = (int)(GAUSSIAN_CUT * sqrt(variance) / step) + 1;
    size_t n = 2 * (size_t)kernel.reach + 1;
    MUST(effort_array(effort, 2 * n, &kernel.power));
    kernel.shape = kernel.power + n;
    for (int k = -kernel.reach; k <= kernel.reach; k++)
        kernel.shape[k + kernel.reach] = exp(kernel.rate * step * step * k * k);
    for (int j = 0; j < (state->n ? state->n : 1); j++) {
        double from = state->n ? state->mass[j] : 1.0;
        int nearest = (int)floor((centre[j] - low) / step + 0.5);
        double away = low + nearest * step - centre[j];
        MUST(effort_spend(effort, 10.0 + 2.0 * kernel.reach / (far ? 1.0 : 8.0)));
        (far ? direct_add : kernel_add)(&kernel, height * from, away,
                                        &to->mass[nearest - kernel.reach]);
    }
    effort_free(kernel.power);
    return STATUS_OK;
}

/* Makes the density of X + log Y on new nodes, `step` apart. Nodes whose log Y is farther than the
 * cut do not count. */
static enum status state_spread(struct effort *effort, struct average_state *state,
                                const struct average_move *move, double step)
{
    double deviation = sqrt(move->variance), reach = GAUSSIAN_CUT * deviation + 2.0 * step;
    int sources = state->n ? state->n : 1;
    double *centre;
    struct average_state to = {.base = move->add, .factor = 1.0, .step = step};
    MUST(effort_array(effort, sources, &centre));
    if (!state->n) centre[0] = move->mean + log(state->base);
    for (int j = 0; j < state->n; j++) centre[j] = move->mean + state_log(state, j);
    to.low = centre[0] - reach;
    double nodes = ceil((centre[sources - 1] + reach - to.low) / step) + 1.0;
    MUST(effort_spend(effort, nodes));
    to.n = (int)nodes;
    to.scale = hypot(deviation, 0.5 * state->scale);
    MUST(effort_array(effort, to.n, &to.mass));
    MUST(spread_sources(effort, state, centre, move->variance, &to));
    effort_free(state->mass);
    *state = to;
    state_trim(state);
    effort_free(centre);
    return STATUS_OK;
}

/* Tells whether move i is certain, and the next one after i that is not (n where there is none). */
static bool certain(const struct average_chain *chain, int i)
{
    return chain->moves[i].variance <= 1e-26;
}

static int next_random(const struct average_chain *chain, int i)
{
    for (i++; i < chain->n && certain(chain, i); i++) {
    }
    return i;
}

/* Takes the last random move by Black's formula: scale * Y = scale * (base + factor * exp(X) *
 * Y_before). */
static double chain_close(const struct average_chain *chain, const struct average_state *state,
                          int last)
{
    const struct average_move *move = &chain->moves[last];
    double base = move->add, factor = 1.0;
    for (int i = last + 1; i < chain->n; i++) {
        base = chain->moves[i].add + exp(chain->moves[i].mean) * base;
        factor *= exp(chain->moves[i].mean);
    }
    double strike = chain->strike - chain->scale * base, variance = move->variance;
    double forward = chain->scale * factor * exp(move->mean + 0.5 * variance);
    if (!state->n) return black(chain->option, forward * state->base, strike, variance);
    double sum = 0.0;
    for (int j = 0; j < state->n; j++)
        sum += state->mass[j] *
               black(chain->option, forward * exp(state_log(state, j)), strike, variance);
    return sum;
}

/* Finds the value of the chain with `resolution` nodes to a deviation. */
static enum status chain_value(const struct average_chain *chain, double resolution, double *value)
{
    struct average_state state = {.base = chain->start};
    double left = chain->effort->work;
    for (int i = 0; i < chain->n; i++) {
        const struct average_move *move = &chain->moves[i];
        int after = next_random(chain, i);
        if (certain(chain, i)) {
            state.base = move->add + exp(move->mean) * state.base;
            state.factor *= exp(move->mean);
        } else if (after == chain->n) {
            *value = chain_close(chain, &state, i);
            return STATUS_OK;
        } else if (!state.n && state.base <= 0.0) { /* nothing was added yet: Y stays certain */
            state.base = move->add;
        } else {
            double smooth = hypot(sqrt(move->variance), 0.5 * state.scale),
                   step = fmin(smooth, sqrt(chain->moves[after].variance)) / resolution;
            MUST(state_spread(chain->effort, &state, move, step));
            MUST(effort_foresee_rest(chain->effort, left, i + 1, chain->n - 1 - i));
        }
    }
    /* Nothing was random */
    *value = black(chain->option, chain->scale * state.base, chain->strike, 0.0);
    return STATUS_OK;
}

/* Makes the chain from the last fixing back to today: 1 + exp(X)(1 + exp(X)(...)), spot the
 * scale. */
static void chain_fixed(struct average_chain *chain, const struct problem *problem,
                        const struct log_increment *increments, int n)
{
    const struct trade *trade = problem->trade;
    double total = trade->past_count + n;
    chain->start = n > 0 ? 1.0 : 0.0;
    chain->scale = problem->asset->spot / total;
    chain->strike = trade->strike - trade->past_count * trade->past_average / total;
    for (int i = n - 1; i >= 0; i--)
        chain->moves[chain->n++] =
            (struct average_move){i ? 1.0 : 0.0, increments[i].drift, increments[i].variance};
}

/* Makes the chain from today to expiry: (sum of the weighted fixings so far) / spot, under the
 * measure of the asset, where the mean of log spot is raised by its variance. The put on it with
 * strike 1 is the call on S_T - A. */
static void chain_floating(struct average_chain *chain, const struct problem *problem,
                           const struct log_increment *increments, int n)
{
    const struct trade *trade = problem->trade;
    double total = trade->past_count + n;
    chain->start = trade->past_count * trade->past_average / (total * problem->asset->spot);
    chain->scale = chain->strike = 1.0;
    chain->option = trade->option == OPTION_CALL ? OPTION_PUT : OPTION_CALL;
    for (; chain->n <= n; chain->n++) {
        const struct log_increment *increment = &increments[chain->n];
        chain->moves[chain->n] =
            (struct average_move){chain->n < n ? 1.0 / total : 0.0,
                                  -(increment->drift + increment->variance), increment->variance};
    }
}

enum status reference_asian(const struct problem *problem, struct reference *out)
{
    const struct trade *trade = problem->trade;
    if (trade->averaging == AVERAGING_GEOMETRIC) return reference_asian_geometric(problem, out);
    if (problem->asset->model != MODEL_BLACK_SCHOLES) return reference_by_simulation(problem, out);
    struct log_increment *increments = NULL;
    struct average_chain chain = {.option = trade->option, .effort = problem->assets.effort};
    double coarse = 0.0, fine = 0.0, unit = 1.0;
    int n = 0;
    MUST(schedule_increments(&problem->assets, &trade->fixings, trade->expiry, &increments, &n));
    MUST(effort_array(chain.effort, n + 1, &chain.moves));
    if (trade->strike_type == STRIKE_FIXED) {
        chain_fixed(&chain, problem, increments, n);
    } else {
        chain_floating(&chain, problem, increments, n);
        unit = asset_forward(&problem->assets, 0, trade->expiry);
    }
    MUST(chain_value(&chain, 1.6, &fine));
    if (chain.effort->errors_known) coarse = fine;
    else MUST(chain_value(&chain, 1.4, &coarse));
    unit *= asset_discount(&problem->assets, trade->expiry);
    reference_found(out, unit * fine, unit * fabs(fine - coarse), "convolution");
    return STATUS_OK;
}
