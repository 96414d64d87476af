/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What options mean beyond their type.
 */

/* system */
#include <sys/socket.h>
#include <sys/stat.h>
#include <arpa/inet.h>
#include <inttypes.h>
#include <stdlib.h>
#include <strings.h>
#include <syslog.h>

/* this room */
#include "conf_check.h"
#include "conf_pkcs11.h"
#include "conf_value.h"
#include "rsabackend.h"

static void
fault(const struct options *options, struct report *report, enum fault kind,
    const char *name, const char *what)
{
	struct option_where where;

	report_fault(report, kind, "%s: %s",
	    conf_options_where(options, name, &where), what);
}

/*
 * The same with the value that is wrong.
 */
static void
fault_value(const struct options *options, struct report *report,
    const char *name, const char *value, const char *what)
{
	struct option_where where;
	struct report_octets shown;

	report_fault(report, FAULT_FATAL, "%s: \"%s\": %s",
	    conf_options_where(options, name, &where),
	    report_octets(&shown, slice_text(value)), what);
}

/*
 * On-Default first, whatever its line (MIGRATION 2f).
 */
static void
check_actions(struct options *options, struct report *report)
{
	const struct {
		const char	*name;
		enum action	*action;
		bool		 is_verdict;
	} rows[] = {
		{ "On-BadSignature", &options->on_bad_signature, true },
		{ "On-KeyNotFound", &options->on_key_not_found, true },
		{ "On-NoSignature", &options->on_no_signature, true },
		{ "On-DNSError", &options->on_dns_error, false },
		{ "On-InternalError", &options->on_internal_error, false },
		{ "On-Security", &options->on_security, false },
		{ "On-SignatureError", &options->on_signature_error, false },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (conf_options_is_set(options, "On-Default") &&
		    !conf_options_is_set(options, rows[i].name))
			*rows[i].action = options->on_default;
		if (rows[i].is_verdict && *rows[i].action == ACTION_TEMPFAIL)
			fault(options, report, FAULT_WARNING, rows[i].name,
			    "tempfail makes senders try again for days a "
			    "message whose verdict will not change "
			    "(RFC 6376 s6.3); accept or reject is better");
	}
}

/*
 * Numbers that mean something else than they say.
 */
static void
check_numbers(struct options *options, struct report *report)
{
	if (options->minimum_key_bits < DKIM_RSA_BITS_FLOOR) {
		fault(options, report, FAULT_WARNING, "MinimumKeyBits",
		    "it stays at 1024: shorter RSA keys never pass "
		    "(RFC 8301 s3.2)");
		options->minimum_key_bits = DKIM_RSA_BITS_FLOOR;
	}
	if (options->maximum_signatures_to_verify == 0) {
		fault(options, report, FAULT_WARNING,
		    "MaximumSignaturesToVerify", "0 means the default, 8");
		options->maximum_signatures_to_verify =
		    DKIM_SIGNATURES_DEFAULT;
	}
	/* BEHAVIOUR 2 */
	if (options->dns_timeout == 0)
		options->dns_timeout = 30;
	if (options->maximum_headers == 0)
		options->maximum_headers = DKIM_HEADER_HARD_MAX;
}

/*
 * Which options need which (MIGRATION 2c); only signing needs any.
 */
static void
check_signing(const struct options *options, struct report *report)
{
	bool tables = options->key_table != NULL;

	if (!options->mode_sign)
		return;
	if (options->signing_table != NULL && !tables)
		fault(options, report, FAULT_FATAL, "SigningTable",
		    "it needs KeyTable, where its key names are looked up");
	if (tables && options->signing_table == NULL)
		fault(options, report, FAULT_FATAL, "KeyTable", "it needs "
		    "SigningTable, which says who signs with which key");
	if (tables && options->domain != NULL)
		fault(options, report, FAULT_WARNING, "Domain",
		    "not used: KeyTable and SigningTable decide");
	if (tables && options->signature_algorithm != NULL)
		fault(options, report, FAULT_WARNING, "SignatureAlgorithm",
		    "not used: each key of KeyTable decides its algorithm");
	if (tables || options->signing_table != NULL)
		return;
	if (options->domain != NULL &&
	    (options->key_file == NULL || options->selector == NULL))
		fault(options, report, FAULT_FATAL, "Domain",
		    "it needs Selector and KeyFile");
	else if ((options->key_file == NULL) != (options->selector == NULL))
		fault(options, report, FAULT_FATAL, options->key_file == NULL ?
		    "Selector" : "KeyFile",
		    "Selector, KeyFile and Domain need each other");
	else if (options->domain == NULL &&
	    (options->key_file != NULL || !options->mode_verify))
		fault(options, report, FAULT_WARNING,
		    options->key_file == NULL ? "Mode" : "KeyFile",
		    "nothing is signed: neither Domain nor SigningTable is "
		    "set");
}

static int
check_selector(const struct options *options, struct report *report)
{
	char ascii[DKIM_NAME_MAX + 1];
	int error;

	if (options->selector == NULL)
		return 0;
	error = dkim_selector_to_ascii(slice_text(options->selector), ascii);
	if (error == DKIM_ERR_SYNTAX)
		fault_value(options, report, "Selector", options->selector,
		    "a selector is labels of letters, digits, - and _ between "
		    "dots, as 2026");
	return error == DKIM_ERR_NOMEM ? error : 0;
}

/*
 * SignatureAlgorithm is kept as the one that is used: rsa-sha1 never is.
 */
static int
check_algorithm(struct options *options, struct report *report)
{
	const char *text = options->signature_algorithm;
	char *copy;

	if (text == NULL || strcasecmp(text, "rsa-sha256") == 0 ||
	    strcasecmp(text, "ed25519-sha256") == 0)
		return 0;
	if (strcasecmp(text, "rsa-sha1") != 0) {
		fault_value(options, report, "SignatureAlgorithm", text,
		    "wanted is rsa-sha256 or ed25519-sha256");
		return 0;
	}
	fault(options, report, FAULT_WARNING, "SignatureAlgorithm",
	    "rsa-sha1 is never used (RFC 8301 s3.1); rsa-sha256 is");
	if ((copy = strdup("rsa-sha256")) == NULL)
		return DKIM_ERR_NOMEM;
	free(options->signature_algorithm);
	options->signature_algorithm = copy;
	return 0;
}

int
conf_check_minimum(struct slice text, struct dkim_minimum *out)
{
	struct dkim_minimum minimum = { DKIM_MINIMUM_OCTETS, 0 };
	uint8_t last = text.n == 0 ? 0 : text.p[text.n - 1];

	if (last == '%' || last == '+') {
		minimum.kind = last == '%' ? DKIM_MINIMUM_PERCENT :
		    DKIM_MINIMUM_UNSIGNED;
		text = slice_trim(slice_sub(text, 0, text.n - 1));
	}
	if (conf_value_number(text, &minimum.value) != 0 ||
	    (last == '%' && minimum.value > 100))
		return DKIM_ERR_SYNTAX;
	*out = minimum;
	return 0;
}

int
conf_check_rate(struct slice text, uint64_t *count, uint64_t *seconds)
{
	static const struct {
		uint8_t		letter;
		uint64_t	seconds;
	} units[] = { { 's', 1 }, { 'm', 60 }, { 'h', 3600 }, { 'd', 86400 } };
	size_t slash = slice_find(text, '/'), i;
	uint64_t n, time, unit = 1;
	struct slice rest;

	if (slash == text.n)
		return DKIM_ERR_SYNTAX;
	rest = slice_trim(slice_from(text, slash + 1));
	for (i = 0; rest.n > 0 && i < sizeof(units) / sizeof(units[0]); i++)
		if (slice_lower(rest.p[rest.n - 1]) == units[i].letter) {
			unit = units[i].seconds;
			rest = slice_trim(slice_sub(rest, 0, rest.n - 1));
			break;
		}
	if (conf_value_number(slice_trim(slice_sub(text, 0, slash)), &n) != 0 ||
	    conf_value_number(rest, &time) != 0 || n == 0 || time == 0 ||
	    time > UINT32_MAX)
		return DKIM_ERR_SYNTAX;
	*count = n;
	*seconds = time * unit;
	return 0;
}

bool
conf_check_nameserver(struct slice item)
{
	size_t at = slice_find(item, '@');
	uint8_t address[16];
	char text[INET6_ADDRSTRLEN];
	uint64_t port = 53;

	if (at < item.n && (conf_value_number(slice_from(item, at + 1),
	    &port) != 0 || port == 0 || port > 65535))
		return false;
	item = slice_sub(item, 0, at);
	if (item.n > 2 && item.p[0] == '[' && item.p[item.n - 1] == ']')
		item = slice_sub(item, 1, item.n - 2);
	if (item.n >= sizeof(text))
		return false;
	memcpy(text, item.p, item.n);
	text[item.n] = '\0';
	return inet_pton(AF_INET, text, address) == 1 ||
	    inet_pton(AF_INET6, text, address) == 1;
}

static void
check_nameservers(const struct options *options, struct report *report)
{
	struct slice rest, item;
	size_t n;

	if (options->nameservers == NULL ||
	    strcasecmp(options->nameservers, "recursive") == 0)
		return;
	for (rest = slice_text(options->nameservers); rest.n > 0;
	    rest = slice_from(rest, n < rest.n ? n + 1 : n)) {
		n = slice_find(rest, ',');
		item = slice_trim(slice_sub(rest, 0, n));
		if (!conf_check_nameserver(item)) {
			fault_value(options, report, "Nameservers",
			    options->nameservers, "wanted is \"recursive\" or "
			    "a list of address[@port], as 127.0.0.1,::1@5353");
			return;
		}
	}
}

int
conf_check_facility(const char *name)
{
	static const struct {
		const char	*name;
		int		 facility;
	} rows[] = {
		{ "auth", LOG_AUTH }, { "authpriv", LOG_AUTHPRIV },
		{ "cron", LOG_CRON }, { "daemon", LOG_DAEMON },
		{ "ftp", LOG_FTP }, { "kern", LOG_KERN }, { "lpr", LOG_LPR },
		{ "mail", LOG_MAIL }, { "news", LOG_NEWS },
		{ "security", LOG_AUTH }, { "syslog", LOG_SYSLOG },
		{ "user", LOG_USER }, { "uucp", LOG_UUCP },
		{ "local0", LOG_LOCAL0 }, { "local1", LOG_LOCAL1 },
		{ "local2", LOG_LOCAL2 }, { "local3", LOG_LOCAL3 },
		{ "local4", LOG_LOCAL4 }, { "local5", LOG_LOCAL5 },
		{ "local6", LOG_LOCAL6 }, { "local7", LOG_LOCAL7 },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strcasecmp(name, rows[i].name) == 0)
			return rows[i].facility;
	return -1;
}

static void
check_base(const struct options *options, struct report *report)
{
	const char *path = options->base_directory;
	struct stat st;

	if (path == NULL)
		return;
	if (path[0] != '/')
		fault_value(options, report, "BaseDirectory", path,
		    "wanted is a whole path");
	else if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
		fault(options, report, FAULT_WARNING, "BaseDirectory",
		    "there is no such folder, below which relative paths of "
		    "tables and keys lie");
}

/*
 * Texts with a grammar of their own.
 */
static void
check_texts(const struct options *options, struct report *report)
{
	struct dkim_minimum minimum;
	enum dkim_canon header, body;
	uint64_t count, seconds;

	if (options->canonicalization != NULL && dkim_canon_parse(
	    slice_text(options->canonicalization), &header, &body) != 0)
		fault_value(options, report, "Canonicalization",
		    options->canonicalization, "wanted is header/body, each "
		    "simple or relaxed, as relaxed/relaxed");
	if (options->minimum != NULL &&
	    conf_check_minimum(slice_text(options->minimum), &minimum) != 0)
		fault_value(options, report, "Minimum", options->minimum,
		    "wanted is n (octets), n% (of the body, up to 100) or n+ "
		    "(octets that may be unsigned)");
	if (options->auto_restart_rate != NULL && conf_check_rate(
	    slice_text(options->auto_restart_rate), &count, &seconds) != 0)
		fault_value(options, report, "AutoRestartRate",
		    options->auto_restart_rate,
		    "wanted is count/time with a unit s, m, h or d, as 10/1h");
	if (conf_check_facility(options->syslog_facility) < 0)
		fault_value(options, report, "SyslogFacility",
		    options->syslog_facility,
		    "wanted is a facility of syslog(3), as mail");
	check_base(options, report);
	if (options->user_id != NULL && (options->user_id[0] == ':' ||
	    options->user_id[strlen(options->user_id) - 1] == ':'))
		fault_value(options, report, "UserID", options->user_id,
		    "wanted is user or user:group");
}

/*
 * What is written into each Authentication-Results field.
 */
static void
check_authserv_id(const struct options *options, struct report *report)
{
	const char *id = options->authserv_id;
	size_t i, n = id == NULL ? 0 : strlen(id);

	for (i = 0; i < n; i++)
		if ((uint8_t)id[i] < 0x20 || id[i] == 0x7f)
			break;
	if (n > DKIM_NAME_MAX || i < n)
		fault_value(options, report, "AuthservID", id, "wanted is a "
		    "name of at most 255 octets without control characters, "
		    "or HOSTNAME");
}

int
conf_check_options(struct options *options, struct report *report)
{
	size_t before = report->fatals;
	int error;

	check_actions(options, report);
	check_numbers(options, report);
	check_signing(options, report);
	rsabackend_check(options, report);
	conf_pkcs11_check(options, report);
	check_nameservers(options, report);
	check_texts(options, report);
	check_authserv_id(options, report);
	if ((error = check_selector(options, report)) != 0 ||
	    (error = check_algorithm(options, report)) != 0)
		return error;
	return report->fatals > before ? DKIM_ERR_SYNTAX : 0;
}
