#!/usr/bin/env bash
# Each script of the library, and what several bridges tell together, against prices found by other
# means: validation/cases/scripts.csv and bridges.csv, which script-truths.py and bridge-truths.py
# write. The judge is that of published prices.
set -euo pipefail
BOOKS="scripts bridges" bash validation/tests/cases/published_cases_test.sh
for script in models/payoffs/*.pay; do
    name=$(basename "$script" .pay)
    (($(grep -c ",$name,BS," validation/cases/scripts.csv) > 0)) || { echo "no price of $name"; exit 1; }
done
