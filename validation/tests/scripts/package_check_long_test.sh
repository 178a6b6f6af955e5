#!/usr/bin/env bash
# The packages are built, installed, used and purged in a bare Debian 12, by the steps of
# scripts/Containerfile. Skipped where scripts/package-check cannot run.
set -euo pipefail

exec scripts/package-check
