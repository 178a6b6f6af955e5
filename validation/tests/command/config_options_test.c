/* The command line: every option, and what is refused. */
#include "app/command/options.h"
#include "app/config/read_risk.h"
#include "app/api/handle.h"
#include "validation/tests/test.h"

enum { WORDS_MAX = 32 };

/* Reads a command line of words separated by blanks. */
static enum status read_line(const char *line, struct options *options, struct message *why)
{
    static char words[1024];
    char *argv[WORDS_MAX] = {"pricer"};
    int argc = 1;
    snprintf(words, sizeof words, "%s", line);
    for (char *word = strtok(words, " "); word && argc + 1 < WORDS_MAX; word = strtok(NULL, " "))
        argv[argc++] = word;
    return options_read(argc, argv, options, why);
}

TEST(every_option_is_read)
{
    struct options options;
    assert_ok(
        read_line("--engine=cpu --kernel fused b.cfg --paths=4096 --seed=0 --threads=3 --gpus=0,2 "
                  "--set a.b=1 --set=c=2 --check=none --bench --output=r.csv --output "
                  "r.json --quiet --help --version",
                  &options, &said));
    assert_string_equal(options.book, "b.cfg");
    assert_string_equal(options.library.engine, "cpu");
    assert_string_equal(options.library.kernel, "fused");
    assert_string_equal(options.library.check, "none");
    assert_int_equal(options.library.paths, 4096);
    assert_int_equal(options.library.seed, 0);
    assert_int_equal(options.library.threads, 3);
    assert_int_equal(options.library.n_gpus, 2);
    assert_int_equal(options.gpus[1], 2);
    assert_int_equal(options.n_sets, 2);
    assert_string_equal(options.sets[1], "c=2");
    assert_int_equal(options.n_outputs, 2);
    assert_string_equal(options.outputs[1], "r.json");
    assert_true(options.bench && options.quiet && options.help && options.version);
    options_free(&options);
    assert_ok(read_line("--calibrate=bates b.cfg", &options, &said));
    assert_string_equal(options.calibrate, "bates");
    options_free(&options);
    assert_ok(read_line("--plan b.cfg", &options, &said));
    assert_true(options.plan);
    options_free(&options);
    assert_ok(read_line("--list-kernels", &options, &said));
    assert_true(options.list_kernels);
    options_free(&options);
    assert_ok(read_line("--output=r.db --output=r.csv b.cfg", &options, &said));
    assert_string_equal(options.database, "r.db");
    assert_int_equal(options.n_outputs, 1);
    options_free(&options);
    assert_ok(
        read_line("-n 2.5e6 -q -o r.csv -or.json --max-time=1.5h --by=desk -", &options, &said));
    assert_int_equal(options.library.paths, 2500000);
    assert_string_equal(options.outputs[1], "r.json");
    assert_string_equal(options.bys[0], "desk");
    assert_string_equal(options.book, "-");
    assert_true(options.quiet && options.max_time == 5400.0);
    options_free(&options);
    assert_ok(read_line("-hv", &options, &said));
    assert_true(options.help && options.version);
    options_free(&options);
    assert_ok(read_line("--resume=r.db b.cfg", &options, &said));
    assert_string_equal(options.resume, "r.db");
    options_free(&options);
}

/* Puts what was given over the settings of a book. */
static void options_apply(const struct options *options, struct settings *settings)
{
    struct pricer *pricer;
    assert_int_equal(pricer_open(&options->library, &pricer), PRICER_OK);
    assert_ok(pricer_settle(pricer, settings));
    pricer_close(pricer);
}

TEST(nothing_is_given_by_default)
{
    struct options options;
    struct settings settings = settings_default(), before = settings;
    assert_ok(read_line("b.cfg", &options, &said));
    assert_int_equal(options.library.n_gpus, 0);
    assert_int_equal(options.library.threads, 0);
    options_apply(&options, &settings);
    assert_int_equal(settings.paths, before.paths);
    assert_int_equal(settings.seed, before.seed);
    assert_string_equal(settings.engine, before.engine);
    assert_int_equal(settings.check, before.check);
    options_free(&options);
}

TEST(options_go_before_the_book)
{
    struct options options;
    struct settings settings = settings_default();
    assert_ok(read_line(
        "--eng=cpu --kern=plain --paths=9 --seed=9223372036854775807 --check=sample b.cfg",
        &options, &said));
    options_apply(&options, &settings);
    assert_int_equal(settings.paths, 9);
    assert_true(settings.seed == INT64_MAX);
    assert_string_equal(settings.engine, "cpu");
    assert_string_equal(settings.kernel, "plain");
    assert_int_equal(settings.check, CHECK_SAMPLE);
    options_free(&options);
}

TEST(wrong_lines_are_refused)
{
    static const char *const lines[][2] = {
        {"", "no book given"},
        {"a.cfg b.cfg", "one book at a time, got 'a.cfg' and 'b.cfg'"},
        {"--engine=gpu b.cfg", "--engine must be auto|cuda|cpu, got 'gpu'"},
        {"--engine=cud b.cfg", "--engine must be auto|cuda|cpu, got 'cud'"},
        {"--check=some b.cfg",
         "--check must be all|sample|none|1/5|2/5|3/5|4/5|5/5[,TRADE], got 'some'"},
        {"--calibrate=sabr b.cfg", "--calibrate must be heston|bates, got 'sabr'"},
        {"--calibrate b.cfg", "--calibrate must be"},
        {"--paths=0 b.cfg", "--paths must be a whole number from 1 to 1099511627776, got '0'"},
        {"--paths=1099511627777 b.cfg", "--paths must be"},
        {"--paths=1e13 b.cfg", "--paths must be"},
        {"--paths=1.5 b.cfg", "--paths must be"},
        {"--paths=1e b.cfg", "--paths must be"},
        {"--paths=1e-2 b.cfg", "--paths must be"},
        {"--paths=.e b.cfg", "--paths must be"},
        {"-n 0 b.cfg", "--paths must be a whole number from 1 to 1099511627776, got '0'"},
        {"b.cfg -o", "-o needs a value"},
        {"--max-time=soon b.cfg", "--max-time must be a time as 90s, 15m or 2h, got 'soon'"},
        {"--max-time=0s b.cfg", "--max-time must be"},
        {"--max-time=5 b.cfg", "--max-time must be a time as 90s, 15m or 2h, got '5'"},
        {"--max-time=-5 b.cfg", "--max-time must be"},
        {"--max-time=5d b.cfg", "--max-time must be"},
        {"--paths=12x b.cfg", "--paths must be"},
        {"--paths=-5 b.cfg", "--paths must be"},
        {"--paths=+5 b.cfg", "--paths must be"},
        {"--paths= b.cfg", "--paths must be"},
        {"--seed=99999999999999999999 b.cfg", "--seed must be"},
        {"--threads=0 b.cfg", "--threads must be a whole number from 1 to 1024"},
        {"--gpus=0,0 b.cfg", "--gpus must be all, or different numbers as 0,1, got '0,0'"},
        {"--gpus=0, b.cfg", "--gpus must be"},
        {"--gpus=,1 b.cfg", "--gpus must be"},
        {"--gpus=one b.cfg", "--gpus must be"},
        {"--gpus= b.cfg", "--gpus must be"},
        {"--gpus=99999999999 b.cfg", "--gpus must be"},
        {"--kernel= b.cfg", "--kernel must be"},
        {"--kernel=a-name-longer-than-any-kernel-has-ever-had b.cfg", "--kernel must be"},
        {"--set=settings.paths b.cfg", "--set must be PATH=VALUE"},
        {"--set==5 b.cfg", "--set must be PATH=VALUE"},
        {"--output=r.txt b.cfg", "--output must be a file that ends in .csv, .json or .db, a "
                                 "folder that ends in /, or -, got 'r.txt'"},
        {"--output=.csv b.cfg", "--output must be"},
        {"--output=a.db --output=b.db b.cfg",
         "--output: one database at a time, got 'a.db' and 'b.db'"},
        {"--output=a.db --resume=b.db b.cfg",
         "--output=a.db and --resume=b.db: a run has one database"},
        {"--bench=all b.cfg", "--bench must be ladder, got 'all'"},
        {"--bench --plan b.cfg", "--plan and --bench: one at a time"},
        {"--calibrate=heston --explain=T b.cfg", "--explain and --calibrate: one at a time"},
        {"--set=--settings.paths=5 b.cfg", "--set must be PATH=VALUE"},
        {"--output=a.db --bench b.cfg", "--bench prices nothing"},
        {"--resume=a.db --plan b.cfg", "--plan prices nothing"},
        {"--output=a.db --calibrate=heston b.cfg", "--calibrate prices nothing"},
        {"--report=a.html --plan b.cfg", "--plan prices nothing"},
        {"--output=a.csv --plan b.cfg", "--plan prices nothing: it writes no --output=a.csv"},
        {"--output=a.json --explain b.cfg", "--explain prices nothing"},
        {"--output=- --compile=90 b.cfg", "--compile prices nothing"},
        {"--output=a/ --list-kernels", "--list-kernels prices nothing"},
        {"--report=r.txt b.cfg", "--report must be a file that ends in .html, got 'r.txt'"},
        {"--report=.html b.cfg", "--report must be"},
        {"--report b.cfg", "--report must be"},
        {"--resume=r.csv b.cfg",
         "--resume must be a database, a file that ends in .db, got 'r.csv'"},
        {"--pahts=5 b.cfg", "unknown or ambiguous option --pahts=5"},
        {"--p b.cfg", "unknown or ambiguous option --p"},
        {"-x b.cfg", "unknown option -x"},
        {"--plan=yes b.cfg", "--plan takes no value"},
        {"b.cfg --paths", "--paths needs a value"},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct options options;
        struct message why;
        if (read_line(lines[i][0], &options, &why) != STATUS_BAD_INPUT)
            fail_msg("'%s' was taken", lines[i][0]);
        if (strncmp(why.text, lines[i][1], strlen(lines[i][1])))
            fail_msg("'%s': got '%s', wanted '%s'", lines[i][0], why.text, lines[i][1]);
        assert_null(strchr(why.text, '\n'));
        options_free(&options);
    }
}

/* Of the table that options are read by: how their values are shown, and lines that a terminal has
 * room for. */
TEST(the_help_shows_values)
{
    static const char *const shown[] = {" --paths=N", " --calibrate=heston|bates",
                                        " --bench[=ladder]"};
    char text[8192] = "";
    FILE *stream = tmpfile();
    assert_non_null(stream);
    options_help(stream);
    rewind(stream);
    text[fread(text, 1, sizeof text - 1, stream)] = '\0';
    fclose(stream);
    for (int i = 0; i < 3; i++)
        if (!strstr(text, shown[i])) fail_msg("the help has no%s", shown[i]);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        assert_in_range(strlen(line), 0, 110);
}

ALL_TESTS(config_options_test)
