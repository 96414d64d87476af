# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
#
# What the three analyzers share, read by each with ". tools.sh": which sources and flags the
# build has, one run a source, side by side, and which findings tests/analysis/accepted.tsv
# explains.
#
#   DKIMD_BUILD   the build folder, configured with gcc
#   DKIMD_WHOLE   not empty: as deep as the tool goes, everywhere (make long); else what
#                 fits in CI
#
# A tool gives analyze FILE...: its findings on standard output, each as
# "PATH:LINE:COLUMN: warning: TEXT [CHECK]"; and in $each, how many files it takes at once.

top=$PWD
# shellcheck disable=SC2034 # read by the tools
whole=${DKIMD_WHOLE-}
dir=$(mktemp -d "${TMPDIR:-/tmp}/dkimd-analysis.XXXXXX") || exit 2
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
tab=$(printf '\t')

# value NAME: what the Makefile sets NAME to, over all its lines
value() {
	awk -v name="$1" '
		$1 == name && $2 == "=" { on = 1; sub(/^[^=]*= */, "") }
		on { more = sub(/\\$/, ""); printf "%s ", $0; if (!more) exit }' "$build/Makefile"
}

# own_flags FILE, flags FILE: those of the build that choose what the preprocessor and the
# compiler see
own_flags() { value "CFLAGS_$(basename -- "$1" .c)"; }
flags() {
	echo "-std=c11 -D_GNU_SOURCE -pthread -I$build -I$top" "$(value LIBRARY_CFLAGS)" "$(own_flags "$1")"
}

# compiled: each source of the five rooms that this build compiles
compiled() {
	sed -n 's/^	\([a-z-]*\/.*\.c\) \\$/\1/p' "$build/Makefile" |
		grep -e '^rsa-backend/' -e '^dkim/' -e '^milter/' -e '^cmd/' -e '^bench/' | sort -u
}

# found FILE: its findings as "file, line, check, text", each once
found() {
	sed -n -e "s,^$top/,," -e 's/^\(cc1\|nofile\): /none:0:0: /' \
		-e "s/^\([^:]*\):\([0-9]*\):[0-9]*: [a-z ]*: \(.*\) \[\([^][]*\)\]\$/\1$tab\2$tab\4$tab\3/p" "$1" | sort -u
}

# accepted TOOL: findings on standard input less those that a row explains; the rows that
# met one are added to $dir/met
accepted() {
	while IFS=$tab read -r file line check text
	do
		code=$(sed -n "${line}p" "$file" 2>/dev/null)
		row=$(CODE=$code awk -F "$tab" -v tool="$1" -v file="$file" -v check=",$check," -v whole="$whole" '
			/^#/ || ($1 != tool && !(whole && $1 == tool " long")) { next }
			index(check, "," $2 ",") && ($3 == "*" || $3 == file) && ($4 == "" || index(ENVIRON["CODE"], $4)) {
				print NR
				exit
			}' tests/analysis/accepted.tsv)
		if [ -n "$row" ]; then
			echo "$row" >>"$dir/met"
		else
			printf '%s:%s: %s [%s]\n' "$file" "$line" "$text" "$check"
		fi
	done
}

# unmet TOOL: rows of TOOL that explain nothing any more
unmet() {
	awk -F "$tab" -v tool="$1" -v met="$dir/met" -v whole="$whole" '
		BEGIN { while ((getline n <met) > 0) seen[n] = 1 }
		!/^#/ && ($1 == tool || (whole && $1 == tool " long")) && !(NR in seen) {
			print "accepted.tsv:" NR ": " $2 " in " $3 " is not found any more: delete the row"
		}' tests/analysis/accepted.tsv
}

# planted TOOL SOURCE: the tool finds the defect in a source, or it finds nothing anywhere
planted() {
	printf '%s\n' "$2" >"$dir/planted.c"
	result "$1 finds a planted defect" "$(
		analyze "$dir/planted.c" >"$dir/planted.log" 2>&1
		found "$dir/planted.log" | grep -q planted || {
			echo 'it does not:'
			cat "$dir/planted.log"
		})"
}

# analyze_all TOOL ROOM...: a result for each
analyze_all() {
	tool=$1
	shift
	: >"$dir/met"
	for room
	do
		grep "^$room/" "$dir/list" >"$dir/files" || {
			result "$tool: $room/" 'the build has no source of it: is DKIMD_BUILD configured?'
			continue
		}
		mkdir -p "$dir/$room"
		: >"$dir/together"
		# A source with flags of its own goes alone
		while read -r file
		do
			if [ "$each" -gt 1 ] && [ -z "$(own_flags "$file")" ]; then
				echo "$file" >>"$dir/together"
			else
				echo "$file"
			fi
		done <"$dir/files" >"$dir/alone"
		batches=$(getconf _NPROCESSORS_ONLN)
		xargs -P "$batches" -n 1 sh "$0" --some "$dir/$room" <"$dir/alone"
		[ ! -s "$dir/together" ] || xargs -P "$batches" -n "$each" sh "$0" --some "$dir/$room" <"$dir/together"
		cat "$dir/$room"/*.log >"$dir/all.log"
		result "$tool: $room/" "$(
			cat "$dir/$room"/*.broken 2>/dev/null
			found "$dir/all.log" | accepted "$tool")"
	done
	result "$tool: each accepted finding is still found" "$(unmet "$tool")"
}

# some FOLDER FILE...: what xargs runs
some() {
	log=$1/$(echo "$2" | tr / _)
	shift
	analyze "$@" >"$log.log" 2>&1 || [ -n "$(found "$log.log")" ] || {
		echo "$*: exit code other than 0, and no finding:"
		tail -n 5 "$log.log"
	} >"$log.broken"
	trap - EXIT
	rm -rf "$dir"
	exit
}
