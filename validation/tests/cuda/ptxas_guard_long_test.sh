#!/usr/bin/env bash
# As ptxas_guard_test.sh, with every path kernel.
exec bash "$(dirname "$0")/ptxas_guard_test.sh" --every
