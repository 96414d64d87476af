/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The values of options about tokens.
 */
#ifndef CONF_PKCS11_H
#define CONF_PKCS11_H

#include "conf_options.h"

/*
 * Look at PKCS11* and at a KeyFile that is a URI; what is wrong is reported as
 * fatal, and no PIN is shown.
 *   source   DESIGN "Threats"; RFC 7512
 */
void conf_pkcs11_check(const struct options *options, struct report *report);

#endif
