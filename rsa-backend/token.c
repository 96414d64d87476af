/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A token as the program with the keys sees it.
 */

/* system */
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* this room */
#include "token.h"
#include "token_detail.h"
#include "token_socket.h"

/* How often and how long one waits for a process that is about to be gone. */
#define DYING_TRIES	100
#define DYING_MS	2

#define NO_INCARNATION	UINT64_MAX

struct connection {
	int		fd;
	uint64_t	incarnation;
	bool		used;		/* it has answered before */
};

struct rsab_token {
	atomic_uint			 references;
	struct rsab_token_peer		 peer;
	struct rsab_token_options	 options;
	atomic_ullong			 last_id;
	atomic_ullong			 ended;	/* a process that is gone */
	pthread_mutex_t			 lock;

	/* guarded by lock */
	struct connection		 idle[RSAB_TOKEN_SESSIONS_MAX +
	    TOKEN_SPARE];
	size_t				 idle_n;
	size_t				 open_n;	/* idle ones too */
	struct rsab_token_detail	 detail;
};

int
rsab_token_new(const struct rsab_token_peer *peer,
    const struct rsab_token_options *options, struct rsab_token **out)
{
	struct rsab_token *token;

	if (options->sessions == 0 ||
	    options->sessions > RSAB_TOKEN_SESSIONS_MAX ||
	    options->timeout_ms <= 0 || options->generate_ms <= 0)
		return RSAB_ERR_ARGUMENT;
	if ((token = calloc(1, sizeof *token)) == NULL)
		return RSAB_ERR_NOMEM;
	if (pthread_mutex_init(&token->lock, NULL) != 0) {
		free(token);
		return RSAB_ERR_NOMEM;
	}
	atomic_init(&token->references, 1);
	atomic_init(&token->last_id, 0);
	atomic_init(&token->ended, NO_INCARNATION);
	token->peer = *peer;
	token->options = *options;
	*out = token;
	return RSAB_OK;
}

struct rsab_token *
rsab_token_ref(struct rsab_token *token)
{
	unsigned before = atomic_fetch_add_explicit(&token->references, 1,
	    memory_order_relaxed);

	assert(before != 0 && before != UINT32_MAX);
	(void)before;
	return token;
}

void
rsab_token_unref(struct rsab_token *token)
{
	struct rsab_token_peer peer;
	unsigned before;

	if (token == NULL)
		return;
	before = atomic_fetch_sub_explicit(&token->references, 1,
	    memory_order_acq_rel);
	assert(before != 0);
	if (before != 1)
		return;
	for (size_t i = 0; i < token->idle_n; i++)
		close(token->idle[i].fd);
	pthread_mutex_destroy(&token->lock);
	peer = token->peer;
	free(token);
	if (peer.release != NULL)
		peer.release(peer.context);
}

void *
rsab_token_context(const struct rsab_token *token)
{
	return token->peer.context;
}

uint16_t
token_number(const struct rsab_token *token)
{
	return token->options.number;
}

void
token_note(struct rsab_token *token, const struct rsab_token_detail *detail)
{
	pthread_mutex_lock(&token->lock);
	token->detail = *detail;
	pthread_mutex_unlock(&token->lock);
}

void
rsab_token_detail(struct rsab_token *token, struct rsab_token_detail *out)
{
	pthread_mutex_lock(&token->lock);
	*out = token->detail;
	pthread_mutex_unlock(&token->lock);
}

/*
 * An idle connection, or room for a new one.
 *   returns  false: as many as may be are busy
 */
static bool
connection_reserve(struct rsab_token *token, struct connection *out)
{
	bool room = true;

	pthread_mutex_lock(&token->lock);
	out->fd = -1;
	if (token->idle_n != 0)
		*out = token->idle[--token->idle_n];
	else if (token->open_n < token->options.sessions + TOKEN_SPARE)
		token->open_n++;
	else
		room = false;
	pthread_mutex_unlock(&token->lock);
	return room;
}

static void
connection_give(struct rsab_token *token, struct connection connection)
{
	pthread_mutex_lock(&token->lock);
	token->idle[token->idle_n++] = connection;
	pthread_mutex_unlock(&token->lock);
}

static void
connection_drop(struct rsab_token *token, struct connection connection)
{
	if (connection.fd >= 0)
		close(connection.fd);
	pthread_mutex_lock(&token->lock);
	token->open_n--;
	pthread_mutex_unlock(&token->lock);
}

static int
connection_take(struct rsab_token *token, struct connection *out,
    struct rsab_token_detail *detail)
{
	if (!connection_reserve(token, out)) {
		token_detail_set(detail, "all %u connections to the token are "
		    "busy", token->options.sessions + TOKEN_SPARE);
		return RSAB_ERR_TOKEN;
	}
	if (out->fd >= 0)
		return RSAB_OK;
	out->used = false;
	out->incarnation = 0;
	out->fd = token->peer.connect(token->peer.context, &out->incarnation);
	if (out->fd >= 0)
		return RSAB_OK;
	connection_drop(token, *out);
	token_detail_set(detail, "the process that talks to the token is not "
	    "running now");
	return RSAB_ERR_TOKEN;
}

/*
 * Is this the answer to that question?
 */
static bool
is_answer(const struct token_wire *answer, const struct token_wire *request)
{
	return answer->answer && answer->op == request->op &&
	    answer->id == request->id;
}

/*
 * Send a record and read the answer to it.
 *   returns  of enum token_socket_error, or 0
 */
static int
exchange(int fd, const struct token_wire *request, const uint8_t *record,
    size_t n, uint8_t *buffer, struct token_wire *answer, int timeout_ms)
{
	int r;

	if ((r = token_socket_send(fd, record, n, -1, timeout_ms)) != 0 ||
	    (r = token_socket_receive(fd, buffer, &n, NULL, timeout_ms)) != 0)
		return r;
	if (token_wire_parse((struct der){ buffer, n }, answer) != 0 ||
	    !is_answer(answer, request))
		return TOKEN_SOCKET_BAD;
	return 0;
}

/*
 * No answer: drop the connection, and tell the peer when its process is to
 * blame.
 */
static int
failed(struct rsab_token *token, struct connection connection, int r,
    int timeout_ms, struct rsab_token_detail *detail)
{
	connection_drop(token, connection);
	switch (r) {
	case TOKEN_SOCKET_LATE:
		token_detail_set(detail, "no answer from the token within "
		    "%d ms", timeout_ms);
		break;
	case TOKEN_SOCKET_BAD:
		token_detail_set(detail, "the process that talks to the token "
		    "answered nonsense");
		break;
	default:
		/* the next job may still be connected to it */
		atomic_store(&token->ended, connection.incarnation);
		token_detail_set(detail, "the process that talks to the token "
		    "ended while it worked for us");
		return RSAB_ERR_TOKEN;
	}
	token->peer.hung(token->peer.context, connection.incarnation);
	return RSAB_ERR_TOKEN;
}

/*
 * The error of an answer, with its text.
 */
static int
answered(struct rsab_token *token, const struct token_wire *answer,
    struct rsab_token_detail *detail)
{
	struct der text = answer->field[TOKEN_WIRE_DETAIL];
	struct der identity = answer->field[TOKEN_WIRE_IDENTITY];
	char name[RSAB_TOKEN_IDENTITY];
	int r = token_wire_error(answer);

	if (r == 0)
		return RSAB_OK;
	token_detail_set(detail, "%.*s", (int)text.n, (const char *)text.p);
	if (identity.n != 0) {
		token_detail_copy(identity.p, identity.n, name, sizeof name);
		token->peer.refused(token->peer.context, name);
	}
	return r;
}

/*
 * May the end of a connection be that of an older process, which our request
 * has nothing to do with? So it is when the connection was good before; then
 * all connections to the same process are of no use, even one that is made
 * while it dies.
 *   tries    in and out: left
 */
static bool
is_older(struct rsab_token *token, struct connection connection,
    unsigned *tries)
{
	if (connection.used) {
		atomic_store(&token->ended, connection.incarnation);
		return true;
	}
	if (connection.incarnation != atomic_load(&token->ended) ||
	    *tries == 0)
		return false;
	--*tries;
	(void)poll(NULL, 0, DYING_MS);
	return true;
}

/*
 * Ask with the record that is ready.
 */
static int
ask(struct rsab_token *token, const struct token_wire *request,
    const uint8_t *record, size_t n, uint8_t *buffer,
    struct token_wire *answer, struct rsab_token_detail *detail)
{
	struct connection connection;
	unsigned tries = DYING_TRIES;
	int timeout_ms = request->op == TOKEN_WIRE_GENERATE ?
	    token->options.generate_ms : token->options.timeout_ms;
	int r;

	for (;;) {
		if ((r = connection_take(token, &connection, detail)) != 0)
			return r;
		r = exchange(connection.fd, request, record, n, buffer, answer,
		    timeout_ms);
		if (r == 0)
			break;
		/* Each older one that was idle goes away by this, too */
		if (r != TOKEN_SOCKET_END || !is_older(token, connection,
		    &tries))
			return failed(token, connection, r, timeout_ms, detail);
		connection_drop(token, connection);
	}
	connection.used = true;
	connection_give(token, connection);
	return answered(token, answer, detail);
}

int
token_ask(struct rsab_token *token, struct token_wire *request,
    uint8_t *buffer, struct token_wire *answer,
    struct rsab_token_detail *detail)
{
	struct rsab_token_detail own = { "" };
	uint8_t record[TOKEN_WIRE_MAX];
	size_t n;
	int r;

	request->id = atomic_fetch_add_explicit(&token->last_id, 1,
	    memory_order_relaxed) + 1;
	if ((r = token_wire_print(request, record, &n)) != 0) {
		token_detail_set(&own, "the request to the token does not fit "
		    "a record");
	} else {
		r = ask(token, request, record, n, buffer, answer, &own);
		rsab_wipe(record, n);
	}
	if (r != 0)
		token_note(token, &own);
	if (r != 0 && detail != NULL)
		*detail = own;
	return r;
}
