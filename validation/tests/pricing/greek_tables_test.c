/* The standard error of a Greek under local volatility counts what its tables leave: a part that
 * more paths do not make smaller. */
static char market_text[8192];
#define MARKET market_text
#include "validation/tests/pricing/risk_book.h"
#include "validation/tests/dax_surface.h"

/* The DAX of 5 July 2002 as a book has it. */
static void write_market(void)
{
    FILE *to = fmemopen(market_text, sizeof market_text, "w");
    assert_non_null(to);
    fprintf(
        to,
        "market = { currencies = ( { name = 'EUR'; rate = 0.035; } ); assets = ( { name = 'DAX'; "
        "currency = 'EUR'; spot = %g; model = 'local_vol'; volatility = { times = [",
        DAX_SPOT);
    for (int j = 0; j < 8; j++) fprintf(to, "%s%.17g", j ? ", " : "", dax_days[j] / 365.0);
    fputs("]; strikes = [", to);
    for (int i = 0; i < 13; i++) fprintf(to, "%s%.1f", i ? ", " : "", dax_strikes[i]);
    fputs("]; vols = (", to);
    for (int j = 0; j < 8; j++)
        for (int i = 0; i < 13; i++)
            fprintf(to, "%s%g%s", i ? ", " : j ? ", [" : "[", dax_vols[i][j], i == 12 ? "]" : "");
    fputs("); }; } ); };\n", to);
    assert_int_equal(fclose(to), 0);
}

/* The rho of a call of a year on so many paths, whose bump is the same for any number of them. */
static struct greek_value rho(int paths)
{
    struct night night;
    char *settings = text_of("paths = %d; check = 'none';", paths);
    make_night(settings,
               "{ id = 'T'; type = 'european'; asset = 'DAX'; option = 'call'; strike = 4600.0; "
               "expiry = 1.0; quantity = -3.0; }",
               "risk = { greeks = ['rho']; };", &night);
    free(settings);
    assert_int_equal(night.risk.n_sensitivities, 1);
    struct greek_value value = *risk_greek(&night.risk, 0, 0);
    free_night(&night);
    return value;
}

/* errors^2 of n paths and of 16 n are s^2 / n + t^2 and s^2 / 16 n + t^2. */
TEST(more_paths_leave_the_tables)
{
    write_market();
    struct greek_value few = rho(1 << 16), many = rho(1 << 20);
    double square = (16.0 * many.std_error * many.std_error - few.std_error * few.std_error) / 15.0;
    double part = sqrt(fmax(square, 0.0)) / fabs(many.value);
    print_message("rho %.1f +- %.2f, %.1f +- %.2f: %.3f %% of it are the tables'\n", few.value,
                  few.std_error, many.value, many.std_error, 100.0 * part);
    assert_true(part > 1e-3 && part < 4e-3);
}

ALL_TESTS(greek_tables_test)
