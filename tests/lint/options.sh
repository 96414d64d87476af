#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The table of options and dkimd.conf(5) name the same options, and so does the sample
# configuration (each setting in it, commented or not, exists).
. "$(dirname -- "$0")/tap.sh"

table=milter/conf_options.c page=doc/dkimd.conf.5 sample=conf/dkimd.conf

in_table() { sed -n 's/^[ 	]*{*[ 	]*\(OPTION[A-Z_]*(\)\{0,1\}{*[ 	]*"\([A-Z][A-Za-z0-9-]*\)".*/\2/p' $table | sort; }
# an item names one option and its arguments, or several between commas
in_page() {
	awk '/^\.It Cm [A-Z]/ {
		print $3
		for (i = 4; i < NF; i++)
			if ($i == ",")
				print $(i + 1)
	}' $page | sort -u
}

# only FIRST SECOND: lines of the first list that are not in the second
only() {
	{ printf '%s\n' "$2"; echo '--'; printf '%s\n' "$1"; } | awk '
		/^--$/ { second = 1; next }
		!second { known[$0] = 1; next }
		NF && !($0 in known)'
}

if [ ! -f $table ] || [ ! -f $page ]; then
	result 'the table and the page are there' "$(ls $table $page 2>&1 >/dev/null)"
	plan
fi
t=$(in_table) p=$(in_page)
result 'the table of options was read' "$([ -n "$t" ] || echo "no line like { \"Socket\", in $table")"
result 'no option twice in the table' "$(printf '%s\n' "$t" | uniq -d)"
result "every option is in $page" "$(only "$t" "$p")"
result "$page has no option that the table lacks" "$(only "$p" "$t")"
if [ -f $sample ]; then
	s=$(sed -n 's/^#\{0,1\}\([A-Z][A-Za-z0-9]*\(-[A-Z][A-Za-z]*\)\{0,1\}\)[ 	][ 	]*[^ ].*/\1/p' $sample | sort -u)
	result "$sample sets only what there is" "$(only "$s" "$t")"
fi
plan
