/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One entry of a set of hosts.
 */

/* system */
#include <sys/socket.h>
#include <arpa/inet.h>
#include <netinet/in.h>

/* this room */
#include "hostspec.h"

#define IPV4_AT		96	/* bits before an IPv4 address */

static const char bad_width[] = "the width of a network is a number of bits "
    "(0 to 32 for IPv4, 0 to 128 for IPv6) or an IPv4 mask";
static const char bad_name[] = "no address, network, host name or .suffix, "
    "as 192.0.2.0/24, [2001:db8::1], mx.example.com, .example.com";
static const char has_host_bits[] = "the address has bits below its width; "
    "they are taken as zero";
static const char bad_star[] = "a name with * matches nothing here; write "
    ".example.com for all hosts below example.com";

void
hostspec_mask(uint8_t address[16], unsigned bits)
{
	unsigned i;

	for (i = 0; i < 16; i++)
		if (bits >= 8 * (i + 1))
			continue;
		else if (bits <= 8 * i)
			address[i] = 0;
		else
			address[i] &= (uint8_t)(0xff << (8 - (bits - 8 * i)));
}

static bool
parse_address(struct slice text, uint8_t out[16], bool *is_v4)
{
	char copy[INET6_ADDRSTRLEN];
	uint8_t v4[4];

	if (text.n > 2 && text.p[0] == '[' && text.p[text.n - 1] == ']')
		text = slice_sub(text, 1, text.n - 2);
	if (text.n > 5 && slice_equal_nocase(slice_sub(text, 0, 5),
	    slice_text("IPv6:")))
		text = slice_from(text, 5);
	if (text.n == 0 || text.n >= sizeof(copy))
		return false;
	memcpy(copy, text.p, text.n);
	copy[text.n] = '\0';
	*is_v4 = false;
	if (inet_pton(AF_INET6, copy, out) == 1)
		return true;
	if (inet_pton(AF_INET, copy, v4) != 1)
		return false;
	memset(out, 0, 10);
	memset(out + 10, 0xff, 2);
	memcpy(out + 12, v4, 4);
	*is_v4 = true;
	return true;
}

/*
 * "24", or "255.255.255.0" behind an IPv4 address.
 */
static bool
parse_width(struct slice text, bool is_v4, unsigned *bits)
{
	const unsigned most = is_v4 ? 32 : 128;
	uint8_t mask[16], full[16];
	unsigned value = 0;
	bool mask_v4;
	size_t i;

	if (is_v4 && slice_find(text, '.') < text.n) {
		if (!parse_address(text, mask, &mask_v4) || !mask_v4)
			return false;
		for (*bits = 0; *bits <= 32; (*bits)++) {
			memset(full, 0xff, sizeof(full));
			hostspec_mask(full, IPV4_AT + *bits);
			if (memcmp(full + 12, mask + 12, 4) == 0)
				return true;
		}
		return false;
	}
	for (i = 0; i < text.n; i++) {
		if (text.p[i] < '0' || text.p[i] > '9' || i > 2)
			return false;
		value = value * 10 + (unsigned)(text.p[i] - '0');
	}
	*bits = value;
	return text.n > 0 && value <= most;
}

static int
parse_net(struct slice text, struct hostspec *out, const char **reason)
{
	size_t slash = slice_find(text, '/');
	struct slice whole = text;
	uint8_t masked[16];
	unsigned bits;
	bool is_v4;

	/* "[2001:db8::/32]" as well as "[2001:db8::]/32" */
	if (whole.n > 2 && whole.p[0] == '[' && whole.p[whole.n - 1] == ']') {
		text = slice_sub(whole, 1, whole.n - 2);
		slash = slice_find(text, '/');
	}
	if (!parse_address(slice_sub(text, 0, slash), out->address, &is_v4)) {
		*reason = bad_name;
		return DKIM_ERR_SYNTAX;
	}
	bits = is_v4 ? 32 : 128;
	if (slash < text.n &&
	    !parse_width(slice_from(text, slash + 1), is_v4, &bits)) {
		*reason = bad_width;
		return DKIM_ERR_SYNTAX;
	}
	out->kind = HOSTSPEC_NET;
	out->bits = is_v4 ? IPV4_AT + bits : bits;
	memcpy(masked, out->address, sizeof(masked));
	hostspec_mask(masked, out->bits);
	if (memcmp(masked, out->address, sizeof(masked)) != 0)
		*reason = has_host_bits;
	memcpy(out->address, masked, sizeof(masked));
	return 0;
}

/*
 * Could it be meant as an address: nothing but digits and dots, a colon, a
 * slash or a bracket?
 */
static bool
looks_like_address(struct slice text)
{
	size_t i, digits = 0;

	for (i = 0; i < text.n; i++) {
		if (text.p[i] == ':' || text.p[i] == '/' || text.p[i] == '[')
			return true;
		digits += (text.p[i] >= '0' && text.p[i] <= '9') ||
		    text.p[i] == '.';
	}
	return digits == text.n;
}

static int
parse_name(struct slice text, bool globs, struct hostspec *out,
    const char **reason)
{
	size_t i, stars = 0;
	uint8_t c;

	if (text.n > 1 && text.p[text.n - 1] == '.')
		text = slice_sub(text, 0, text.n - 1);
	for (i = 0; i < text.n; i++) {
		c = text.p[i];
		if (c == '*')
			stars++;
		else if (!((slice_lower(c) >= 'a' && slice_lower(c) <= 'z') ||
		    (c >= '0' && c <= '9') || c == '-' || c == '_' ||
		    c == '.'))
			break;
	}
	if (i < text.n || text.n == 0 || text.n > DKIM_NAME_MAX) {
		*reason = bad_name;
		return DKIM_ERR_SYNTAX;
	}
	if (stars > 0 && !globs) {
		*reason = bad_star;
		return DKIM_ERR_SYNTAX;
	}
	out->kind = stars > 0 ? HOSTSPEC_GLOB : HOSTSPEC_NAME;
	out->name = text;
	return 0;
}

int
hostspec_parse(struct slice text, bool globs, struct hostspec *out,
    const char **reason)
{
	struct hostspec spec = { 0 };
	int error;

	if (text.n > 0 && text.p[0] == '!') {
		spec.negated = true;
		text = slice_trim(slice_from(text, 1));
	}
	if (slice_is(text, "-"))
		error = 0;
	else if (looks_like_address(text))
		error = parse_net(text, &spec, reason);
	else
		error = parse_name(text, globs, &spec, reason);
	if (error == 0)
		*out = spec;
	return error;
}
