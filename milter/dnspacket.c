/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TXT answers in wire format, RFC 1035 s4.1.
 */

/* system */
#include <stdlib.h>

/* this room */
#include "milter/dnspacket.h"

#define HEADER_OCTETS	12
#define TYPE_CNAME	5
#define TYPE_TXT	16
#define CLASS_IN	1
#define NAME_OCTETS	255	/* of a name in wire format, RFC 1035 s2.3.4 */

/* A name in wire format, no compression, lower case */
struct wirename {
	size_t	n;
	uint8_t	octets[NAME_OCTETS];
};

struct record {
	struct wirename	 owner;
	unsigned	 type, class;
	uint32_t	 ttl;
	size_t		 data;		/* index of the RDATA */
	size_t		 n;		/* octets of it */
};

static unsigned
get16(struct slice wire, size_t at)
{
	return (unsigned)wire.p[at] << 8 | wire.p[at + 1];
}

static uint32_t
get32(struct slice wire, size_t at)
{
	return (uint32_t)get16(wire, at) << 16 | get16(wire, at + 2);
}

/*
 * Read a name and step over it. A pointer must point before the octets read
 * so far, so that a chain of them ends.
 */
static int
read_name(struct slice wire, size_t *at, struct wirename *out)
{
	size_t i = *at, least = *at, n, k;
	bool jumped = false;

	out->n = 0;
	for (;;) {
		if (i >= wire.n)
			return DKIM_ERR_SYNTAX;
		n = wire.p[i];
		if (n >= 0xc0) {
			if (wire.n - i < 2)
				return DKIM_ERR_SYNTAX;
			k = get16(wire, i) & 0x3fff;
			if (!jumped)
				*at = i + 2;
			jumped = true;
			if (k >= least)
				return DKIM_ERR_SYNTAX;
			least = i = k;
			continue;
		}
		if (n > DKIM_LABEL_MAX || wire.n - i < n + 1 ||
		    out->n + n + 1 > NAME_OCTETS)
			return DKIM_ERR_SYNTAX;
		out->octets[out->n++] = (uint8_t)n;
		for (k = 1; k <= n; k++)
			out->octets[out->n++] = slice_lower(wire.p[i + k]);
		i += n + 1;
		if (n == 0)
			break;
	}
	if (!jumped)
		*at = i;
	return 0;
}

static int
make_name(const char *text, struct wirename *out)
{
	struct slice rest = slice_text(text);
	size_t n, i;

	out->n = 0;
	while (rest.n > 0) {
		n = slice_find(rest, '.');
		if (n == 0 || n > DKIM_LABEL_MAX ||
		    out->n + n + 2 > NAME_OCTETS)
			return DKIM_ERR_SYNTAX;
		out->octets[out->n++] = (uint8_t)n;
		for (i = 0; i < n; i++)
			out->octets[out->n++] = slice_lower(rest.p[i]);
		rest = slice_from(rest, n < rest.n ? n + 1 : n);
	}
	out->octets[out->n++] = 0;
	return 0;
}

static bool
is_same(const struct wirename *a, const struct wirename *b)
{
	return slice_equal(slice_of(a->octets, a->n),
	    slice_of(b->octets, b->n));
}

static int
read_record(struct slice wire, size_t *at, struct record *out)
{
	if (read_name(wire, at, &out->owner) != 0 || wire.n - *at < 10)
		return DKIM_ERR_SYNTAX;
	out->type = get16(wire, *at);
	out->class = get16(wire, *at + 2);
	out->ttl = get32(wire, *at + 4);
	/* RFC 2181 s8: a TTL with the high bit set counts as 0 */
	if (out->ttl > INT32_MAX)
		out->ttl = 0;
	out->n = get16(wire, *at + 8);
	out->data = *at + 10;
	if (wire.n - out->data < out->n)
		return DKIM_ERR_SYNTAX;
	*at = out->data + out->n;
	return 0;
}

/*
 * Step over header and question.
 *   owner    out: the name asked for, which must be the one we asked
 *   answers  out: records in the answer section
 */
static int
read_head(struct slice wire, const char *name, struct dnspacket *out,
    struct wirename *owner, size_t *at, unsigned *answers)
{
	struct wirename asked;

	if (wire.n < HEADER_OCTETS || wire.n > DNSPACKET_WIRE_MAX)
		return DKIM_ERR_SYNTAX;
	if ((wire.p[2] & 0x80) == 0 || get16(wire, 4) != 1)
		return DKIM_ERR_SYNTAX;
	out->truncated = (wire.p[2] & 0x02) != 0;
	out->rcode = wire.p[3] & 0x0f;
	*answers = get16(wire, 6);
	*at = HEADER_OCTETS;
	if (make_name(name, &asked) != 0 ||
	    read_name(wire, at, owner) != 0 || wire.n - *at < 4)
		return DKIM_ERR_SYNTAX;
	if (!is_same(&asked, owner))
		return DKIM_ERR_SYNTAX;
	*at += 4;
	return 0;
}

/*
 * Follow one alias of owner, if there is one.
 *   returns  whether owner changed
 */
static bool
follow(struct slice wire, size_t at, unsigned answers, struct wirename *owner,
    uint32_t *ttl)
{
	struct record record;
	struct wirename target;
	size_t data;
	unsigned i;

	for (i = 0; i < answers; i++) {
		if (read_record(wire, &at, &record) != 0)
			return false;
		if (record.type != TYPE_CNAME || record.class != CLASS_IN ||
		    !is_same(&record.owner, owner))
			continue;
		data = record.data;
		if (read_name(wire, &data, &target) != 0)
			return false;
		*owner = target;
		if (record.ttl < *ttl)
			*ttl = record.ttl;
		return true;
	}
	return false;
}

/* RFC 1035 s3.3.14: one or more strings of one length octet each; RFC 6376
 * s3.6.2.2: nothing stands between them. */
static int
join(struct slice data, uint8_t *out, size_t *n)
{
	size_t i = 0, k;

	*n = 0;
	while (i < data.n) {
		k = data.p[i];
		if (k > data.n - i - 1)
			return DKIM_ERR_SYNTAX;
		memcpy(out + *n, data.p + i + 1, k);
		*n += k;
		i += k + 1;
	}
	return 0;
}

static int
collect(struct slice wire, size_t at, unsigned answers,
    const struct wirename *owner, struct dnspacket *out, uint32_t *ttl)
{
	struct record record;
	uint8_t *to = out->octets;
	size_t n;
	unsigned i;

	for (i = 0; i < answers; i++) {
		if (read_record(wire, &at, &record) != 0)
			return DKIM_ERR_SYNTAX;
		if (record.type != TYPE_TXT || record.class != CLASS_IN ||
		    !is_same(&record.owner, owner))
			continue;
		if (join(slice_sub(wire, record.data, record.n), to, &n) != 0)
			return DKIM_ERR_SYNTAX;
		if (out->n < DKIM_TXT_RECORDS_MAX)
			out->records[out->n] = slice_of(to, n);
		to += n;
		out->n++;
		if (record.ttl < *ttl)
			*ttl = record.ttl;
	}
	return 0;
}

int
dnspacket_parse(struct slice wire, const char *name, struct dnspacket *out)
{
	struct wirename owner;
	unsigned answers, aliases;
	uint32_t ttl = UINT32_MAX;
	size_t at;
	int r;

	memset(out, 0, sizeof(*out));
	r = read_head(wire, name, out, &owner, &at, &answers);
	if (r != 0)
		return r;
	/* Joined strings are never longer than the packet */
	out->octets = malloc(wire.n);
	if (out->octets == NULL)
		return DKIM_ERR_NOMEM;
	for (aliases = 0; aliases < DNSPACKET_CNAMES_MAX; aliases++)
		if (!follow(wire, at, answers, &owner, &ttl))
			break;
	r = collect(wire, at, answers, &owner, out, &ttl);
	if (r != 0) {
		dnspacket_clear(out);
		return r;
	}
	out->ttl = ttl == UINT32_MAX ? 0 : ttl;
	return 0;
}

void
dnspacket_clear(struct dnspacket *packet)
{
	free(packet->octets);
	packet->octets = NULL;
	packet->n = 0;
}

const char *
dnspacket_rcode_text(unsigned rcode)
{
	switch (rcode) {
	case DNSPACKET_NOERROR:
		return "NOERROR";
	case DNSPACKET_FORMERR:
		return "FORMERR";
	case DNSPACKET_SERVFAIL:
		return "SERVFAIL";
	case DNSPACKET_NXDOMAIN:
		return "NXDOMAIN";
	case DNSPACKET_NOTIMP:
		return "NOTIMP";
	case DNSPACKET_REFUSED:
		return "REFUSED";
	default:
		return "an RCODE without a name";
	}
}
