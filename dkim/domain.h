/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Domain names: the strict grammar, and U-labels to A-labels.
 */
#ifndef DKIM_DOMAIN_H
#define DKIM_DOMAIN_H

#include "dkim.h"

/*
 * Is s one label: 1 to 63 letters, digits, - and _?
 */
bool domain_is_label(struct slice s);

#endif
