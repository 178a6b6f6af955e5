#!/usr/bin/env bash
# mpi_lost_test with fifty ranks killed or stopped.
KILLS=50 exec bash validation/tests/mpi/mpi_lost_test.sh
