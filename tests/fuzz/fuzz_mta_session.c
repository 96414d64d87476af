/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attacks the MTA's end of dkimbench milter with what a filter answers: the
 * first octet says what is wanted and where answers are cut (254 and above:
 * behind each packet), the rest are answers. The session never has more to
 * send than its script, and ends in one of its states.
 */

/* bench */
#include "bench/mta_session.h"

/* this room */
#include "tests/fuzz/fuzz.h"

#define MESSAGES	4

/*
 * Send all, one octet less first, and begin what may begin.
 */
static void
go_on(struct mta_session *s, const struct mta_script *opening,
    const struct mta_script *letter, unsigned *messages)
{
	size_t n;

	if (s->state == MTA_NEGOTIATED)
		mta_session_open(s, opening);
	if (s->state == MTA_READY && *messages < MESSAGES) {
		mta_session_message(s, letter);
		++*messages;
	}
	while ((n = mta_session_out(s).n) > 0)
		mta_session_sent(s, n > 1 ? n - 1 : 1);
}

/*
 * Octets to be given at once.
 */
static size_t
piece(struct slice in, uint8_t how)
{
	struct slice rest = in;
	struct wire_packet packet;
	size_t cut = how / 2 + 1;
	int error;

	if (how >= 254)
		return wire_next(&rest, &packet, &error) ? in.n - rest.n :
		    in.n;
	return in.n < cut ? in.n : cut;
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	static const struct mta_mail_kind kind = { "example.com", 60, 1 };
	struct slice in = slice_of(p, n), part;
	struct mta_script opening, letter;
	struct mta_session s;
	struct mta_mail mail;
	unsigned messages = 0;

	if (n == 0)
		return 0;
	mta_session_init(&s, p[0] % 2 == 0 ? MTA_SIGN : MTA_VERIFY);
	FUZZ_WANT(mta_mail_make(&kind, 0, &mail) == 0);
	FUZZ_WANT(mta_script_connect(WIRE_NOHELO, "127.0.0.1",
	    &opening) == 0);
	FUZZ_WANT(mta_script_message(WIRE_NR_HDR, &mail, "a@example.com",
	    "4X", &letter) == 0);
	for (in = slice_from(in, 1); in.n > 0; in = slice_from(in, part.n)) {
		part = slice_sub(in, 0, piece(in, p[0]));
		go_on(&s, &opening, &letter, &messages);
		mta_session_feed(&s, part);
		FUZZ_WANT(s.in.n <= WIRE_PACKET_MAX);
		FUZZ_WANT(s.field.n <= WIRE_DATA_MAX);
		FUZZ_WANT(s.state != MTA_FAILED || s.fault != MTA_OK);
		FUZZ_WANT(s.fault < MTA_FAULTS);
	}
	mta_session_clear(&s);
	mta_script_clear(&opening);
	mta_script_clear(&letter);
	mta_mail_clear(&mail);
	return 0;
}
