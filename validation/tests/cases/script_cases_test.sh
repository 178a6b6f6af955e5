#!/usr/bin/env bash
# Each script of the library against prices found by other means: validation/cases/scripts.csv, which
# script-truths.py writes. The judge is that of published prices.
set -euo pipefail
BOOKS=scripts bash validation/tests/cases/published_cases_test.sh
for script in models/payoffs/*.pay; do
    name=$(basename "$script" .pay)
    (($(grep -c ",$name,BS," validation/cases/scripts.csv) > 0)) || { echo "no price of $name"; exit 1; }
done
