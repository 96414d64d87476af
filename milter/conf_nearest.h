/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The option that somebody meant who mistyped one.
 */
#ifndef CONF_NEAREST_H
#define CONF_NEAREST_H

#include "../dkim/dkim.h"

/*
 * The option whose name is nearest to one that nobody knows, static, or NULL
 * when none is near: at most three edits, and less than half of the name.
 */
const char *conf_nearest(struct slice name);

#endif
