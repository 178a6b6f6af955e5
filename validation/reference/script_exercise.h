/* When a script is exercised, by regression (Longstaff and Schwartz 2001): from the last exercise
 * backwards, what going on has brought to the paths that came there is regressed on polynomials of
 * what exercise pays, the spots and what the script remembers. The policy is then used on paths
 * that it was not made of, so that the holder's price is a lower bound, the issuer's an upper
 * one. */
#ifndef PRICER_VALIDATION_REFERENCE_SCRIPT_EXERCISE_H
#define PRICER_VALIDATION_REFERENCE_SCRIPT_EXERCISE_H

#include "validation/reference/script_walk.h"

enum { POLICY_TERMS_MOST = 60 };

/* What one decision is taken by. */
struct script_rule {
    bool only_paid; /* exercise that pays nothing is out of the question */
    double mean[SCRIPT_FEATURES_MOST + 1], scale[SCRIPT_FEATURES_MOST + 1];
    double coefficients[POLICY_TERMS_MOST]; /* of what going on is worth */
};

struct script_policy {
    int n_features;
    bool linear;               /* no powers and no products */
    struct script_rule *rules; /* [decision]; owned by effort_free */
};

/* What the paths come to that a policy is made of. */
struct script_fit {
    struct effort *effort;
    int n_decisions, n_features, n, most; /* paths so far, and room for them */
    double *value; /* [n] all that a path pays, never exercised; the caller adds it; owned */
    bool *issuer;  /* [decision]; owned */
    /* [decision][most][2 + n_features] worth, paid before, features; worth NaN where a path does
     * not come there; owned */
    double *numbers;
};

/* Makes room. As effort.h returns. Free with script_fit_free, whatever is returned. */
enum status script_fit_make(const struct script_walk *walk, int paths, struct script_fit *fit);
void script_fit_free(struct script_fit *fit);

/* Notes a decision of the present path and takes it not: a script_decide. */
bool script_fit_note(void *fit, const struct script_decision *decision);

/* Makes the policy, whose rules are to be freed with effort_free. As effort.h returns. */
enum status script_fit_policy(const struct script_fit *fit, bool linear,
                              struct script_policy *policy);

/* Decides by a policy: a script_decide. */
bool script_policy_decide(void *policy, const struct script_decision *decision);

#endif
