#!/usr/bin/env bash
# Each planted fault still has the line that it changes, once, and the test that notices it.
exec validation/faults/planted.sh --look
