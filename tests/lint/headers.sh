#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Each header compiles alone, with every compiler that is here.
. "$(dirname -- "$0")/tap.sh"

flags=$(sed -n 's/^LIBRARY_CFLAGS = //p' "$build/Makefile")
flags=${flags%\\}
# Built without p11-kit, what includes its headers cannot be looked at
without='^$'
grep -q '^LIBRARIES = .*librsab-pkcs11\.a' "$build/Makefile" || without='^rsa-backend/pkcs11_'
for cc in gcc clang
do
	command -v $cc >/dev/null 2>&1 || { skip "headers with $cc" "no $cc"; continue; }
	# shellcheck disable=SC2086 # a list of flags
	result "headers with $cc" "$(
		sources | grep '\.h$' | grep -v "$without" | while read -r h
		do
			printf '#include "%s"\nextern int nothing;\n' "$h" |
				$cc -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -I"$build" -I. $flags \
				-fsyntax-only -x c - 2>&1 | head -n 5
		done)"
done
plan
