/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where keys in tokens are.
 */

/* system */
#include <stdlib.h>
#include <string.h>

/* this room */
#include "backend_remote.h"
#include "remote.h"

struct token_wire
remote_request(enum token_wire_op op, const struct remote_place *place)
{
	return (struct token_wire){
		.op = op,
		.flags = place->pin_value ? TOKEN_WIRE_PIN_VALUE : 0,
		.field[TOKEN_WIRE_URI] = { (const uint8_t *)place->uri,
		    place->n },
	};
}

struct token_wire
remote_request_of(enum token_wire_op op, const struct remote_key *remote)
{
	return remote_request(op, &(struct remote_place){ remote->token,
	    remote->uri, remote->uri_n, remote->pin_value });
}

int
remote_put(struct rsab_key *key, const struct remote_place *place,
    bool is_private)
{
	struct remote_key *remote = malloc(sizeof *remote + place->n);

	if (remote == NULL)
		return RSAB_ERR_NOMEM;
	remote->token = rsab_token_ref(place->token);
	remote->watch = NULL;
	atomic_init(&remote->excluded, false);
	remote->pin_value = place->pin_value;
	remote->uri_n = place->n;
	memcpy(remote->uri, place->uri, place->n);
	key->backend = &backend_remote;
	key->own = remote;
	key->is_private = is_private;
	return RSAB_OK;
}
