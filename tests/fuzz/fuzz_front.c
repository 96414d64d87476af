/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attacks the front end with what comes over a connection: the first octet
 * says which answers come late and whether the connection is agreed already,
 * the second one where octets are cut, the rest are octets of the MTA.
 * Whatever they are: answers are whole packets of the protocol, and once the
 * MTA is gone no message and no connection is left.
 */

/* system */
#include <errno.h>
#include <sys/socket.h>

/* room below */
#include "milter/conf.h"
#include "milter/front_conn.h"
#include "milter/front_loop.h"
#include "milter/inbox.h"
#include "milter/keystore.h"
#include "milter/resolver.h"
#include "milter/signer.h"

/* this room */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_report.h"

#define PENDING	64
#define LATE_DNS	1
#define LATE_KEYS	2
#define LATE_SIGN	4
#define AGREED		8	/* negotiation and CONNECT come first */
#define ANSWER_AFTER	16	/* the MTA is gone before late answers come */

static struct {
	struct mlfi		 front;
	struct conf_slot	 slot;
	struct dkim_lib		*lib;
	const struct rsab_backend *backend;
	struct rsab_key		*key;
	struct want		*pending[PENDING];
	size_t			 n_pending;
	uint8_t			 how;
} site;

/* ---- who answers -------------------------------------------------------- */

static void
fill(struct want *want)
{
	struct rsab_job *jobs[] = { &want->signature };

	switch (want->kind) {
	case WANT_PUBLIC_KEY:
		want->public_key.answer.state = DKIM_ANSWER_NO_KEY;
		break;
	case WANT_PRIVATE_KEY:
		want->private_key.key = rsab_key_ref(site.key);
		break;
	default:
		want->signature.op = RSAB_OP_SIGN;
		rsab_run(site.front.loops[0].worker, jobs, 1);
		break;
	}
}

static bool
is_late(uint8_t what, struct want *want)
{
	if ((site.how & what) == 0 || site.n_pending == PENDING)
		return false;
	site.pending[site.n_pending++] = want;
	return true;
}

static void
answer(void)
{
	struct want *want;

	while (site.n_pending > 0) {
		want = site.pending[--site.n_pending];
		fill(want);
		inbox_put(want->inbox, want);
	}
}

bool
resolver_ask(struct resolver *resolver, struct want *want)
{
	(void)resolver;
	if (is_late(LATE_DNS, want))
		return false;
	fill(want);
	return true;
}

void
resolver_cancel(struct resolver *resolver, struct want *want)
{
	(void)resolver;
	(void)want;
}

uint64_t
resolver_patience(struct resolver *resolver)
{
	(void)resolver;
	return UINT64_C(5000000);
}

bool
keystore_ask(struct keystore *store, struct want *want)
{
	(void)store;
	if (is_late(LATE_KEYS, want))
		return false;
	fill(want);
	return true;
}

void
signer_ask(struct signer *signer, struct want *want)
{
	(void)signer;
	if (is_late(LATE_SIGN, want))
		return;
	fill(want);
	inbox_put(want->inbox, want);
}

/* ---- the front end ------------------------------------------------------ */

static void
on_progress(void *context)
{
	(void)context;
}

static void
open_site(void)
{
	static const char text[] = "Socket inet:1@localhost\n"
	    "InternalHosts 127.0.0.1\nSigningTable csl:example.org=one\n"
	    "KeyTable csl:one=example.org:sel:/keys/one\n"
	    "SyslogSuccess no\n";
	struct report report = { .write = fuzz_report_write };
	struct options options;
	struct conf *conf;
	const char *path = fuzz_file(slice_text(text));

	FUZZ_WANT(conf_options_load(path, NULL, 0, &report, &options) == 0);
	FUZZ_WANT(conf_new(&options, &report, &conf) == 0);
	/* never touched by those above */
	conf->resolver = (struct resolver *)&site;
	conf->keystore = (struct keystore *)&site;
	FUZZ_WANT(conf_slot_init(&site.slot, conf) == 0);
	FUZZ_WANT(dkim_lib_new(&site.lib) == 0);
	FUZZ_WANT(rsab_backend_find("libcrypto", &site.backend) == 0);
	FUZZ_WANT(rsab_key_generate(site.backend, RSAB_ED25519, 0,
	    &site.key) == 0);
	site.front.setup.conf = &site.slot;
	FUZZ_WANT(descriptors_open(&site.front.descriptors) == 0);
	site.front.connection = (struct connection_setup){ .lib = site.lib,
	    .signer = (struct signer *)&site, .host = "h.example.org",
	    .messages = &site.front.messages, .progress = on_progress };
	FUZZ_WANT(front_loop_init(&site.front, &site.front.loops[0]) == 0);
}

static void
turn(void)
{
	for (int i = 0; i < 4; i++)
		(void)event_base_loop(site.front.loops[0].base,
		    EVLOOP_NONBLOCK);
}

/* ---- the MTA ------------------------------------------------------------ */

/*
 * Read answers; those that are whole are the protocol's.
 */
static void
hear(int mta, struct buf *heard)
{
	uint8_t octets[4096];
	struct wire_packet packet;
	struct wire_reply reply;
	struct slice in;
	ssize_t n;
	int error;

	turn();
	while ((n = recv(mta, octets, sizeof(octets), 0)) > 0)
		buf_add(heard, slice_of(octets, (size_t)n));
	FUZZ_WANT(buf_end(heard) == 0);
	in = buf_slice(heard);
	while (wire_next(&in, &packet, &error))
		FUZZ_WANT(wire_parse_reply(packet, &reply) == 0);
	FUZZ_WANT(error == 0 && in.n == 0);
	buf_reset(heard);
}

static void
say(int mta, struct slice octets, struct buf *heard)
{
	ssize_t n;

	while (octets.n > 0) {
		n = send(mta, octets.p, octets.n, MSG_NOSIGNAL);
		if (n < 0 && errno != EAGAIN)
			break;
		octets = slice_from(octets, n < 0 ? 0 : (size_t)n);
		hear(mta, heard);
	}
}

static void
agree(int mta, struct buf *heard)
{
	struct buf b;

	buf_init(&b, 1024);
	wire_put_optneg(WIRE_OPTNEG, (struct wire_optneg){ WIRE_VERSION,
	    WIRE_ACTIONS_ALL, WIRE_STEPS_ALL }, &b);
	wire_put_connect(slice_text("c.example.net"), WIRE_FAMILY_INET, 25,
	    slice_text("127.0.0.1"), &b);
	FUZZ_WANT(buf_end(&b) == 0);
	say(mta, buf_slice(&b), heard);
	buf_clear(&b);
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct slice in = slice_of(p, n), part;
	struct buf heard;
	int ends[2];

	if (n < 2 || n > 200000)
		return 0;
	if (site.lib == NULL)
		open_site();
	site.how = p[0];
	FUZZ_WANT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0,
	    ends) == 0);
	buf_init(&heard, FRONT_OUT_MAX);
	FUZZ_WANT(front_conn_new(&site.front.loops[0], ends[1]) == 0);
	if ((site.how & AGREED) != 0)
		agree(ends[0], &heard);
	for (in = slice_from(in, 2); in.n > 0; in = slice_from(in, part.n)) {
		part = slice_sub(in, 0, p[1] == 0 || p[1] > in.n ? in.n :
		    p[1]);
		say(ends[0], part, &heard);
		if ((site.how & ANSWER_AFTER) == 0)
			answer();
	}
	hear(ends[0], &heard);
	FUZZ_WANT(atomic_load(&site.front.messages) <= 1);
	close(ends[0]);
	turn();
	FUZZ_WANT(site.front.loops[0].conns == NULL);
	FUZZ_WANT(atomic_load(&site.front.messages) == 0);
	answer();
	turn();
	buf_clear(&heard);
	return 0;
}
