/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The message that is measured; see message.h.
 */

/* system */
#include <err.h>
#include <stdlib.h>
#include <sysexits.h>

/* this room */
#include "message.h"
#include "random.h"

#define LINE		75	/* characters */
#define PRINTABLE_FIRST	0x20
#define PRINTABLE	95	/* characters */

#define TEXT(s)	{ (const uint8_t *)(s), sizeof(s) - 1 }
#define FIELD(name, value)	{ TEXT(name), TEXT(value) }

const struct message_field message_fields[MESSAGE_FIELDS] = {
	FIELD("Received", " received data 1"),
	FIELD("Received", " received data 2"),
	FIELD("Received", " received data 3 part 1\r\n\t data 3 part 2"),
	FIELD("From", " Murray S. Kucherawy <msk@sendmail.com>"),
	FIELD("To", " Sendmail Test Address <sa-test@sendmail.net>"),
	FIELD("Date", " Thu, 05 May 2005 11:59:09 -0700"),
	FIELD("Subject", " DKIM test message"),
	FIELD("Message-ID", " <439094BF.5010709@sendmail.com>"),
};

const char message_names[] = "Received,From,To,Date,Subject,Message-ID";

static uint8_t
printable(struct random *random)
{
	return (uint8_t)(PRINTABLE_FIRST +
	    (random_next(random) >> 32) % PRINTABLE);
}

int
message_make(struct message *message, size_t octets, bool line_end,
    uint64_t seed)
{
	struct random random = { seed };
	size_t column = 0, n = 0;
	uint8_t *body = malloc(octets + 2);

	if (body == NULL) {
		warnx("no memory for a body of %zu octets", octets);
		return EX_OSERR;
	}
	while (n < octets) {
		if (column == LINE && octets - n >= 2) {
			body[n++] = '\r';
			body[n++] = '\n';
			column = 0;
			continue;
		}
		body[n++] = printable(&random);
		column++;
	}
	if (line_end) {
		body[n++] = '\r';
		body[n++] = '\n';
	}
	*message = (struct message){ body, n };
	return 0;
}

void
message_clear(struct message *message)
{
	free(message->body);
	*message = (struct message){ NULL, 0 };
}
