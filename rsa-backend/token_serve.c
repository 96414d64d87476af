/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The helper process: the control socket, and a thread a connection.
 *
 * A thread that hangs in a module is the parent's to end, with the process.
 */

/* system */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* this room */
#include "backend_pkcs11.h"
#include "token.h"
#include "token_socket.h"

struct server {
	struct backend_pkcs11	*backend;
	atomic_uint		 connections;
	unsigned		 most;
};

struct thread {
	struct server	*server;
	int		 fd;
};

/*
 * Give as many octets back as were asked for.
 *   returns  octets of the answer; 0: not a request
 */
static size_t
echo(const struct token_wire *request, uint8_t *out)
{
	static const uint8_t zero[RSAB_SIGNATURE_MAX];
	const struct token_wire answer = {
		.answer = true,
		.op = TOKEN_WIRE_ECHO,
		.type = request->type,
		.id = request->id,
		.field[TOKEN_WIRE_RESULT] = { zero, request->value },
	};
	size_t n;

	return token_wire_print(&answer, out, &n) == 0 ? n : 0;
}

/*
 * Requests of one connection until its end, or until something that is none.
 */
static void
serve(struct server *server, int fd)
{
	uint8_t in[TOKEN_WIRE_MAX], out[TOKEN_WIRE_MAX];
	struct token_wire request;
	size_t n;
	bool good;
	int r;

	do {
		r = token_socket_receive(fd, in, &n, NULL, -1);
		if (r == TOKEN_SOCKET_LATE)
			continue;
		if (r != 0) {
			rsab_wipe(in, sizeof in);
			break;
		}
		good = token_wire_parse((struct der){ in, n },
		    &request) == 0 && !request.answer &&
		    request.op != TOKEN_WIRE_SETUP &&
		    request.op != TOKEN_WIRE_CONNECT;
		n = !good ? 0 : request.op == TOKEN_WIRE_ECHO ?
		    echo(&request, out) :
		    backend_pkcs11_answer(server->backend, &request, out);
		/* It may have had a private key or a PIN, whatever it was */
		rsab_wipe(in, sizeof in);
		if (n == 0 || token_socket_send(fd, out, n, -1, -1) != 0)
			break;
	} while (true);
}

static void *
run(void *argument)
{
	struct thread thread = *(struct thread *)argument;

	free(argument);
	serve(thread.server, thread.fd);
	close(thread.fd);
	atomic_fetch_sub(&thread.server->connections, 1);
	return NULL;
}

/*
 * Serve a new connection; what cannot be served is closed.
 */
static void
accept_connection(struct server *server, int fd)
{
	struct thread *thread = malloc(sizeof *thread);
	pthread_attr_t attributes;
	pthread_t id;
	bool made = false;

	if (thread != NULL && atomic_fetch_add(&server->connections, 1) <
	    server->most && pthread_attr_init(&attributes) == 0) {
		*thread = (struct thread){ server, fd };
		made = pthread_attr_setdetachstate(&attributes,
		    PTHREAD_CREATE_DETACHED) == 0 &&
		    pthread_create(&id, &attributes, run, thread) == 0;
		pthread_attr_destroy(&attributes);
	}
	if (made)
		return;		/* moved: thread, fd */
	if (thread != NULL)
		atomic_fetch_sub(&server->connections, 1);
	free(thread);
	close(fd);
}

/*
 * New connections until the end of the control socket.
 */
static void
control_loop(struct server *server, int control)
{
	uint8_t in[TOKEN_WIRE_MAX];
	struct token_wire request;
	size_t n;
	int fd, r;

	for (;;) {
		r = token_socket_receive(control, in, &n, &fd, -1);
		if (r == TOKEN_SOCKET_LATE)
			continue;
		if (r != 0)
			return;
		if (fd < 0)
			return;
		if (token_wire_parse((struct der){ in, n }, &request) != 0 ||
		    request.answer || request.op != TOKEN_WIRE_CONNECT) {
			close(fd);
			return;
		}
		accept_connection(server, fd);	/* moved */
	}
}

/*
 * Read the set-up and load what it says.
 *   id       out: of the request
 */
static int
set_up(struct server *server, int control, const struct rsab_token_host *host,
    uint64_t *id, struct rsab_token_detail *detail)
{
	uint8_t in[TOKEN_WIRE_MAX];
	struct token_wire request;
	size_t n;
	int r;

	if (token_socket_receive(control, in, &n, NULL, -1) != 0)
		return RSAB_ERR_TOKEN;
	if (token_wire_parse((struct der){ in, n }, &request) != 0 ||
	    request.answer || request.op != TOKEN_WIRE_SETUP) {
		rsab_wipe(in, n);
		return RSAB_ERR_ARGUMENT;
	}
	*id = request.id;
	server->most = request.value + TOKEN_SPARE;
	r = backend_pkcs11_new(&request, host, &server->backend, detail);
	rsab_wipe(in, n);
	return r;
}

/*
 * Say how the set-up went.
 */
static int
report(int control, uint64_t id, int r, const struct rsab_token_detail *detail)
{
	struct token_wire answer = {
		.answer = true,
		.op = TOKEN_WIRE_SETUP,
		.id = id,
		.value = (uint32_t)-r,
		.field[TOKEN_WIRE_DETAIL] = { (const uint8_t *)detail->text,
		    strlen(detail->text) },
	};
	uint8_t out[TOKEN_WIRE_MAX];
	size_t n;

	if (token_wire_print(&answer, out, &n) != 0)
		return RSAB_ERR_ARGUMENT;
	return token_socket_send(control, out, n, -1, -1) == 0 ? RSAB_OK :
	    RSAB_ERR_TOKEN;
}

int
rsab_token_serve(int control, const struct rsab_token_host *host)
{
	/*
	 * For ever: threads that are inside a module keep the pointer, and
	 * nobody waits for them.
	 */
	struct server *server = calloc(1, sizeof *server);
	struct rsab_token_detail detail = { "" };
	uint64_t id;
	int r;

	if (server == NULL)
		return RSAB_ERR_NOMEM;
	atomic_init(&server->connections, 0);
	if ((r = set_up(server, control, host, &id, &detail)) ==
	    RSAB_ERR_ARGUMENT || (r != 0 && detail.text[0] == '\0'))
		return r;
	if (report(control, id, r, &detail) != 0 || r != 0)
		return r != 0 ? r : RSAB_ERR_TOKEN;
	control_loop(server, control);
	host->ending(host->context);
	backend_pkcs11_end(server->backend);
	return RSAB_OK;
}
