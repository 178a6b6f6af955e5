#include "app/pricing/base/settings.h"

#include <string.h>

#include "app/config/read_risk.h"
#include "app/config/tables.h"

static const struct key settings_keys[] = {
    KEY_FIELD("paths", BIG, struct settings, paths, .range = {RANGE_FROM, 1, 0x1p40},
              .fallback = "1048576",
              .meaning = "paths of each trade, rounded up to a multiple of 1024"),
    KEY_FIELD("seed", BIG, struct settings, seed, .range = {RANGE_FROM, 0, 0}, .fallback = "1",
              .meaning = "of the random numbers"),
    KEY_FIELD("max_step", NUMBER, struct settings, max_step, .range = {RANGE_FROM, 1e-6, 100},
              .fallback = "0.02",
              .meaning =
                  "years: longest step of a scheme that is not exact (local_vol, heston, bates)"),
    KEY_FIELD("max_paths", BIG, struct settings, max_paths, .range = {RANGE_FROM, 1, 0x1p40},
              .fallback = "67108864",
              .meaning = "most paths of a trade where there is a target_stderr"),
    KEY_FIELD("kernel", WORD, struct settings, kernel, .fallback = "auto",
              .meaning = "auto, or a kernel of the engine"),
    KEY_FIELD("engine", WORD, struct settings, engine, .words = "auto cuda cpu", .fallback = "auto",
              .meaning = "what simulates; auto: a GPU where there is one"),
    KEY_FIELD(
        "exercise_width", NUMBER, struct settings, exercise_width, .range = {RANGE_ABOVE, 0, 1},
        .fallback = "0.02",
        .meaning =
            "an american whose bounds are further apart than this share of its price is unchecked"),
    KEY_FIELD("check", CHOICE, struct settings, check,
              .words = "all sample none 1/5 2/5 3/5 4/5 5/5", .fallback = "all",
              .meaning = "which trades get a reference"),
    KEY_FIELD("sampler", CHOICE, struct settings, sampler, .words = "philox sobol",
              .fallback = "philox",
              .meaning = "random numbers, or scrambled Sobol points with a Brownian bridge"),
    KEY_FIELD("antithetic", BOOL, struct settings, antithetic, .fallback = "false",
              .meaning = "half of the paths are the others with every normal negated"),
    KEY_FIELD("control_variates", BOOL, struct settings, control_variates, .fallback = "false",
              .meaning = "prices by the help of controls whose value is known"),
    KEY_FIELD("target_stderr", NUMBER, struct settings, target_stderr, .range = {RANGE_FROM, 0, 0},
              .fallback = "0",
              .meaning = "money of one unit: trades of a larger standard error go on; 0: none do"),
    KEY_DEFERRED("greeks", FORM_TEXTS, .words = greek_words,
                 .meaning = "which Greeks are computed; may stand in risk as well"),
    KEY_FIELD(
        "on_bad_trade", CHOICE, struct settings, on_bad_trade, .words = "refuse stop",
        .fallback = "refuse",
        .meaning =
            "what an error in the keys of a trade does: refuses that trade, or stops the book"),
    KEY_FIELD("strict", BOOL, struct settings, strict, .fallback = "false",
              .meaning =
                  "what is perhaps a mistake is refused, as an error is, and no longer noted"),
};
const struct key_table settings_table = KEY_TABLE("settings", settings_keys, .required = "");

/* Controls are tried on means of chunks of Philox paths. */
static void check_controls(struct reader *reader, const struct found_keys *found,
                           const struct settings *settings)
{
    const config_setting_t *at = found->at[table_row(&settings_table, "control_variates")];
    const config_setting_t *paths = found->at[table_row(&settings_table, "paths")];
    if (!settings->control_variates) return;
    if (settings->sampler == SAMPLER_SOBOL)
        complain(reader, at,
                 "control_variates contradicts sampler = \"sobol\": leave one of the two out");
    if (settings->antithetic)
        complain(reader, at,
                 "control_variates contradicts antithetic = true: leave one of the two out");
    if (paths && settings->paths < CONTROL_PATHS)
        complain(reader, paths, "paths must be >= %d with control_variates = true, got %lld",
                 CONTROL_PATHS, (long long)settings->paths);
}

/* Engines are known here, their kernels only to the one that is chosen: it is told where the name
 * stands. */
static void read_locations(struct reader *reader, const struct found_keys *found,
                           struct settings *settings)
{
    const config_setting_t *kernel = found->at[table_row(&settings_table, "kernel")];
    const config_setting_t *engine = found->at[table_row(&settings_table, "engine")];
    bool known = !engine || !found_good(found, table_row(&settings_table, "engine")) ||
                 !strcmp(settings->engine, "auto") || !strcmp(settings->engine, "cuda") ||
                 !strcmp(settings->engine, "cpu");
    if (kernel)
        setting_location_text(reader, kernel, sizeof settings->kernel_location,
                              settings->kernel_location);
    if (engine)
        setting_location_text(reader, engine, sizeof settings->engine_location,
                              settings->engine_location);
    if (!known)
        complain(reader, engine, "engine must be \"auto\", \"cuda\" or \"cpu\", got \"%s\"",
                 settings->engine);
}

void settings_read(struct reader *reader, const config_setting_t *at, struct settings *settings,
                   struct risk_request *risk)
{
    struct found_keys found;
    int antithetic = table_row(&settings_table, "antithetic"),
        greeks = table_row(&settings_table, "greeks");
    read_group(reader, &settings_table, at, settings, &found);
    reader->strict = settings->strict;
    if (found.at[greeks]) read_greeks(reader, found.at[greeks], risk);
    if (settings->antithetic && settings->sampler == SAMPLER_SOBOL)
        complain(reader, found.at[antithetic],
                 "antithetic contradicts sampler = \"sobol\", whose points are balanced: leave one "
                 "of the two out");
    check_controls(reader, &found, settings);
    read_locations(reader, &found, settings);
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
