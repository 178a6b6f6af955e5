#include "app/config/settings.h"

#include <string.h>

#include "app/config/risk.h"
#include "app/config/settings_table.h"

static const struct key settings_keys[] = {
    {"paths", KIND_BIG, .offset = offsetof(struct settings, paths), {FROM, 1, 0x1p40}},
    {"seed", KIND_BIG, .offset = offsetof(struct settings, seed), {FROM, 0, 0}},
    {"max_step", KIND_NUMBER, .offset = offsetof(struct settings, max_step), {FROM, 1e-6, 100}},
    {"max_paths", KIND_BIG, .offset = offsetof(struct settings, max_paths), {FROM, 1, 0x1p40}},
    {"kernel", KIND_WORD, .offset = offsetof(struct settings, kernel)},
    {"engine", KIND_WORD, .offset = offsetof(struct settings, engine)},
    {"exercise_width", KIND_NUMBER, .offset = offsetof(struct settings, exercise_width), {ABOVE, 0, 1}},
    {"check", KIND_CHOICE, .offset = offsetof(struct settings, check), .words = "all sample none"},
    {"sampler", KIND_CHOICE, .offset = offsetof(struct settings, sampler), .words = "philox sobol"},
    {"antithetic", KIND_BOOL, .offset = offsetof(struct settings, antithetic)},
    {"control_variates", KIND_BOOL, .offset = offsetof(struct settings, control_variates)},
    {"target_stderr", KIND_NUMBER, .offset = offsetof(struct settings, target_stderr), {FROM, 0, 0}},
    {"greeks", .kind = KIND_DEFERRED},
    {"on_bad_trade", KIND_CHOICE, .offset = offsetof(struct settings, on_bad_trade), .words = "refuse stop"},
};
const struct table settings_table = {"settings", sizeof settings_keys / sizeof *settings_keys, settings_keys,
                                     ""};

/* Controls are tried on means of chunks of Philox paths. */
static void check_controls(struct reader *reader, const struct found *found, const struct settings *settings)
{
    const config_setting_t *at = found->at[table_row(&settings_table, "control_variates")];
    const config_setting_t *paths = found->at[table_row(&settings_table, "paths")];
    if (!settings->control_variates) return;
    if (settings->sampler == SAMPLER_SOBOL)
        complain(reader, at, "control_variates contradicts sampler = \"sobol\": leave one of the two out");
    if (settings->antithetic)
        complain(reader, at, "control_variates contradicts antithetic = true: leave one of the two out");
    if (paths && settings->paths < CONTROL_PATHS)
        complain(reader, paths, "paths must be >= %d with control_variates = true, got %lld", CONTROL_PATHS,
                 (long long)settings->paths);
}

/* Engines are known here, their kernels only to the one that is chosen: it is told where the name stands. */
static void read_places(struct reader *reader, const struct found *found, struct settings *settings)
{
    static const char *const engines[] = {"auto", "cuda", "cpu"};
    const config_setting_t *kernel = found->at[table_row(&settings_table, "kernel")];
    const config_setting_t *engine = found->at[table_row(&settings_table, "engine")];
    bool known = !engine || !found_good(found, table_row(&settings_table, "engine"));
    if (kernel) setting_place_text(reader, kernel, sizeof settings->kernel_place, settings->kernel_place);
    if (engine) setting_place_text(reader, engine, sizeof settings->engine_place, settings->engine_place);
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++)
        known = known || !strcmp(settings->engine, engines[i]);
    if (!known)
        complain(reader, engine, "engine must be \"auto\", \"cuda\" or \"cpu\", got \"%s\"",
                 settings->engine);
}

void settings_read(struct reader *reader, const config_setting_t *at, struct settings *settings,
                   struct risk_request *risk)
{
    struct found found;
    int antithetic = table_row(&settings_table, "antithetic"), greeks = table_row(&settings_table, "greeks");
    read_group(reader, &settings_table, at, settings, &found);
    if (found.at[greeks]) read_greeks(reader, found.at[greeks], risk);
    if (settings->antithetic && settings->sampler == SAMPLER_SOBOL)
        complain(
            reader, found.at[antithetic],
            "antithetic contradicts sampler = \"sobol\", whose points are balanced: leave one of the two "
            "out");
    check_controls(reader, &found, settings);
    read_places(reader, &found, settings);
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
