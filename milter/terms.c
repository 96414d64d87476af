/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is agreed with the MTA at the start of a connection.
 */

/* system */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>

/* this room */
#include "log.h"
#include "terms.h"
#include "wire.h"

/*
 * libmilter keeps what is not sent in a global of its own: this set is asked
 * for in every negotiation, whatever the configuration.
 */
#define STEPS_NEVER	(WIRE_NOHELO | WIRE_NOUNKNOWN | WIRE_NODATA)

/* libmilter plays these for an MTA that does not know them. */
#define STEPS_NO_REPLY	(WIRE_NR_HDR | WIRE_NR_RCPT)

const char *const terms_macros[] = { "i", "j", "{daemon_name}",
    "{auth_type}", "{auth_authen}", "{client_addr}", NULL };

static bool
wants_quarantine(const struct options *o)
{
	return o->on_no_signature == ACTION_QUARANTINE ||
	    o->on_bad_signature == ACTION_QUARANTINE ||
	    o->on_key_not_found == ACTION_QUARANTINE ||
	    o->on_dns_error == ACTION_QUARANTINE ||
	    o->on_internal_error == ACTION_QUARANTINE ||
	    o->on_security == ACTION_QUARANTINE ||
	    o->on_signature_error == ACTION_QUARANTINE;
}

bool
terms_make(const struct conf *conf, unsigned long *actions,
    unsigned long *steps, struct terms *out)
{
	unsigned long offered = *actions, may = *steps, want;

	memset(out, 0, sizeof(*out));
	out->change_fields = !conf->options.keep_auth_results;
	out->quarantine = wants_quarantine(&conf->options);
	want = TERMS_ADDHDRS | (out->change_fields ? TERMS_CHGHDRS : 0) |
	    (out->quarantine ? TERMS_QUARANTINE : 0);
	if ((want & ~offered) != 0) {
		log_limited(LOG_ERR, "negotiate", "the MTA offers actions "
		    "0x%lx: it must let us add and change header fields (and "
		    "quarantine, where an On-* option says so): connection "
		    "refused", offered);
		return false;
	}
	out->list_macros = (offered & TERMS_SETSYMLIST) != 0;
	*actions = want | (offered & TERMS_SETSYMLIST);
	/* RFC 6376 s5.3, s3.4.1: fields with the very octets that are sent */
	out->leading_space = (may & WIRE_HDR_LEADSPC) != 0;
	if (!out->leading_space)
		log_limited(LOG_WARNING, "leading space", "the MTA refuses "
		    "HDR_LEADSPC: white space before field values is not "
		    "known, signatures with simple header canonicalization "
		    "will not verify");
	/* a chunk without reply costs less than one that may be skipped */
	out->no_reply_body = (may & WIRE_NR_BODY) != 0;
	out->skip = !out->no_reply_body && (may & WIRE_STEP_SKIP) != 0;
	*steps = STEPS_NO_REPLY | (may & (STEPS_NEVER | WIRE_HDR_LEADSPC |
	    WIRE_NR_BODY | WIRE_STEP_SKIP));
	return true;
}

bool
terms_macro_name(const struct conf *conf, size_t i, char out[TERMS_MACRO_MAX])
{
	struct row row;

	if (conf->macro_list == NULL || i >= dataset_count(conf->macro_list))
		return false;
	dataset_at(conf->macro_list, i, &row);
	out[0] = '\0';
	if (row.key.n == 0 || row.key.n > TERMS_MACRO_MAX - 3 ||
	    slice_find(row.key, ' ') < row.key.n)
		return true;
	snprintf(out, TERMS_MACRO_MAX, row.key.n == 1 || row.key.p[0] == '{' ?
	    "%.*s" : "{%.*s}", (int)row.key.n, (const char *)row.key.p);
	return true;
}

void
terms_macro_list(const struct conf *conf, enum terms_stage stage,
    char out[TERMS_LIST_MAX])
{
	static const char *const fixed[TERMS_STAGES] = {
		[TERMS_CONNECT] = "j {daemon_name} {client_addr}",
		[TERMS_MAIL] = "i {daemon_name} {auth_type} {auth_authen}",
		/* Postfix knows macro i from DATA on */
		[TERMS_HEADER_END] = "i",
		[TERMS_END] = "i",
	};
	char name[TERMS_MACRO_MAX];
	size_t i, n;

	n = (size_t)snprintf(out, TERMS_LIST_MAX, "%s", fixed[stage]);
	for (i = 0; terms_macro_name(conf, i, name); i++) {
		if (name[0] == '\0' || strlen(name) + 2 > TERMS_LIST_MAX - n)
			continue;
		n += (size_t)snprintf(out + n, TERMS_LIST_MAX - n, " %s",
		    name);
	}
}

unsigned
terms_pack(struct terms t)
{
	return (t.change_fields ? 1u : 0) | (t.quarantine ? 2u : 0) |
	    (t.leading_space ? 4u : 0) | (t.no_reply_body ? 8u : 0) |
	    (t.skip ? 16u : 0) | (t.list_macros ? 32u : 0);
}

struct terms
terms_unpack(unsigned bits)
{
	return (struct terms){
		.change_fields = (bits & 1u) != 0,
		.quarantine = (bits & 2u) != 0,
		.leading_space = (bits & 4u) != 0,
		.no_reply_body = (bits & 8u) != 0,
		.skip = (bits & 16u) != 0,
		.list_macros = (bits & 32u) != 0,
	};
}

const struct sockaddr *
terms_parse_address(const char *text, struct sockaddr_storage *storage,
    socklen_t *n)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)(void *)storage;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)(void *)storage;

	memset(storage, 0, sizeof(*storage));
	if (strncmp(text, "IPv6:", 5) == 0)
		text += 5;
	if (inet_pton(AF_INET, text, &v4->sin_addr) == 1) {
		v4->sin_family = AF_INET;
		*n = sizeof(*v4);
		return (const struct sockaddr *)(const void *)storage;
	}
	if (inet_pton(AF_INET6, text, &v6->sin6_addr) == 1) {
		v6->sin6_family = AF_INET6;
		*n = sizeof(*v6);
		return (const struct sockaddr *)(const void *)storage;
	}
	return NULL;
}

const struct sockaddr *
terms_address(const struct sockaddr *address, const char *macro,
    struct sockaddr_storage *storage, socklen_t *n)
{
	*n = 0;
	if (address != NULL && address->sa_family == AF_INET) {
		*n = sizeof(struct sockaddr_in);
		return address;
	}
	if (address != NULL && address->sa_family == AF_INET6) {
		*n = sizeof(struct sockaddr_in6);
		return address;
	}
	/* an unknown family is no local pipe when the MTA knows better */
	return macro == NULL ? NULL : terms_parse_address(macro, storage, n);
}
