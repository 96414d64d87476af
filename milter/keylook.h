/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The file of a key that is loaded: is it still there, safe and the same; and
 * what the log says when it is not (BEHAVIOUR 4).
 */
#ifndef KEYLOOK_H
#define KEYLOOK_H

#include "keyrequest.h"
#include "storedkey.h"

/* What follows the fault of a row or file whose key goes on signing */
#define KEYLOOK_STAYS	"; the key loaded before stays; a restart would fail"

/*
 *   self     whose rights count
 *   safe     RequireSafeKeys
 *   request  its reason is set on DKIM_ERR_SYNTAX
 *   same     out
 *   errors   DKIM_ERR_SYNTAX: a start would not take the file; _NOMEM
 */
int keylook_compare(const struct identity *self, bool safe,
    struct keyrequest *request, const struct storedkey *old,
    bool *same) MUSTUSE;

/*
 * Can the one who looks at the file from now on read it?
 */
bool keylook_can_read(const struct identity *self, bool safe,
    const char *path);

/*
 * The key of a file is another one; nothing is said where it is the same.
 */
void keylook_tell_change(const struct storedkey *old,
    const struct storedkey *new);

/*
 * A row or file is at fault, with its place and reason; its key stays.
 *   error    DKIM_ERR_SYNTAX: as the request's reason has it; _NOMEM
 */
void keylook_tell_stays(const struct keyrequest *request, int error);

#endif
