/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libcrypto's error queue to our codes.
 */
#ifndef ERROR_H
#define ERROR_H

/* this room */
#include "rsab.h"

/*
 * Empty this thread's error queue of libcrypto, after one of its functions
 * failed.
 *   otherwise  the code for any reason but want of memory
 *   returns    RSAB_ERR_NOMEM or otherwise
 */
int error_take(int otherwise) MUSTUSE;

/*
 * Empty the queue where the failure was expected or is known.
 */
void error_drop(void);

#endif
