#!/usr/bin/env bash
# Sourced by tests of the command: the program, and what folder.sh has.
pricer=${PRICER:?the path of the program}
source "${BASH_SOURCE[0]%/*}/folder.sh"
