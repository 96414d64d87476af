/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One DKIM-Signature field, taken apart (RFC 6376 s3.5, s6.1.1).
 */

/* this room */
#include "sigfield.h"
#include "base64.h"
#include "taglist.h"

#define SHA1_SIZE	20	/* octets */

static const char infix[] = "._domainkey.";

/*
 * Keep the fault that comes first.
 */
static void
fault(struct sigfield *f, const char *text)
{
	if (f->error == NULL)
		f->error = text;
}

/*
 * Give the value of a tag that must be there and not be empty; which of the
 * two it lacks is told apart (RFC 6376 s3.2 #13).
 */
static bool
required(struct sigfield *f, const struct taglist *list, const char *name,
    const char *missing, const char *empty, struct slice *out)
{
	const struct tag *tag = taglist_find(list, name);

	*out = (struct slice){ NULL, 0 };
	if (tag == NULL) {
		fault(f, missing);
		return false;
	}
	*out = tag->value;
	if (tag->value.n == 0) {
		fault(f, empty);
		return false;
	}
	return true;
}

/*
 * RFC 6376 s6.1.1 #4, #5: version first, then the required tags, before
 * anything is looked at in detail.
 */
static void
parse_version(struct sigfield *f, const struct taglist *list)
{
	static const struct {
		const char	*name;
		const char	*missing;
	} rows[] = {
		{ "a", "signature missing required tag a=" },
		{ "b", "signature missing required tag b=" },
		{ "bh", "signature missing required tag bh=" },
		{ "d", "signature missing required tag d=" },
		{ "h", "signature missing required tag h=" },
		{ "s", "signature missing required tag s=" },
	};
	const struct tag *v = taglist_find(list, "v");
	size_t i;

	/* RFC 6376 s3.5 #13, s3.2 #7: exactly "1" */
	if (v == NULL)
		fault(f, "signature missing required tag v=");
	else if (!slice_is(v->value, "1"))
		fault(f, "incompatible version");
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (taglist_find(list, rows[i].name) == NULL)
			fault(f, rows[i].missing);
}

static void
parse_algorithm(struct sigfield *f, const struct taglist *list)
{
	static const struct {
		const char		*name;
		enum sigfield_algorithm	 alg;
	} rows[] = {
		/* RFC 6376 s3.3, s3.5 #16, #18; RFC 8301 s3.1 #2; RFC 8463
		 * s4.1, s5: what is none of these is unknown */
		{ "rsa-sha256", SIGFIELD_RSA_SHA256 },
		{ "ed25519-sha256", SIGFIELD_ED25519_SHA256 },
		{ "rsa-sha1", SIGFIELD_RSA_SHA1 },
	};
	size_t i;

	f->alg = SIGFIELD_UNKNOWN;
	if (!required(f, list, "a", "signature missing required tag a=",
	    "signature syntax error: empty a=", &f->algorithm))
		return;
	/* RFC 6376 s3.5: literals of the ABNF, so without regard to case */
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (slice_equal_nocase(f->algorithm, slice_text(rows[i].name)))
			f->alg = rows[i].alg;
}

/*
 * One of d= and s= in look-up form; name.n is 0 where it is none.
 *   errors   DKIM_ERR_NOMEM
 */
static int
convert(struct sigfield *f, struct slice *name, const char *bad,
    int (*to_ascii)(struct slice, char *), char *out)
{
	int r;

	if (name->n == 0)
		return 0;
	/* a final dot is no part of the grammar of RFC 6376 s3.5 */
	r = name->p[name->n - 1] == '.' ? DKIM_ERR_SYNTAX :
	    to_ascii(*name, out);
	if (r == 0 || r == DKIM_ERR_NOMEM)
		return r;
	/* RFC 6376 s3.5 #30, #32: no domain name, no signature */
	fault(f, bad);
	name->n = 0;
	return 0;
}

/*
 * d= and s=, and the name that the key is asked for under.
 */
static int
parse_names(struct sigfield *f, const struct taglist *list, struct arena *a)
{
	char domain[DKIM_NAME_MAX + 1], selector[DKIM_NAME_MAX + 1];
	size_t n, d_n, s_n;
	uint8_t *p;
	int r;

	(void)required(f, list, "d", "signature missing required tag d=",
	    "signature syntax error: empty d=", &f->domain);
	(void)required(f, list, "s", "signature missing required tag s=",
	    "signature syntax error: empty s=", &f->selector);
	r = convert(f, &f->domain, "signature syntax error: bad d=",
	    dkim_domain_to_ascii, domain);
	if (r == 0)
		r = convert(f, &f->selector, "signature syntax error: bad s=",
		    dkim_selector_to_ascii, selector);
	if (r != 0 || f->domain.n == 0 || f->selector.n == 0)
		return r;
	d_n = strlen(domain);
	s_n = strlen(selector);
	n = s_n + sizeof(infix) - 1 + d_n;
	if (n > DKIM_NAME_MAX) {
		fault(f, "signature syntax error: d= and s= too long");
		return 0;
	}
	p = arena_alloc(a, n + 1);
	if (p == NULL)
		return DKIM_ERR_NOMEM;
	/* RFC 6376 s3.6, s3.6.2.1, s3.1 #2, s3.5 #29: a dot of s= is one of the
	 * query */
	memcpy(p, selector, s_n);
	memcpy(p + s_n, infix, sizeof(infix) - 1);
	memcpy(p + n - d_n, domain, d_n + 1);
	/* RFC 8616 s5 #7: to look the key up; the field is hashed as it is */
	f->query = slice_of(p, n);
	f->ascii_domain = slice_from(f->query, n - d_n);
	return 0;
}

/*
 * Position of the last c, or s.n.
 */
static size_t
find_last(struct slice s, uint8_t c)
{
	size_t i = s.n;

	while (i > 0)
		if (s.p[--i] == c)
			return i;
	return s.n;
}

/*
 * RFC 5321 s4.1.2: of a Local-part only a quoted-string holds "@". Others would
 * read the domain of another author out of it.
 */
static bool
is_local_part(struct slice s)
{
	size_t i;

	if (slice_find(s, '@') == s.n)
		return true;
	if (s.n < 2 || s.p[0] != '"' || s.p[s.n - 1] != '"')
		return false;
	/* one quoted-string from end to end, not two with "@" between */
	for (i = 1; i < s.n - 1; i++)
		if (s.p[i] == '"' || (s.p[i] == '\\' && ++i == s.n - 1))
			return false;
	return true;
}

/*
 * RFC 6376 s2.6, s3.5 #45, s3.10: i= must lie within d=; below it matters to a
 * key with t=s.
 */
static int
parse_identity(struct sigfield *f, const struct taglist *list, struct arena *a)
{
	const struct tag *tag = taglist_find(list, "i");
	char domain[DKIM_NAME_MAX + 1];
	struct slice decoded;
	size_t at;
	int r;

	/* RFC 6376 s6.1.1 #6: absent is "@" and d=, which lies within */
	if (tag == NULL)
		return 0;
	/* RFC 6376 s3.5 #47: what is compared is the decoded one */
	r = taglist_decode_qp(tag->value, a, &decoded);
	if (r == DKIM_ERR_NOMEM)
		return r;
	at = r == 0 ? find_last(decoded, '@') : 0;
	if (r != 0 || at == decoded.n || decoded.p[decoded.n - 1] == '.' ||
	    !is_local_part(slice_sub(decoded, 0, at)))
		r = DKIM_ERR_SYNTAX;
	else
		r = dkim_domain_to_ascii(slice_from(decoded, at + 1), domain);
	if (r == DKIM_ERR_NOMEM)
		return r;
	if (r != 0) {
		fault(f, "signature syntax error: bad i=");
		return 0;
	}
	f->identity = decoded;
	if (f->ascii_domain.n == 0)
		return 0;
	/* RFC 6376 s6.1.1 #7, #8: d= is the domain of i= or its parent */
	if (!dkim_domain_is_within(slice_text(domain), f->ascii_domain))
		fault(f, "domain mismatch: i= not within d=");
	f->below = !slice_is(f->ascii_domain, domain);
	return 0;
}

/*
 * RFC 6376 s2.9, RFC 5322 s3.6.8: ftext; ";" cannot stand in a tag-list.
 */
static bool
is_field_name(struct slice name)
{
	size_t i;

	for (i = 0; i < name.n; i++)
		if (name.p[i] <= ' ' || name.p[i] > '~' || name.p[i] == ':' ||
		    name.p[i] == ';')
			return false;
	return name.n > 0;
}

static void
parse_header_names(struct sigfield *f, const struct taglist *list)
{
	struct slice rest, name;
	bool from = false;

	if (!required(f, list, "h", "signature missing required tag h=",
	    "signature syntax error: empty h=", &rest))
		return;
	f->names = rest;
	/* RFC 6376 s3.5 #42: names between single colons, no empty one */
	while (taglist_next(&rest, ':', &name)) {
		if (!is_field_name(name)) {
			fault(f, "signature syntax error: bad h=");
			return;
		}
		if (++f->names_n > DKIM_SIGNED_NAMES_MAX) {
			fault(f, "signature syntax error: "
			    "too many names in h=");
			return;
		}
		from = from || slice_equal_nocase(name, slice_text("From"));
	}
	/* RFC 6376 s6.1.1 #9, s5.4: From MUST be signed */
	if (!from)
		fault(f, "From field not signed");
}

/*
 * RFC 6376 s3.5 #55, #66, #71: decimal digits; beyond 64 bits they count as the
 * largest number, so nothing wraps.
 */
static void
parse_numbers(struct sigfield *f, const struct taglist *list)
{
	const struct tag *l = taglist_find(list, "l");
	const struct tag *t = taglist_find(list, "t");
	const struct tag *x = taglist_find(list, "x");

	f->length = UINT64_MAX;
	f->has_length = l != NULL;
	if (l != NULL && taglist_number(l->value, &f->length) != 0)
		fault(f, "signature syntax error: bad l=");
	f->has_time = t != NULL;
	if (t != NULL && taglist_number(t->value, &f->time) != 0)
		fault(f, "signature syntax error: bad t=");
	f->has_expiry = x != NULL;
	if (x != NULL && taglist_number(x->value, &f->expiry) != 0)
		fault(f, "signature syntax error: bad x=");
	/* RFC 6376 s3.5 #74: x= MUST be greater than t= */
	if (t != NULL && x != NULL && f->expiry <= f->time)
		fault(f, "signature syntax error: x= not later than t=");
}

/*
 * c= and q=, which have defaults; z=, which is for people only.
 */
static void
parse_methods(struct sigfield *f, const struct taglist *list)
{
	const struct tag *c = taglist_find(list, "c");
	const struct tag *q = taglist_find(list, "q");
	const struct tag *z = taglist_find(list, "z");
	struct slice rest, item;

	if (z != NULL)
		f->copies = z->value;
	/* RFC 6376 s3.4 #2: the default of both */
	f->header_canon = DKIM_SIMPLE;
	f->body_canon = DKIM_SIMPLE;
	/* RFC 6376 s3.4 #4: any other makes the field useless */
	if (c != NULL && dkim_canon_parse(c->value, &f->header_canon,
	    &f->body_canon) != 0)
		fault(f, "signature syntax error: unknown canonicalization");
	if (q == NULL)
		return;
	/* RFC 6376 s3.5 #58, #59, #60, #61, #62: unknown methods are passed
	 * over, the first known one counts; that is dns with its option txt */
	rest = q->value;
	while (taglist_next(&rest, ':', &item))
		if (slice_equal_nocase(item, slice_text("dns/txt")))
			return;
	fault(f, "signature syntax error: no known query method");
}

/*
 * Decode base64 into the arena.
 *   errors   DKIM_ERR_NOMEM, _SYNTAX
 */
static int
decode(struct slice in, struct arena *a, uint8_t **out, size_t *n)
{
	*n = 0;
	*out = arena_alloc(a, in.n / 4 * 3 + 3);
	if (*out == NULL)
		return DKIM_ERR_NOMEM;
	return base64_decode(in, *out, n);
}

static int
parse_body_hash(struct sigfield *f, const struct taglist *list,
    struct arena *a)
{
	struct slice text;
	uint8_t *hash;
	size_t n;
	int r;

	if (!required(f, list, "bh", "signature missing required tag bh=",
	    "signature syntax error: empty bh=", &text))
		return 0;
	/* RFC 6376 s3.5 #23: white space in it is passed over */
	r = decode(text, a, &hash, &n);
	if (r == DKIM_ERR_NOMEM)
		return r;
	if (r != 0) {
		fault(f, "signature syntax error: bh= not base64");
		return 0;
	}
	if (f->alg == SIGFIELD_UNKNOWN)
		return 0;
	if (n != (f->alg == SIGFIELD_RSA_SHA1 ? SHA1_SIZE : DIGEST_SIZE)) {
		fault(f, "signature syntax error: bh= of wrong length");
		return 0;
	}
	memcpy(f->body_hash, hash, n);
	return 0;
}

static int
parse_signature(struct sigfield *f, const struct taglist *list,
    struct arena *a)
{
	const struct tag *b = taglist_find(list, "b");
	struct slice text;
	uint8_t *p;
	size_t i, n = 0;
	int r;

	if (b != NULL) {
		f->b_at = b->value_at;
		f->b_n = b->value_raw;
	}
	if (!required(f, list, "b", "signature missing required tag b=",
	    "signature syntax error: empty b=", &text))
		return 0;
	p = arena_alloc(a, text.n);
	if (p == NULL)
		return DKIM_ERR_NOMEM;
	/* RFC 6376 s3.5 #20: white space in it is no part of it */
	for (i = 0; i < text.n; i++)
		if (text.p[i] != ' ' && text.p[i] != '\t' &&
		    text.p[i] != '\r' && text.p[i] != '\n')
			p[n++] = text.p[i];
	f->base64 = slice_of(p, n);
	r = decode(f->base64, a, &f->signature, &f->signature_len);
	if (r == DKIM_ERR_NOMEM)
		return r;
	if (r != 0)
		fault(f, "signature syntax error: b= not base64");
	return 0;
}

int
sigfield_parse(struct slice value, struct arena *a, struct sigfield *out)
{
	struct taglist list;
	int r;

	memset(out, 0, sizeof(*out));
	out->length = UINT64_MAX;
	/* RFC 6376 s3.5 #1, s6.1.1 #1, #2, s8.9: every rule is checked before
	 * anything is used; the first that is broken ends it */
	r = taglist_parse(value, &list);
	if (r == DKIM_ERR_LIMIT) {
		fault(out, "signature syntax error: too many tags");
		return 0;
	}
	if (r != 0) {
		fault(out, "signature syntax error: bad tag list");
		return r == DKIM_ERR_NOMEM ? r : 0;
	}
	parse_version(out, &list);
	parse_algorithm(out, &list);
	r = parse_names(out, &list, a);
	if (r != 0)
		return r;
	r = parse_identity(out, &list, a);
	if (r != 0)
		return r;
	parse_header_names(out, &list);
	parse_methods(out, &list);
	parse_numbers(out, &list);
	r = parse_body_hash(out, &list, a);
	if (r != 0)
		return r;
	return parse_signature(out, &list, a);
}

void
sigfield_names(const struct sigfield *f, struct slice *out)
{
	struct slice rest = f->names;
	size_t i;

	for (i = 0; i < f->names_n && taglist_next(&rest, ':', &out[i]); i++)
		;
}
