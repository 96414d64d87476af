/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dkimbench milter: what it sends, read by the other end's parser; what a
 * filter answers, cut at every point, and what none may answer; its messages.
 */

/* system */
#include <netinet/in.h>
#include <sys/un.h>
#include <math.h>
#include <sysexits.h>

/* bench */
#include "bench/milter.h"
#include "bench/mta_address.h"
#include "bench/mta_arrival.h"
#include "bench/mta_field.h"
#include "bench/mta_session.h"

/* this room */
#include "tests/test.h"
#include "rsa-backend/rsab.h"

#define NOW	1798761600	/* 2027-01-01 */

/* ---- address ------------------------------------------------------------ */

static void
mta_address_parse_notations(void **state)
{
	static const struct {
		const char	*text;
		int		 status, family;
		unsigned	 port;
	} rows[] = {
		{ "unix:/run/x", 0, AF_UNIX, 0 },
		{ "local:/run/x", 0, AF_UNIX, 0 },
		{ "/run/x", 0, AF_UNIX, 0 },
		{ "inet:8891@127.0.0.1", 0, AF_INET, 8891 },
		{ "inet:127.0.0.1:8891", 0, AF_INET, 8891 },
		{ "inet6:8891@::1", 0, AF_INET6, 8891 },
		{ "inet6:8891@[::1]", 0, AF_INET6, 8891 },
		{ "inet6:[::1]:8891", 0, AF_INET6, 8891 },
		{ "inet:x@127.0.0.1", EX_USAGE, 0, 0 },
		{ "inet:@127.0.0.1", EX_USAGE, 0, 0 },
		{ "inet:8891@", EX_USAGE, 0, 0 },
		{ "unix:", EX_USAGE, 0, 0 },
		{ "tcp:8891", EX_USAGE, 0, 0 },
		{ "", EX_USAGE, 0, 0 },
	};
	struct mta_address a;

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		test_int(rows[i].text, mta_address_parse(rows[i].text, &a),
		    rows[i].status);
		if (rows[i].status != 0)
			continue;
		test_int(rows[i].text, a.storage.ss_family, rows[i].family);
		/* the port has one place in both families */
		if (rows[i].family != AF_UNIX)
			test_int(rows[i].text, ntohs(((struct sockaddr_in *)
			    (void *)&a.storage)->sin_port), rows[i].port);
	}
}

/* ---- messages ----------------------------------------------------------- */

static void
mta_mail_make_sizes(void **state)
{
	struct mta_mail_kind kind = { "example.com", 0, 7 };
	struct mta_mail mail, again;

	(void)state;
	for (size_t size = 0; size < 400; size++) {
		kind.size = size;
		assert_int_equal(mta_mail_make(&kind, 3, &mail), 0);
		assert_int_equal(mta_mail_make(&kind, 3, &again), 0);
		test_int("octets of the body", mail.body.n, size);
		test_octets("the same again", mail.body.p, mail.body.n,
		    again.body.p, again.body.n);
		if (size >= 2)
			test_octets("its end", mail.body.p + size - 2, 2,
			    "\r\n", 2);
		for (size_t i = 0; i + 1 < size; i++)
			if (mail.body.p[i] == '\r' || mail.body.p[i] == '\n')
				test_true("CRLF in pairs", mail.body.p[i] ==
				    '\r' ? mail.body.p[i + 1] == '\n' :
				    mail.body.p[i - 1] == '\r');
		mta_mail_clear(&mail);
		mta_mail_clear(&again);
	}
}

static void
mta_mail_sign_verify(void **state)
{
	struct mta_mail_kind kind = { "example.com", 1024, 7 };
	const struct rsab_backend *backend;
	struct rsab_worker *worker;
	struct rsab_key *key;
	struct dkim_lib *lib;
	enum dkim_result result;
	struct mta_mail mail;
	struct buf record;

	(void)state;
	assert_int_equal(dkim_lib_new(&lib), 0);
	assert_int_equal(rsab_worker_new(&worker), 0);
	assert_int_equal(rsab_backend_find("libcrypto", &backend), 0);
	assert_int_equal(rsab_key_generate(backend, RSAB_RSA, 1024, &key), 0);
	buf_init(&record, 4096);
	assert_int_equal(dkim_key_record_print(key, false, false, &record),
	    0);
	assert_int_equal(mta_mail_make(&kind, 0, &mail), 0);
	test_int("unsigned", mta_mail_verify(&mail, lib, buf_slice(&record),
	    worker, NOW, &result), 0);
	test_int("unsigned: result", result, DKIM_NONE);
	test_int("signs", mta_mail_sign(&mail, &kind, lib, key, worker, NOW),
	    0);
	test_true("on top", slice_is(dkim_header_name(mail.header, 0),
	    "DKIM-Signature"));
	test_int("verifies", mta_mail_verify(&mail, lib, buf_slice(&record),
	    worker, NOW, &result), 0);
	test_int("result", result, DKIM_PASS);
	mail.body.p[100] ^= 1;
	test_int("corrupted", mta_mail_verify(&mail, lib, buf_slice(&record),
	    worker, NOW, &result), 0);
	test_int("corrupted: result", result, DKIM_FAIL);
	mta_mail_clear(&mail);
	buf_clear(&record);
	rsab_key_unref(key);
	rsab_worker_free(worker);
	dkim_lib_free(lib);
}

/* ---- scripts ------------------------------------------------------------ */

/*
 * Commands of a script in order, a "." behind each that is answered.
 */
static void
script_text(const struct mta_script *s, char *out)
{
	struct slice in = buf_slice(&s->octets), all = in;
	struct wire_packet packet;
	struct wire_command command;
	size_t stop = 0;
	int error;

	while (wire_next(&in, &packet, &error)) {
		assert_int_equal(wire_parse_command(packet, &command), 0);
		*out++ = (char)packet.kind;
		if (stop < s->n && s->stops[stop].end == all.n - in.n) {
			test_int("the stop's command", s->stops[stop].command,
			    packet.kind);
			*out++ = '.';
			stop++;
		}
	}
	*out = '\0';
	test_int("all packets are whole", in.n, 0);
	test_int("all stops are at an end", stop, s->n);
}

static void
mta_script_by_steps(void **state)
{
	static const struct {
		const char	*name;
		uint32_t	 steps;
		const char	*connect, *message;
	} rows[] = {
		{ "all answered", 0, "DC.H.",
		    "DM.DR.DT.L.L.L.L.L.L.L.L.L.DN.B.DE." },
		{ "as dkimd has it", WIRE_NOHELO | WIRE_NOUNKNOWN |
		    WIRE_NODATA | WIRE_NR_HDR | WIRE_NR_RCPT | WIRE_NR_BODY,
		    "DC.", "DM.DRLLLLLLLLLDN.BDE." },
		{ "nothing but the end", WIRE_NOCONNECT | WIRE_NOHELO |
		    WIRE_NOMAIL | WIRE_NORCPT | WIRE_NODATA | WIRE_NOHDRS |
		    WIRE_NOEOH | WIRE_NOBODY, "", "DE." },
		{ "no answer but at the end", WIRE_NR_CONN | WIRE_NR_HELO |
		    WIRE_NR_MAIL | WIRE_NR_RCPT | WIRE_NR_DATA | WIRE_NR_HDR |
		    WIRE_NR_EOH | WIRE_NR_BODY, "DCH",
		    "DMDRDTLLLLLLLLLDNBDE." },
	};
	struct mta_mail_kind kind = { "example.com", 1024, 7 };
	struct mta_script script;
	struct mta_mail mail;
	char text[64];

	(void)state;
	assert_int_equal(mta_mail_make(&kind, 0, &mail), 0);
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		assert_int_equal(mta_script_connect(rows[i].steps,
		    "127.0.0.1", &script), 0);
		script_text(&script, text);
		test_str(rows[i].name, text, rows[i].connect);
		mta_script_clear(&script);
		assert_int_equal(mta_script_message(rows[i].steps, &mail,
		    "a@example.com", "4X", &script), 0);
		script_text(&script, text);
		test_str(rows[i].name, text, rows[i].message);
		mta_script_clear(&script);
	}
	mta_mail_clear(&mail);
}

static void
mta_script_long_body(void **state)
{
	struct mta_mail_kind kind = { "example.com", 2 * WIRE_DATA_MAX + 1,
	    7 };
	struct mta_script script;
	struct mta_mail mail;
	char text[64];

	(void)state;
	assert_int_equal(mta_mail_make(&kind, 0, &mail), 0);
	assert_int_equal(mta_script_message(WIRE_NR_HDR | WIRE_NR_EOH, &mail,
	    "a@example.com", "4X", &script), 0);
	script_text(&script, text);
	test_str("three chunks", text, "DM.DR.DT.LLLLLLLLLDNB.B.B.DE.");
	mta_script_clear(&script);
	mta_mail_clear(&mail);
}

/* ---- fields ------------------------------------------------------------- */

static void
mta_field_rows(void **state)
{
	static const struct {
		const char	*value;
		bool		 is_signed, has_pass;
	} rows[] = {
		{ " v=1; b=abc", true, false },
		{ " v=1;\n\tbh=x; b = \n\tab\n\tc;", true, false },
		{ " v=1; b=; bh=abc", false, false },
		{ " v=1; bh=abc", false, false },
		{ "", false, false },
		{ " mta; dkim=pass header.d=x", false, true },
		{ " mta;\n\tdkim=pass (2048-bit key)", false, true },
		{ " mta; spf=none; DKIM=PASS", false, true },
		{ " mta; dkim=pass", false, true },
		{ " mta; dkim=fail; (a) dkim=pass(b)", false, true },
		{ " mta; dkim=passed", false, false },
		{ " mta; dkim=fail (; dkim=pass)", false, false },
		{ " mta; dkim=fail (\\); dkim=pass )", false, false },
		{ " mta; dkim=fail reason=\"; dkim=pass\"", false, false },
		{ " mta; xdkim=pass", false, false },
		{ " dkim=pass", false, false },
		{ " mta; dkim=none (", false, false },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		test_int(rows[i].value, mta_field_is_signed(slice_text(
		    rows[i].value)), rows[i].is_signed);
		test_int(rows[i].value, mta_field_has_pass(slice_text(
		    rows[i].value)), rows[i].has_pass);
	}
}

/* ---- sessions ----------------------------------------------------------- */

#define OPT	"\0\0\0\x0dO\0\0\0\x06\0\0\0\x11\0\x1f\xff\xff"
#define C	"\0\0\0\x01" "c"
#define ADDED	"\0\0\0\x1a" "i\0\0\0\0DKIM-Signature\0 b=ab\0"

static struct mta_script opening, letter;

static int
scripts_set_up(void **state)
{
	struct mta_mail_kind kind = { "example.com", 100, 7 };
	uint32_t steps = WIRE_NOHELO | WIRE_NODATA | WIRE_NR_HDR |
	    WIRE_NR_RCPT;
	struct mta_mail mail;

	(void)state;
	if (mta_mail_make(&kind, 0, &mail) != 0 ||
	    mta_script_connect(steps, "127.0.0.1", &opening) != 0 ||
	    mta_script_message(steps, &mail, "a@example.com", "4X",
	    &letter) != 0)
		return -1;
	mta_mail_clear(&mail);
	return 0;
}

static int
scripts_tear_down(void **state)
{
	(void)state;
	mta_script_clear(&opening);
	mta_script_clear(&letter);
	return 0;
}

/*
 * Send all that there is to send, and begin what may begin.
 */
static void
send_all(struct mta_session *s)
{
	if (s->state == MTA_NEGOTIATED)
		mta_session_open(s, &opening);
	mta_session_sent(s, mta_session_out(s).n);
}

/*
 * A session of which one message was sent up to where the filter is to answer
 * the n-th of: MAIL, end of header, body, end.
 */
static void
session_at(struct mta_session *s, enum mta_mode mode, unsigned n)
{
	mta_session_init(s, mode);
	send_all(s);
	mta_session_feed(s, slice_of(TEST_OCTETS(OPT)));
	test_int("negotiated", s->state, MTA_NEGOTIATED);
	send_all(s);
	mta_session_feed(s, slice_of(TEST_OCTETS(C)));
	test_int("ready", s->state, MTA_READY);
	mta_session_message(s, &letter);
	send_all(s);
	for (; n > 0; n--) {
		mta_session_feed(s, slice_of(TEST_OCTETS(C)));
		test_int("busy", s->state, MTA_BUSY);
		send_all(s);
	}
}

static void
mta_session_feed_split(void **state)
{
	static const uint8_t answers[] = C C C ADDED "\0\0\0\x01p" C;
	size_t n = sizeof answers - 1;
	struct mta_session s;

	(void)state;
	for (size_t cut = 0; cut <= n; cut++) {
		session_at(&s, MTA_SIGN, 0);
		/* each answer makes it send more, so they come one by one */
		for (size_t at = 0; at < n; at++) {
			size_t take = at < 15 ? 5 - at % 5 : n - at;

			if (at < cut && cut < at + take)
				take = cut - at;
			mta_session_feed(&s, slice_of(answers + at, take));
			send_all(&s);
			at += take - 1;
		}
		test_int("over", s.state, MTA_READY);
		test_int("well", s.fault, MTA_OK);
		test_octets("the field", s.field.p, s.field.n, " b=ab", 5);
		mta_session_clear(&s);
	}
}

static void
mta_session_faults(void **state)
{
	static const struct {
		const char	*name, *octets;
		size_t		 n;
		enum mta_mode	 mode;
		unsigned	 at;
		enum mta_state	 state;
		enum mta_fault	 fault;
	} rows[] = {
#define ROW(name, octets, mode, at, state, fault) \
	{ name, octets, sizeof(octets) - 1, mode, at, state, fault }
		ROW("accepted, no field", "\0\0\0\x01" "a", MTA_SIGN, 3,
		    MTA_READY, MTA_NO_FIELD),
		ROW("signed, but a result is wanted", ADDED C, MTA_VERIFY, 3,
		    MTA_READY, MTA_NO_FIELD),
		ROW("no pass", "\0\0\0\x27" "i\0\0\0\0Authentication-Results"
		    "\0 m; dkim=x\0" C, MTA_VERIFY, 3, MTA_READY,
		    MTA_NO_PASS),
		ROW("a pass", "\0\0\0\x2a" "i\0\0\0\0Authentication-Results"
		    "\0 m; dkim=pass\0" C, MTA_VERIFY, 3, MTA_READY, MTA_OK),
		ROW("tempfail", "\0\0\0\x01t", MTA_SIGN, 0, MTA_FAILED,
		    MTA_TEMPFAIL),
		ROW("reject", "\0\0\0\x01r", MTA_SIGN, 3, MTA_FAILED,
		    MTA_REJECT),
		ROW("discard", "\0\0\0\x01" "d", MTA_SIGN, 3, MTA_FAILED,
		    MTA_DISCARD),
		ROW("451", "\0\0\0\x0dy451 4.3.2 x\0", MTA_SIGN, 1,
		    MTA_FAILED, MTA_TEMPFAIL),
		ROW("550", "\0\0\0\x0dy550 5.7.1 x\0", MTA_SIGN, 1,
		    MTA_FAILED, MTA_REJECT),
		ROW("accepted too early", "\0\0\0\x01" "a", MTA_SIGN, 1,
		    MTA_FAILED, MTA_NO_FIELD),
		ROW("skip the body", "\0\0\0\x01s" C, MTA_SIGN, 2, MTA_FAILED,
		    MTA_PROTOCOL),
		ROW("skip what is no body", "\0\0\0\x01s", MTA_SIGN, 1,
		    MTA_FAILED, MTA_PROTOCOL),
		ROW("a field too early", ADDED, MTA_SIGN, 1, MTA_FAILED,
		    MTA_PROTOCOL),
		ROW("an answer too many", C C, MTA_SIGN, 3, MTA_FAILED,
		    MTA_PROTOCOL),
		ROW("negotiation again", OPT, MTA_SIGN, 1, MTA_FAILED,
		    MTA_PROTOCOL),
		ROW("length 0", "\0\0\0\0", MTA_SIGN, 1, MTA_FAILED,
		    MTA_PROTOCOL),
		ROW("length 65537", "\0\1\0\1c", MTA_SIGN, 1, MTA_FAILED,
		    MTA_PROTOCOL),
		ROW("length 4 GB", "\xff\xff\xff\xff" "c", MTA_SIGN, 1,
		    MTA_FAILED, MTA_PROTOCOL),
		ROW("no such answer", "\0\0\0\x01?", MTA_SIGN, 1, MTA_FAILED,
		    MTA_PROTOCOL),
		ROW("a field without NUL", "\0\0\0\x08" "i\0\0\0\0abc",
		    MTA_SIGN, 3, MTA_FAILED, MTA_PROTOCOL),
		ROW("half a packet", "\0\0\0", MTA_SIGN, 1, MTA_BUSY, MTA_OK),
#undef ROW
	};
	struct mta_session s;

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		session_at(&s, rows[i].mode, rows[i].at);
		mta_session_feed(&s, slice_of(rows[i].octets, rows[i].n));
		test_int(rows[i].name, s.state, rows[i].state);
		test_int(rows[i].name, s.fault, rows[i].fault);
		mta_session_clear(&s);
	}
}

/*
 * Before what is asked is sent, no answer is one.
 */
static void
mta_session_early_answers(void **state)
{
	struct mta_session s;

	(void)state;
	mta_session_init(&s, MTA_SIGN);
	mta_session_feed(&s, slice_of(TEST_OCTETS(OPT)));
	test_int("not yet asked", s.fault, MTA_PROTOCOL);
	mta_session_clear(&s);
	session_at(&s, MTA_SIGN, 3);
	mta_session_feed(&s, slice_of(TEST_OCTETS(ADDED C)));
	mta_session_message(&s, &letter);
	mta_session_sent(&s, 1);
	mta_session_feed(&s, slice_of(TEST_OCTETS(C)));
	test_int("half of it sent", s.fault, MTA_PROTOCOL);
	mta_session_clear(&s);
}

static void
mta_session_bounds(void **state)
{
	struct mta_session s;

	(void)state;
	session_at(&s, MTA_SIGN, 3);
	for (int i = 0; i < MTA_SESSION_CHANGES_MAX; i++)
		mta_session_feed(&s, slice_of(TEST_OCTETS(ADDED)));
	test_int("the last that may be", s.state, MTA_BUSY);
	mta_session_feed(&s, slice_of(TEST_OCTETS(ADDED)));
	test_int("one more", s.fault, MTA_PROTOCOL);
	mta_session_clear(&s);
	session_at(&s, MTA_SIGN, 3);
	for (int i = 0; i < MTA_SESSION_PROGRESS_MAX; i++)
		mta_session_feed(&s, slice_of(TEST_OCTETS("\0\0\0\1p")));
	test_int("still patient", s.state, MTA_BUSY);
	mta_session_feed(&s, slice_of(TEST_OCTETS("\0\0\0\1p")));
	test_int("no more", s.fault, MTA_PROTOCOL);
	mta_session_clear(&s);
}

/*
 * Terms that were not offered.
 */
static void
mta_session_terms(void **state)
{
	static const struct {
		const char	*name, *octets;
	} rows[] = {
		{ "actions", "\0\0\0\x0dO\0\0\0\x06\0\0\x02\0\0\0\0\0" },
		{ "steps", "\0\0\0\x0dO\0\0\0\x06\0\0\0\x01\0\x20\0\0" },
		{ "version 1", "\0\0\0\x0dO\0\0\0\x01\0\0\0\x01\0\0\0\0" },
	};
	struct mta_session s;

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		mta_session_init(&s, MTA_SIGN);
		send_all(&s);
		mta_session_feed(&s, slice_of(rows[i].octets, 17));
		test_int(rows[i].name, s.fault, MTA_PROTOCOL);
		mta_session_clear(&s);
	}
}

/* ---- arrivals, figures -------------------------------------------------- */

/*
 * Mean 1 / rate, and as many above it as an exponential distribution has.
 */
static void
mta_arrival_next_poisson(void **state)
{
	struct random random = { 1 };
	double sum = 0, rate = 200;
	unsigned above = 0, n = 100000;

	(void)state;
	for (unsigned i = 0; i < n; i++) {
		double gap = (double)mta_arrival_next(&random, rate) / 1e9;

		sum += gap;
		above += gap > 1 / rate;
	}
	test_true("the mean", fabs(sum / n * rate - 1) < 0.02);
	test_true("1/e are longer", fabs((double)above / n - exp(-1)) < 0.01);
}

static void
milter_report_sum_by_hand(void **state)
{
	double us[] = { 400, 100, 300, 200 };
	struct mta_load_result result = { .seconds = 2, .latency_us = us,
	    .n = 4 };
	struct process_sample before = { .cpu_us = 100 }, after = {
	    .cpu_us = 900 };
	struct milter_figures f;

	(void)state;
	milter_report_sum(&result, &before, &after, 40, &f);
	test_int("messages a second", f.per_s, 2);
	test_int("median", f.p50_us, 200);
	test_int("p99", f.p99_us, 400);
	test_int("CPU a message", f.cpu_us, 200);
	test_int("own", f.own_us, 10);
	after.gone = true;
	milter_report_sum(&result, &before, &after, 40, &f);
	test_int("a process has ended", f.cpu_us, 0);
	result.n = 0;
	milter_report_sum(&result, &before, &after, 40, &f);
	test_int("nothing was answered", f.per_s, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mta_address_parse_notations),
		cmocka_unit_test(mta_mail_make_sizes),
		cmocka_unit_test(mta_mail_sign_verify),
		cmocka_unit_test(mta_script_by_steps),
		cmocka_unit_test(mta_script_long_body),
		cmocka_unit_test(mta_field_rows),
		cmocka_unit_test(mta_session_feed_split),
		cmocka_unit_test(mta_session_faults),
		cmocka_unit_test(mta_session_early_answers),
		cmocka_unit_test(mta_session_bounds),
		cmocka_unit_test(mta_session_terms),
		cmocka_unit_test(mta_arrival_next_poisson),
		cmocka_unit_test(milter_report_sum_by_hand),
	};

	return cmocka_run_group_tests(tests, scripts_set_up,
	    scripts_tear_down) != 0;
}
