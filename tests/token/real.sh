# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh disable=SC2034
#
# What the tests of real PKCS#11 modules share; each reads it with ".", after $here was set to
# this folder, calls begin, sets up a token in the scratch folder $work, sets $module, $args,
# $pin, $folders for token_tool and what all_tests wants, and prints TAP.
#
# What is signed is verified by openssl; an imported key's signature must be openssl's own.

# begin: the scratch folder, where it goes
begin() {
	build=$(cd "${DKIMD_BUILD:-.}" && pwd) || exit 2
	export DKIMD_BUILD="$build"
	tool=$build/tests/token/token_tool
	keys=$(cd "$here/../vectors/rsa/keys" && pwd) || exit 2
	command -v pgrep >/dev/null 2>&1 || skip_all 'no pgrep'
	[ -x "$build/cmd/dkimd-token" ] || skip_all 'built without p11-kit'
	work=$(mktemp -d) || exit 2
	background='' n=0 folders='-' args='-'
	trap '[ -z "$background" ] || kill $background 2>/dev/null; rm -rf "$work"' EXIT
	trap 'exit 1' HUP INT TERM
	cd "$work" || exit 2
	umask 077
	printf dkimd | openssl dgst -sha256 -binary > digest
}

# own_namespaces ARGUMENT...: goes on in namespaces of its own (mounts, System V memory,
# processes), where a token's service finds its fixed paths to be scratch folders, the machine's
# own are out of sight, and everything ends with the first process, the scratch folder too
own_namespaces() {
	if [ "${1:-}" = inside ]; then
		scratch /run || exit 2
		export TMPDIR=/run
		return
	fi
	[ "$(id -u)" = 0 ] || skip_all 'not root'
	set -- unshare --mount --ipc --pid --fork --kill-child --mount-proc
	"$@" true 2>/dev/null || skip_all 'no namespaces'
	exec "$@" sh "$0" inside
}

# scratch FOLDER...: an empty one in the place of each; nothing is made outside
scratch() {
	for d
	do
		[ -d "$d" ] && mount -t tmpfs -o mode=0755 dkimd-test "$d" || return 1
	done
}

# module_among PATH...: sets $module to the first that is there
module_among() {
	module=
	for m
	do
		[ -f "$m" ] && module=$m && return 0
	done
	return 1
}

# wait_for SECONDS COMMAND...
wait_for() {
	i=$(($1 * 10))
	shift
	until "$@"
	do
		[ $i -gt 0 ] || return 1
		i=$((i - 1))
		sleep 0.1
	done
}

skip_all() { echo "1..0 # SKIP $1"; exit 0; }
ok() { n=$((n + 1)); echo "ok $n - $*"; }
not_ok() { n=$((n + 1)); echo "not ok $n - $*"; sed 's/^/# /' out | head -5; }
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }

# check NAME COMMAND...: the command must be true
check() {
	name=$1
	shift
	if "$@"; then ok "$kind: $name"; else not_ok "$kind: $name"; fi
}

# run WANT COMMAND ARGUMENT...: token_tool exits WANT; output in out
run() {
	want=$1
	shift
	"$tool" "$module" "$args" "$pin" "$folders" "$@" > out 2>&1
	got=$?
	[ $got -eq "$want" ] && return 0
	echo "$*: exit $got, wanted $want" >> out
	return 1
}

says() { grep -q -e "$1" out; }

# verified URI TYPE: openssl verifies what the token signs, with the public half from the token
verified() {
	rm -f public sig
	run 0 public "$1" public || return 1
	run 0 sign "$1" sig || return 1
	if [ "$2" = ed25519 ]; then
		# SubjectPublicKeyInfo of RFC 8410 around the 32 octets
		{ printf '\060\052\060\005\006\003\053\145\160\003\041\000'; cat public; } > public.der
		openssl pkeyutl -verify -pubin -keyform DER -inkey public.der -rawin -in digest \
			-sigfile sig > out 2>&1
	else
		openssl pkeyutl -verify -pubin -keyform DER -inkey public -pkeyopt digest:sha256 \
			-in digest -sigfile sig > out 2>&1
	fi
}

# imported PEM: signed in the token and by openssl, the same octets
imported() {
	run 0 import "$token" "$1" sig || return 1
	openssl pkeyutl -sign -inkey "$1" -pkeyopt digest:sha256 -in digest -out want 2> out || return 1
	cmp sig want > out 2>&1
}

# loop_with COMMAND: a loop of signatures, and the command after some of them
loop_with() {
	rm -f lines
	"$tool" "$module" "$args" "$pin" "$folders" loop "$token;object=r1" "$2" lines > out 2>&1 &
	loop=$!
	wait_for 30 grep -qs '^5 ' lines
	$1
	wait $loop
}

kill_process() {
	for p in $(pgrep -P "$loop" -x dkimd-token)
	do
		kill -9 "$p"
	done
}

none_failed() { ! grep -qv ' 0 $' lines && grep -q "starts $1 " out; }

# tried_once: for modules that count wrong PINs, looks that they saw but one
tried_once() { :; }

# All tests of a module whose token is empty; $ed25519, $imports are yes or no
all_tests() {
	token="pkcs11:token=$label"
	check 'tells of itself' run 0 info "$token"
	check 'makes an RSA key' run 0 generate "$token;object=r1" rsa 2048
	check 'signs, openssl verifies' verified "$token;object=r1" rsa
	check 'never makes a second of that name' run 17 generate "$token;object=r1" rsa 2048
	check 'makes two with one label' run 0 generate "$token;object=two;id=%a1" rsa 1024
	check '... by their ids' run 0 generate "$token;object=two;id=%a2" rsa 1024
	check 'two with one label are an error' run 15 load "$token;object=two"
	check 'one of them by its id' verified "$token;object=two;id=%a2" rsa
	check 'a missing key' run 14 load "$token;object=none"
	check 'a missing token' run 11 load 'pkcs11:token=none;object=r1'
	if [ "$ed25519" = yes ]; then
		check 'makes an Ed25519 key' run 0 generate "$token;object=e1" ed25519 0
		check 'signs Ed25519, openssl verifies' verified "$token;object=e1" ed25519
		check 'imports Ed25519' run 0 import "$token" "$keys/ed25519.pem" sig
		check 'verifies Ed25519' run 0 verify "$token" "$keys/ed25519.pem"
	else
		check 'makes no Ed25519 key and says so' run 4 generate "$token;object=e1" ed25519 0
		check 'imports no Ed25519' run 16 import "$token" "$keys/ed25519.pem" sig
		check '... and says so' says 'this token takes no imported keys'
	fi
	if [ "$imports" = yes ]; then
		for k in rsa1024 rsa2048 pkcs1
		do
			check "imports $k, signs as openssl does" imported "$keys/$k.pem"
		done
	else
		check 'imports no RSA' run 16 import "$token" "$keys/rsa2048.pem" sig
		check '... and says so' says 'this token takes no imported keys'
	fi
	check 'verifies in the token' run 0 verify "$token" "$keys/rsa2048.pem"
	check '... right' says '^right: 0'
	check '... wrong' says '^wrong: -8'
	good=$pin pin=9753
	check 'a wrong PIN' run 12 loads "$token;object=r1" 5
	check '... in five processes, one after the other' says 'starts 5'
	tried_once
	pin=-
	check 'no PIN' run 12 load "$token;object=r1"
	check 'pin-value from a table' run 13 load "$token;object=r1?pin-value=$good"
	check 'pin-value from the configuration' run 0 load-pin "$token;object=r1?pin-value=$good"
	rm -rf pins
	mkdir pins
	echo "$good" > pins/pin
	check 'a PIN file outside the folders' run 12 load "$token;object=r1?pin-source=file:$work/pins/pin"
	folders=$work/pins
	check 'a PIN file' run 0 load "$token;object=r1?pin-source=file:$work/pins/pin"
	chmod 644 pins/pin
	check 'a PIN file that all may read' run 12 load "$token;object=r1?pin-source=file:$work/pins/pin"
	folders=- pin=$good
	check 'the right PIN is still good' run 0 load "$token;object=r1"
	check 'eight threads' run 0 threads "$token;object=r1" 8 "$threads"
	check 'the process is killed under load' loop_with kill_process "$loops"
	check '... and no signature failed' none_failed 2
}

# ---- set-up of SoftHSM2 and NSS softokn ----

softhsm_module() {
	module_among /usr/lib/softhsm/libsofthsm2.so /usr/lib/*/softhsm/libsofthsm2.so \
		/usr/lib64/pkcs11/libsofthsm2.so /usr/local/lib/softhsm/libsofthsm2.so &&
		command -v softhsm2-util >/dev/null 2>&1
}

softhsm_conf() {
	mkdir -p soft/tokens
	cat > soft/conf <<-END
	directories.tokendir = $work/soft/tokens
	objectstore.backend = file
	log.level = ERROR
	slots.removable = false
	END
	export SOFTHSM2_CONF="$work/soft/conf"
}

nss_label=NSS%20Certificate%20DB

nss_module() {
	module_among /usr/lib/*/libsoftokn3.so /usr/lib/*/nss/libsoftokn3.so /usr/lib64/libsoftokn3.so &&
		command -v certutil >/dev/null 2>&1
}

# Its PIN is $pin; $args: what the module wants to be told
nss_database() {
	mkdir nssdb
	echo "$pin" > nsspin
	# PBKDF2 with one round, else each use of a key takes 50 ms
	export NSS_MAX_MP_PBE_ITERATION_COUNT=1
	certutil -N -d "sql:$work/nssdb" -f nsspin > out 2>&1 || return 1
	args="configdir='sql:$work/nssdb' certPrefix='' keyPrefix='' secmod='secmod.db' flags="
}
