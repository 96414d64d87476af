#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Each MUST, MUST NOT, REQUIRED and SHALL clause of tests/rfc/clauses.tsv is cited at the code
# that obeys it and by a test that would see it broken; tests/rfc/README.md has the forms. In a
# section with more than three such clauses only a cite with the clause's number counts. Left
# out is a clause whose note says "not ours: " and why.
. "$(dirname -- "$0")/tap.sh"

clauses=tests/rfc/clauses.tsv

# The files in which a cite counts
in_code() { files cmd dkim milter rsa-backend | grep '\.[ch]$'; }
in_tests() {
	{ files tests; ls tests/cli* 2>/dev/null; } | sort -u |
		grep -v '^tests/\(rfc\|lint\|harness\|faults\|vectors\|long[^/]*\)\(/\|$\)'
}

# cites KIND: of the files named on stdin, a line each: kind, RFC, section, number or "-", file.
# A cite may go on in the next line of a comment.
cites() {
	xargs awk -v kind="$1" '
		function flush() {
			while (match(text, /RFC ?[0-9]+/)) {
				rfc = substr(text, RSTART, RLENGTH); sub(/RFC ?/, "", rfc)
				text = substr(text, RSTART + RLENGTH)
				while (match(text, /^(,| and)? *s[0-9A-D]+(\.[0-9]+)*/)) {
					section = substr(text, 1, RLENGTH); sub(/^.* *s/, "", section)
					text = substr(text, RLENGTH + 1)
					if (text !~ /^ *#[0-9]/)
						print kind, rfc, section, "-", file
					while (match(text, /^(,| and)? *#[0-9]+/)) {
						n = substr(text, 1, RLENGTH); sub(/.*#/, "", n)
						text = substr(text, RLENGTH + 1)
						print kind, rfc, section, n, file
					}
				}
			}
			text = ""
		}
		FNR == 1 { flush(); file = FILENAME }
		{ sub(/^[ \t]*[*#]?[ \t]*/, ""); text = text " " $0 }
		END { flush() }' /dev/null
}

# One pass over all: "check: what is wrong", and the counts for people
found=$({ in_code | cites code; in_tests | cites test; } | awk '
	FNR == NR {
		kind[$1 " " $2 " " $3 " " $4] = 1
		if (!(($2 " " $3 " " $4) in where))
			where[$2 " " $3 " " $4] = $5
		next
	}
	FNR == 1 { FS = "\t"; $0 = $0 }
	/^#/ { next }
	{
		id = $1 " " $2; name = "RFC " $1 " s" $2 " #" $3
		if (NF != 7 || $3 !~ /^[0-9]+$/ || (id, $3) in level)
			print "table: line " FNR ": " name ": not seven columns, or a number twice"
		known[$1] = 1; level[id, $3] = $4; rows++
		order[rows] = id SUBSEP $3; clause[id, $3] = name ": " $6
		if ($4 ~ /^SHOULD/) {
			should++
			should_cited += (("code " id " " $3) in kind) || (("code " id " -") in kind)
		}
		if ($4 !~ /^(MUST|REQUIRED|SHALL)( NOT)?$/)
			next
		if ($7 ~ /^not ours/) {
			foreign++
			if ($7 !~ /^not ours: ..........+/)
				print "reason: " name ": " $7
			if ((id " " $3) in where)
				print "number: " name " is marked not ours, cited in " where[id " " $3]
			next
		}
		duty[id, $3] = 1; duties[id]++; all++
	}
	END {
		for (w in where) {
			split(w, at, " ")
			if (at[3] != "-" && at[1] in known && !((at[1] " " at[2], at[3]) in level))
				print "number: RFC " at[1] " s" at[2] " #" at[3] " is no clause, cited in " where[w]
		}
		for (i = 1; i <= rows; i++) {
			if (!(order[i] in duty))
				continue
			split(order[i], at, SUBSEP)
			for (k = 1; k <= 2; k++) {
				what = k == 1 ? "code" : "test"
				if ((what " " at[1] " " at[2]) in kind ||
				    (duties[at[1]] <= 3 && (what " " at[1] " -") in kind))
					cited[what]++
				else
					print what ": " clause[order[i]]
			}
		}
		printf "count: %d MUST clauses: %d cited in code, %d in tests; %d are not ours\n", \
			all, cited["code"], cited["test"], foreign
		printf "count: of %d SHOULD clauses the code cites %d, or their section\n", should, should_cited
	}' - $clauses)

said() { printf '%s\n' "$found" | sed -n "s/^$1: //p"; }
result 'the clauses are there' "$([ -s $clauses ] || echo $clauses; said table)"
result 'each cite has the number of a clause of ours' "$(said number)"
result 'what is not ours says why' "$(said reason)"
result 'each MUST clause is cited in the code' "$(said code)"
result 'each MUST clause is cited by a test' "$(said test)"
said count | sed 's/^/# /'
plan
