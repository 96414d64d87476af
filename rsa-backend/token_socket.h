/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records over a SOCK_SEQPACKET socket, with a deadline and with a descriptor.
 */
#ifndef TOKEN_SOCKET_H
#define TOKEN_SOCKET_H

#include <stddef.h>
#include <stdint.h>

/* this room */
#include "token_wire.h"

/* Negative, and of this file's functions only. */
enum token_socket_error {
	TOKEN_SOCKET_END = -1,		/* the other side is gone */
	TOKEN_SOCKET_LATE = -2,		/* nothing in time */
	TOKEN_SOCKET_BAD = -3,		/* too long, or has what it may not */
};

/*
 * A pair of connected sockets, close-on-exec.
 *   errors   TOKEN_SOCKET_END: no more descriptors
 */
int token_socket_pair(int out[2]) MUSTUSE;

/*
 * Send one record.
 *   carry    a descriptor to go with it; -1: none
 *   timeout_ms  0: never wait
 */
int token_socket_send(int fd, const uint8_t *record, size_t n, int carry,
    int timeout_ms) MUSTUSE;

/*
 * Receive one record.
 *   record   TOKEN_WIRE_MAX octets
 *   carried  out: the descriptor that came with it, close-on-exec, or -1;
 *            NULL: one that comes is closed, and the record is bad
 *   timeout_ms  -1: wait for ever
 */
int token_socket_receive(int fd, uint8_t *record, size_t *n, int *carried,
    int timeout_ms) MUSTUSE;

#endif
