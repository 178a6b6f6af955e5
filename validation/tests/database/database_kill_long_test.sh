#!/usr/bin/env bash
# database_kill_test with a hundred kills.
KILLS=100 exec bash validation/tests/database/database_kill_test.sh
