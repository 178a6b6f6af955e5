#!/usr/bin/env bash
# The published prices that take longer: Heston and Bates over years, early exercise.
set -euo pipefail
BOOKS="published-heston published-american" exec bash validation/tests/cases/published_cases_test.sh
