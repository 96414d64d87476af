/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The front end that speaks the milter protocol itself: an MTA on the other
 * end of a socketpair, the loop turned by hand.
 */

/* system */
#include <sys/socket.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <errno.h>
#include <unistd.h>

/* this room */
#include "tests/session_made.h"
#include "milter/front_conn.h"
#include "milter/front_fault.h"
#include "milter/front_loop.h"
#include "milter/front_macros.h"
#include "milter/processors.h"
#include "milter/stats.h"

#define CONF "Socket inet:1@localhost\nInternalHosts 127.0.0.1\n"	\
	"SigningTable csl:example.org=one\n"				\
	"KeyTable csl:one=example.org:sel:/keys/rsa\n"
#define STEPS	(WIRE_NOHELO | WIRE_NOUNKNOWN | WIRE_NODATA |		\
	WIRE_NR_HDR | WIRE_NR_RCPT | WIRE_NR_BODY | WIRE_HDR_LEADSPC)

static struct {
	struct mlfi		 front;
	struct conf_slot	 slot;
	struct dkim_lib		*lib;
	int			 mta;		/* our end; -1: none */
	struct buf		 in;		/* what came, not yet taken */
	bool			 closed;	/* by the front end */
} site;

static void
on_progress(void *context)
{
	(void)context;
}

static void
site_open(void)
{
	struct conf *conf = made_conf(CONF);

	memset(&site, 0, sizeof(site));
	made_reset_fakes();
	site.mta = -1;
	assert_int_equal(dkim_lib_new(&site.lib), 0);
	assert_int_equal(conf_slot_init(&site.slot, conf), 0);
	site.front.setup.conf = &site.slot;
	assert_int_equal(descriptors_open(&site.front.descriptors), 0);
	site.front.connection = (struct connection_setup){
		.lib = site.lib, .signer = (struct signer *)&made,
		.host = "h.example.org", .messages = &site.front.messages,
		.progress = on_progress };
	assert_int_equal(front_loop_init(&site.front, &site.front.loops[0]),
	    0);
	buf_init(&site.in, 1 << 20);
}

static void
turn(void)
{
	for (int i = 0; i < 8; i++)
		event_base_loop(site.front.loops[0].base, EVLOOP_NONBLOCK);
}

static void
mta_leave(void)
{
	if (site.mta >= 0)
		close(site.mta);
	site.mta = -1;
	buf_reset(&site.in);
	site.closed = false;
	turn();
	test_int("no message is left", atomic_load(&site.front.messages), 0);
	test_true("no connection is left", site.front.loops[0].conns == NULL);
}

/*
 * The MTA says no more, and still listens.
 */
static void
mta_shut(void)
{
	assert_int_equal(shutdown(site.mta, SHUT_WR), 0);
	turn();
}

static void
mta_enter(void)
{
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0,
	    ends), 0);
	site.mta = ends[0];
	(void)!front_conn_new(&site.front.loops[0], ends[1]);
	turn();
}

static void
site_close(void)
{
	mta_leave();
	front_loop_clear(&site.front.loops[0]);
	close(atomic_load(&site.front.descriptors.spare));
	conf_unref(conf_slot_get(&site.slot));
	conf_unref(site.slot.conf);
	dkim_lib_free(site.lib);
	buf_clear(&site.in);
}

/*
 * Read what there is.
 */
static void
hear(void)
{
	uint8_t octets[4096];
	ssize_t n;

	turn();
	while ((n = recv(site.mta, octets, sizeof(octets), 0)) > 0)
		buf_add(&site.in, slice_of(octets, (size_t)n));
	if (n == 0 || (n < 0 && errno == ECONNRESET))
		site.closed = true;
	assert_int_equal(buf_end(&site.in), 0);
}

static void
say(struct slice octets)
{
	while (octets.n > 0) {
		ssize_t n = send(site.mta, octets.p, octets.n, MSG_NOSIGNAL);

		if (n < 0 && errno != EAGAIN)
			break;
		if (n > 0)
			octets = slice_from(octets, (size_t)n);
		turn();
	}
	hear();
}

/*
 * The kinds of the answers so far, in order; "!" where the connection was
 * closed. They are taken.
 */
static const char *
answers(void)
{
	static char text[256];
	struct slice in = buf_slice(&site.in);
	struct wire_packet packet;
	int error;
	size_t n = 0;

	while (n < sizeof(text) - 2 && wire_next(&in, &packet, &error))
		text[n++] = (char)packet.kind;
	test_int("whole packets", in.n, 0);
	if (site.closed)
		text[n++] = '!';
	text[n] = '\0';
	buf_reset(&site.in);
	return text;
}

/* ---- what an MTA says --------------------------------------------------- */

static void
put_offer(struct buf *b)
{
	wire_put_optneg(WIRE_OPTNEG, (struct wire_optneg){ 6,
	    WIRE_ACTIONS_ALL, WIRE_STEPS_ALL }, b);
}

static void
put_texts(uint8_t kind, const char *one, const char *two, struct buf *b)
{
	struct slice texts[2] = { slice_text(one) };

	if (two != NULL)
		texts[1] = slice_text(two);
	wire_put_texts(kind, texts, two == NULL ? 1 : 2, b);
}

static void
put_connect(const char *address, struct buf *b)
{
	wire_put_connect(slice_text("c.example.net"), WIRE_FAMILY_INET, 25,
	    slice_text(address), b);
}

static void
put_macro(uint8_t stage, const char *name, const char *value, struct buf *b)
{
	const struct wire_pair pair = { slice_text(name), slice_text(value) };

	wire_put_macros(stage, &pair, 1, b);
}

static void
put_message(struct buf *b)
{
	put_macro(WIRE_MAIL, "i", "4X", b);
	put_texts(WIRE_MAIL, "<a@example.org>", NULL, b);
	put_texts(WIRE_RCPT, "<b@dest.example>", NULL, b);
	put_texts(WIRE_HEADER, "From", " a@example.org", b);
	put_texts(WIRE_HEADER, "Subject", " x", b);
	wire_put(WIRE_EOH, slice_of(NULL, 0), b);
	wire_put(WIRE_BODY, slice_text("text\r\n"), b);
	wire_put(WIRE_BODYEOB, slice_of(NULL, 0), b);
}

/* ---- tests -------------------------------------------------------------- */

/*
 * One connection's macros have one bound, whatever their stages are.
 */
static void
front_macros_bound(void **state)
{
	static uint8_t octets[FRONT_MACROS_MAX + 1];
	struct front_macros m = { 0 };
	size_t third = FRONT_MACROS_MAX / 3;

	(void)state;
	octets[0] = WIRE_CONNECT;
	test_int("a third", front_macros_put(&m, slice_of(octets, third)), 0);
	octets[0] = WIRE_MAIL;
	test_int("another", front_macros_put(&m, slice_of(octets, third)), 0);
	octets[0] = WIRE_RCPT;
	test_int("too much", front_macros_put(&m, slice_of(octets,
	    FRONT_MACROS_MAX - 2 * third + 1)), DKIM_ERR_LIMIT);
	test_int("just so much", front_macros_put(&m, slice_of(octets,
	    FRONT_MACROS_MAX - 2 * third)), 0);
	test_int("again instead of it", front_macros_put(&m, slice_of(octets,
	    FRONT_MACROS_MAX - 2 * third)), 0);
	octets[0] = WIRE_HELO;
	test_int("one more", front_macros_put(&m, slice_of(octets, 1)),
	    DKIM_ERR_LIMIT);
	front_macros_message_end(&m);
	test_int("after the message", front_macros_put(&m, slice_of(octets,
	    third)), 0);
	front_macros_clear(&m);
}

static void
front_macros_stages(void **state)
{
	static const char mail[] = "Mi\0004X\0{auth_type}\0PLAIN";
	static const char late[] = "Ei\0004Y";
	static const char conn[] = "C{daemon_name}\0a\0j\0h";
	struct front_macros m = { 0 };

	(void)state;
	assert_int_equal(front_macros_put(&m, slice_of(conn, sizeof(conn))),
	    0);
	assert_int_equal(front_macros_put(&m, slice_of(mail, sizeof(mail))),
	    0);
	test_str("of the connection", front_macros_get(&m, "j"), "h");
	test_str("with braces", front_macros_get(&m, "{daemon_name}"), "a");
	test_str("of the message", front_macros_get(&m, "i"), "4X");
	test_str("its last", front_macros_get(&m, "{auth_type}"), "PLAIN");
	test_true("none", front_macros_get(&m, "4X") == NULL);
	assert_int_equal(front_macros_put(&m, slice_of(late, sizeof(late))),
	    0);
	test_str("the last stage wins", front_macros_get(&m, "i"), "4Y");
	assert_int_equal(front_macros_put(&m, slice_of("!x\0y", 5)), 0);
	test_true("no such stage", front_macros_get(&m, "x") == NULL);
	assert_int_equal(front_macros_put(&m, slice_of("M", 1)), 0);
	test_true("put again", front_macros_get(&m, "{auth_type}") == NULL);
	assert_int_equal(front_macros_put(&m, slice_of(mail, sizeof(mail))),
	    0);
	front_macros_message_end(&m);
	test_true("the message is over", front_macros_get(&m, "i") == NULL);
	test_str("the connection is not", front_macros_get(&m, "j"), "h");
	front_macros_clear(&m);
	test_true("all gone", front_macros_get(&m, "j") == NULL);
}

static void
front_negotiates(void **state)
{
	struct slice in;
	struct wire_packet packet;
	struct wire_reply reply;
	struct buf b;
	int error;

	(void)state;
	site_open();
	mta_enter();
	buf_init(&b, 65536);
	put_offer(&b);
	say(buf_slice(&b));
	in = buf_slice(&site.in);
	assert_true(wire_next(&in, &packet, &error));
	assert_int_equal(wire_parse_reply(packet, &reply), 0);
	test_int("version", reply.optneg.version, 6);
	test_int("actions: add, change, lists", reply.optneg.actions, 0x111);
	test_int("steps", reply.optneg.steps, STEPS | WIRE_STEP_SKIP);
	test_true("macros for MAIL are named", packet.data.n > 12 &&
	    memmem(packet.data.p, packet.data.n, "\0\0\0\2i {daemon_name}",
	    19) != NULL);
	buf_reset(&site.in);
	buf_reset(&b);
	/* an MTA of old: nothing that was not offered */
	mta_leave();
	mta_enter();
	wire_put_optneg(WIRE_OPTNEG, (struct wire_optneg){ 2, 0x11, 0x7f },
	    &b);
	say(buf_slice(&b));
	test_octets("what an old one is told", site.in.p, site.in.n,
	    "\0\0\0\x0dO\0\0\0\2\0\0\0\x11\0\0\0\2", 17);
	buf_reset(&b);
	mta_leave();
	mta_enter();
	wire_put_optneg(WIRE_OPTNEG, (struct wire_optneg){ 1,
	    WIRE_ACTIONS_ALL, WIRE_STEPS_ALL }, &b);
	say(buf_slice(&b));
	test_str("older than we speak", answers(), "!");
	buf_clear(&b);
	site_close();
}

static void
front_signs_at_every_split(void **state)
{
	struct buf b;

	(void)state;
	site_open();
	buf_init(&b, 65536);
	put_offer(&b);
	put_connect("127.0.0.1", &b);
	put_message(&b);
	put_message(&b);
	wire_put(WIRE_QUIT, slice_of(NULL, 0), &b);
	for (size_t cut = 0; cut <= b.n; cut++) {
		mta_enter();
		say(slice_sub(buf_slice(&b), 0, cut));
		say(slice_from(buf_slice(&b), cut));
		test_str("signed, twice", answers(), "Occciaccia!");
		mta_leave();
	}
	buf_clear(&b);
	site_close();
}

static void
front_waits_for_answers(void **state)
{
	struct buf b;

	(void)state;
	site_open();
	buf_init(&b, 65536);
	put_offer(&b);
	put_connect("127.0.0.1", &b);
	put_message(&b);
	put_message(&b);
	made.keys = made.sign = MADE_LATER;
	mta_enter();
	say(buf_slice(&b));
	test_str("no key yet", answers(), "Occc");
	made_answer();
	hear();
	test_str("no signature yet", answers(), "");
	test_int("it was asked for", made.sign_asked, 1);
	made_answer();
	hear();
	test_str("signed; the next is taken up", answers(), "iacc");
	/* gone, with an answer on its way */
	test_true("asked", made.n_pending > 0);
	mta_leave();
	made_answer();
	turn();
	buf_clear(&b);
	site_close();
}

static void
front_refuses(void **state)
{
	struct slice in;
	struct buf b;

	(void)state;
	site_open();
	buf_init(&b, 65536);
	put_offer(&b);
	put_connect("127.0.0.1", &b);
	mta_enter();
	say(buf_slice(&b));
	test_str("connected", answers(), "Oc");
	atomic_store(&site.front.draining, true);
	buf_reset(&b);
	put_message(&b);
	say(buf_slice(&b));
	in = buf_slice(&site.in);
	test_octets("MAIL, while leaving", in.p, in.n, "\0\0\0\x24"
	    "y451 4.3.2 Service is shutting down", 40);
	buf_reset(&site.in);
	mta_leave();
	mta_enter();
	buf_reset(&b);
	put_offer(&b);
	put_connect("127.0.0.1", &b);
	say(buf_slice(&b));
	test_str("a connection, while leaving", answers(), "Oy");
	buf_reset(&b);
	put_message(&b);
	say(buf_slice(&b));
	test_str("and it has no message", answers(), "!");
	buf_clear(&b);
	site_close();
}

/*
 * shutdown(2) of the MTA's half is no end of the message that is under way.
 */
static void
front_answers_half_closed(void **state)
{
	static const struct {
		const char	*name;
		enum made_how	 keys, sign;
		const char	*first, *later;
	} rows[] = {
		{ "before its key", MADE_LATER, MADE_NOW, "Occc", "ia!" },
		{ "before its signature", MADE_NOW, MADE_LATER, "Occc",
		    "ia!" },
		{ "answered", MADE_NOW, MADE_NOW, "Occcia!", "!" },
	};
	uint64_t before;
	struct buf b;

	(void)state;
	site_open();
	buf_init(&b, 65536);
	put_offer(&b);
	put_connect("127.0.0.1", &b);
	put_message(&b);
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		made.keys = rows[i].keys;
		made.sign = rows[i].sign;
		before = stats_get(STAT_ABORTED);
		mta_enter();
		say(buf_slice(&b));
		mta_shut();
		hear();
		test_str(rows[i].name, answers(), rows[i].first);
		made_answer();
		hear();
		test_str(rows[i].name, answers(), rows[i].later);
		test_int(rows[i].name, stats_get(STAT_ABORTED), before);
		mta_leave();
	}
	/* in the middle of a message: there is nothing to wait for */
	buf_reset(&b);
	put_offer(&b);
	put_connect("127.0.0.1", &b);
	put_texts(WIRE_MAIL, "<a@example.org>", NULL, &b);
	mta_enter();
	say(buf_slice(&b));
	mta_shut();
	hear();
	test_str("within a message", answers(), "Occ!");
	mta_leave();
	buf_clear(&b);
	site_close();
}

/*
 * Another client over the same connection: its own address and macros.
 */
static void
front_next_client(void **state)
{
	struct buf b;

	(void)state;
	site_open();
	buf_init(&b, 65536);
	put_offer(&b);
	put_connect("192.0.2.1", &b);
	put_message(&b);
	wire_put(WIRE_QUIT_NC, slice_of(NULL, 0), &b);
	put_connect("127.0.0.1", &b);
	put_message(&b);
	wire_put(WIRE_ABORT, slice_of(NULL, 0), &b);
	mta_enter();
	say(buf_slice(&b));
	test_str("the second one is ours", answers(), "Occacccia");
	mta_leave();
	buf_clear(&b);
	site_close();
}

static void
front_closes_on(void **state)
{
	static const struct {
		const char	*name, *octets;
		size_t		 n;
		const char	*want;
	} rows[] = {
#define ROW(name, octets, want) { name, octets, sizeof(octets) - 1, want }
		ROW("length 0", "\0\0\0\0", "Oc!"),
		ROW("length of 65537", "\0\1\0\1A", "Oc!"),
		ROW("length of 4 GB", "\xff\xff\xff\xff" "A", "Oc!"),
		ROW("no such command", "\0\0\0\1?", "Oc!"),
		ROW("negotiation again", "\0\0\0\x0dO\0\0\0\6\0\0\1\xff\0\x1f"
		    "\xff\xff", "Oc!"),
		ROW("a second connection", "\0\0\0\x10" "Ch\0004\0\x19"
		    "127.0.0.1\0", "Oc!"),
		ROW("another client, by IPv6", "\0\0\0\1K\0\0\0\x17"
		    "Ch\0006\0\x19" "IPv6:2001:db8::1\0", "Occ"),
		ROW("IPv4 that is said to be IPv6", "\0\0\0\1K"
		    "\0\0\0\x10" "Ch\0006\0\x19" "192.0.2.1\0", "Oc!"),
		ROW("no address", "\0\0\0\1K\0\0\0\x08" "Ch\0004\0\x19"
		    "x\0", "Oc!"),
		ROW("RCPT before MAIL", "\0\0\0\5R<a>\0", "Oc!"),
		ROW("a field before MAIL", "\0\0\0\5Lx\0y\0", "Oc!"),
		ROW("the end before MAIL", "\0\0\0\1E", "Oc!"),
		ROW("a body before the header's end", "\0\0\0\5M<a>\0"
		    "\0\0\0\2Bx", "Occ!"),
		ROW("MAIL without NUL", "\0\0\0\4M<a>", "Oc!"),
		ROW("quit", "\0\0\0\1Q", "Oc!"),
		ROW("half a packet", "\0\0\0\5M<", "Oc"),
		ROW("MAIL twice", "\0\0\0\5M<a>\0\0\0\0\5M<a>\0", "Occc"),
		ROW("aborted", "\0\0\0\1A\0\0\0\1A", "Oc"),
		ROW("macros of no stage", "\0\0\0\2D!", "Oc"),
#undef ROW
	};
	struct buf b;

	(void)state;
	site_open();
	buf_init(&b, 65536);
	put_offer(&b);
	put_connect("127.0.0.1", &b);
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		mta_enter();
		say(buf_slice(&b));
		say(slice_of(rows[i].octets, rows[i].n));
		test_str(rows[i].name, answers(), rows[i].want);
		mta_leave();
	}
	buf_clear(&b);
	site_close();
}

/*
 * What the log says of an MTA whose packets cannot be taken, and that it is
 * counted once.
 */
static void
front_fault_names_mta(void **state)
{
	static char absurd[2 * MACROS_VALUE_MAX];
	static const struct {
		const char	*name, *value, *want;
	} rows[] = {
		{ "a name", "mta.example.org", "mta.example.org (UNIX "
		    "socket)" },
		{ "no name", "", "without a name (UNIX socket)" },
		{ "octets for a terminal", "m\033[1m", "m\\x1b[1m (UNIX "
		    "socket)" },
		{ "absurd", absurd, NULL },
	};
	uint64_t before = stats_get(STAT_BAD_PACKETS);
	struct front_conn *c;
	struct buf b, text;

	(void)state;
	memset(absurd, '\1', sizeof(absurd) - 1);
	site_open();
	buf_init(&b, 65536);
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		mta_enter();
		buf_reset(&b);
		put_macro(WIRE_CONNECT, "j", rows[i].value, &b);
		put_offer(&b);
		say(buf_slice(&b));
		c = site.front.loops[0].conns;
		buf_init(&text, FRONT_FAULT_MTA_MAX);
		front_fault_mta(c, &text);
		buf_add_nul(&text);
		test_int(rows[i].name, buf_end(&text), 0);
		if (rows[i].want != NULL)
			test_str(rows[i].name, (char *)text.p, rows[i].want);
		buf_clear(&text);
		mta_leave();
	}
	test_int("none so far", stats_get(STAT_BAD_PACKETS), before);
	mta_enter();
	say(slice_of("\0\0\0\1?", 5));
	mta_leave();
	mta_enter();
	buf_reset(&b);
	wire_put_optneg(WIRE_OPTNEG, (struct wire_optneg){ 1, 0, 0 }, &b);
	say(buf_slice(&b));
	mta_leave();
	test_int("each once", stats_get(STAT_BAD_PACKETS), before + 2);
	buf_clear(&b);
	site_close();
}

/*
 * The address of one that comes by TCP.
 */
static void
front_fault_names_address(void **state)
{
	struct sockaddr_in sin = { .sin_family = AF_INET };
	struct front_conn c = { .fd = -1 };
	socklen_t n = sizeof(sin);
	char want[64];
	struct buf text;
	int listener, mta;

	(void)state;
	sin.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	listener = socket(AF_INET, SOCK_STREAM, 0);
	mta = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(bind(listener, (struct sockaddr *)&sin, n), 0);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&sin, &n),
	    0);
	assert_int_equal(connect(mta, (struct sockaddr *)&sin, n), 0);
	assert_int_equal(getsockname(mta, (struct sockaddr *)&sin, &n), 0);
	c.fd = accept(listener, NULL, NULL);
	snprintf(want, sizeof(want), "without a name (127.0.0.1 port %u)",
	    (unsigned)ntohs(sin.sin_port));
	buf_init(&text, FRONT_FAULT_MTA_MAX);
	front_fault_mta(&c, &text);
	close(c.fd);
	buf_add_nul(&text);
	test_str("by TCP", (char *)text.p, want);
	buf_reset(&text);
	front_fault_mta(&c, &text);
	buf_add_nul(&text);
	test_str("gone", (char *)text.p, "without a name (address not known)");
	buf_clear(&text);
	close(mta);
	close(listener);
}

/*
 * A reload that brings a token that verifies brings its threads, too.
 */
static void
front_loop_grow_for_token(void **state)
{
	/* its own: the threads stay as long as the process */
	static struct mlfi front;
	struct verifier *verifier = (struct verifier *)&made;
	struct conf *conf;

	(void)state;
	site_open();
	conf = site.slot.conf;
	front.setup.conf = &site.slot;
	front.n_loops = 1;
	front_loop_grow(&front);
	test_int("one a processor", front.n_loops, processors());
	conf->verifier = verifier;
	front_loop_grow(&front);
	test_int("of a token", front.n_loops, processors() > FRONT_LOOPS_TOKEN
	    ? processors() : FRONT_LOOPS_TOKEN);
	conf->verifier = NULL;
	front_loop_grow(&front);
	test_true("none ends", front.n_loops >= FRONT_LOOPS_TOKEN);
	site_close();
}

static bool
loop_init(void *arg)
{
	struct mlfi *front = arg;

	if (front_loop_init(front, &front->loops[0]) != 0)
		return false;
	front_loop_clear(&front->loops[0]);
	return true;
}

static void
front_loop_init_no_memory(void **state)
{
	static struct mlfi front;

	(void)state;
	test_every_allocation(loop_init, &front);
}

/*
 * A message counts as aborted once, whether the MTA says so, goes on to another
 * client, or is gone; never one that has had its answer.
 */
static void
front_counts_aborted(void **state)
{
	static const struct {
		const char	*name, *octets;
		size_t		 n;
		unsigned	 want;
	} rows[] = {
#define ROW(name, octets, want) { name, octets, sizeof(octets) - 1, want }
		ROW("no message", "", 0),
		ROW("abort, quit", "\0\0\0\5M<a>\0\0\0\0\1A\0\0\0\1Q", 1),
		ROW("abort between messages", "\0\0\0\1A\0\0\0\1A", 0),
		ROW("gone", "\0\0\0\5M<a>\0", 1),
		ROW("quit", "\0\0\0\5M<a>\0\0\0\0\1Q", 1),
		ROW("another client", "\0\0\0\5M<a>\0\0\0\0\1K", 1),
		ROW("no such command", "\0\0\0\5M<a>\0\0\0\0\1?", 1),
		ROW("answered", "\0\0\0\5M<a>\0\0\0\0\1N\0\0\0\1E"
		    "\0\0\0\1A", 0),
#undef ROW
	};
	uint64_t before;
	struct buf b;

	(void)state;
	site_open();
	buf_init(&b, 65536);
	put_offer(&b);
	put_connect("127.0.0.1", &b);
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		before = stats_get(STAT_ABORTED);
		mta_enter();
		say(buf_slice(&b));
		say(slice_of(rows[i].octets, rows[i].n));
		mta_leave();
		test_int(rows[i].name, stats_get(STAT_ABORTED) - before,
		    rows[i].want);
	}
	buf_clear(&b);
	site_close();
}

/*
 * Strangers write the arguments of MAIL and RCPT: a full line of them closes
 * nothing.
 */
static void
front_many_arguments(void **state)
{
	struct slice texts[400];
	struct buf b;

	(void)state;
	texts[0] = slice_text("<a@example.org>");
	for (size_t i = 1; i < TEST_COUNT(texts); i++)
		texts[i] = slice_text("A=1");
	site_open();
	buf_init(&b, 65536);
	put_offer(&b);
	put_connect("127.0.0.1", &b);
	wire_put_texts(WIRE_MAIL, texts, TEST_COUNT(texts), &b);
	wire_put_texts(WIRE_RCPT, texts, TEST_COUNT(texts), &b);
	mta_enter();
	say(buf_slice(&b));
	test_str("MAIL is taken, RCPT has no answer", answers(), "Occ");
	mta_leave();
	buf_clear(&b);
	site_close();
}

/*
 * Octets of a long body pass through; what is kept of a connection stays
 * small.
 */
static void
front_long_body(void **state)
{
	static uint8_t octets[WIRE_DATA_MAX];
	struct buf b;

	(void)state;
	site_open();
	memset(octets, 'x', sizeof(octets));
	buf_init(&b, 1 << 20);
	put_offer(&b);
	put_connect("127.0.0.1", &b);
	put_texts(WIRE_MAIL, "<a@example.org>", NULL, &b);
	put_texts(WIRE_HEADER, "From", " a@example.org", &b);
	wire_put(WIRE_EOH, slice_of(NULL, 0), &b);
	for (int i = 0; i < 5; i++)
		wire_put(WIRE_BODY, slice_of(octets, sizeof(octets)), &b);
	mta_enter();
	say(buf_slice(&b));
	test_str("taken", answers(), "Occc");
	test_true("nothing is kept", site.front.loops[0].conns->in.space <=
	    4096);
	buf_reset(&b);
	wire_put(WIRE_BODYEOB, slice_of(NULL, 0), &b);
	say(buf_slice(&b));
	test_str("signed", answers(), "ia");
	buf_clear(&b);
	site_close();
}

/*
 * Without memory a message is refused or its connection closed; never signed
 * wrongly, and nothing is left over.
 */
static void
front_without_memory(void **state)
{
	struct buf b;
	bool hit = true;

	(void)state;
	site_open();
	buf_init(&b, 65536);
	put_offer(&b);
	put_connect("127.0.0.1", &b);
	put_message(&b);
	for (size_t n = 1; hit; n++) {
		buf_reset(&site.in);
		failmalloc_at(n);
		mta_enter();
		say(buf_slice(&b));
		hit = failmalloc_hit();
		failmalloc_off();
		if (!hit)
			test_str("with memory", answers(), "Occcia");
		mta_leave();
	}
	buf_clear(&b);
	site_close();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(front_macros_stages),
		cmocka_unit_test(front_macros_bound),
		cmocka_unit_test(front_negotiates),
		cmocka_unit_test(front_signs_at_every_split),
		cmocka_unit_test(front_waits_for_answers),
		cmocka_unit_test(front_refuses),
		cmocka_unit_test(front_answers_half_closed),
		cmocka_unit_test(front_next_client),
		cmocka_unit_test(front_closes_on),
		cmocka_unit_test(front_fault_names_mta),
		cmocka_unit_test(front_fault_names_address),
		cmocka_unit_test(front_loop_grow_for_token),
		cmocka_unit_test(front_loop_init_no_memory),
		cmocka_unit_test(front_counts_aborted),
		cmocka_unit_test(front_many_arguments),
		cmocka_unit_test(front_long_body),
		cmocka_unit_test(front_without_memory),
	};

	return cmocka_run_group_tests(tests, made_set_up, made_tear_down) !=
	    0;
}
