/* What a decision compares exercise with: the value of going on, as a polynomial in n features of
 * the path (struct program_decision). Its numbers are coefficients of the program
 * (COEFFICIENT_POLICY), which a fit fills in before the run.
 *
 * Feature f[i] is standardised first: z[i] = (f[i] - m[i]) s[i]. The terms are, in this order, 1;
 * z[i]; z[i] z[j] for i <= j, by i and then by j; and z[i]^3 where there are less than four
 * features. Numbers of a decision, in order of their .index: m[0], s[0], m[1], s[1], ...; then one
 * for each term. A constant term of +infinity (-infinity for the issuer) and 0 for each other term
 * mean that nobody exercises. */
#ifndef PRICER_MODELS_PROGRAMS_POLICY_H
#define PRICER_MODELS_PROGRAMS_POLICY_H

enum { POLICY_FEATURES_MOST = 8, POLICY_CUBES_BELOW = 4, POLICY_TERMS_MOST = 45 };

/* Returns the place of the term z[i] z[j], i <= j, among the terms of n features. */
static inline int policy_pair(int n, int i, int j)
{
    return 1 + n + i * n - i * (i - 1) / 2 + (j - i);
}

/* Returns the place of the term z[i]^3. */
static inline int policy_cube(int n, int i)
{
    return 1 + n + n * (n + 1) / 2 + i;
}

static inline int policy_terms(int n)
{
    return policy_cube(n, n < POLICY_CUBES_BELOW ? n : 0);
}

/* Returns how many numbers a decision has. */
static inline int policy_numbers(int n)
{
    return 2 * n + policy_terms(n);
}

/* Fills in the terms of standardised features z: [policy_terms(n)]. */
static inline void policy_fill_terms(int n, const double *z, double *terms)
{
    terms[0] = 1.0;
    for (int i = 0; i < n; i++) {
        terms[1 + i] = z[i];
        for (int j = i; j < n; j++) terms[policy_pair(n, i, j)] = z[i] * z[j];
        if (n < POLICY_CUBES_BELOW) terms[policy_cube(n, i)] = z[i] * z[i] * z[i];
    }
}

#endif
