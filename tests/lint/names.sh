#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Symbols of the built libraries: those of default visibility have a public prefix, none is a
# name that libopendkim exports (opendkim-names), and no object but these has data that changes:
# log.o and stats.o; mlfi.o and signals.o, since callbacks of libmilter and signal handlers are
# given no argument of ours.
. "$(dirname -- "$0")/tap.sh"
lint=$PWD/tests/lint
cd "$build" || exit 2

# Names that an archive defines for other objects, with their visibility
symbols() { readelf -sW "$@" | awk '$5 == "GLOBAL" || $5 == "WEAK" { if ($7 != "UND") print $6, $8 }'; }

if ! command -v readelf >/dev/null 2>&1; then
	skip 'names' 'no readelf'
	plan
fi
for l in librsab.a libdkimd-engine.a libmilterd.a
do
	[ -f $l ] || { result "$l was built" "$build/$l"; continue; }
	case $l in
	librsab.a) prefix=rsab_ ;;
	libdkimd-engine.a) prefix=dkim_ ;;
	*) prefix='(none)' ;;
	esac
	result "$l shows only public names" "$(symbols $l | awk -v p="^$prefix" '
		$1 == "DEFAULT" && $2 !~ p && $2 !~ /^__(asan|odr|gcov|llvm|start|stop|sanc|ubsan|tsan)/ { print $2 }')"
	result "$l has no name of libopendkim" \
		"$(symbols $l | awk '{ print $2 }' | grep -Fx -f "$lint/opendkim-names")"
done

# Sanitizers and coverage put data of their own into objects
if readelf -sW librsab.a libdkimd-engine.a libmilterd.a | grep -qE '__(asan|tsan|gcov|llvm|sanitizer|ubsan)'; then
	plan
fi
result 'no mutable globals but in log, stats, mlfi and signals' "$(
	readelf -SW librsab.a libdkimd-engine.a libmilterd.a | awk '
		/^File: / { object = $2 }
		{
			line = $0; sub(/^ *\[ *[0-9]+\] */, "", line); split(line, f, " ")
			if (f[1] ~ /^\.t?(data|bss)(\.[^r].*)?$/ && f[5] !~ /^0+$/ && object !~ /\((log|stats|mlfi|signals)\.o\)/)
				print object ": " f[1] " of 0x" f[5] " octets"
		}')"
plan
