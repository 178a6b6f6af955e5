#include "app/config/read_risk.h"

#include <string.h>

#include "app/config/values.h"
#include "app/pricing/base/risk.h"

#define GREEK(NAME, name, ...) #name " "
const char greek_words[] =
#include "app/pricing/base/greeks.def"
    "quotes";
#undef GREEK

/* The Greeks of each number that the market is quoted by. */
static const unsigned greeks_of_quotes =
    1u << GREEK_DELTA | 1u << GREEK_VEGA_BUCKET | 1u << GREEK_VEGA_QUOTE | 1u << GREEK_RHO_BUCKET |
    1u << GREEK_YIELD_BUCKET | 1u << GREEK_CASH_DIVIDEND | 1u << GREEK_CORRELATION |
#define PARAMETER(NAME, ...) 1u << GREEK_##NAME |
#include "models/market/parameters.def"
#undef PARAMETER
    1u << GREEK_THETA;

/* Reads the list `greeks`, of the settings or of `risk`: words of greeks.def, or one of them. */
static void read_greeks(struct reader *reader, const config_setting_t *list,
                        struct risk_request *request)
{
    char got[VALUE_ROOM];
    if (!list) return;
    bool one = config_setting_type(list) == CONFIG_TYPE_STRING;
    if (!one && !config_setting_is_list(list))
        complain(reader, list, "greeks must be \"quotes\" or a list [\"delta\", ...], got %s",
                 show_value(list, got));
    else
        for (int i = 0; i < (one ? 1 : config_setting_length(list)); i++) {
            int greek = 0;
            if (read_choice(reader, one ? list : element_of(list, i), greek_words, &greek))
                request->greeks |= greek < N_GREEKS ? 1u << greek : greeks_of_quotes;
        }
}

/* ---- settings -------------------------------------------------------------------------------- */

static const char engines[] = "auto cuda cpu";
const char check_words[] = "all sample none 1/5 2/5 3/5 4/5 5/5";

static const struct key settings_keys[] = {
    KEY_FIELD("paths", BIG, struct settings, paths,
              "paths of each trade, rounded up to a multiple of 1024", FROM(1, 0x1p40),
              .fallback = "1048576"),
    KEY_FIELD("seed", BIG, struct settings, seed, "of the random numbers", FROM(0, 0),
              .fallback = "1"),
    KEY_FIELD("max_step", NUMBER, struct settings, max_step,
              "years: longest step of a scheme that is not exact (local_vol, heston, bates)",
              FROM(1e-6, 100), .fallback = "0.02"),
    KEY_FIELD("max_paths", BIG, struct settings, max_paths,
              "most paths of a trade where there is a target_stderr", FROM(1, 0x1p40),
              .fallback = "67108864"),
    KEY_FIELD("kernel", WORD, struct settings, kernel, "auto, or a kernel of the engine",
              .fallback = "auto"),
    KEY_FIELD("engine", WORD, struct settings, engine,
              "what simulates; auto: a GPU where there is one", .words = engines,
              .fallback = "auto"),
    KEY_FIELD(
        "exercise_width", NUMBER, struct settings, exercise_width,
        "an american whose bounds are further apart than this share of its price is unchecked",
        ABOVE(0, 1), .fallback = "0.02"),
    KEY_FIELD("check", CHOICE, struct settings, check, "which trades get a reference",
              .words = check_words, .fallback = "all"),
    KEY_FIELD("sampler", CHOICE, struct settings, sampler,
              "random numbers, or scrambled Sobol points with a Brownian bridge",
              .words = "philox sobol", .fallback = "philox"),
    KEY_FIELD("antithetic", BOOL, struct settings, antithetic,
              "half of the paths are the others with every normal negated", .fallback = "false"),
    KEY_FIELD("control_variates", BOOL, struct settings, control_variates,
              "prices by the help of controls whose value is known", .fallback = "false"),
    KEY_FIELD("target_stderr", NUMBER, struct settings, target_stderr,
              "money of one unit: trades of a larger standard error go on; 0: none do", FROM(0, 0),
              .fallback = "0"),
    KEY_DEFERRED("greeks", FORM_TEXTS, "which Greeks are computed; may stand in risk as well",
                 .words = greek_words),
    KEY_FIELD("on_bad_trade", CHOICE, struct settings, on_bad_trade,
              "what an error in the keys of a trade does: refuses that trade, or stops the book",
              .words = "refuse stop", .fallback = "refuse"),
    KEY_FIELD("strict", BOOL, struct settings, strict,
              "what is perhaps a mistake is refused, as an error is, and no longer noted",
              .fallback = "false"),
};
const struct key_table settings_table = KEY_TABLE("settings", settings_keys, .required = "");

/* Complains of a setting beside another one, as `what` says. */
static void refuse_beside(struct reader *reader, const config_setting_t *group, const char *key,
                          bool both, const char *what)
{
    if (both)
        complain(reader, member_of(group, key), "%s contradicts %s: leave one of the two out", key,
                 what);
}

/* Checks engines and tells where the name of a kernel stands, which only the engine that is chosen
 * knows, and the number of paths, which an option may replace. Controls are tried on means of
 * chunks of Philox paths. */
void settings_read(struct reader *reader, const config_setting_t *group, struct settings *settings,
                   struct risk_request *risk)
{
    const struct {
        const char *key;
        char *location;
    } places[] = {{"paths", settings->paths_location},
                  {"kernel", settings->kernel_location},
                  {"engine", settings->engine_location}};
    const config_setting_t *at;
    read_group(reader, &settings_table, group, settings);
    reader->strict = settings->strict;
    read_greeks(reader, member_of(group, "greeks"), risk);
    bool sobol = settings->sampler == SAMPLER_SOBOL, controls = settings->control_variates;
    refuse_beside(reader, group, "antithetic", settings->antithetic && sobol,
                  "sampler = \"sobol\", whose points are balanced");
    refuse_beside(reader, group, "control_variates", controls && sobol, "sampler = \"sobol\"");
    refuse_beside(reader, group, "control_variates", controls && settings->antithetic,
                  "antithetic = true");
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if ((at = member_of(group, places[i].key)))
            setting_location_text(reader, at, LOCATION_TEXT, places[i].location);
    if (word_index(engines, settings->engine, strlen(settings->engine)) < 0)
        complain(reader, member_of(group, "engine"),
                 "engine must be \"auto\", \"cuda\" or \"cpu\", got \"%s\"", settings->engine);
}

struct settings settings_default(void)
{
    return (struct settings){.paths = 1048576,
                             .seed = 1,
                             .max_step = 0.02,
                             .max_paths = 67108864,
                             .kernel = "auto",
                             .engine = "auto",
                             .exercise_width = 0.02,
                             .check = CHECK_ALL};
}

/* ---- the group risk -------------------------------------------------------------------------- */

static const struct key risk_keys[] = {
    KEY_DEFERRED("greeks", FORM_TEXTS, "which Greeks are computed; may stand in settings as well",
                 .words = greek_words),
    KEY_FIELD("currency", CURRENCY, struct risk_request, currency,
              "of totals; the first of the market where none is given"),
    KEY_FIELD(
        "paths", BIG, struct risk_request, paths,
        "paths of scenarios and of the past; a quarter of those of the prices where not given",
        FROM(1, 0x1p40)),
    KEY_DEFERRED("scenarios", FORM_GROUPS, "named moves of the market, each a list of shocks",
                 .table = &scenario_table),
    KEY_DEFERRED("grids", FORM_GROUPS, "scenarios of spot by volatility", .table = &grid_table),
    KEY_DEFERRED("historical", FORM_GROUP, "value at risk from the moves of past days",
                 .table = &past_days_table),
};
const struct key_table risk_table = KEY_TABLE("risk", risk_keys, .required = "");

/* Tells whether the market has one that is shocked so; writes why not. */
static bool has_shocked(struct reader *reader, const struct market *market,
                        const struct scenario_request *scenario, struct message *why)
{
    struct shocked_market shocked = {0};
    enum status status = shock_market(market, scenario->n_shocks, scenario->shocks, &shocked, why);
    shocked_market_free(&shocked);
    if (status == STATUS_NO_MEMORY) reader->status = status;
    return !status;
}

void try_risk(struct reader *reader, const config_setting_t *at, const struct market *market,
              const struct risk_request *request)
{
    struct message why;
    int days = 0;
    for (int i = 0; i < request->n_scenarios && !reader->status; i++)
        if (!has_shocked(reader, market, &request->scenarios[i], &why))
            complain(reader, at, "scenario '%s': %s", request->scenarios[i].name, why.text);
    while (days < request->n_days && !has_shocked(reader, market, &request->days[days], &why))
        days++;
    if (days && days == request->n_days)
        complain(reader, at, "no day of the past can be valued: on '%s' %s",
                 request->days[days - 1].name, why.text);
}

void read_risk(struct reader *reader, const config_setting_t *group, const struct market *market,
               struct risk_request *request)
{
    const config_setting_t *past = member_of(group, "historical");
    struct names names = {0};
    read_group(reader, &risk_table, group, request);
    read_greeks(reader, member_of(group, "greeks"), request);
    read_scenarios(reader, member_of(group, "scenarios"), request, &names);
    read_grids(reader, member_of(group, "grids"), request, &names);
    if (past) read_past(reader, past, request);
    names_free(&names);
    if (reader->n_stopping) return; /* of the market too: there may be none to move */
    link_rates(reader, request->n_scenarios, request->scenarios);
    link_rates(reader, request->n_days, request->days);
    try_risk(reader, group, market, request);
}
