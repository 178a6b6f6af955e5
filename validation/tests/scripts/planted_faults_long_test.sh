#!/usr/bin/env bash
# A seventh of the planted faults, another one every day of the week: each is noticed by its test,
# which says what is wrong.
exec validation/faults/planted.sh
