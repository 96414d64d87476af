/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attacks sets of hosts: a network holds its own address, and a set says the
 * same of a name in either case. Input: the client's name up to a line end,
 * then the list.
 */

/* system */
#include <netinet/in.h>

/* this room */
#include "milter/hostset.h"
#include "milter/hostspec.h"
#include "tests/fuzz/fuzz_report.h"

/*
 * A list of one network, not negated.
 */
static void
check_net(const struct hostset *set, const struct hostspec *spec)
{
	struct sockaddr_in6 client = { .sin6_family = AF_INET6 };

	FUZZ_WANT(spec->bits <= 128);
	memcpy(&client.sin6_addr, spec->address, sizeof(spec->address));
	FUZZ_WANT(hostset_has(set, slice_of("", 0),
	    (const struct sockaddr *)&client));
}

static void
check_name(const struct hostset *set, struct slice name)
{
	struct sockaddr_in client = { .sin_family = AF_INET };
	char *text = fuzz_string(name);
	size_t i;
	bool has;

	client.sin_addr.s_addr = htonl(0xc6336401);
	has = hostset_has(set, name, (const struct sockaddr *)&client);
	for (i = 0; i < name.n; i++)
		text[i] = (char)slice_lower((uint8_t)text[i]);
	FUZZ_WANT(has == hostset_has(set, slice_of(text, name.n),
	    (const struct sockaddr *)&client));
	(void)hostset_has(set, name, NULL);
	free(text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct report report = { .write = fuzz_report_write };
	struct slice in = slice_of(p, n), name;
	struct hostset *set = NULL;
	struct hostspec spec;
	const char *reason = NULL;
	struct buf b;

	if (n > 4096)
		return 0;
	name = fuzz_until(&in, '\n');
	if (slice_trim(slice_sub(in, 0, slice_find(in, '\0'))).n == 0)
		return 0;
	buf_init(&b, 8192);
	buf_add_text(&b, "csl:");
	buf_add(&b, in);
	buf_add_nul(&b);
	FUZZ_WANT(buf_end(&b) == 0);
	if (hostset_open("InternalHosts", (const char *)b.p, NULL, &report,
	    &set) != 0) {
		FUZZ_WANT(report.fatals + report.rows > 0);
		buf_clear(&b);
		return 0;
	}
	check_name(set, name);
	if (slice_find(in, ',') == in.n && slice_find(in, '=') == in.n &&
	    slice_find(in, '\0') == in.n &&
	    hostspec_parse(slice_trim(in), true, &spec, &reason) == 0 &&
	    spec.kind == HOSTSPEC_NET && !spec.negated)
		check_net(set, &spec);
	hostset_free(set);
	buf_clear(&b);
	return 0;
}
