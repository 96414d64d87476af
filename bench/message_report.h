/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What dkimbench sign and verify print; DESIGN "Output that programs read"
 * names the columns of --tsv.
 */
#ifndef MESSAGE_REPORT_H
#define MESSAGE_REPORT_H

/* this room */
#include "message_phases.h"
#include "table.h"

struct message_result {
	const char	*backend, *path;
	unsigned	 bits, batch, threads;
	enum rsab_op	 op;
	const char	*canon;		/* "relaxed/simple" */
	size_t		 size;		/* octets of the body */
	bool		 parse;		/* the key, for each message */
	const char	*reason;	/* why it could not run, or NULL */
	struct measure_summary summary;
	double		 raw_percent;	/* of the raw RSA rate */
	struct message_phases phases;
};

/*
 * The header line.
 */
void message_report_begin(struct table *table, bool tsv, FILE *out);

/*
 * A row.
 *   returns  0, or an exit status: standard output takes no more
 */
int message_report_add(struct table *table,
    const struct message_result *result) MUSTUSE;

#endif
