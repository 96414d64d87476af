/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Authentication-Results: forged ones found, our own made (BEHAVIOUR 7).
 */

/* system */
#include <stdlib.h>

/* this room */
#include "session_message.h"

/*
 * AuthservID, else macro j, else the host's name, which nobody else has (RFC
 * 8601 s2.5). HOSTNAME stands for the latter two.
 */
struct slice
session_authres_id(const struct session *s)
{
	const char *id = s->m->conf->options.authserv_id;
	struct slice j;

	if (id != NULL && id[0] != '\0' && !slice_equal_nocase(slice_text(id),
	    slice_text("HOSTNAME")))
		return slice_text(id);
	j = macros_get(&s->macros, slice_text("j"));
	return j.n > 0 ? j : slice_text(s->host);
}

/*
 * The names that must not be claimed: our own and those of RemoveARFrom.
 */
static bool
make_ids(struct session *s)
{
	struct message *m = s->m;
	const struct dataset *more = m->conf->remove_ar_from;
	size_t i, n = more == NULL ? 0 : dataset_count(more);
	struct row row;

	m->forged.ids = arena_alloc(&m->arena,
	    (n + 1) * sizeof(*m->forged.ids));
	if (m->forged.ids == NULL)
		return false;
	m->forged.ids[0] = arena_copy(&m->arena, session_authres_id(s));
	if (m->forged.ids[0].p == NULL)
		return false;
	for (i = 0; i < n; i++) {
		dataset_at(more, i, &row);
		m->forged.ids[i + 1] = row.key;
	}
	m->forged.n_ids = n + 1;
	return true;
}

static bool
add_removal(struct forged *f)
{
	unsigned *more;
	size_t space;

	if (f->n == f->space) {
		space = f->space == 0 ? 8 : f->space * 2;
		more = reallocarray(f->at, space, sizeof(*more));
		if (more == NULL)
			return false;
		f->at = more;
		f->space = space;
	}
	f->at[f->n++] = f->seen;
	return true;
}

/*
 * RFC 8601 s5 #10, s7.6: InternalHosts and PeerList are the trusted MTAs.
 * A field of our border must survive the inner hop and a content filter; who
 * authenticated is a user, not a hop.
 */
static bool
is_kept(const struct session *s)
{
	const struct message *m = s->m;

	return m->conf->options.keep_auth_results ||
	    policy_is_inner_hop(m->conf, &s->macros,
	    slice_text(s->client_name), session_address(s));
}

void
session_authres_field(struct session *s, struct slice name,
    struct slice value)
{
	struct message *m = s->m;
	struct forged *f = &m->forged;
	enum dkim_authres_claim claim;

	if (!slice_equal_nocase(slice_trim(name),
	    slice_text("Authentication-Results")))
		return;
	f->seen++;
	if (is_kept(s))
		return;
	if (f->ids == NULL && !make_ids(s)) {
		session_fail_memory(s);
		return;
	}
	/* RFC 8601 s5 #1: whoever claims to be us and is not */
	claim = dkim_authres_claims(value, f->ids, f->n_ids);
	if (claim != DKIM_AUTHRES_OURS_DKIM && !(claim == DKIM_AUTHRES_OURS &&
	    m->conf->options.remove_ar_all))
		return;
	if (f->n == SESSION_REMOVED_MAX) {
		m->by_peer = true;
		session_fail(s, SESSION_FAULT_MEMORY,
		    "too many Authentication-Results fields to remove",
		    slice_of(NULL, 0));
	} else if (!add_removal(f))
		session_fail_memory(s);
}

const char *
session_authres_print(struct session *s)
{
	struct message *m = s->m;
	const struct options *o = &m->conf->options;
	struct dkim_authres ar = {
		.authserv_id = session_authres_id(s),
		.job_id = slice_of(NULL, 0),
		.no_header_b = o->no_header_b,
		.line_end = "\n",
	};
	struct slice copy = slice_of(NULL, 0);
	struct buf out;
	int r;

	if (o->authserv_id_with_job_id)
		ar.job_id = macros_get(&s->macros, slice_text("i"));
	buf_init(&out, SESSION_FIELD_MAX);
	r = dkim_authres_print(&ar, m->verifier, m->over, &out);
	buf_add_octet(&out, '\0');
	if (r == 0)
		r = buf_end(&out);
	if (r == 0) {
		copy = arena_copy(&m->arena, buf_slice(&out));
		r = copy.p == NULL ? DKIM_ERR_NOMEM : 0;
	}
	buf_clear(&out);
	m->authres_too_long = r == DKIM_ERR_LIMIT;
	if (r != 0 && r != DKIM_ERR_LIMIT)
		session_fail_memory(s);
	return (const char *)copy.p;
}
