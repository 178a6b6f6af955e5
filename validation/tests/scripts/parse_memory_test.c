/* The reader and the compiler without memory: each of their allocations fails once, and once with
 * all after it. */
#include "validation/tests/test.h"

#include "models/scripts/compile.h"
#include "validation/tests/fault_sweep.h"
#include "validation/tests/random_script.h"

void *__real_malloc(size_t size);
void *__real_realloc(void *at, size_t size);
void *__real_calloc(size_t n, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *at, size_t size);

void *__wrap_malloc(size_t size)
{
    return fault_at("malloc") ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return fault_at("calloc") ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *at, size_t size)
{
    return fault_at("realloc") ? NULL : __real_realloc(at, size);
}

/* Fails each of the allocations of a run, in both ways. */
static void sweep(enum status (*run)(const char *), const char *of, enum status clean)
{
    fault_begin((struct fault){0});
    enum status status = run(of);
    long all = fault_end(NULL);
    assert_int_equal(status, clean);
    assert_true(all > 8);
    for (long n = 2; n < 2 * all + 2; n++) {
        fault_begin((struct fault){.at = n / 2, .onwards = n % 2});
        status = run(of);
        fault_end(NULL);
        assert_int_equal(status, STATUS_NO_MEMORY);
    }
}

static const char text[] =
    "# What it is.\n"
    "product p(assets basket; dates days; date expiry; number k[days]; choice o(call | put))\n"
    "  number n = 0\n"
    "  each t in days\n"
    "    worst = min(a(t) / spot(a) for a in basket)\n"
    "    if worst < k[t] and o == put: n = n + 1; stop\n"
    "    else if n > 1 + 2 * (3 + worst) ^ 2\n"
    "      u1 = 1; u2 = 2; u3 = 3; u4 = 4; u5 = 5; u6 = 6; u7 = 7; u8 = 8; u9 = 9\n"
    "      pay worst - u9 + u1 - u2\n"
    "  at expiry: pay n\n";

static enum status read_script(const char *of)
{
    struct script script;
    struct script_errors errors;
    enum status status = script_read(of, strlen(of), &script, &errors);
    if (status) assert_null(script.text);
    script_free(&script);
    return status;
}

TEST(without_memory)
{
    sweep(read_script, text, STATUS_OK);
    char wrong[sizeof text + 64];
    snprintf(wrong, sizeof wrong, "%s  at today: pay n + zz\n  pay u[zz] * 3", text);
    sweep(read_script, wrong, STATUS_FAILED);
}

static const char callable[] =
    "product p(assets basket; dates days; date expiry; number k[days], initial[basket] = spot)\n"
    "  number n = 0\n"
    "  number kept[basket] = 1\n"
    "  each t in days\n"
    "    worst = min(a(t) / initial[a] for a in basket)\n"
    "    for a in basket: kept[a] = max(kept[a], log(a(t)) + normal(n))\n"
    "    if worst < k[t]: n = n + sum(kept[a] for a in basket); pay 1\n"
    "    exercise issuer pays n\n"
    "  at expiry: pay sum(kept[a] for a in basket) * n\n";

static struct binding binding;

static enum status compile_bound(const char *of __attribute__((unused)))
{
    struct program program;
    struct script_past past;
    enum status status = script_compile(&binding, &program, &past, &said);
    program_free(&program);
    script_past_free(&past);
    return status;
}

TEST(compiled_without_memory)
{
    struct script script;
    struct script_errors errors;
    assert_ok(script_read(callable, strlen(callable), &script, &errors));
    assert_ok(random_binding(4, &script, true, &binding));
    sweep(compile_bound, NULL, STATUS_OK);
    binding_free(&binding);
    script_free(&script);
}

ALL_TESTS(parse_memory_test)
