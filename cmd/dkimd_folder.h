/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dkimd -n: may the socket be made in its folder?
 */
#ifndef DKIMD_FOLDER_H
#define DKIMD_FOLDER_H

#include "milter/report.h"

/*
 * With the rights that the process has now: is there a way into the folder of
 * a UNIX socket, and may a file be made in it? One that is not there at all is
 * told by socketspec_check.
 *   socket   as the option has it; a socket of another kind is right
 *   user     UserID; NULL: not set. Of somebody else than the process nothing
 *            is known, so nothing is said
 *   report   FAULT_FATAL with the path element, the user and the bit
 *   source   BEHAVIOUR 10
 */
void dkimd_folder_check(const char *socket, const char *user,
    struct report *report);

#endif
