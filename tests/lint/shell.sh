#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Every script passes shellcheck, and every shell's own reading of the POSIX ones.
. "$(dirname -- "$0")/tap.sh"

scripts=$(files . | while read -r f
do
	case $(head -n 1 "$f" | tr -d '\0') in
	'#!/bin/sh'*|'#!/usr/bin/env bash'*|'#!/bin/bash'*) echo "$f" ;;
	esac
done)
if command -v shellcheck >/dev/null 2>&1; then
	# SC1091, SC2154: it does not know tap.sh, read with "."; SC2016: awk and sed programs
	# and the ${prefix} of make stand in single quotes on purpose
	result 'shellcheck' "$(printf '%s\n' "$scripts" | xargs shellcheck -e SC1091,SC2154,SC2016 -f gcc)"
else
	skip 'shellcheck' 'no shellcheck'
fi
for sh in dash mksh 'busybox sh'
do
	command -v "${sh%% *}" >/dev/null 2>&1 || { skip "$sh" "no ${sh%% *}"; continue; }
	result "$sh reads the scripts" "$(printf '%s\n' "$scripts" | while read -r f
	do
		case $(head -n 1 "$f") in
		'#!/bin/sh'*) $sh -n "$f" 2>&1 ;;
		esac
	done)"
done
plan
