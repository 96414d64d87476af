/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sender of a message: the mailboxes of SenderHeaders' first field that is
 * there (BEHAVIOUR 3), and of every From when there are several.
 */

/* this room */
#include "policy.h"

/*
 * The fields kept, and behind them those that came after a limit was passed.
 */
static bool
field_at(const struct policy_facts *f, size_t i, struct slice *name,
    struct slice *value)
{
	size_t n = dkim_header_count(f->header);
	const struct dkim_header *h = f->header;

	if (i >= n) {
		if (f->rest == NULL || i - n >= dkim_header_count(f->rest))
			return false;
		h = f->rest;
		i -= n;
	}
	*name = slice_trim(dkim_header_name(h, i));
	*value = dkim_header_value(h, i);
	return true;
}

static size_t
count_fields(const struct policy_facts *f, struct slice wanted,
    struct slice *first)
{
	struct slice name, value;
	size_t i, n = 0;

	for (i = 0; field_at(f, i, &name, &value); i++) {
		if (!slice_equal_nocase(name, wanted))
			continue;
		if (n++ == 0)
			*first = value;
	}
	return n;
}

/*
 * local@domain in one piece, for keys and log.
 */
static struct slice
join(struct policy *p, const struct dkim_mailbox *box)
{
	uint8_t *text = arena_alloc(p->arena, box->local.n + 1 + box->domain.n);

	if (text == NULL)
		return slice_of(NULL, 0);
	if (box->local.n > 0)
		memcpy(text, box->local.p, box->local.n);
	text[box->local.n] = '@';
	if (box->domain.n > 0)
		memcpy(text + box->local.n + 1, box->domain.p, box->domain.n);
	return slice_of(text, box->local.n + 1 + box->domain.n);
}

/*
 * Add a mailbox to the senders. A domain that fails the strict grammar stays
 * empty: it matches no table, and no "%" is replaced by it.
 */
static int
add_sender(struct policy *p, const struct dkim_mailbox *box)
{
	struct policy_sender *s = &p->senders[p->n_senders];
	char domain[DKIM_NAME_MAX + 1];

	s->local = box->local;
	s->text = join(p, box);
	s->domain = slice_of("", 0);
	if (s->text.p == NULL)
		return DKIM_ERR_NOMEM;
	if (dkim_domain_to_ascii(box->domain, domain) == 0) {
		s->domain = arena_copy(p->arena, slice_text(domain));
		if (s->domain.p == NULL)
			return DKIM_ERR_NOMEM;
	}
	p->n_senders++;
	return 0;
}

/*
 * Add the mailboxes of one field.
 */
static int
add_field(struct policy *p, struct dkim_mailbox *boxes, struct slice value,
    size_t max)
{
	size_t i, n;
	int r;

	r = dkim_mailbox_parse(value, p->arena, boxes, DKIM_MAILBOXES_MAX, &n);
	for (i = 0; r == 0 && i < n && p->n_senders < max; i++)
		r = add_sender(p, &boxes[i]);
	return r;
}

/*
 * Several From fields: the mailboxes of all of them, as far as they parse.
 */
static int
add_every_from(struct policy *p, struct dkim_mailbox *boxes, size_t max)
{
	struct slice name, value;
	size_t i;
	int r;

	for (i = 0; p->n_senders < max &&
	    field_at(&p->facts, i, &name, &value); i++) {
		if (!slice_equal_nocase(name, slice_text("From")))
			continue;
		r = add_field(p, boxes, value, max);
		if (r == DKIM_ERR_NOMEM)
			return r;
	}
	return 0;
}

static const char *
no_memory(struct policy *p)
{
	p->fault = POLICY_FAULT_MEMORY;
	return "no memory";
}

/*
 * Senders without a domain of the strict grammar match nothing; the first one
 * decides, and with several From fields those that are left.
 */
static const char *
check_domains(struct policy *p)
{
	size_t i, n = 0;

	if (!p->many_from) {
		if (p->n_senders == 0)
			return "the sender field names no mailbox";
		return p->senders[0].domain.n > 0 ? NULL :
		    "the sender's domain is no host name";
	}
	for (i = 0; i < p->n_senders; i++)
		if (p->senders[i].domain.n > 0)
			p->senders[n++] = p->senders[i];
	p->n_senders = n;
	return n > 0 ? NULL : "no mailbox of several From fields has a domain";
}

/*
 * The value of SenderHeaders' first field present.
 */
static bool
find_field(const struct policy *p, struct slice *value)
{
	const struct dkim_names *names = p->facts.conf->sender;
	size_t i;

	if (names == NULL)
		return count_fields(&p->facts, slice_text("From"), value) > 0;
	for (i = 0; i < dkim_names_count(names); i++)
		if (count_fields(&p->facts, dkim_names_at(names, i),
		    value) > 0)
			return true;
	return false;
}

const char *
policy_sender_find(struct policy *p)
{
	struct dkim_mailbox *boxes;
	struct slice value, from;
	size_t n_from, max;
	int r = 0;

	n_from = count_fields(&p->facts, slice_text("From"), &from);
	if (!find_field(p, &value))
		return n_from == 0 ? "no From field" :
		    "no field of SenderHeaders";
	p->many_from = n_from > 1;
	max = DKIM_MAILBOXES_MAX * (p->many_from ? 2 : 1);
	p->senders = arena_alloc(p->arena, max * sizeof(*p->senders));
	boxes = arena_alloc(p->arena, DKIM_MAILBOXES_MAX * sizeof(*boxes));
	if (p->senders == NULL || boxes == NULL)
		return no_memory(p);
	r = add_field(p, boxes, value, max);
	if (r != DKIM_ERR_NOMEM && p->many_from)
		r = add_every_from(p, boxes, max);
	if (r == DKIM_ERR_NOMEM)
		return no_memory(p);
	if (r != 0) {
		p->n_senders = 0;
		return "the sender field does not parse";
	}
	/* RFC 6376 s5.4: From MUST be signed */
	if (n_from == 0)
		return "no From field";
	return check_domains(p);
}
