#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Each known problem has its tests: every row 1 to 58 of tests/PROBLEMS.tsv, each program runs,
# and has the function or the check that is named.
. "$(dirname -- "$0")/tap.sh"

map=tests/PROBLEMS.tsv last=58
# Rows that wait for what is not there yet
later='49'

rows() { grep -v '^#' $map; }

# PROGRAM TEST: what is wrong with this pair
missing() {
	if [ ! -f "$1" ]; then
		echo "$1: there is no such file"
		return
	fi
	case $1 in
	*.c)
		grep -q "^	$1 " Makefile.in || echo "$1: is in no list of Makefile.in"
		grep -q "cmocka_unit_test[a-z_]*($2[,)]" "$1" || echo "$1: no test $2"
		;;
	*.py)
		grep -q "^def $2(t, " "$1" || echo "$1: no test $2"
		sed -n '/^tap.run(/,$p' "$1" | grep -qw "$2" || echo "$1: $2 is not run"
		;;
	tests/cli-hostile)
		# named by the table that it runs
		grep -qF -e "${2#* at once: }" "$1" tests/e2e/harness/hostile.py || echo "$1: no check $2"
		;;
	*)
		grep -qF -e "'$2'" "$1" || echo "$1: no check '$2'"
		;;
	esac
}

result "$map: four columns each" "$(rows | awk -F '\t' 'NF != 4 || !$1 || !$2 || !$3 || !$4')"
result "$map: every row 1 to $last, in order" "$(rows | awk -F '\t' -v last=$last '
	$1 < at { print "row " $1 " stands behind row " at }
	{ at = $1; seen[$1] = 1 }
	$1 !~ /^[0-9]+$/ || $1 < 1 || $1 > last { print "no row " $1 }
	END { for (i = 1; i <= last; i++) if (!(i in seen)) print "row " i " is missing" }')"
result "$map: only row $later waits" "$(rows | awk -F '\t' -v later="$later" '
	($2 == "-" || $3 == "-") && $1 != later { print "row " $1 " has no test" }')"
result "$map: each test is there" "$(rows | cut -f2,3 | sort -u | while IFS='	' read -r program test
	do
		[ "$program" = - ] || missing "$program" "$test"
	done)"
result 'what Sendmail rewrites is in README.md' "$(
	for word in nocanonify 'a@x,b@y' masquerad
	do
		grep -q -- "$word" README.md || echo "README.md: nothing about $word"
	done)"
plan
