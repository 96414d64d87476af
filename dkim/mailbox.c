/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * address-list of RFC 5322 s3.4 with the obsolete forms of s4.4, groups
 * (RFC 6854) and UTF-8 (RFC 6532); see dkim.h.
 *
 * Three things beyond the grammar, because mail in the field has them and other
 * readers agree what they mean: "@", "." and [..] in a display name that has
 * <..> behind it, dots anywhere between the words of a local part, and empty
 * elements of a list.
 */

/* this room */
#include "rfc5322.h"

struct parser {
	struct slice		 value;
	size_t			 at;	/* octet behind word */
	struct rfc5322_word	 word;	/* looked at, not taken */
	struct arena		*arena;
	struct dkim_mailbox	*out;
	size_t			 max;
	size_t			 n;
	bool			 group;		/* there was one */
};

static void
step(struct parser *p)
{
	p->word = rfc5322_next(p->value, &p->at);
}

static bool
is_word(struct rfc5322_word word)
{
	return word.kind == RFC5322_ATOM || word.kind == RFC5322_QUOTED;
}

/*
 * Octets from one word's begin to the end of the last word in front of the
 * present one.
 */
static struct slice
span(const struct parser *p, size_t from, size_t to)
{
	return slice_sub(p->value, from, to - from);
}

/*
 * domain = atom *("." atom) / domain-literal, CFWS between (s4.4 obs-domain).
 */
static int
parse_domain(struct parser *p, struct slice *raw)
{
	size_t from = p->word.at, to;

	if (p->word.kind == RFC5322_LITERAL) {
		*raw = p->word.raw;
		step(p);
		return 0;
	}
	for (;;) {
		if (p->word.kind != RFC5322_ATOM)
			return DKIM_ERR_SYNTAX;
		to = p->at;
		step(p);
		if (!rfc5322_is(p->word, '.'))
			break;
		step(p);
	}
	*raw = span(p, from, to);
	return 0;
}

/*
 * local-part = word *("." word), CFWS between (s4.4 obs-local-part).
 */
static int
parse_local(struct parser *p, struct slice *raw)
{
	size_t from = p->word.at, to = from;
	bool any = false, dot = true;

	for (; is_word(p->word) || rfc5322_is(p->word, '.'); step(p)) {
		/* two words need a dot between them */
		if (is_word(p->word) && !dot)
			return DKIM_ERR_SYNTAX;
		dot = rfc5322_is(p->word, '.');
		any = any || !dot;
		to = p->at;
	}
	*raw = span(p, from, to);
	return any ? 0 : DKIM_ERR_SYNTAX;
}

/*
 * addr-spec = local-part "@" domain
 */
static int
parse_addr_spec(struct parser *p)
{
	struct slice local, domain;
	struct dkim_mailbox *m;
	int r;

	if ((r = parse_local(p, &local)) != 0)
		return r;
	if (!rfc5322_is(p->word, '@'))
		return DKIM_ERR_SYNTAX;
	step(p);
	if ((r = parse_domain(p, &domain)) != 0)
		return r;
	if (p->n == p->max)
		return DKIM_ERR_LIMIT;
	m = &p->out[p->n];
	if ((r = rfc5322_plain(local, p->arena, &m->local)) != 0 ||
	    (r = rfc5322_plain(domain, p->arena, &m->domain)) != 0)
		return r;
	p->n++;
	return 0;
}

/*
 * obs-route = *"," "@" domain *("," ["@" domain]) ":"
 */
static int
parse_route(struct parser *p)
{
	struct slice domain;
	int r;

	while (!rfc5322_is(p->word, ':')) {
		if (rfc5322_is(p->word, ',')) {
			step(p);
			continue;
		}
		if (!rfc5322_is(p->word, '@'))
			return DKIM_ERR_SYNTAX;
		step(p);
		if ((r = parse_domain(p, &domain)) != 0)
			return r;
		if (!rfc5322_is(p->word, ',') && !rfc5322_is(p->word, ':'))
			return DKIM_ERR_SYNTAX;
	}
	step(p);
	return 0;
}

/*
 * angle-addr = "<" [obs-route] addr-spec ">"
 */
static int
parse_angle(struct parser *p)
{
	int r;

	step(p);
	if ((rfc5322_is(p->word, '@') || rfc5322_is(p->word, ',')) &&
	    (r = parse_route(p)) != 0)
		return r;
	if ((r = parse_addr_spec(p)) != 0)
		return r;
	if (!rfc5322_is(p->word, '>'))
		return DKIM_ERR_SYNTAX;
	step(p);
	return 0;
}

/*
 * Step over what can be a display name; what follows tells whether it is one.
 *   plain    words and dots only
 */
static bool
skip_phrase(struct parser *p, bool *plain)
{
	bool any = false;

	*plain = true;
	for (;; step(p)) {
		if (p->word.kind == RFC5322_LITERAL ||
		    rfc5322_is(p->word, '@'))
			*plain = false;
		else if (!is_word(p->word) && !rfc5322_is(p->word, '.'))
			return any;
		any = true;
	}
}

static int parse_address(struct parser *p, bool in_group);

/*
 * A list up to its end, or to the ";" of a group.
 */
static int
parse_list(struct parser *p, bool in_group)
{
	int r;

	for (;;) {
		/* s4.4 obs-addr-list: elements may be empty */
		while (rfc5322_is(p->word, ','))
			step(p);
		if (p->word.kind == RFC5322_END ||
		    rfc5322_is(p->word, ';'))
			return 0;
		if ((r = parse_address(p, in_group)) != 0)
			return r;
		if (!rfc5322_is(p->word, ',') &&
		    !rfc5322_is(p->word, ';') &&
		    p->word.kind != RFC5322_END)
			return DKIM_ERR_SYNTAX;
	}
}

/*
 * group = display-name ":" [group-list] ";"
 */
static int
parse_group(struct parser *p)
{
	int r;

	p->group = true;
	step(p);
	if ((r = parse_list(p, true)) != 0)
		return r;
	if (!rfc5322_is(p->word, ';'))
		return DKIM_ERR_SYNTAX;
	step(p);
	return 0;
}

/*
 * address = mailbox / group; no group inside a group.
 */
static int
parse_address(struct parser *p, bool in_group)
{
	struct parser begin = *p;
	bool phrase, plain;

	phrase = skip_phrase(p, &plain);
	if (rfc5322_is(p->word, '<'))
		return parse_angle(p);
	if (rfc5322_is(p->word, ':'))
		return phrase && plain && !in_group ? parse_group(p) :
		    DKIM_ERR_SYNTAX;
	*p = begin;
	return parse_addr_spec(p);
}

int
dkim_mailbox_parse(struct slice value, struct arena *a,
    struct dkim_mailbox *out, size_t max, size_t *n)
{
	struct parser p = {
		.value = value, .arena = a, .out = out, .max = max,
	};
	int r;

	step(&p);
	if ((r = parse_list(&p, false)) != 0)
		return r;
	/* a ";" that ends no group; nothing at all */
	if (p.word.kind != RFC5322_END || (p.n == 0 && !p.group))
		return DKIM_ERR_SYNTAX;
	*n = p.n;
	return 0;
}
