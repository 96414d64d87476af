/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The command line of dkimbench milter; see milter.h.
 */

/* system */
#include <arpa/inet.h>
#include <err.h>
#include <stdlib.h>
#include <sysexits.h>

/* rooms below */
#include "rsa-backend/rsab.h"

/* this room */
#include "milter.h"

#define SIZE_LIMIT	(1u << 30)	/* octets of a body */
#define RATE_MAX	1e6

enum {
	OPTION_BITS = 'b', OPTION_CHECK = 'k', OPTION_CLIENT = 'a',
	OPTION_CONNECTIONS = 'c', OPTION_DOMAIN = 'd', OPTION_IDLE = 'i',
	OPTION_KEYS = 'K', OPTION_MAKE_KEYS = 'M', OPTION_MESSAGES = 'm',
	OPTION_MODE = 'o', OPTION_PID = 'p', OPTION_RATE = 'r',
	OPTION_SIZE = 's', OPTION_SOCKET = 'S', OPTION_TIMEOUT = 't',
	OPTION_WARM_UP = 'w',
};

static const struct milter defaults = {
	.measure = OPTIONS_MEASURE_DEFAULT,
	.domain = "example.com",
	.mode = MTA_SIGN,
	.connections = 20,
	.messages = 100,
	.warm_up = 10,
	.timeout = 60,
	.bits = 2048,
	.size = 1024,
	.check = 1000,
};

static void
usage(FILE *out)
{
	fprintf(out,
"usage: dkimbench milter --socket S [--mode sign|verify] [--keys DIR]\n"
"                        [--connections N] [--messages N] [--warm-up N]\n"
"                        [--rate R] [--size N] [--idle N] [--pid P]\n"
"                        [--domain D] [--client A] [--check N]\n"
"                        [--timeout S] [--cpu N] [--seed N] [--tsv]\n"
"       dkimbench milter --make-keys --keys DIR [--domain D] [--bits N]\n"
"  --socket S       unix:PATH, inet:PORT@HOST or inet6:PORT@HOST\n"
"  --mode M         what the milter does: sign (default) or verify\n"
"  --keys DIR       key.pem signs the mail to verify; records has the key\n"
"                   record that signatures which come back are verified by\n"
"  --connections N  default %u\n"
"  --messages N     a connection; default %u\n"
"  --warm-up N      not counted, a connection; default %u\n"
"  --rate R         messages a second, at random times; default: a\n"
"                   connection sends when its last message was answered\n"
"  --size N         octets of a body; default %zu\n"
"  --idle N         connections that do nothing, beside; default 0\n"
"  --pid P          process of the milter: its CPU time and memory\n"
"  --domain D       of the author; default %s\n"
"  --client A       IPv4 address of the client; default 127.0.0.1 to sign,\n"
"                   192.0.2.1 to verify\n"
"  --check N        signatures that are verified; default %zu\n"
"  --timeout S      without an answer; default %u\n"
"  --make-keys      write DIR/key.pem and DIR/records\n"
"  --bits N         of that key; default %u\n"
"  --cpu N          processor to stay on; default the last allowed one\n"
"  --seed N         of messages and arrivals; default 1\n"
"Exit: 0 measured, 64 usage, 65 and 66 keys, 69 no milter there, 70 a message\n"
"failed, 71 no memory or descriptors, 73 cannot write keys, 74 cannot write.\n",
	    defaults.connections, defaults.messages, defaults.warm_up,
	    defaults.size, defaults.domain, defaults.check,
	    defaults.timeout, defaults.bits);
}

static int
take_mode(const char *text, enum mta_mode *out)
{
	if (strcmp(text, "sign") == 0)
		*out = MTA_SIGN;
	else if (strcmp(text, "verify") == 0)
		*out = MTA_VERIFY;
	else {
		warnx("--mode %s: sign and verify are known", text);
		return EX_USAGE;
	}
	return 0;
}

static int
take_rate(const char *text, double *out)
{
	char *end;
	double rate = strtod(text, &end);

	/* not-a-number compares false, so the right case is what is asked */
	if (end != text && *end == '\0' && rate > 0 && rate <= RATE_MAX) {
		*out = rate;
		return 0;
	}
	warnx("--rate %s: a number above 0, up to %g, is wanted", text,
	    RATE_MAX);
	return EX_USAGE;
}

static int
take_size(const char *option, const char *text, uint64_t max, size_t *out)
{
	uint64_t n = 0;
	int status = options_number(option, text, 0, max, &n);

	if (status == 0)
		*out = (size_t)n;
	return status;
}

static int
take_client(const char *text, const char **out)
{
	struct in_addr address;

	*out = text;
	if (inet_pton(AF_INET, text, &address) == 1)
		return 0;
	warnx("--client %s: an IPv4 address is wanted", text);
	return EX_USAGE;
}

static int
take_domain(const char *text, const char **out)
{
	char name[DKIM_NAME_MAX + 1];

	*out = text;
	if (dkim_domain_to_ascii(slice_text(text), name) == 0 &&
	    strcmp(name, text) == 0)
		return 0;
	warnx("--domain %s: a domain name in lower case is wanted", text);
	return EX_USAGE;
}

static int
take_pid(const char *text, pid_t *out)
{
	unsigned n = 0;
	int status = options_unsigned("--pid", text, 1, INT32_MAX, &n);

	*out = (pid_t)n;
	return status;
}

static int
take_option(void *arg, int option, const char *text)
{
	struct milter *m = arg;

	switch (option) {
	case OPTION_BITS:
		return options_unsigned("--bits", text, RSAB_RSA_BITS_MIN,
		    RSAB_RSA_BITS_MAX, &m->bits);
	case OPTION_CHECK:
		return take_size("--check", text, MTA_LOAD_MESSAGES_MAX,
		    &m->check);
	case OPTION_CLIENT:
		return take_client(text, &m->client);
	case OPTION_CONNECTIONS:
		return options_unsigned("--connections", text, 1,
		    MTA_LOAD_CONNECTIONS_MAX, &m->connections);
	case OPTION_DOMAIN:
		return take_domain(text, &m->domain);
	case OPTION_IDLE:
		return options_unsigned("--idle", text, 0,
		    MTA_LOAD_CONNECTIONS_MAX, &m->idle);
	case OPTION_KEYS:
		m->keys = text;
		return 0;
	case OPTION_MAKE_KEYS:
		m->make_keys = true;
		return 0;
	case OPTION_MESSAGES:
		return options_unsigned("--messages", text, 1,
		    MTA_LOAD_MESSAGES_MAX, &m->messages);
	case OPTION_MODE:
		return take_mode(text, &m->mode);
	case OPTION_PID:
		return take_pid(text, &m->pid);
	case OPTION_RATE:
		return take_rate(text, &m->rate);
	case OPTION_SIZE:
		return take_size("--size", text, SIZE_LIMIT, &m->size);
	case OPTION_SOCKET:
		m->socket = text;
		return 0;
	case OPTION_TIMEOUT:
		return options_unsigned("--timeout", text, 1, 3600,
		    &m->timeout);
	case OPTION_WARM_UP:
		return options_unsigned("--warm-up", text, 0,
		    MTA_LOAD_MESSAGES_MAX, &m->warm_up);
	default:
		return EX_USAGE;
	}
}

static int
check_options(struct milter *m)
{
	if (m->keys == NULL && (m->make_keys || m->mode == MTA_VERIFY)) {
		warnx("--keys DIR is wanted, too: %s", m->make_keys ?
		    "where the key is to go" :
		    "--mode verify sends mail signed by DIR/key.pem");
		return EX_USAGE;
	}
	if (m->make_keys)
		return 0;
	if (m->socket == NULL) {
		warnx("--socket is wanted");
		usage(stderr);
		return EX_USAGE;
	}
	if ((uint64_t)m->connections * m->messages > MTA_LOAD_MESSAGES_MAX ||
	    (uint64_t)m->connections * m->warm_up > MTA_LOAD_MESSAGES_MAX) {
		warnx("--connections %u, --messages %u: more than %d in all",
		    m->connections, m->messages, MTA_LOAD_MESSAGES_MAX);
		return EX_USAGE;
	}
	if (m->client == NULL)
		m->client = m->mode == MTA_SIGN ? "127.0.0.1" : "192.0.2.1";
	return 0;
}

int
milter_options(int argc, char **argv, struct milter *m)
{
	static const struct option longs[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "bits", required_argument, NULL, OPTION_BITS },
		{ "check", required_argument, NULL, OPTION_CHECK },
		{ "client", required_argument, NULL, OPTION_CLIENT },
		{ "connections", required_argument, NULL,
		    OPTION_CONNECTIONS },
		{ "cpu", required_argument, NULL, OPTIONS_CPU },
		{ "domain", required_argument, NULL, OPTION_DOMAIN },
		{ "idle", required_argument, NULL, OPTION_IDLE },
		{ "keys", required_argument, NULL, OPTION_KEYS },
		{ "make-keys", no_argument, NULL, OPTION_MAKE_KEYS },
		{ "messages", required_argument, NULL, OPTION_MESSAGES },
		{ "mode", required_argument, NULL, OPTION_MODE },
		{ "pid", required_argument, NULL, OPTION_PID },
		{ "rate", required_argument, NULL, OPTION_RATE },
		{ "seed", required_argument, NULL, OPTIONS_SEED },
		{ "size", required_argument, NULL, OPTION_SIZE },
		{ "socket", required_argument, NULL, OPTION_SOCKET },
		{ "timeout", required_argument, NULL, OPTION_TIMEOUT },
		{ "tsv", no_argument, NULL, OPTIONS_TSV },
		{ "warm-up", required_argument, NULL, OPTION_WARM_UP },
		{ NULL, 0, NULL, 0 },
	};
	static const struct options_syntax syntax = {
		.longs = longs, .take = take_option, .usage = usage,
	};
	int status;

	*m = defaults;
	status = options_parse(argc, argv, &syntax, m, &m->measure);
	return status != 0 ? status : check_options(m);
}
