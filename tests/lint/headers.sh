#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Each header compiles alone, with every compiler that is here.
. "$(dirname -- "$0")/tap.sh"

flags=$(sed -n 's/^LIBRARY_CFLAGS = //p' "$build/Makefile")
flags=${flags%\\}
for cc in gcc clang
do
	command -v $cc >/dev/null 2>&1 || { skip "headers with $cc" "no $cc"; continue; }
	# shellcheck disable=SC2086 # a list of flags
	result "headers with $cc" "$(
		sources | grep '\.h$' | while read -r h
		do
			printf '#include "%s"\nextern int nothing;\n' "$h" |
				$cc -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -I"$build" -I. $flags \
				-fsyntax-only -x c - 2>&1 | head -n 5
		done)"
done
plan
