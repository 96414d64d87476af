# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
#
# TAP for the lints and the tests of the build, read by each with ". tap.sh": goes to the top of the tree, and gives
# result, skip and plan. DKIMD_BUILD is the build folder.

build=$(cd "${DKIMD_BUILD:-.}" && pwd) || exit 2
cd "$(dirname -- "$0")" || exit 2
until [ -f configure ]
do
	cd .. || exit 2
done
count=0 failures=0

# result NAME TEXT: passes when TEXT is empty, else TEXT says what is wrong
result() {
	count=$((count + 1))
	if [ -z "$2" ]; then
		echo "ok $count - $1"
	else
		failures=$((failures + 1))
		echo "not ok $count - $1"
		printf '%s\n' "$2" | sed 's/^/# /'
	fi
}

skip() {
	count=$((count + 1))
	echo "ok $count - $1 # SKIP $2"
}

plan() {
	echo "1..$count"
	[ $failures -eq 0 ]
	exit
}

# Files of the tree below the given folders: what Git knows or could, else (out of a tarball)
# what looks like text of ours
files() {
	if [ -e .git ] && command -v git >/dev/null 2>&1; then
		git -c safe.directory='*' ls-files -co --exclude-standard -- "$@"
	else
		find "$@" -type f \( -name '*.[ch1-8]' -o -name '*.sh' -o -name '*.py' \) 2>/dev/null |
			sed 's,^\./,,' | grep -v '^build/'
	fi | while read -r f
	do
		[ ! -f "$f" ] || printf '%s\n' "$f"
	done
}

sources() { files rsa-backend dkim milter cmd bench | grep '\.[ch]$'; }
