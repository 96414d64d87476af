#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Rooms: milter/ -> dkim/ -> rsa-backend/. A room includes its own headers and the one public
# header of a room below; nothing includes bench/ and tests/.
. "$(dirname -- "$0")/tap.sh"

# Every quoted include as "file:line room header", the header's path seen from the top
includes() {
	files rsa-backend dkim milter cmd bench | grep '\.[ch]$' | while read -r f
	do
		awk -v f="$f" '
			/^[ \t]*#[ \t]*include[ \t]*"/ {
				h = $0; sub(/^[^"]*"/, "", h); sub(/".*/, "", h)
				dir = f; sub(/\/[^\/]*$/, "", dir)
				rooms = "^(rsa-backend|dkim|milter|cmd|bench|tests)/"
				if (h ~ rooms || h == "config.h") path = h
				else {
					path = dir "/" h
					while (sub(/[^\/.][^\/]*\/\.\.\//, "", path)) ;
					gsub(/\/\.\//, "/", path)
				}
				room = f; sub(/\/.*/, "", room)
				print f ":" FNR, room, path
			}' "$f"
	done
}

all=$(includes)

# wrong ROOM PATTERN: includes of that room that the pattern does not allow
wrong() {
	printf '%s\n' "$all" | awk -v room="$1" -v allowed="^($2|config\\.h)\$" \
		'$2 == room && $3 !~ allowed { print $1 " includes " $3 }'
}

result 'rsa-backend includes itself only' "$(wrong rsa-backend 'rsa-backend/.*')"
result 'dkim includes itself and rsab.h' "$(wrong dkim 'dkim/.*|rsa-backend/rsab\.h')"
result 'milter includes itself, dkim.h and rsab.h' \
	"$(wrong milter 'milter/.*|dkim/dkim\.h|rsa-backend/rsab\.h')"
result 'cmd includes itself, milter, dkim.h and rsab.h' \
	"$(wrong cmd 'cmd/.*|milter/.*|dkim/dkim\.h|rsa-backend/rsab\.h')"
result 'nothing includes bench or tests' \
	"$(printf '%s\n' "$all" | awk '$2 != "bench" && $3 ~ /^(bench|tests)\// { print $1 " includes " $3 }')"
result 'mlfi.c alone includes libmilter' \
	"$(sources | grep -v '^milter/mlfi\.c$' | xargs grep -n '<libmilter/' /dev/null)"

# The engine and the backends are given octets and the time; they ask nobody
code() { files "$@" | grep '\.c$' | xargs awk '
	{ line = $0; gsub(/"([^"\\]|\\.)*"/, "\"\"", line); sub(/\/\/.*/, "", line); gsub(/\/\*.*\*\//, "", line) }
	line ~ /^[ \t]*(\/\*|\*)/ { next }
	{ print FILENAME ":" FNR ": " line }' /dev/null; }
no='(^|[^A-Za-z0-9_>.])(fopen|open|openat|read|write|printf|fprintf|puts|perror|syslog|exit|_exit|time|clock_gettime|gettimeofday|socket|connect|getenv|sleep|usleep)[ ]*\('
result 'no clock, file, socket, log or exit in dkim and rsa-backend' \
	"$(code dkim rsa-backend | grep -E "$no")"
result 'no threads in dkim' "$(code dkim | grep -E '[^A-Za-z0-9_]pthread_|<pthread\.h>')"
plan
