/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A session with a real configuration, and fakes of resolver, keystore and
 * signer that answer at once, later, wrongly or never.
 */
#ifndef TEST_SESSION_MADE_H
#define TEST_SESSION_MADE_H

#include <arpa/inet.h>
#include <netinet/in.h>

#include "tests/capture.h"
#include "milter/ask.h"
#include "milter/inbox.h"
#include "milter/keystore.h"
#include "milter/resolver.h"
#include "milter/session.h"
#include "milter/signer.h"

#define MADE_SECONDS	1798761600	/* 2027-01-01 */
#define MADE_US		1000000000u	/* when the clock starts */
#define MADE_PATIENCE	5000000u	/* DNSTimeout 5 */
#define MADE_PENDING	32

enum made_how {
	MADE_NOW,		/* in the same call */
	MADE_LATER,		/* made_answer brings it */
	MADE_WRONG,		/* with error */
	MADE_NEVER,
};

/*
 * What the fakes do; one for each test program, as the functions have fixed
 * names.
 */
static struct {
	enum made_how		 dns, keys, sign;
	enum dkim_answer_state	 state;	/* where there is no record */
	const char		*records;	/* "name\trecord\n..." */
	int			 error;
	const char		*detail;
	struct want		*pending[MADE_PENDING];
	size_t			 n_pending;
	unsigned		 dns_asked, keys_asked, sign_asked;
	unsigned		 key_gone;	/* signatures that find it so */
	unsigned		 keys_again;	/* asked instead of one gone */
	bool			 other_type;	/* that one is Ed25519 */
	unsigned		 dns_cancelled;
	struct rsab_worker	*worker;
	const struct rsab_backend *backend;
	struct rsab_key		*rsa, *ed25519, *small;
	char			 name[8][DKIM_NAME_MAX + 1];	/* asked for */
} made;

struct made_run {
	struct dkim_lib		*lib;
	struct inbox		*inbox;
	struct session		*session;
	struct conf		*conf;
	uint64_t		 now;		/* microseconds */
	const struct session_result *result;
};

static inline bool
made_later(enum made_how how, struct want *want)
{
	if (how != MADE_LATER && how != MADE_NEVER)
		return false;
	assert_true(made.n_pending < MADE_PENDING);
	made.pending[made.n_pending++] = want;
	return true;
}

/*
 * The record of a name; false: there is none.
 */
static inline bool
made_record(const char *name, struct slice *out)
{
	const char *at = made.records;
	size_t n = strlen(name);

	while (at != NULL && *at != '\0') {
		const char *end = strchr(at, '\n');

		if (strncmp(at, name, n) == 0 && at[n] == '\t') {
			*out = slice_of(at + n + 1, (size_t)(end - at) - n - 1);
			return true;
		}
		at = end == NULL ? NULL : end + 1;
	}
	return false;
}

static inline void
made_fill_public(struct want *want)
{
	struct slice record;

	if (made.dns == MADE_WRONG) {
		want->error = made.error;
		return;
	}
	want->public_key.answer.state = made.state;
	if (!made_record(want->public_key.name, &record))
		return;
	want->public_key.answer.state = DKIM_ANSWER_FOUND;
	if (dkim_keyset_parse(made.backend, &record, 1,
	    &want->public_key.answer.keyset) != 0)
		want->error = WANT_ERR_NOMEM;
}

bool
resolver_ask(struct resolver *resolver, struct want *want)
{
	(void)resolver;
	if (made.dns_asked < 8)
		snprintf(made.name[made.dns_asked], sizeof(made.name[0]), "%s",
		    want->public_key.name);
	made.dns_asked++;
	if (made_later(made.dns, want))
		return false;
	made_fill_public(want);
	return true;
}

void
resolver_cancel(struct resolver *resolver, struct want *want)
{
	(void)resolver;
	assert_true(atomic_load(&want->cancelled));
	made.dns_cancelled++;
}

uint64_t
resolver_patience(struct resolver *resolver)
{
	(void)resolver;
	return MADE_PATIENCE;
}

static inline void
made_fill_private(struct want *want)
{
	struct slice key = want->private_key.key_row.key;
	struct rsab_key *found = slice_is(key, "/keys/ed25519") ?
	    made.ed25519 : slice_is(key, "/keys/small") ? made.small :
	    made.rsa;

	if (made.keys == MADE_WRONG || slice_is(key, "/keys/missing")) {
		want->error = made.error;
		snprintf(want->detail, sizeof(want->detail), "%s",
		    made.detail);
		return;
	}
	if (want->private_key.gone != NULL) {
		made.keys_again++;
		if (made.other_type)
			found = made.ed25519;
	}
	want->private_key.key = rsab_key_ref(found);
}

bool
keystore_ask(struct keystore *store, struct want *want)
{
	(void)store;
	made.keys_asked++;
	if (made_later(made.keys, want))
		return false;
	made_fill_private(want);
	return true;
}

static inline void
made_fill_signature(struct want *want)
{
	struct rsab_job *jobs[] = { &want->signature };

	want->signature.op = RSAB_OP_SIGN;
	rsab_run(made.worker, jobs, 1);
	if (made.key_gone > 0) {
		made.key_gone--;
		want->error = WANT_ERR_KEY_GONE;
		return;
	}
	if (made.sign == MADE_WRONG) {
		want->error = made.error;
		snprintf(want->detail, sizeof(want->detail), "%s",
		    made.detail);
	}
}

void
signer_ask(struct signer *signer, struct want *want)
{
	(void)signer;
	made.sign_asked++;
	if (made_later(made.sign, want))
		return;
	made_fill_signature(want);
	inbox_put(want->inbox, want);
}

/*
 * Answer what is pending, the newest first, into the inbox.
 */
static inline void
made_answer(void)
{
	struct want *want;

	while (made.n_pending > 0) {
		want = made.pending[--made.n_pending];
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

static inline struct rsab_key *
made_load(const char *name)
{
	char path[128];
	struct rsab_key *key;
	uint8_t *pem;
	size_t n;

	snprintf(path, sizeof(path), "vectors/messages/keys/%s", name);
	pem = test_file(path, &n);
	assert_int_equal(rsab_key_load_private(made.backend, pem, n, &key), 0);
	free(pem);
	return key;
}

/*
 * The group's set-up and teardown.
 */
static inline int
made_set_up(void **state)
{
	(void)state;
	assert_int_equal(rsab_backend_find("libcrypto", &made.backend), 0);
	assert_int_equal(rsab_worker_new(&made.worker), 0);
	made.rsa = made_load("rfc8463-rsa.pem");
	made.ed25519 = made_load("rfc8463-ed25519.pem");
	assert_int_equal(rsab_key_generate(made.backend, RSAB_RSA, 1024,
	    &made.small), 0);
	return 0;
}

static inline int
made_tear_down(void **state)
{
	rsab_key_unref(made.rsa);
	rsab_key_unref(made.ed25519);
	rsab_key_unref(made.small);
	rsab_worker_free(made.worker);
	return capture_clean(state);
}

#define MADE_RUN(tests) \
	(cmocka_run_group_tests(tests, made_set_up, made_tear_down) != 0)

/*
 * A configuration of "Name value\n" lines.
 */
static inline struct conf *
made_conf(const char *text)
{
	static struct capture capture;
	struct options options;
	struct conf *conf;
	const char *path = capture_text("dkimd.conf", text);

	capture_init(&capture);
	if (conf_options_load(path, NULL, 0, &capture.report, &options) != 0 ||
	    conf_new(&options, &capture.report, &conf) != 0) {
		fprintf(stderr, "# configuration: %s\n", capture.text);
		fail();
		return NULL;
	}
	/* never touched by the fakes */
	conf->resolver = (struct resolver *)&made;
	conf->keystore = (struct keystore *)&made;
	return conf;
}

#define MADE_TABLES "Socket inet:1@localhost\n"				\
	"SyslogSuccess yes\nOn-Security accept\n"

static inline void
made_reset_fakes(void)
{
	made.dns = made.keys = made.sign = MADE_NOW;
	made.state = DKIM_ANSWER_NO_KEY;
	made.records = NULL;
	made.error = WANT_ERR_KEY;
	made.detail = "";
	made.n_pending = 0;
	made.dns_asked = made.keys_asked = made.sign_asked = 0;
	made.dns_cancelled = 0;
}

static inline void
made_open(struct made_run *run, const char *conf)
{
	static const struct session_can can = { true, true };

	memset(run, 0, sizeof(*run));
	made_reset_fakes();
	run->now = MADE_US;
	run->conf = made_conf(conf);
	assert_int_equal(dkim_lib_new(&run->lib), 0);
	assert_int_equal(inbox_new(&run->inbox), 0);
	assert_int_equal(session_new(run->lib, run->inbox, "host.example.org",
	    &can, &run->session), 0);
}

/*
 * Carry wants out, as a front end does.
 */
static inline void
made_carry(struct made_run *run)
{
	struct want *want;

	while ((want = session_next_want(run->session)) != NULL)
		if (ask((struct signer *)&made, want))
			session_answer(run->session, want, run->now);
	while ((want = session_next_cancelled(run->session)) != NULL) {
		ask_cancel(want);
		want_unref(want);
	}
}

static inline void
made_take(struct made_run *run)
{
	struct want *want;

	while ((want = inbox_take(run->inbox, 0)) != NULL) {
		session_answer(run->session, want, run->now);
		made_carry(run);
	}
}

static inline void
made_close(struct made_run *run)
{
	session_reset(run->session);
	made_carry(run);
	session_free(run->session);
	made_answer();
	inbox_close(run->inbox);
	inbox_unref(run->inbox);
	conf_unref(run->conf);
	dkim_lib_free(run->lib);
}

/*
 * A client by its name and address; address NULL: a local pipe.
 */
static inline void
made_connect(struct made_run *run, const char *name, const char *address)
{
	struct sockaddr_in sin = { .sin_family = AF_INET };

	if (address != NULL)
		assert_int_equal(inet_pton(AF_INET, address, &sin.sin_addr),
		    1);
	assert_int_equal(session_connect(run->session, slice_text(name),
	    address == NULL ? NULL : (struct sockaddr *)&sin, sizeof(sin)), 0);
}

/*
 * MAIL, then fields of "Name: value\n" lines (folded lines begin with a blank).
 */
static inline void
made_header(struct made_run *run, const char *text)
{
	const char *end, *colon;

	while (*text != '\0') {
		colon = strchr(text, ':');
		assert_non_null(colon);
		end = strchr(colon, '\n');
		while (end[1] == ' ' || end[1] == '\t')
			end = strchr(end + 1, '\n');
		session_field(run->session, slice_of(text,
		    (size_t)(colon - text)), slice_of(colon + 1,
		    (size_t)(end - colon) - 1));
		text = end + 1;
	}
}

static inline void
made_mail(struct made_run *run, const char *header)
{
	assert_int_equal(session_mail(run->session, conf_ref(run->conf)), 0);
	session_macro(run->session, "i", "4XyZ");
	made_header(run, header);
}

static inline void
made_header_end(struct made_run *run)
{
	struct session_time now = { run->now, MADE_SECONDS };

	session_header_end(run->session, now, MADE_PATIENCE);
	made_carry(run);
}

static inline void
made_end(struct made_run *run)
{
	struct session_time now = { run->now, MADE_SECONDS };

	session_end(run->session, now);
	made_carry(run);
	made_take(run);
}

static inline void
made_finish(struct made_run *run)
{
	run->result = session_finish(run->session, made.worker);
	made_carry(run);
	assert_non_null(run->result);
}

/*
 * A whole message from a client.
 */
static inline void
made_message(struct made_run *run, const char *address, const char *header,
    const char *body)
{
	made_connect(run, "client.example.net", address);
	made_mail(run, header);
	made_header_end(run);
	if (body[0] != '\0')
		session_body(run->session, slice_text(body));
	made_end(run);
	made_finish(run);
}

/*
 * The value of insertion i, or NULL.
 */
static inline const char *
made_inserted(const struct made_run *run, size_t i, const char *name)
{
	size_t k;

	for (k = 0; k < run->result->n_actions; k++)
		if (run->result->actions[k].kind == SESSION_INSERT && i-- == 0)
			return strcmp(run->result->actions[k].name, name) == 0 ?
			    run->result->actions[k].value : NULL;
	return NULL;
}

static inline size_t
made_count(const struct made_run *run, int kind)
{
	size_t k, n = 0;

	for (k = 0; k < run->result->n_actions; k++)
		n += (int)run->result->actions[k].kind == kind;
	return n;
}

/*
 * The note that holds text, or NULL.
 */
static inline const struct session_note *
made_note(const struct made_run *run, const char *text)
{
	size_t i;

	for (i = 0; i < run->result->n_notes; i++)
		if (strstr(run->result->notes[i].text, text) != NULL)
			return &run->result->notes[i];
	return NULL;
}

#define made_has_note(row, run, text) \
	made_has_note_at(row, run, text, __FILE__, __LINE__)
static inline void
made_has_note_at(const char *row, const struct made_run *run, const char *text,
    const char *file, int line)
{
	size_t i;

	if (made_note(run, text) != NULL)
		return;
	fprintf(stderr, "# %s: no note has \"%s\"; got:\n", row, text);
	for (i = 0; i < run->result->n_notes; i++)
		fprintf(stderr, "#   %s\n", run->result->notes[i].text);
	_fail(file, line);
}

static inline uint64_t
made_stat(const struct made_run *run, enum stats_counter stat)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < run->result->n_counts; i++)
		if (run->result->counts[i].stat == stat)
			n += run->result->counts[i].n;
	return n;
}

/*
 * A row of made.records that publishes key; the caller frees.
 */
static inline char *
made_publish(const struct rsab_key *key, const char *name, bool testing)
{
	struct buf b;

	buf_init(&b, 65536);
	buf_add_text(&b, name);
	buf_add_octet(&b, '\t');
	assert_int_equal(dkim_key_record_print(key, testing, false, &b), 0);
	buf_add_octet(&b, '\n');
	buf_add_nul(&b);
	assert_int_equal(buf_end(&b), 0);
	return (char *)buf_take(&b);
}

#endif
