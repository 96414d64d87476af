/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From matching rows to the signatures to make: key names, their rows in
 * KeyTable, d= and i= (MIGRATION 2c, BEHAVIOUR 3).
 */

/* this room */
#include "conf_options.h"
#include "policy.h"

static void
fault_ours(struct policy *p, const char *reason, struct slice detail)
{
	p->detail = detail;
	policy_why(p, reason, slice_of(NULL, 0), "");
	policy_end(p, POLICY_SIGN, POLICY_FAULT_OURS, reason);
}

static void
fault_memory(struct policy *p)
{
	policy_end(p, POLICY_SIGN, POLICY_FAULT_MEMORY, "no memory");
}

/*
 * "%" in text becomes the sender's domain, which passed the strict grammar.
 */
static struct slice
expand(struct policy *p, struct slice text)
{
	struct slice domain = p->senders[0].domain;
	size_t i, at = 0, n = 0;
	uint8_t *out;

	for (i = 0; i < text.n; i++)
		n += text.p[i] == '%' ? domain.n : 1;
	out = arena_alloc(p->arena, n + 1);
	if (out == NULL)
		return slice_of(NULL, 0);
	for (i = 0; i < text.n; i++) {
		if (text.p[i] == '%') {
			memcpy(out + at, domain.p, domain.n);
			at += domain.n;
		} else {
			out[at++] = text.p[i];
		}
	}
	return slice_of(out, n);
}

/*
 * The i= of a row's signer part, if it lies inside d=; else it is dropped.
 *   source   RFC 6376 s3.5 i=: same as, or below, d=
 */
static int
make_identity(struct policy *p, struct policy_key *key)
{
	char domain[DKIM_NAME_MAX + 1];
	struct slice text = expand(p, p->signer);
	size_t i, at;
	uint8_t *out;

	if (text.p == NULL)
		return DKIM_ERR_NOMEM;
	/* a quoted local part may hold "@", too */
	at = text.n;
	for (i = 0; i < text.n; i++)
		if (text.p[i] == '@')
			at = i;
	if (dkim_domain_to_ascii(at == text.n ? text :
	    slice_from(text, at + 1), domain) != 0 ||
	    !dkim_domain_is_within(slice_text(domain), key->domain)) {
		policy_why(p, "signer '", text, "' is outside of d=: no i=");
		return 0;
	}
	if (at == text.n)
		at = 0;
	out = arena_alloc(p->arena, at + 1 + strlen(domain));
	if (out == NULL)
		return DKIM_ERR_NOMEM;
	if (at > 0)
		memcpy(out, text.p, at);
	out[at] = '@';
	memcpy(out + at + 1, domain, strlen(domain));
	key->identity = slice_of(out, at + 1 + strlen(domain));
	return 0;
}

/*
 * Take the next hit apart, keyname[:signer], and ask for its row.
 */
static void
next_hit(struct policy *p)
{
	struct slice value;
	size_t colon;

	if (p->n_keys == p->n_hits) {
		policy_end(p, POLICY_SIGN, POLICY_FAULT_NONE, "");
		return;
	}
	value = slice_trim(p->hits[p->n_keys].value);
	colon = slice_find(value, ':');
	p->signer = colon == value.n ? slice_of("", 0) :
	    slice_from(value, colon + 1);
	p->key_name = slice_sub(value, 0, colon);
	/* A key name of exactly "%" is the sender's domain */
	if (slice_is(p->key_name, "%"))
		p->key_name = p->senders[0].domain;
	if (p->key_name.n == 0) {
		fault_ours(p, "SigningTable row names no key",
		    p->hits[p->n_keys].key);
		return;
	}
	policy_why(p, "SigningTable names key '", p->key_name, "'");
	p->phase = POLICY_KEYS;
}

void
policy_key_begin(struct policy *p)
{
	if (p->facts.conf->signing_table == NULL)
		policy_key_single(p, p->key_name);
	else
		next_hit(p);
}

/*
 * d= of a row: its text, or the sender's domain for exactly "%".
 */
static int
make_domain(struct policy *p, struct policy_key *key)
{
	char domain[DKIM_NAME_MAX + 1];

	if (slice_is(key->key_row.domain, "%")) {
		key->domain = p->senders[0].domain;
		return 0;
	}
	if (dkim_domain_to_ascii(key->key_row.domain, domain) != 0)
		return DKIM_ERR_SYNTAX;
	key->domain = arena_copy(p->arena, slice_text(domain));
	return key->domain.p == NULL ? DKIM_ERR_NOMEM : 0;
}

void
policy_key_give(struct policy *p, const struct row *rows, size_t n)
{
	struct policy_key *key = &p->keys[p->n_keys];
	const char *reason;
	int r;

	if (n == 0) {
		fault_ours(p, "SigningTable references unknown key",
		    p->key_name);
		return;
	}
	memset(key, 0, sizeof(*key));
	key->name = p->key_name;
	key->row = rows[0];
	key->identity = slice_of("", 0);
	if (conf_key_row(key->row.value, &key->key_row, &reason) != 0) {
		fault_ours(p, "KeyTable row is bad", p->key_name);
		return;
	}
	r = make_domain(p, key);
	if (r == DKIM_ERR_SYNTAX) {
		fault_ours(p, "KeyTable row has a bad domain", p->key_name);
		return;
	}
	if (r == 0 && p->signer.n > 0)
		r = make_identity(p, key);
	if (r != 0) {
		fault_memory(p);
		return;
	}
	p->n_keys++;
	next_hit(p);
}

void
policy_key_single(struct policy *p, struct slice domain)
{
	const struct options *o = &p->facts.conf->options;
	struct option_place place = conf_options_place(o, "KeyFile");
	struct policy_key *key = &p->keys[0];
	uint8_t *at;

	memset(key, 0, sizeof(*key));
	key->name = slice_text("KeyFile");
	key->domain = domain;
	key->identity = slice_of("", 0);
	conf_key_file(o->key_file, &key->key_row);
	key->key_row.domain = domain;
	key->key_row.selector = slice_text(o->selector);
	key->row.key = key->name;
	key->row.value = key->key_row.key;
	key->row.file = place.file;
	key->row.line = place.line;
	/* A sub-domain's sender is named as the parent (MIGRATION 2c) */
	if (!slice_equal(domain, p->senders[0].domain)) {
		at = arena_alloc(p->arena, 1 + domain.n);
		if (at == NULL) {
			fault_memory(p);
			return;
		}
		at[0] = '@';
		memcpy(at + 1, domain.p, domain.n);
		key->identity = slice_of(at, 1 + domain.n);
	}
	p->n_keys = 1;
	policy_end(p, POLICY_SIGN, POLICY_FAULT_NONE, "");
}
