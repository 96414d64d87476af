/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parent's end of a control socket: the set-up, and new connections.
 */

/* system */
#include <string.h>
#include <unistd.h>

/* this room */
#include "token_detail.h"
#include "token_socket.h"

static struct der
text(const char *in)
{
	return (struct der){ (const uint8_t *)in,
	    in == NULL ? 0 : strlen(in) };
}

/*
 * All identities, one after the other.
 */
static int
refused(const struct rsab_token_setup *setup,
    uint8_t out[RSAB_TOKEN_REFUSED_MAX * (RSAB_TOKEN_IDENTITY - 1)])
{
	const size_t n = RSAB_TOKEN_IDENTITY - 1;

	if (setup->refused_n > RSAB_TOKEN_REFUSED_MAX)
		return RSAB_ERR_ARGUMENT;
	for (size_t i = 0; i < setup->refused_n; i++) {
		if (strlen(setup->refused[i]) != n)
			return RSAB_ERR_ARGUMENT;
		memcpy(&out[i * n], setup->refused[i], n);
	}
	return RSAB_OK;
}

/*
 * Wait for the answer to the set-up.
 */
static int
answer(int control, int timeout_ms, struct rsab_token_detail *detail)
{
	uint8_t in[TOKEN_WIRE_MAX];
	struct token_wire record;
	struct der why;
	size_t n;
	int r;

	r = token_socket_receive(control, in, &n, NULL, timeout_ms);
	if (r == TOKEN_SOCKET_LATE)
		token_detail_set(detail, "the PKCS#11 module was not loaded "
		    "and initialized within %d ms", timeout_ms);
	else if (r != 0)
		token_detail_set(detail, "the process ended while it loaded "
		    "the PKCS#11 module");
	if (r != 0)
		return RSAB_ERR_TOKEN;
	if (token_wire_parse((struct der){ in, n }, &record) != 0 ||
	    !record.answer || record.op != TOKEN_WIRE_SETUP) {
		token_detail_set(detail, "the process that loads the PKCS#11 "
		    "module answered nonsense");
		return RSAB_ERR_TOKEN;
	}
	why = record.field[TOKEN_WIRE_DETAIL];
	token_detail_set(detail, "%.*s", (int)why.n, (const char *)why.p);
	return token_wire_error(&record);
}

int
rsab_token_setup_send(int control, const struct rsab_token_setup *setup,
    int timeout_ms, struct rsab_token_detail *detail)
{
	uint8_t names[RSAB_TOKEN_REFUSED_MAX * (RSAB_TOKEN_IDENTITY - 1)];
	uint8_t out[TOKEN_WIRE_MAX];
	struct token_wire request = {
		.op = TOKEN_WIRE_SETUP,
		.flags = setup->careful ? TOKEN_WIRE_CAREFUL : 0,
		.value = setup->sessions,
		.field = {
			[TOKEN_WIRE_MODULE] = text(setup->module),
			[TOKEN_WIRE_ARGS] = text(setup->init_args),
			[TOKEN_WIRE_PIN] = { setup->pin, setup->pin_n },
			[TOKEN_WIRE_FOLDERS] = text(setup->folders),
			[TOKEN_WIRE_REFUSED] = { names, setup->refused_n *
			    (RSAB_TOKEN_IDENTITY - 1) },
		},
	};
	size_t n;
	int r;

	detail->text[0] = '\0';
	if ((r = refused(setup, names)) != 0 ||
	    (r = token_wire_print(&request, out, &n)) != 0) {
		token_detail_set(detail, "the module's path, its init "
		    "arguments, the PIN or the folders are too long");
		return r;
	}
	r = token_socket_send(control, out, n, -1, timeout_ms);
	rsab_wipe(out, n);
	if (r != 0) {
		token_detail_set(detail, "the process for the PKCS#11 module "
		    "ended before it was told what to load");
		return RSAB_ERR_TOKEN;
	}
	return answer(control, timeout_ms, detail);
}

int
rsab_token_connect(int control, int *out)
{
	const struct token_wire request = { .op = TOKEN_WIRE_CONNECT };
	uint8_t record[TOKEN_WIRE_MAX];
	size_t n;
	int pair[2], r;

	if (token_wire_print(&request, record, &n) != 0 ||
	    token_socket_pair(pair) != 0)
		return RSAB_ERR_TOKEN;
	r = token_socket_send(control, record, n, pair[1], 0);
	close(pair[1]);
	if (r != 0) {
		close(pair[0]);
		return RSAB_ERR_TOKEN;
	}
	*out = pair[0];
	return RSAB_OK;
}
