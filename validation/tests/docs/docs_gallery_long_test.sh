#!/usr/bin/env bash
# As docs_gallery_test.sh, with every book.
exec bash "$(dirname "$0")/docs_gallery_test.sh" --every
