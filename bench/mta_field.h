/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Is the field that a filter added what it was to add? A look that costs
 * little; signatures are verified after the clock has stopped.
 */
#ifndef MTA_FIELD_H
#define MTA_FIELD_H

/* rooms below */
#include "dkim/dkim.h"

/*
 * A DKIM-Signature with something in its b=.
 *   value    the field body; white space and folds anywhere
 */
bool mta_field_is_signed(struct slice value);

/*
 * An Authentication-Results with a result dkim=pass; not within a comment or
 * a quoted string.
 *   source   RFC 8601 s2.2
 */
bool mta_field_has_pass(struct slice value);

#endif
