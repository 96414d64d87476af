/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who signs, who verifies, as whom: the decision, and the walk through the
 * table of senders.
 */

/* this room */
#include "policy.h"

void
policy_end(struct policy *p, enum policy_role role, enum policy_fault fault,
    const char *reason)
{
	p->phase = POLICY_DONE;
	p->role = role;
	p->fault = fault;
	p->reason = reason;
	policy_why(p, role == POLICY_SIGN ? "mode select: signing" :
	    role == POLICY_VERIFY ? "mode select: verifying" :
	    "mode select: neither signing nor verifying",
	    slice_of(NULL, 0), "");
}

void
policy_why(struct policy *p, const char *before, struct slice value,
    const char *after)
{
	if (p->trace == NULL)
		return;
	buf_add_text(p->trace, before);
	buf_add_escaped(p->trace, value);
	buf_add_text(p->trace, after);
	buf_add_octet(p->trace, '\n');
}

/*
 * Nobody signs: the role of mail whose origin is not ours, or is ours.
 */
static void
end_unsigned(struct policy *p, enum stats_counter stat, const char *reason)
{
	if (p->ours)
		p->stat = stat;
	else if (p->external)
		p->stat = STAT_UNSIGNED_NOT_OURS;
	/* BEHAVIOUR 7: mail whose origin is ours is never verified */
	policy_end(p, !p->ours && p->facts.conf->options.mode_verify ?
	    POLICY_VERIFY : POLICY_NONE, POLICY_FAULT_NONE, reason);
}

static void
begin_walk(struct policy *p)
{
	const struct conf *conf = p->facts.conf;
	struct policy_sender *s = &p->senders[p->sender];
	enum walk_kind kind;

	if (conf->signing_table != NULL)
		kind = dataset_kind(conf->signing_table) == DATASET_REFILE ?
		    WALK_PATTERN : WALK_TABLE;
	else
		kind = conf->options.sub_domains ? WALK_SUBDOMAINS :
		    WALK_DOMAIN;
	walk_begin(&p->walk, kind, s->local, s->domain);
}

static const char *
no_match_text(const struct policy *p)
{
	if (p->facts.conf->signing_table != NULL)
		return "no signing table match for '";
	if (p->facts.conf->options.sub_domains)
		return "no signing subdomain match for '";
	return "no signing domain match for '";
}

/*
 * All senders are looked up: what do the matches mean?
 */
static void
end_walk(struct policy *p)
{
	const struct policy_facts *f = &p->facts;

	if (!p->any_match) {
		end_unsigned(p, STAT_UNSIGNED_NO_ENTRY, "no table entry");
	} else if (!p->ours) {
		p->external = true;
		end_unsigned(p, STAT_UNSIGNED_NOT_OURS, "origin not ours");
	} else if (p->many_from) {
		/* RFC 5322 s3.6; RFC 6376 s8.15 */
		policy_end(p, POLICY_SIGN, POLICY_FAULT_MESSAGE,
		    "several From fields");
	} else if (f->over != NULL) {
		p->detail = slice_text(f->over);
		policy_end(p, POLICY_SIGN, POLICY_FAULT_MESSAGE,
		    "message over a limit");
	} else {
		policy_key_begin(p);
	}
}

/*
 * The sender at hand matches nothing. A message with several From fields is
 * at fault when any of them matches, so all are looked up.
 */
static bool
no_match(struct policy *p)
{
	policy_why(p, no_match_text(p), p->senders[p->sender].text, "'");
	if (p->many_from)
		return false;
	if (p->sender > 0) {
		/* BEHAVIOUR 3: all mailboxes of From must match the table */
		p->warn = true;
		p->detail = p->senders[p->sender].text;
		end_unsigned(p, STAT_UNSIGNED_NO_ENTRY,
		    "a further mailbox of From matches no table entry");
	} else {
		p->detail = p->senders[0].text;
		end_unsigned(p, STAT_UNSIGNED_NO_ENTRY, "no table entry");
	}
	return true;
}

/*
 * Find the next key to look up, walking through the senders; to the end when
 * there is none.
 */
static void
advance(struct policy *p)
{
	for (;;) {
		if (walk_next(&p->walk, &p->walk_key))
			return;
		/* only the first sender's hits are kept while it walks on */
		if ((p->sender > 0 || p->n_hits == 0) && no_match(p))
			return;
		if (++p->sender == p->n_senders) {
			end_walk(p);
			return;
		}
		begin_walk(p);
	}
}

/*
 * To the next sender: this one matches.
 */
static void
matched(struct policy *p)
{
	p->any_match = true;
	if (++p->sender == p->n_senders) {
		end_walk(p);
		return;
	}
	begin_walk(p);
	advance(p);
}

/*
 * Mail that is neither signed nor verified: the reason, or NULL. Without
 * memory nobody knows, and p->fault says so.
 */
static const char *
left_alone(struct policy *p)
{
	const struct policy_facts *f = &p->facts;
	struct row row;
	size_t n = 0;

	if (f->conf->peers != NULL && hostset_has(f->conf->peers,
	    f->client_name, f->address))
		return "client is in PeerList";
	if (f->dont_sign)
		return "a recipient is in DontSignMailTo";
	if (f->conf->exempt_domains != NULL && p->n_senders > 0 &&
	    dataset_find(f->conf->exempt_domains, p->senders[0].domain,
	    true, &row, 1, &n) != 0)
		p->fault = POLICY_FAULT_MEMORY;
	return n > 0 ? "sender is in ExemptDomains" : NULL;
}

/*
 *   why      the message has no sender, for this reason; or NULL
 */
static void
begin_senders(struct policy *p, const char *why)
{
	const struct conf *conf = p->facts.conf;

	if (!conf->options.mode_sign) {
		end_unsigned(p, STAT_COUNT, "Mode does not sign");
	} else if (conf->signing_table == NULL && conf->domain == NULL) {
		end_unsigned(p, STAT_COUNT, "neither SigningTable nor Domain");
	} else if (!p->ours && conf->signing_table != NULL) {
		/* looked up only once the origin is ours */
		end_unsigned(p, STAT_UNSIGNED_NOT_OURS, "origin not ours");
	} else if (why != NULL) {
		policy_why(p, "no sender: ", slice_text(why), "");
		end_unsigned(p, STAT_UNSIGNED_NO_FROM, why);
	} else {
		p->phase = POLICY_WALK;
		begin_walk(p);
		advance(p);
	}
}

void
policy_begin(struct policy *p, const struct policy_facts *facts,
    struct arena *arena, struct buf *trace)
{
	const char *why, *alone;

	memset(p, 0, sizeof(*p));
	p->facts = *facts;
	p->arena = arena;
	p->trace = trace;
	p->stat = STAT_COUNT;
	p->reason = "";
	policy_origin(p);
	why = policy_sender_find(p);
	alone = left_alone(p);
	if (p->fault == POLICY_FAULT_MEMORY) {
		policy_end(p, POLICY_NONE, POLICY_FAULT_MEMORY, "no memory");
		return;
	}
	if (alone != NULL) {
		policy_why(p, alone, slice_of(NULL, 0), "");
		policy_end(p, POLICY_NONE, POLICY_FAULT_NONE, alone);
	} else {
		begin_senders(p, why);
	}
}

bool
policy_needs(const struct policy *p, struct policy_need *need)
{
	const struct conf *conf = p->facts.conf;

	switch (p->phase) {
	case POLICY_WALK:
		need->table = conf->signing_table != NULL ? TABLE_SIGNING :
		    TABLE_DOMAIN;
		need->key = p->walk_key;
		need->nocase = true;
		return true;
	case POLICY_KEYS:
		/* names of keys are not domains: their case counts */
		need->table = TABLE_KEY;
		need->key = p->key_name;
		need->nocase = false;
		return true;
	case POLICY_DONE:
		break;
	}
	return false;
}

/*
 * Put row among the hits in table order; one that says the same is left out.
 */
static void
add_hit(struct policy *p, const struct row *row)
{
	size_t i;

	for (i = 0; i < p->n_hits; i++)
		if (slice_equal(p->hits[i].value, row->value))
			return;
	if (p->n_hits == DKIM_SIGNATURES_MADE) {
		policy_end(p, POLICY_SIGN, POLICY_FAULT_OURS,
		    "more than 16 SigningTable rows match");
		return;
	}
	for (i = p->n_hits; i > 0 && p->hits[i - 1].line > row->line; i--)
		p->hits[i] = p->hits[i - 1];
	p->hits[i] = *row;
	p->n_hits++;
}

/*
 * Rows for the sender that decides.
 */
static void
give_first(struct policy *p, const struct row *rows, size_t n)
{
	bool several = p->facts.conf->options.multiple_signatures &&
	    p->facts.conf->signing_table != NULL;
	size_t i;

	p->any_match = true;
	if (p->facts.conf->signing_table == NULL) {
		/* d= is what was looked up, without its pattern */
		p->key_name = arena_copy(p->arena, p->walk_key);
		if (p->key_name.p == NULL) {
			policy_end(p, POLICY_NONE, POLICY_FAULT_MEMORY,
			    "no memory");
			return;
		}
	}
	for (i = 0; i < (several ? n : 1) && p->phase == POLICY_WALK; i++)
		add_hit(p, &rows[i]);
	if (p->phase != POLICY_WALK)
		return;
	if (several)
		advance(p);
	else
		matched(p);
}

void
policy_give(struct policy *p, const struct row *rows, size_t n)
{
	struct slice key = p->walk_key;

	if (p->phase == POLICY_KEYS) {
		policy_key_give(p, rows, n);
		return;
	}
	if (p->phase != POLICY_WALK)
		return;
	if (n == 0) {
		advance(p);
		return;
	}
	policy_why(p, p->facts.conf->signing_table != NULL ?
	    "SigningTable: match for key '" : "Domain: match for '", key, "'");
	if (p->trace != NULL && rows[0].key.n > 0)
		policy_why(p, "matching row '", rows[0].key, "'");
	if (p->sender > 0 || p->many_from)
		matched(p);
	else
		give_first(p, rows, n);
}
