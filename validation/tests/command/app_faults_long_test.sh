#!/usr/bin/env bash
# As app_faults_test.sh, with every call that can fail.
exec bash "$(dirname "$0")/app_faults_test.sh" --every
