/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What gnuplot draws: NAME.gp, with the figures in it, makes NAME.svg in the
 * folder it is run in.
 */
#ifndef ALL_PLOT_H
#define ALL_PLOT_H

/* this room */
#include "all_folder.h"

/*
 * NAME.gp: messages a second by key size, a bar each backend.
 *   table    file that dkimbench table --tsv wrote
 *   column   dkim_sign or dkim_verify
 *   returns  0, or an exit status (told)
 */
int all_plot_messages(const struct all_folder *folder, const char *name,
    const char *table, const char *column) MUSTUSE;

/*
 * NAME.gp: MB/s by kind of body, a bar each form, and SHA-256 alone.
 *   body     file that dkimbench body --tsv wrote
 */
int all_plot_body(const struct all_folder *folder, const char *name,
    const char *body) MUSTUSE;

/*
 * NAME.gp: time from a message's last packet to its answer, by messages a
 * second, a line each backend.
 *   milter   file of all_milter.h
 *   mode     sign or verify
 */
int all_plot_latency(const struct all_folder *folder, const char *name,
    const char *milter, const char *mode) MUSTUSE;

#endif
