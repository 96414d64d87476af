#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Functions of at most 60 lines, sources under 500, no line over 80 columns. A longer function
# says why: the words "flat table" or "flat switch" in a comment inside it or right above.
. "$(dirname -- "$0")/tap.sh"

# lengths: "lines file:line function marked", a function a line
lengths() {
	sources | grep '\.c$' | xargs awk '
		FNR == 1 { start = 0; mark = 0; before = "" }
		/flat (table|switch)/ { mark = 1 }
		/^\{/ && before !~ /^(struct|union|enum)[^()]*$/ { start = FNR; name = before }
		/^\}/ {
			if (start) {
				sub(/\(.*/, "", name)
				print FNR - start, FILENAME ":" start, name == "" ? "?" : name, mark
			}
			start = 0; mark = 0
		}
		/^[A-Za-z_].*\(/ { before = $0 }' /dev/null
}

all=$(lengths)
result 'no function over 60 lines' \
	"$(printf '%s\n' "$all" | awk '$1 > 60 && !$NF { print $2 ": " $3 " has " $1 " lines" }')"
result 'no source of 500 lines' "$(
	sources | grep '\.c$' | while read -r f
	do
		n=$(wc -l <"$f")
		[ "$n" -lt 500 ] || echo "$f: $n lines"
	done)"
result 'no line over 80 columns' "$(
	{ sources; files tests | grep '\.[ch]$'; } | grep -v '^tests/vectors/' | xargs awk '
		{
			line = $0; n = 0
			while (match(line, /\t/)) {
				n += RSTART - 1; n += 8 - n % 8
				line = substr(line, RSTART + 1)
			}
			n += length(line)
			if (n > 80 && !(FILENAME in seen)) {
				seen[FILENAME] = 1
				print FILENAME ":" FNR ": " n " columns (its first one)"
			}
		}' /dev/null)"
printf '%s\n' "$all" | sort -n | awk '
	NF { n++; lines[n] = $1; where[n] = $2 " " $3 }
	END { if (n) printf "# %d functions, median %d lines, longest %d: %s\n", n, lines[int((n + 1) / 2)], lines[n], where[n] }'
plan
