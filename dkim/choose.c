/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which signatures are looked at, and which keys that takes (RFC 6376 s6.1: a
 * verifier may limit the signatures it tries). The author domain's come first,
 * so that a flood of others cannot push them out.
 */

/* this room */
#include "verify.h"

/*
 * Signatures that may still be taken. A second one under the same d= and s=
 * asks nothing new and does not use up a place of the first kind; but it is
 * hashed and verified, so there is an end to those too.
 */
struct budget {
	size_t	fresh;
	size_t	repeats;
};

struct authors {
	char	(*domains)[DKIM_NAME_MAX + 1];
	size_t	  n;
};

/*
 * The domains of the first From field; a field that does not parse has none.
 *   errors   DKIM_ERR_NOMEM
 */
static int
find_authors(struct dkim_verifier *v, struct authors *out)
{
	struct dkim_mailbox boxes[DKIM_MAILBOXES_MAX];
	size_t i, n, at;
	int r;

	out->n = 0;
	at = dkim_header_find(v->header, slice_text("From"), 0);
	if (at == dkim_header_count(v->header))
		return 0;
	r = dkim_mailbox_parse(dkim_header_value(v->header, at), &v->arena,
	    boxes, DKIM_MAILBOXES_MAX, &n);
	if (r != 0)
		return r == DKIM_ERR_NOMEM ? r : 0;
	if (n == 0)
		return 0;
	out->domains = arena_alloc(&v->arena, n * sizeof(out->domains[0]));
	if (out->domains == NULL)
		return DKIM_ERR_NOMEM;
	for (i = 0; i < n; i++) {
		r = dkim_domain_to_ascii(boxes[i].domain,
		    out->domains[out->n]);
		if (r == DKIM_ERR_NOMEM)
			return r;
		out->n += r == 0;
	}
	return 0;
}

/*
 * Does d= equal an author's domain, or is it a parent of it or below it?
 */
static bool
is_author(const struct authors *authors, struct slice domain)
{
	size_t i;

	for (i = 0; i < authors->n; i++) {
		struct slice author = slice_text(authors->domains[i]);

		if (dkim_domain_is_within(author, domain) ||
		    dkim_domain_is_within(domain, author))
			return true;
	}
	return false;
}

static uint32_t
hash_name(struct slice name)
{
	uint32_t h = 2166136261;
	size_t i;

	for (i = 0; i < name.n; i++)
		h = (h ^ name.p[i]) * 16777619;
	return h;
}

/*
 * Index of the question for this name, or queries_n.
 */
static size_t
find_query(const struct dkim_verifier *v, struct slice name, uint32_t hash)
{
	size_t i;

	for (i = 0; i < v->queries_n; i++)
		if (v->queries[i].hash == hash &&
		    slice_equal(v->queries[i].name, name))
			break;
	return i;
}

/*
 * Take the signature while there is a place, else give it its verdict.
 */
static void
consider(struct dkim_verifier *v, struct verify_signature *sig,
    struct budget *budget)
{
	uint32_t hash = hash_name(sig->field.query);
	size_t at = find_query(v, sig->field.query, hash);
	size_t *left = at < v->queries_n ? &budget->repeats : &budget->fresh;

	if (*left == 0 && sig->field.alg == SIGFIELD_RSA_SHA1) {
		judge_set(sig, DKIM_PERMERROR, judge_sha1);
		return;
	}
	if (*left == 0) {
		judge_set(sig, DKIM_POLICY, "not evaluated");
		sig->verdict.evaluated = false;
		return;
	}
	--*left;
	if (at == v->queries_n) {
		v->queries[at].name = sig->field.query;
		v->queries[at].hash = hash;
		v->queries_n++;
	}
	sig->chosen = true;
	sig->query = at;
	v->chosen++;
}

/*
 * Whose turn a signature has. One by rsa-sha1 can only turn out temperror or
 * permerror, so it takes no place that another could have.
 */
enum turn {
	TURN_AUTHOR,
	TURN_OTHER,
	TURN_SHA1,
	TURNS,
	TURN_NONE = TURNS,
};

static enum turn
find_turn(const struct authors *authors, const struct verify_signature *sig)
{
	if (sig->judged)
		return TURN_NONE;
	if (sig->field.alg == SIGFIELD_RSA_SHA1)
		return TURN_SHA1;
	return is_author(authors, sig->field.ascii_domain) ? TURN_AUTHOR :
	    TURN_OTHER;
}

int
choose_signatures(struct dkim_verifier *v)
{
	struct authors authors = { NULL, 0 };
	struct budget budget;
	enum turn *turns, turn;
	size_t i, n;
	int r;

	budget.fresh = v->options.max_signatures;
	budget.repeats = v->options.max_signatures;
	n = v->n < budget.fresh ? v->n : budget.fresh;
	r = find_authors(v, &authors);
	if (r != 0)
		return r;
	v->queries = arena_alloc(&v->arena, n * sizeof(v->queries[0]));
	turns = arena_alloc(&v->arena, v->n * sizeof(turns[0]));
	if (v->queries == NULL || turns == NULL)
		return DKIM_ERR_NOMEM;
	memset(v->queries, 0, n * sizeof(v->queries[0]));
	for (i = 0; i < v->n; i++)
		turns[i] = find_turn(&authors, &v->signatures[i]);
	for (turn = TURN_AUTHOR; turn < TURNS; turn++)
		for (i = 0; i < v->n; i++)
			if (turns[i] == turn)
				consider(v, &v->signatures[i], &budget);
	return 0;
}
