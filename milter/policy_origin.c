/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whose mail is it: MTA, MacroList, InternalHosts, authentication
 * (MIGRATION 2d).
 */

/* system */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>

/* this room */
#include "policy.h"

static bool
is_authenticated(const struct macros *macros)
{
	return macros_get(macros, slice_text("{auth_type}")).n > 0;
}

static bool
is_internal(const struct conf *conf, struct slice name,
    const struct sockaddr *address)
{
	return conf->internal != NULL &&
	    hostset_has(conf->internal, name, address);
}

bool
policy_is_inner_hop(const struct conf *conf, const struct macros *macros,
    struct slice client_name, const struct sockaddr *address)
{
	if (is_authenticated(macros))
		return false;
	return is_internal(conf, client_name, address) ||
	    (conf->peers != NULL &&
	    hostset_has(conf->peers, client_name, address));
}

static bool
by_mta(struct policy *p)
{
	const struct dataset *mta = p->facts.conf->mta;
	struct slice name;
	struct row row;
	size_t n = 0;

	if (mta == NULL)
		return false;
	name = macros_get(p->facts.macros, slice_text("{daemon_name}"));
	if (name.p == NULL) {
		policy_why(p, "no MTA name match: macro {daemon_name} is "
		    "missing", name, "");
		return false;
	}
	if (dataset_find(mta, name, true, &row, 1, &n) != 0)
		p->fault = POLICY_FAULT_MEMORY;
	policy_why(p, n > 0 ? "MTA name match: '" : "no MTA name match: '",
	    name, "'");
	return n > 0;
}

/*
 * Is value among "v1|v2"? An empty list wants the macro to be there only.
 */
static bool
value_is_listed(struct slice list, struct slice value)
{
	size_t bar;

	if (list.n == 0)
		return true;
	for (;;) {
		bar = slice_find(list, '|');
		if (slice_equal(slice_sub(list, 0, bar), value))
			return true;
		if (bar == list.n)
			return false;
		list = slice_from(list, bar + 1);
	}
}

static bool
by_macro_list(struct policy *p)
{
	const struct dataset *list = p->facts.conf->macro_list;
	struct slice value;
	struct row row;
	size_t i;

	if (list == NULL)
		return false;
	for (i = 0; i < dataset_count(list); i++) {
		dataset_at(list, i, &row);
		value = macros_get(p->facts.macros, row.key);
		if (value.p == NULL) {
			policy_why(p, "no macros match: macro '", row.key,
			    "' is missing");
		} else if (value_is_listed(row.value, value)) {
			policy_why(p, "macros match: '", row.key, "'");
			return true;
		} else {
			policy_why(p, "no macros match: macro '", row.key,
			    "' has another value");
		}
	}
	return false;
}

/*
 * " [address] not internal", as OpenDKIM's log has it.
 */
static void
why_not_internal(struct policy *p)
{
	const struct sockaddr *sa = p->facts.address;
	char address[INET6_ADDRSTRLEN] = "127.0.0.1", text[128];

	if (sa != NULL && sa->sa_family == AF_INET)
		inet_ntop(AF_INET, &((const struct sockaddr_in *)
		    (const void *)sa)->sin_addr, address, sizeof(address));
	else if (sa != NULL && sa->sa_family == AF_INET6)
		inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)
		    (const void *)sa)->sin6_addr, address, sizeof(address));
	snprintf(text, sizeof(text), " [%s] not internal", address);
	policy_why(p, "", p->facts.client_name, text);
}

void
policy_origin(struct policy *p)
{
	const struct policy_facts *f = &p->facts;

	p->authenticated = is_authenticated(f->macros);
	if (by_mta(p) || by_macro_list(p)) {
		p->ours = true;
	} else if (is_internal(f->conf, f->client_name, f->address)) {
		policy_why(p, "", f->client_name, " is internal");
		p->ours = true;
	} else if (p->authenticated) {
		policy_why(p, "authenticated: {auth_type} is '",
		    macros_get(f->macros, slice_text("{auth_type}")), "'");
		p->ours = true;
	} else {
		why_not_internal(p);
		policy_why(p, "not authenticated", slice_of(NULL, 0), "");
	}
}
