/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The process of dkimd-token: a thread of its own starts it at first use,
 * tells it what to load, watches it, kills it when it hangs and starts it
 * again with back-off (DESIGN "Tokens"). Waits for its own child only, and
 * takes no signal. Its lock guards everything in it and is a leaf. Counted.
 */
#ifndef HELPER_H
#define HELPER_H

#include <stdbool.h>
#include <stdint.h>

#include "../rsa-backend/rsab.h"
#include "backoff.h"

#define HELPER_PATIENCE	2000000	/* microseconds that helper_connect waits for
				 * a process that is about to be there */

struct helper;

struct helper_setup {
	const char	*program;	/* helper_spawn_program() */
	const char	*module;	/* NULL: p11-kit's configured modules */
	const char	*init_args;	/* NULL: none, as the next two */
	const char	*pin;
	const char	*folders;	/* for PIN files, parted by ':' */
	unsigned	 sessions;
	int		 start_ms;	/* to load the module */
	bool		 quiet;		/* a command: no log, errors say it */
	struct backoff_rule backoff;
};

/*
 * No process and no thread before the first helper_connect.
 *   setup    copied; the copy of pin is wiped at the end
 *   errors   RSAB_ERR_NOMEM: no memory or no descriptor
 */
int helper_new(const struct helper_setup *setup, struct helper **out) MUSTUSE;
struct helper *helper_ref(struct helper *helper);

/*
 * Give a reference back. With the last one the process is told to end, and is
 * killed if it does not; nobody waits for that here.
 */
void helper_unref(struct helper *helper);

/*
 * End the process in good order; it is not started again. For the daemon's
 * end.
 *   ms       waits that long at most
 */
void helper_end(struct helper *helper, int ms);

/*
 * Would a process of the one load the same module, use the same PIN of the
 * configuration; are they set up alike in all?
 */
bool helper_is_same_module(const struct helper *a, const struct helper *b);
bool helper_is_same_pin(const struct helper *a, const struct helper *b);
bool helper_is_same(const struct helper *a, const struct helper *b);

/*
 * Of its next process: rsab_token_setup.careful.
 */
void helper_be_careful(struct helper *helper);

/*
 * The three functions of struct rsab_token_peer; context is the helper.
 */
int helper_connect(void *helper, uint64_t *incarnation);
void helper_hung(void *helper, uint64_t incarnation);
void helper_refused(void *helper, const char *identity);

/*
 * For those who never wait: is there a process now (the first question has one
 * started); a connection to it.
 */
bool helper_is_up(struct helper *helper);
int helper_connect_now(void *helper, uint64_t *incarnation);

/*
 * Tokens whose PIN was refused; these, too, are told to each new process.
 */
size_t helper_refusals(struct helper *helper);
void helper_copy_refusals(struct helper *from, struct helper *to);

/*
 * Why there is no process now; "" when there is one, or none was wanted.
 */
void helper_why(struct helper *helper, struct rsab_token_detail *out);

/*
 * The process, for tests; 0: none.
 */
long helper_process(struct helper *helper);

#endif
