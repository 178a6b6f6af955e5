#!/usr/bin/env bash
# database_kill_test with control variates, whose prices are made of what the journal keeps of each
# chunk.
SET=settings.control_variates=true KILLS=${KILLS:-3} exec bash validation/tests/database/database_kill_test.sh
