/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sessions on their own threads, services on others, with injected delays:
 * the answer before, at and after the deadline, after an abort, after the
 * session is gone. For the thread and address sanitizers.
 */

/* system */
#include <pthread.h>
#include <unistd.h>

/* this room */
#include "tests/session_made.h"
#include "milter/clock.h"
#include "milter/connection.h"

#define CONF MADE_TABLES "InternalHosts 127.0.0.1\n"			\
	"SigningTable csl:example.org=one\n"				\
	"KeyTable csl:one=example.org:sel:/keys/rsa\n"
/* SHA-256 of nothing */
#define EMPTY "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
#define MESSAGES	40
#define SESSIONS	3

/*
 * A service thread: answers what is queued after a delay in microseconds.
 */
static struct {
	pthread_mutex_t	 lock;
	pthread_cond_t	 more;
	struct want	*at[4096];
	size_t		 head, tail;
	bool		 stop;
	unsigned	 seed;
	unsigned	 most;		/* microseconds */
	unsigned	 dropped;
} service;

static struct conf *conf;
static struct dkim_lib *lib;
static atomic_uint messages, progresses;

static bool
queue(struct want *want)
{
	pthread_mutex_lock(&service.lock);
	assert_true(service.tail < 4096);
	service.at[service.tail++] = want;
	pthread_cond_signal(&service.more);
	pthread_mutex_unlock(&service.lock);
	return true;
}

static void *
serve(void *arg)
{
	struct want *want;
	unsigned delay;

	(void)arg;
	for (;;) {
		pthread_mutex_lock(&service.lock);
		while (service.head == service.tail && !service.stop)
			pthread_cond_wait(&service.more, &service.lock);
		if (service.head == service.tail) {
			pthread_mutex_unlock(&service.lock);
			return NULL;
		}
		want = service.at[service.head++];
		service.seed = service.seed * 1103515245u + 12345u;
		delay = (service.seed >> 8) % (service.most + 1);
		pthread_mutex_unlock(&service.lock);
		/* not begun and cancelled: dropped */
		if (atomic_load(&want->cancelled)) {
			service.dropped++;
			want_unref(want);
			continue;
		}
		usleep(delay);
		switch (want->kind) {
		case WANT_PUBLIC_KEY:
			made_fill_public(want);
			break;
		case WANT_PRIVATE_KEY:
			made_fill_private(want);
			break;
		default:
			made_fill_signature(want);
			break;
		}
		inbox_put(want->inbox, want);
	}
}

/* The fakes of session_made.h hand their wants to the service. */
static void
hand_over(void)
{
	while (made.n_pending > 0)
		queue(made.pending[--made.n_pending]);
}

static void
on_progress(void *context)
{
	(void)context;
	atomic_fetch_add(&progresses, 1);
}

static pthread_mutex_t fakes = PTHREAD_MUTEX_INITIALIZER;

/*
 * The fakes keep wants in a list: one thread at a time hands over.
 */
static void
carry(struct exchange *e)
{
	pthread_mutex_lock(&fakes);
	exchange_carry(e);
	hand_over();
	pthread_mutex_unlock(&fakes);
}

static bool
never(const struct session *s)
{
	(void)s;
	return false;
}

/*
 * Wait as exchange_wait does, but carrying under the lock of the fakes.
 */
static void
wait_for(struct exchange *e, bool (*holds)(const struct session *))
{
	struct want *want;
	uint64_t now;

	while (holds(e->session)) {
		now = clock_us();
		if (now >= session_deadline(e->session)) {
			session_expire(e->session, now);
			carry(e);
			continue;
		}
		want = inbox_take(e->inbox, session_deadline(e->session));
		if (want != NULL) {
			session_answer(e->session, want, clock_us());
			carry(e);
		}
	}
	exchange_wait(e, never, false);
}

/*
 * One message; how says where it is cut short.
 */
static unsigned
message(struct connection *c, unsigned how, bool verify)
{
	struct session *s = c->exchange.session;
	struct session_time now = { clock_us(), MADE_SECONDS };
	const struct session_result *r;
	struct rsab_worker *worker = NULL;
	unsigned signed_ = 0;

	connection_count(c);
	assert_int_equal(connection_mail(c, conf_ref(conf)), 0);
	connection_field(c, "From", " a@example.org");
	if (verify)
		connection_field(c, "DKIM-Signature", " v=1; a=rsa-sha256; "
		    "d=example.org; s=sel; h=from; bh=" EMPTY "; b=AAAA");
	/* the deadline of keys lies within the delays */
	session_header_end(s, now, 2000);
	carry(&c->exchange);
	if (how % 5 == 0)
		goto out;
	wait_for(&c->exchange, session_holds_body);
	session_body(s, slice_text("x\r\n"));
	now.us = clock_us();
	session_end(s, now);
	carry(&c->exchange);
	if (how % 5 == 1)
		goto out;
	wait_for(&c->exchange, session_holds_end);
	if (session_is_verifying(s))
		assert_int_equal(rsab_worker_new(&worker), 0);
	r = session_finish(s, worker);
	rsab_worker_free(worker);
	assert_non_null(r);
	signed_ = r->n_actions == 1 && r->actions[0].kind == SESSION_INSERT;
out:
	pthread_mutex_lock(&fakes);
	connection_message_end(c);
	pthread_mutex_unlock(&fakes);
	return signed_;
}

struct client {
	pthread_t	 thread;
	unsigned	 number;
	unsigned	 signed_, failed;
};

static void *
run_client(void *arg)
{
	static const struct terms terms = { .change_fields = true,
	    .leading_space = true };
	const struct connection_setup setup = { .lib = lib,
	    .signer = (struct signer *)&made, .host = "h.example.org",
	    .messages = &messages, .progress = on_progress };
	struct client *client = arg;
	struct connection *c = NULL;
	struct sockaddr_in sin = { .sin_family = AF_INET };
	unsigned i;
	bool verify = client->number == 1;

	inet_pton(AF_INET, verify ? "192.0.2.1" : "127.0.0.1",
	    &sin.sin_addr);
	for (i = 0; i < MESSAGES; i++) {
		if (c == NULL) {
			assert_int_equal(connection_new(&setup, terms, NULL,
			    &c), 0);
			assert_int_equal(session_connect(c->exchange.session,
			    slice_text("c"), (struct sockaddr *)&sin,
			    sizeof(sin)), 0);
		}
		client->signed_ += message(c, i + client->number, verify);
		if (i % 7 == 6) {
			/* gone, with answers on their way */
			pthread_mutex_lock(&fakes);
			connection_free(c);
			pthread_mutex_unlock(&fakes);
			c = NULL;
		}
	}
	pthread_mutex_lock(&fakes);
	connection_free(c);
	pthread_mutex_unlock(&fakes);
	return NULL;
}

static void
exchange_every_age_of_answers(void **state)
{
	struct client clients[SESSIONS] = { 0 };
	pthread_t thread;
	unsigned i, signed_ = 0;

	(void)state;
	made_reset_fakes();
	conf = made_conf(CONF);
	assert_int_equal(dkim_lib_new(&lib), 0);
	made.dns = made.keys = made.sign = MADE_LATER;
	memset(&service, 0, sizeof(service));
	pthread_mutex_init(&service.lock, NULL);
	pthread_cond_init(&service.more, NULL);
	service.seed = 7;
	service.most = 3000;
	assert_int_equal(pthread_create(&thread, NULL, serve, NULL), 0);
	for (i = 0; i < SESSIONS; i++) {
		clients[i].number = i;
		assert_int_equal(pthread_create(&clients[i].thread, NULL,
		    run_client, &clients[i]), 0);
	}
	for (i = 0; i < SESSIONS; i++) {
		pthread_join(clients[i].thread, NULL);
		signed_ += clients[i].signed_;
	}
	pthread_mutex_lock(&service.lock);
	service.stop = true;
	pthread_cond_signal(&service.more);
	pthread_mutex_unlock(&service.lock);
	pthread_join(thread, NULL);
	test_int("no message is left", atomic_load(&messages), 0);
	test_true("what could be signed was", signed_ > MESSAGES);
	dkim_lib_free(lib);
	test_int("every configuration came back", atomic_load(&conf->refs),
	    1);
	conf_unref(conf);
}

/*
 * The deadline ends the wait; an answer in the inbox counts, however late.
 */
static void
exchange_wait_ends(void **state)
{
	struct made_run run;
	struct exchange e;
	uint64_t begun;

	(void)state;
	made_open(&run, CONF);
	e = (struct exchange){ .session = run.session, .inbox = run.inbox,
	    .signer = (struct signer *)&made, .progress = on_progress };
	made.dns = MADE_LATER;
	run.now = begun = clock_us();
	made_connect(&run, "c", "192.0.2.1");
	made_mail(&run, "From: a@example.org\nDKIM-Signature: v=1; "
	    "a=rsa-sha256; d=example.org; s=sel; h=from; "
	    "bh=" EMPTY "; b=AAAA\n");
	session_header_end(run.session, (struct session_time){ begun,
	    MADE_SECONDS }, 50000);
	exchange_carry(&e);
	test_int("asked", made.dns_asked, 1);
	session_end(run.session, (struct session_time){ begun, MADE_SECONDS });
	exchange_wait(&e, session_holds_end, true);
	test_true("at the deadline", clock_us() >= begun + 50000);
	test_int("cancelled", made.dns_cancelled, 1);
	test_int("no progress yet", atomic_load(&progresses), 0);
	made_answer();		/* into the inbox, of nobody */
	exchange_take(&e);
	exchange_reset(&e);

	made.dns_cancelled = 0;
	made_mail(&run, "From: a@example.org\nDKIM-Signature: v=1; "
	    "a=rsa-sha256; d=example.org; s=sel; h=from; "
	    "bh=" EMPTY "; b=AAAA\n");
	session_header_end(run.session, (struct session_time){ 1000,
	    MADE_SECONDS }, 1000);	/* long ago */
	exchange_carry(&e);
	made_answer();
	session_end(run.session, (struct session_time){ clock_us(),
	    MADE_SECONDS });
	exchange_wait(&e, session_holds_end, true);
	test_int("used, not cancelled", made.dns_cancelled, 0);
	exchange_reset(&e);
	made_close(&run);
}

/*
 * Progress after 3 s, not before, and every 3 s (BEHAVIOUR 5).
 */
static void
exchange_progress(void **state)
{
	struct made_run run;
	struct exchange e;
	uint64_t begun = clock_us();

	(void)state;
	made_open(&run, CONF "SignTimeout 20\n");
	e = (struct exchange){ .session = run.session, .inbox = run.inbox,
	    .signer = (struct signer *)&made, .progress = on_progress };
	atomic_store(&progresses, 0);
	made.dns = MADE_NEVER;
	made_connect(&run, "c", "192.0.2.1");
	made_mail(&run, "From: a@example.org\nDKIM-Signature: v=1; "
	    "a=rsa-sha256; d=example.org; s=sel; h=from; "
	    "bh=" EMPTY "; b=AAAA\n");
	session_header_end(run.session, (struct session_time){ begun,
	    MADE_SECONDS }, 6500000);
	exchange_carry(&e);
	session_end(run.session, (struct session_time){ begun, MADE_SECONDS });
	exchange_wait(&e, session_holds_end, true);
	test_int("after 3 s and 6 s", atomic_load(&progresses), 2);
	exchange_reset(&e);
	made_close(&run);
}

/*
 * A drain counts what is between MAIL and its end, once.
 */
static void
exchange_counts_messages(void **state)
{
	static const struct terms terms = { .leading_space = false };
	const struct connection_setup setup = { .host = "h",
	    .messages = &messages, .progress = on_progress };
	struct connection *c;

	(void)state;
	made_reset_fakes();
	conf = made_conf(CONF);
	atomic_store(&messages, 0);
	assert_int_equal(connection_new(&setup, terms, NULL, &c), 0);
	assert_int_equal(session_connect(c->exchange.session, slice_text("c"),
	    NULL, 0), 0);
	connection_count(c);
	connection_count(c);
	test_int("MAIL again", atomic_load(&messages), 1);
	assert_int_equal(connection_mail(c, conf_ref(conf)), 0);
	/* the MTA has eaten one space: it is put back */
	connection_field(c, "From", "a@example.org");
	connection_message_end(c);
	connection_message_end(c);
	test_int("ended once", atomic_load(&messages), 0);
	connection_count(c);
	assert_int_equal(connection_mail(c, conf_ref(conf)), 0);
	connection_free(c);
	test_int("gone", atomic_load(&messages), 0);
	test_int("configuration came back", atomic_load(&conf->refs), 1);
	conf_unref(conf);
	connection_free(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exchange_every_age_of_answers),
		cmocka_unit_test(exchange_wait_ends),
		cmocka_unit_test(exchange_progress),
		cmocka_unit_test(exchange_counts_messages),
	};

	return MADE_RUN(tests);
}
