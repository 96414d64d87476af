/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages for dkimbench milter; see milter_supply.h.
 */

/* system */
#include <err.h>
#include <sysexits.h>
#include <time.h>

/* rooms below */
#include "rsa-backend/rsab.h"

/* this room */
#include "milter_supply.h"
#include "mta_keys.h"

#define OCTETS_MAX	(64u << 20)	/* of all bodies */

void
milter_supply_clear(struct milter_supply *s)
{
	while (s->n > 0)
		mta_mail_clear(&s->mails[--s->n]);
	buf_clear(&s->record);
	rsab_key_unref(s->key);
	rsab_worker_free(s->worker);
	dkim_lib_free(s->lib);
}

static int
mails_make(const struct milter *m, struct milter_supply *s)
{
	size_t n = m->size == 0 ? MILTER_SUPPLY_MAILS : OCTETS_MAX / m->size;
	int error = 0;

	n = n < 1 ? 1 : n > MILTER_SUPPLY_MAILS ? MILTER_SUPPLY_MAILS : n;
	while (error == 0 && s->n < n) {
		struct mta_mail *mail = &s->mails[s->n];

		error = mta_mail_make(&s->kind, s->n, mail);
		if (error == 0)
			s->n++;
		if (error == 0 && s->key != NULL)
			error = mta_mail_sign(mail, &s->kind, s->lib, s->key,
			    s->worker, (uint64_t)time(NULL));
	}
	if (error != 0)
		warnx("message %zu: %s", s->n, dkim_strerror(error));
	return error != 0 ? EX_OSERR : 0;
}

int
milter_supply_make(const struct milter *m, struct milter_supply *s)
{
	int status = 0;

	s->kind = (struct mta_mail_kind){ m->domain, m->size,
	    m->measure.seed };
	buf_init(&s->record, DKIM_TXT_MAX);
	if (dkim_lib_new(&s->lib) != 0 || rsab_worker_new(&s->worker) != 0) {
		warnx("no memory");
		return EX_OSERR;
	}
	if (m->mode == MTA_VERIFY)
		status = mta_keys_private(m->keys, &s->key);
	else if (m->keys != NULL)
		status = mta_keys_record(m->keys, m->domain, &s->record);
	/* one judged message costs as much as one sent */
	s->keeps = s->record.n == 0 ? 0 : m->check;
	if (m->size > 0 && s->keeps > OCTETS_MAX / m->size)
		s->keeps = OCTETS_MAX / m->size + 1;
	if (status == 0)
		status = mails_make(m, s);
	return status;
}

/*
 * Verify a signature that came back.
 */
static enum mta_fault
judge(const struct milter_supply *s, const struct mta_load_kept *kept)
{
	enum dkim_result result = DKIM_NONE;
	struct mta_mail mail;
	int error = mta_mail_make(&s->kind, kept->mail, &mail);

	if (error != 0)
		return MTA_BAD_SIGNATURE;
	error = mta_mail_put_above(&mail, "DKIM-Signature",
	    buf_slice(&kept->field));
	if (error == 0)
		error = mta_mail_verify(&mail, s->lib, buf_slice(&s->record),
		    s->worker, (uint64_t)time(NULL), &result);
	mta_mail_clear(&mail);
	return error == 0 && result == DKIM_PASS ? MTA_OK :
	    MTA_BAD_SIGNATURE;
}

void
milter_supply_judge(const struct milter_supply *s,
    struct mta_load_result *result)
{
	for (size_t i = 0; s->record.n > 0 && i < result->n_kept; i++)
		if (judge(s, &result->kept[i]) != MTA_OK)
			result->faults[MTA_BAD_SIGNATURE]++;
}
