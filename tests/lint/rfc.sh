#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Which MUST and MUST NOT clauses of tests/rfc/clauses.tsv no source and no test cites. A cite
# is "RFC 6376 s3.5", or "RFC 6376 s3.5 #12" for one clause; "RFC 6376 s3.4.3, s3.4.4" are two.
# Only reports: the list is for people.
. "$(dirname -- "$0")/tap.sh"

clauses=tests/rfc/clauses.tsv
cites() {
	{ sources; files tests | grep '\.\([ch]\|py\|sh\)$'; } | xargs cat | awk '
		{
			line = $0
			while (match(line, /RFC ?[0-9]+/)) {
				rfc = substr(line, RSTART, RLENGTH); sub(/RFC ?/, "", rfc)
				line = substr(line, RSTART + RLENGTH)
				while (match(line, /^(,? *(and|section)? *)s?[0-9A-D]+(\.[0-9]+)*( #[0-9]+)?/)) {
					cite = substr(line, 1, RLENGTH)
					line = substr(line, RLENGTH + 1)
					sub(/^,? *(and|section)? */, "", cite); sub(/^s/, "", cite)
					print rfc " " cite
				}
			}
		}' | sort -u
}
result 'the clauses are there' "$([ -s $clauses ] || echo $clauses)"
cites | awk -F '\t' '
	FNR == NR { cited[$0] = 1; next }
	/^#/ || $4 !~ /^(MUST|MUST NOT|REQUIRED|SHALL|SHALL NOT)$/ { next }
	$7 ~ /by definition|lower-case|informative|advice|follows|not ours|not DKIM/ { next }
	{
		all++
		if (($1 " " $2) in cited || ($1 " " $2 " #" $3) in cited) { n++; next }
		print "# RFC " $1 " s" $2 " #" $3 ": " $6
	}
	END { printf "# %d of %d MUST clauses are cited\n", n, all }' - $clauses
plan
