/* Factors and eigenvalues of correlation matrices, against matrices whose answers are known. */
#include "models/market/correlation.h"
#include "validation/tests/test.h"

enum { N_MAX = 60 };

#define NEAR(a, b, error)                                                                          \
    do {                                                                                           \
        if (!(fabs((a) - (b)) <= (error)))                                                         \
            fail_msg("%s:%d: got %.17g, wanted %.17g", __FILE__, __LINE__, (double)(a),            \
                     (double)(b));                                                                 \
    } while (0)

static double uniform(uint64_t *random)
{
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return (double)(*random >> 11) * 0x1p-53;
}

/* Every pair at rho: eigenvalues 1 + (n-1) rho and, n-1 times, 1 - rho. */
static void set_equal(double *c, int n, double rho)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) c[i * n + j] = i == j ? 1.0 : rho;
}

/* Correlations of n assets that `rank` noises drive. */
static void set_random(double *c, int n, int rank, uint64_t *random)
{
    double *weight = malloc((size_t)(n * rank) * sizeof *weight);
    for (int i = 0; i < n; i++) {
        double square = 0.0;
        for (int k = 0; k < rank; k++) {
            weight[i * rank + k] = 2.0 * uniform(random) - 1.0;
            square += weight[i * rank + k] * weight[i * rank + k];
        }
        for (int k = 0; k < rank; k++) weight[i * rank + k] /= sqrt(square);
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            c[i * n + j] = i == j ? 1.0 : 0.0;
            for (int k = 0; k < rank && i != j; k++)
                c[i * n + j] += weight[i * rank + k] * weight[j * rank + k];
        }
    }
    free(weight);
}

static void assert_product(const double *c, const double *l, int n, double error)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double sum = 0.0;
            for (int k = 0; k < n; k++) sum += l[i * n + k] * l[j * n + k];
            NEAR(sum, c[i * n + j], error);
            if (j > i) assert_true(l[i * n + j] == 0.0);
        }
        assert_true(l[i * n + i] >= 0.0);
    }
}

TEST(two_assets)
{
    double c[4], l[4], least;
    set_equal(c, 2, 0.6);
    assert_ok(correlation_loadings(2, c, l, NULL));
    assert_true(l[0] == 1.0 && l[1] == 0.0 && l[2] == 0.6);
    NEAR(l[3], 0.8, 1e-16);
    assert_ok(correlation_least_eigenvalue(2, c, &least));
    NEAR(least, 0.4, 1e-15);
}

/* A matrix of one row, and assets that do not depend on one another. */
TEST(independent_assets_load_on_themselves)
{
    static double c[N_MAX * N_MAX], l[N_MAX * N_MAX];
    for (int n = 1; n <= N_MAX; n++) {
        double least;
        set_equal(c, n, 0.0);
        assert_ok(correlation_loadings(n, c, l, NULL));
        for (int i = 0; i < n * n; i++) assert_true(l[i] == c[i]);
        assert_ok(correlation_least_eigenvalue(n, c, &least));
        assert_true(least == 1.0);
    }
}

TEST(random_matrices_are_reproduced)
{
    static double c[N_MAX * N_MAX], l[N_MAX * N_MAX];
    uint64_t random = 1;
    for (int n = 2; n <= N_MAX; n += 7) {
        for (int rank = 1; rank <= 2 * n; rank = 2 * rank + 1) {
            double least;
            set_random(c, n, rank, &random);
            assert_ok(correlation_loadings(n, c, l, NULL));
            assert_product(c, l, n, rank < n ? 2e-6 : 1e-13);
            assert_ok(correlation_least_eigenvalue(n, c, &least));
            if (rank < n) NEAR(least, 0.0, 1e-14 * n);
            else assert_true(least > -1e-14 * n);
        }
    }
}

/* Perfectly correlated assets, and one that two others make up: zero columns. */
TEST(semi_definite_matrices_leave_zero_columns)
{
    static double c[N_MAX * N_MAX], l[N_MAX * N_MAX];
    double least;
    set_equal(c, 5, 1.0);
    assert_ok(correlation_loadings(5, c, l, NULL));
    for (int i = 0; i < 25; i++) assert_true(l[i] == (i % 5 == 0 ? 1.0 : 0.0));
    const double three[9] = {1, 0.6, 0.8, 0.6, 1, 0.96, 0.8, 0.96, 1};
    assert_ok(correlation_loadings(3, three, l, NULL));
    assert_product(three, l, 3, 1e-12);
    assert_true(l[8] == 0.0);
    assert_ok(correlation_least_eigenvalue(3, three, &least));
    NEAR(least, 0.0, 1e-15);
    const double opposite[4] = {1, -1, -1, 1};
    assert_ok(correlation_loadings(2, opposite, l, NULL));
    assert_true(l[2] == -1.0 && l[3] == 0.0);
}

/* Where the pairs ask for the impossible: the least eigenvalue says by how much. */
TEST(impossible_matrices_are_refused)
{
    static double c[N_MAX * N_MAX], l[N_MAX * N_MAX];
    double least;
    for (int n = 3; n <= N_MAX; n++) {
        set_equal(c, n, -0.6);
        assert_int_equal(correlation_loadings(n, c, l, NULL), STATUS_BAD_INPUT);
        assert_ok(correlation_least_eigenvalue(n, c, &least));
        NEAR(least, 1.0 - 0.6 * (n - 1), 1e-14 * n);
    }
    const double twins[9] = {1,   1,   0.5, 1, 1,
                             0.4, 0.5, 0.4, 1}; /* two that are one, and a third that disagrees */
    assert_int_equal(correlation_loadings(3, twins, l, NULL), STATUS_BAD_INPUT);
    assert_ok(correlation_least_eigenvalue(3, twins, &least));
    assert_true(least < -0.001);
}

/* A chain where each asset is correlated at 1/2 with the next: eigenvalues 1 + cos(pi k / (n+1)),
 * and a factor with one number below each of its diagonal's. */
TEST(a_chain_has_known_eigenvalues)
{
    static double c[N_MAX * N_MAX], l[N_MAX * N_MAX];
    double least;
    set_equal(c, N_MAX, 0.0);
    for (int i = 1; i < N_MAX; i++) c[i * N_MAX + i - 1] = c[(i - 1) * N_MAX + i] = 0.5;
    assert_ok(correlation_least_eigenvalue(N_MAX, c, &least));
    NEAR(least, 1.0 + cos(acos(-1.0) * N_MAX / (N_MAX + 1)), 1e-14);
    assert_ok(correlation_loadings(N_MAX, c, l, NULL));
    assert_product(c, l, N_MAX, 1e-15);
}

ALL_TESTS(market_correlation_test)
