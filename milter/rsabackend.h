/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RSABackend: from the configuration's word to a backend that has shown that
 * it computes right on this machine.
 */
#ifndef RSABACKEND_H
#define RSABACKEND_H

#include "conf_options.h"

struct rsab_backend;

/*
 * Is RSABackend a word that this machine can serve? If not, report it.
 */
void rsabackend_check(const struct options *options, struct report *report);

/*
 * Find the backend and run its self-test. One that fails is switched off with
 * a warning, and the next best takes its place.
 *   options  passed rsabackend_check
 *   out      static, never freed
 *   errors   DKIM_ERR_SYNTAX: none works (reported as fatal); _NOMEM
 */
int rsabackend_choose(const struct options *options, struct report *report,
    const struct rsab_backend **out) MUSTUSE;

#endif
