#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The manual pages are clean mdoc.
. "$(dirname -- "$0")/tap.sh"

pages=$(files doc | grep '\.[1-8]$')
result 'there are manual pages' "$([ -n "$pages" ] || echo 'doc/ has none')"
if ! command -v mandoc >/dev/null 2>&1; then
	skip 'mandoc -Tlint' 'no mandoc'
	plan
fi
for p in $pages
do
	# Cross references are to pages of packages that need not be installed here
	result "$p" "$(mandoc -Tlint -W style "$p" 2>&1 | grep -v \
		-e 'STYLE: referenced manual not found' -e 'STYLE: Mdocdate missing' \
		-e 'outdated mandoc.db' -e 'STYLE: RCS id missing' -e 'STYLE: operating system explicitly specified')"
done
plan
