#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# One SPDX line near the top of every file whose kind has comments.
. "$(dirname -- "$0")/tap.sh"

# Data whose octets count, and where they come from is told in a README beside them
result 'every file names its licence' "$(
	files . | grep -v -e '^tests/vectors/' -e '^tests/fuzz/corpus/' -e '^tests/.*/messages/' \
		-e '^tests/rfc/.*\.tsv$' -e '^tests/faults/.*\.patch$' -e '\.eml$' -e '\.tsv$' -e '\.pem$' -e '^build/' |
	while read -r f
	do
		[ -s "$f" ] || continue
		head -n 6 "$f" | grep -q 'SPDX-License-Identifier: BSD-2-Clause' ||
			echo "$f: no line \"SPDX-License-Identifier: BSD-2-Clause\" in its first six"
	done)"
result 'no file names it twice' "$(
	sources | while read -r f
	do
		[ "$(grep -c 'SPDX-License-Identifier' "$f")" -le 1 ] || echo "$f"
	done)"
plan
