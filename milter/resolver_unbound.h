/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One libunbound context on the loop's base (MILTER 5). Made on any thread,
 * asked and given up on the loop's thread only.
 */
#ifndef RESOLVER_UNBOUND_H
#define RESOLVER_UNBOUND_H

#include "../dkim/dkim.h"
#include "loop.h"

#define RESOLVER_UNBOUND_CONF	"/etc/resolv.conf"

struct resolver_unbound;
struct resolver_unbound_question;

struct resolver_unbound_options {
	const char	*nameservers;	/* checked; NULL: those of resolv.conf;
					 * "recursive"; or address[@port],.. */
	const char	*anchor;	/* trust anchor file; NULL: no DNSSEC */
};

/*
 * What one question brought.
 */
struct resolver_unbound_answer {
	int		 status;	/* libunbound's; not 0: it gave up */
	struct slice	 wire;		/* empty: no server answered */
	enum dkim_dnssec dnssec;
};

typedef void (*resolver_unbound_fn)(void *arg,
    const struct resolver_unbound_answer *answer);

/*
 *   reason   on failure: what libunbound says, static
 *   errors   DKIM_ERR_NOMEM, _ARGUMENT
 */
int resolver_unbound_new(struct loop *loop,
    const struct resolver_unbound_options *options,
    struct resolver_unbound **out, const char **reason) MUSTUSE;

/*
 * Ask for a name and type. done may be called before this returns; not after
 * resolver_unbound_cancel. It has no deadline of its own.
 *   out      for cancel, lives until done is called; NULL: it was already
 *   errors   DKIM_ERR_NOMEM: done will not be called
 */
int resolver_unbound_ask(struct resolver_unbound *unbound, const char *name,
    int type, resolver_unbound_fn done, void *arg,
    struct resolver_unbound_question **out) MUSTUSE;
void resolver_unbound_cancel(struct resolver_unbound_question *question);

/*
 * Give it up: freed by the loop when its last question is done.
 */
void resolver_unbound_retire(struct resolver_unbound *unbound /* moved */);

#endif
