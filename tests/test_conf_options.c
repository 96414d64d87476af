/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of options: defaults of BEHAVIOUR 2, values of MIGRATION 2a, what
 * is ignored and what is refused, options that need each other; configurations
 * in the style of real sites.
 */

/* system */
#include "tests/test.h"

/* under test */
#include "milter/conf_check.h"
#include "milter/conf_nearest.h"
#include "milter/conf_options.h"

/* this room */
#include "tests/capture.h"

static struct capture capture;
static struct options options;

/* Load text as the file; the result is in options, messages in capture. */
static int
load(const char *text)
{
	const char *path = capture_text("dkimd.conf", text);

	conf_options_clear(&options);
	capture_init(&capture);
	return conf_options_load(path, NULL, 0, &capture.report, &options);
}

static void
conf_options_load_defaults(void **state)
{
	const struct options *o = &options;

	(void)state;
	test_int("empty file", load(""), 0);
	capture_check("empty file", &capture, NULL);
	test_str("Canonicalization", o->canonicalization, "relaxed/relaxed");
	test_str("SignHeaders", o->sign_headers, NULL);
	test_str("OversignHeaders", o->oversign_headers, NULL);
	test_true("Mode", o->mode_sign && o->mode_verify);
	test_str("AuthservID", o->authserv_id, NULL);
	test_int("AlwaysAddARHeader", o->always_add_ar_header, false);
	test_str("InternalHosts", o->internal_hosts, "127.0.0.1,::1");
	test_int("MinimumKeyBits", o->minimum_key_bits, 1024);
	test_int(
	    "MaximumSignaturesToVerify", o->maximum_signatures_to_verify, 8);
	test_int("MaximumHeaders", o->maximum_headers, 1048576);
	test_int("DNSTimeout", o->dns_timeout, 5);
	test_int("ClockDrift", o->clock_drift, 300);
	test_int("RequireSafeKeys", o->require_safe_keys, true);
	test_int("UMask", o->umask, 7);
	test_int("Syslog", o->syslog, true);
	test_str("SyslogFacility", o->syslog_facility, "mail");
	test_int("SyslogSuccess", o->syslog_success, true);
	test_int("AutoRestart", o->auto_restart, false);
	test_int("Background", o->background, true);
	test_int("SignerThreads", o->signer_threads, 0);
	test_int("SignTimeout", o->sign_timeout, 20);
	test_int("StopTimeout", o->stop_timeout, 30);
	test_int("KeyCacheSize", o->key_cache_size, 10000);
	test_str("RSABackend", o->rsa_backend, "libcrypto");
	test_int("CheckSigningTable", o->check_signing_table, true);
	test_int("RemoveARAll", o->remove_ar_all, true);
	test_int("FixCRLF", o->fix_crlf, false);
	test_int("LogStyle", o->log_style, LOG_STYLE_DKIMD);
	test_int("SignatureTTL", o->signature_ttl, 0);
	test_int("On-DNSError", o->on_dns_error, ACTION_TEMPFAIL);
	test_int("On-KeyNotFound", o->on_key_not_found, ACTION_ACCEPT);
	test_int("On-BadSignature", o->on_bad_signature, ACTION_ACCEPT);
	test_int("On-NoSignature", o->on_no_signature, ACTION_ACCEPT);
	test_int("On-Security", o->on_security, ACTION_ACCEPT);
	test_int("On-SignatureError", o->on_signature_error, ACTION_REJECT);
	test_int("On-InternalError", o->on_internal_error, ACTION_TEMPFAIL);
	conf_options_clear(&options);
	capture_init(&capture);
	test_int("no file",
	    conf_options_load(NULL, NULL, 0, &capture.report, &options), 0);
	test_str("no file", o->config_path, NULL);
}

/* One line each; what is refused says the line, the name, the value, and what
 * is right. */
static void
conf_options_load_values(void **state)
{
	const struct {
		const char *text, *message; /* NULL: fine */
		bool fatal;
	} rows[] = {
		{ "UMask 002", NULL, false },
		{ "UMask 27", NULL, false },
		{ "UMask 0x7", "is not an octal number", true },
		{ "UMask 9",
		    "dkimd.conf:1: UMask: \"9\" is not an octal number from 0 "
		    "to 0777",
		    true },
		{ "UMask 1000",
		    "dkimd.conf:1: UMask: \"1000\" is not an octal number from "
		    "0 to 0777",
		    true },
		{ "UMask 08", "is not an octal number", true },
		{ "MaximumHeaders 64k",
		    "MaximumHeaders: \"64k\" is not a whole number", true },
		{ "MaximumHeaders -1", "is not a whole number", true },
		{ "MaximumHeaders +1", "is not a whole number", true },
		{ "MaximumHeaders 1 2", "is not a whole number", true },
		{ "MaximumHeaders 99999999999999999999",
		    "is not a whole number", true },
		{ "MaximumHeaders 16777217", "from 0 to 16777216", true },
		{ "SubDomains True", NULL, false },
		{ "subdomains y", NULL, false },
		{ "SUBDOMAINS 0", NULL, false },
		{ "SubDomains on", "SubDomains: \"on\" is not yes or no",
		    true },
		{ "SubDomains",
		    "dkimd.conf:1: SubDomains: the value is missing", true },
		{ "PidFile # x", "PidFile: the value is missing", true },
		{ "Include", "Include: the value is missing", true },
		{ "Mode sv", NULL, false },
		{ "Mode VS", NULL, false },
		{ "Mode x", "Mode: \"x\" is not s, v or sv", true },
		{ "On-BadSignature Reject", NULL, false },
		{ "On-BadSignature q", NULL, false },
		{ "On-BadSignature bounce",
		    "\"bounce\" is not accept, discard, quarantine, reject "
		    "or tempfail",
		    true },
		{ "LogStyle both", NULL, false },
		{ "LogStyle x", "is not dkimd, opendkim or both", true },
		{ "Canonicalization relaxed", NULL, false },
		{ "Canonicalization relaxed/strict", "wanted is header/body",
		    true },
		{ "Minimum 50%", NULL, false },
		{ "Minimum 1024+", NULL, false },
		{ "Minimum 101%", "Minimum: \"101%\": wanted is", true },
		{ "Minimum x", "Minimum: \"x\": wanted is", true },
		{ "AutoRestartRate 10/1h", NULL, false },
		{ "AutoRestartRate 10/3600", NULL, false },
		{ "AutoRestartRate 10", "AutoRestartRate: \"10\": wanted is",
		    true },
		{ "AutoRestartRate 0/1h", "wanted is", true },
		{ "AutoRestartRate 1/0h", "wanted is", true },
		{ "AutoRestartRate 1/1w", "wanted is", true },
		{ "Nameservers 127.0.0.1,::1@5353, [::1]@53", NULL, false },
		{ "Nameservers recursive", NULL, false },
		{ "Nameservers localhost",
		    "Nameservers: \"localhost\": wanted is", true },
		{ "Nameservers 127.0.0.1,", NULL, false },
		{ "Nameservers 127.0.0.1@0", "wanted is", true },
		{ "Nameservers 127.0.0.1@65536", "wanted is", true },
		{ "SyslogFacility LOCAL3", NULL, false },
		{ "SyslogFacility x", "a facility of syslog(3)", true },
		{ "BaseDirectory run", "wanted is a whole path", true },
		{ "UserID dkimd:dkimd", NULL, false },
		{ "UserID :dkimd", "wanted is user or user:group", true },
		{ "AuthservID mail.example.com", NULL, false },
		{ "AuthservID a\x01"
		  "b",
		    "AuthservID: \"a\\x01b\": wanted is", true },
		{ "RSABackend libcrypto", NULL, false },
		{ "RSABackend bn64", NULL, false },
		/* tokens */
		{ "PKCS11Module p11.so", "PKCS11Module: \"p11.so\": wanted is "
		    "the whole path", true },
		{ "PKCS11Module /nonexistent/p11.so", "PKCS11Module: "
		    "\"/nonexistent/p11.so\": No such file", true },
		{ "PKCS11Module /etc", "that is no file", true },
		{ "PKCS11Sessions 64", NULL, false },
		{ "PKCS11Sessions 65", "from 0 to 64", true },
		{ "PKCS11Timeout 0", "from 1 to 600", true },
		{ "PKCS11PINDirectory /etc/dkimd, /run/dkimd", NULL, false },
		{ "PKCS11PINDirectory /etc/dkimd,pins", "wanted is a list of "
		    "whole paths", true },
		{ "PKCS11PINDirectory /etc:/run", "without blanks and colons",
		    true },
		{ "PKCS11Token pkcs11:token=mail?pin-source=/etc/dkimd/pin",
		    NULL, false },
		{ "PKCS11Token token=mail", "PKCS11Token: \"token=mail\": a "
		    "URI of a key in a token begins with pkcs11:", true },
		{ "PKCS11Token pkcs11:token=a?module-path=/x", "module-path "
		    "is not allowed", true },
		{ "RSABackend openssl", "RSABackend: \"openssl\": wanted is",
		    true },
		{ "SignatureAlgorithm ed25519-sha256", NULL, false },
		{ "SignatureAlgorithm rsa-sha512", "wanted is rsa-sha256",
		    true },
		{ "SignTimeout 0", "from 1 to 3600", true },
		/* warned about, and put right */
		{ "SignatureAlgorithm rsa-sha1", "W ", false },
		{ "MinimumKeyBits 512", "W ", false },
		{ "MinimumKeyBits 0", "W ", false },
		{ "MaximumSignaturesToVerify 0", "0 means the default", false },
		{ "On-BadSignature tempfail", "W ", false },
		{ "On-KeyNotFound t", "RFC 6376 s6.3", false },
		{ "On-NoSignature tempfail", "RFC 6376 s6.3", false },
		{ "On-DNSError tempfail", NULL, false },
		/* ignored with what to do, and not built yet */
		{ "SoftwareHeader yes", "W ", false },
		{ "X-Header yes", "ignored; no DKIM-Filter", false },
		{ "SendReports yes", "SendReports: ignored; failure reports",
		    false },
		{ "ADSPAction discard",
		    "ADSPAction: ignored; ADSP (RFC 5617) is historic", false },
		{ "VBR-Type all", "VBR-Type: ignored", false },
		{ "ReputationCache x", "ReputationCache: ignored", false },
		{ "ResolverConfiguration /x", "use Nameservers", false },
		{ "SMTPURI smtp://localhost", "SMTPURI: ignored", false },
		{ "ScreenPolicyScript /x",
		    "ScreenPolicyScript: not supported yet", true },
		{ "LDAPUseTLS yes", "LDAPUseTLS: not supported yet", true },
		{ "ChangeRootDirectory /x", "not supported yet", true },
		{ "ResignAll yes", "not supported yet", true },
		{ "ResignAll no", NULL, false },
		{ "StrictHeaders no", NULL, false },
		{ "MilterDebug 0", NULL, false },
		{ "MilterDebug 6", "not supported yet", true },
		{ "StrictTestMode yes", "not supported yet", true },
		{ "PKCS11Verify yes", NULL, false },
		{ "SoftStart no", NULL, false },
		/* unknown, with the nearest name */
		{ "OversignHeader From",
		    "dkimd.conf:1: OversignHeader: unknown option; is "
		    "\"OversignHeaders\" meant?",
		    true },
		{ "Sockett x", "is \"Socket\" meant?", true },
		{ "Xyzzy 1",
		    "dkimd.conf:1: Xyzzy: unknown option; dkimd.conf(5)",
		    true },
		{ "A\x1b[31m 1", "dkimd.conf:1: A\\x1b[31m: unknown option",
		    true },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		test_int(rows[i].text, load(rows[i].text),
		    rows[i].fatal ? DKIM_ERR_SYNTAX : 0);
		capture_check(rows[i].text, &capture, rows[i].message);
		test_int(
		    rows[i].text, capture.report.fatals > 0, rows[i].fatal);
	}
}

/* What a value becomes. */
static void
conf_options_load_meaning(void **state)
{
	(void)state;
	test_int("octal",
	    load("UMask 010\nSubDomains T\nSubDomains f\nmode s\nDomain a.b\n"
		 "Selector s\nKeyFile /k\n"),
	    0);
	test_int("octal", options.umask, 8);
	test_int("octal without 0", load("UMask 27\nClockDrift 010\n"), 0);
	test_int("octal without 0", options.umask, 027);
	test_int("octal by a 0", options.clock_drift, 8);
	test_int("octal", load("mode s\nDomain a.b\nSelector s\nKeyFile /k\n"
			       "SubDomains T\nSubDomains f\n"),
	    0);
	test_int("the last one wins", options.sub_domains, false);
	test_true("Mode s", options.mode_sign && !options.mode_verify);
	test_int("0 is 30",
	    load("DNSTimeout 0\nMaximumHeaders 0\nMaximumSignaturesToVerify 0\n"
		 "MinimumKeyBits 1\nSignatureAlgorithm RSA-SHA1\n"),
	    0);
	test_int("DNSTimeout", options.dns_timeout, 30);
	test_int(
	    "MaximumHeaders", options.maximum_headers, DKIM_HEADER_HARD_MAX);
	test_int("MaximumSignaturesToVerify",
	    options.maximum_signatures_to_verify, 8);
	test_int("MinimumKeyBits", options.minimum_key_bits, 1024);
	test_str("rsa-sha1", options.signature_algorithm, "rsa-sha256");
	test_int("raised", load("MinimumKeyBits 2048"), 0);
	test_int("raised", options.minimum_key_bits, 2048);
	test_int("no", load("RemoveARAll no"), 0);
	test_int("no", options.remove_ar_all, false);
}

/* On-Default is applied first, whatever its line. */
static void
conf_options_load_on_default(void **state)
{
	(void)state;
	test_int("load",
	    load("On-DNSError accept\nOn-Default reject\nOn-Security q\n"), 0);
	test_int("before", options.on_dns_error, ACTION_ACCEPT);
	test_int("after", options.on_security, ACTION_QUARANTINE);
	test_int("BadSignature", options.on_bad_signature, ACTION_REJECT);
	test_int("KeyNotFound", options.on_key_not_found, ACTION_REJECT);
	test_int("NoSignature", options.on_no_signature, ACTION_REJECT);
	test_int("InternalError", options.on_internal_error, ACTION_REJECT);
	test_int("SignatureError", options.on_signature_error, ACTION_REJECT);
	test_int("warned", load("On-Default tempfail"), 0);
	test_int("warned", capture.report.warnings, 3);
}

static void
conf_options_load_needs(void **state)
{
	const struct {
		const char *text, *message;
		bool fatal;
	} rows[] = {
		{ "Domain a.b\nSelector s\nKeyFile /k\n", NULL, false },
		{ "SigningTable csl:a=b\nKeyTable csl:b=c\n", NULL, false },
		{ "Domain a.b\n",
		    "dkimd.conf:1: Domain: it needs Selector and KeyFile",
		    true },
		{ "Domain a.b\nSelector s\n", "it needs Selector and KeyFile",
		    true },
		{ "Domain a.b\nKeyFile /k\n", "it needs Selector and KeyFile",
		    true },
		{ "Selector s\n",
		    "Selector: Selector, KeyFile and Domain need each", true },
		{ "KeyFile /k\n",
		    "KeyFile: Selector, KeyFile and Domain need each", true },
		{ "Selector s\nKeyFile /k\n", "KeyFile: nothing is signed",
		    false },
		{ "Mode v\nSelector s\nKeyFile /k\n", NULL, false },
		{ "Mode v\nDomain a.b\n", NULL, false },
		{ "Mode s\n", "Mode: nothing is signed", false },
		{ "SigningTable csl:a=b\n", "SigningTable: it needs KeyTable",
		    true },
		{ "KeyTable csl:b=c\n", "KeyTable: it needs SigningTable",
		    true },
		{ "KeyTable csl:b=c\nSigningTable csl:a=b\nDomain a.b\n",
		    "Domain: not used", false },
		{ "Domain a.b\nSelector s\nKeyFile pkcs11:object=k\n", NULL,
		    false },
		{ "Domain a.b\nSelector s\n"
		  "KeyFile pkcs11:object=k?pin-source=|pin\n",
		    "KeyFile: \"pkcs11:object=k?pin-source=|pin\": "
		    "pin-source: pin-source is a command", true },
		{ "Domain a.b\nSelector a b\nKeyFile /k\n",
		    "Selector: \"a b\": a selector is", true },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		test_int(rows[i].text, load(rows[i].text),
		    rows[i].fatal ? DKIM_ERR_SYNTAX : 0);
		capture_check(rows[i].text, &capture, rows[i].message);
	}
}

/* All faults are named in one run. */
static void
conf_options_load_all_faults(void **state)
{
	(void)state;
	test_int("load",
	    load("Mode x\nNoSuch 1\nMaximumHeaders 64k\nMinimum x\n"
		 "KeyTable csl:a=b\n"),
	    DKIM_ERR_SYNTAX);
	test_int("faults", capture.report.fatals, 5);
	capture_check("1", &capture, "dkimd.conf:1: Mode");
	capture_check("2", &capture, "dkimd.conf:2: NoSuch");
	capture_check("3", &capture, "dkimd.conf:3: MaximumHeaders");
	capture_check("4", &capture, "dkimd.conf:4: Minimum");
	capture_check("5", &capture, "dkimd.conf:5: KeyTable");
}

static void
conf_options_load_overrides(void **state)
{
	const struct conf_override overrides[] = {
		{ "umask", "2" },
		{ "Mode", " v " },
		{ "UMask", "3" },
	};
	const struct conf_override bad[] = { { "UMask", "x" },
		{ "Nonesuch", "1" } };
	struct option_where where;

	(void)state;
	conf_options_clear(&options);
	capture_init(&capture);
	test_int("load",
	    conf_options_load(
		capture_text("dkimd.conf", "UMask 7\nSubDomains yes\n"),
		overrides, 3, &capture.report, &options),
	    0);
	test_int("beats the file", options.umask, 3);
	test_int("the file stays", options.sub_domains, true);
	test_true("mode", !options.mode_sign);
	test_str("where", conf_options_where(&options, "UMask", &where),
	    "command line: UMask");
	test_true("where",
	    strstr(conf_options_where(&options, "SubDomains", &where),
		"/dkimd.conf:2: SubDomains") != NULL);
	test_str(
	    "where", conf_options_where(&options, "Socket", &where), "Socket");
	test_int("is set", conf_options_is_set(&options, "SubDomains"), true);
	test_int("is not set", conf_options_is_set(&options, "Socket"), false);
	conf_options_clear(&options);
	test_int("bad",
	    conf_options_load(NULL, bad, 2, &capture.report, &options),
	    DKIM_ERR_SYNTAX);
	capture_check("bad", &capture, "F command line: UMask: \"x\" is not");
	capture_check(
	    "bad", &capture, "F command line: Nonesuch: unknown option");
}

/* A PIN stands where only those read it who may; and is wiped in the end. */
static void
conf_options_load_secrets(void **state)
{
	static const struct {
		const char	*text;
		mode_t		 mode;
		const char	*want;
	} rows[] = {
		{ "PKCS11PIN 7391", 0640, NULL },
		{ "PKCS11PIN 7391", 0644, "dkimd.conf:1: PKCS11PIN: a PIN may "
		    "not stand in a file that all users can read" },
		{ "PKCS11Token pkcs11:token=a?pin-value=7391", 0600, NULL },
		{ "PKCS11Token pkcs11:token=a?pin-value=7391", 0604,
		    "PKCS11Token: a PIN may not stand in a file" },
		{ "Domain a.b\nSelector s\nKeyFile pkcs11:?pin-value=7391",
		    0644, "dkimd.conf:3: KeyFile: a PIN may not stand" },
		{ "PKCS11Token pkcs11:token=a?pin-source=/x", 0644, NULL },
	};
	const struct conf_override pin = { "PKCS11PIN", "7391" };
	const char *path;

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		path = capture_text("dkimd.conf", rows[i].text);
		assert_int_equal(chmod(path, rows[i].mode), 0);
		capture_init(&capture);
		test_int(rows[i].text, conf_options_load(path, NULL, 0,
		    &capture.report, &options), rows[i].want == NULL ? 0 :
		    DKIM_ERR_SYNTAX);
		capture_check(rows[i].text, &capture, rows[i].want);
		test_true("not shown", strstr(capture.text, "7391") == NULL);
		if (i == 0) {
			test_str("read", options.pkcs11_pin, "7391");
			conf_options_forget(&options);
			test_str("wiped", options.pkcs11_pin, "");
		}
		conf_options_clear(&options);
	}
	capture_init(&capture);
	test_int("all see it", conf_options_load(NULL, &pin, 1,
	    &capture.report, &options), DKIM_ERR_SYNTAX);
	capture_check("all see it", &capture, "command line: PKCS11PIN: a PIN "
	    "may not stand on the command line");
	test_true("not shown", strstr(capture.text, "7391") == NULL);
}

/* Options that a reload cannot change are named. */
static void
conf_options_compare_start(void **state)
{
	struct options old;

	(void)state;
	test_int(
	    "old", load("Socket local:/tmp/a\nUMask 7\nDNSTimeout 5\n"), 0);
	old = options;
	options = (struct options){ 0 };
	test_int("new",
	    load("Socket local:/tmp/b\nUMask 7\nDNSTimeout 6\nBackground no\n"),
	    0);
	conf_options_compare(&old, &options, &capture.report);
	test_int("warnings", capture.report.warnings, 2);
	capture_check("Socket", &capture,
	    "dkimd.conf:1: Socket: the new value takes effect at");
	capture_check(
	    "Background", &capture, "dkimd.conf:4: Background: the new value");
	conf_options_clear(&old);
}

/* A milter process that is started again has what it was started with, and says
 * where the file says otherwise. */
static void
conf_options_keep_start(void **state)
{
	struct options start;

	(void)state;
	test_int("start",
	    load("Socket local:/tmp/a\nUMask 2\nDNSTimeout 5\nUserID a:b\n"
		 "AutoRestart yes\n"),
	    0);
	start = options;
	options = (struct options){ 0 };
	test_int("now",
	    load("Socket local:/tmp/b\nUMask 7\nDNSTimeout 6\n"
		 "PidFile /run/x\nAutoRestart yes\n"),
	    0);
	test_int("keep", conf_options_keep(&start, &options, &capture.report),
	    0);
	test_int("warnings", capture.report.warnings, 4);
	capture_check("Socket", &capture,
	    "dkimd.conf:1: Socket: the value of the start stays");
	capture_check("UMask", &capture, "dkimd.conf:2: UMask: the value");
	capture_check("taken out", &capture, "W UserID: the value of");
	test_str("Socket", options.socket, "local:/tmp/a");
	test_int("UMask", options.umask, 2);
	test_str("UserID", options.user_id, "a:b");
	test_true("PidFile", options.pid_file == NULL);
	test_true("AutoRestart", options.auto_restart);
	test_int("by reload", options.dns_timeout, 6);
	conf_options_clear(&start);
	test_str("a copy", options.socket, "local:/tmp/a");
	conf_options_clear(&options);
}

/* keep has every type that START options have. */
static void
conf_options_keep_types(void **state)
{
	(void)state;
	for (size_t i = 0; i < conf_options_count; i++) {
		const struct option *o = &conf_options_table[i];

		if ((o->flags & OPTION_START) != 0)
			test_true(o->name,
			    o->type == OPTION_TEXT || o->type == OPTION_BOOL ||
				o->type == OPTION_NUMBER ||
				o->type == OPTION_OCTAL);
	}
}

/* Options that do nothing as the others stand. */
static void
conf_options_load_idle(void **state)
{
	(void)state;
	test_int("algorithm",
	    load("KeyTable csl:a=b\nSigningTable csl:a=b\n"
		 "SignatureAlgorithm ed25519-sha256\n"),
	    0);
	capture_check("algorithm", &capture,
	    "W ");
	capture_check("algorithm", &capture,
	    "dkimd.conf:3: SignatureAlgorithm: not used: each key of");
	test_int("folder", load("BaseDirectory /nonexistent/x\n"), 0);
	test_int("folder", capture.report.warnings, 1);
	capture_check("folder", &capture,
	    "dkimd.conf:1: BaseDirectory: there is no such folder");
	test_int("folder", load("BaseDirectory /\n"), 0);
	capture_check("folder", &capture, NULL);
}

/* Each name once, each default parses as its type says, each dead one says what
 * to do. */
static void
conf_options_table_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < conf_options_count; i++) {
		const struct option *o = &conf_options_table[i];

		test_true(o->name, conf_options_find(slice_text(o->name)) == o);
		if (o->type >= OPTION_IGNORED)
			test_true(
			    o->name, o->instead != NULL && o->value == NULL);
		else
			test_true(o->name, o->instead == NULL);
		test_true(
		    o->name, o->type != OPTION_NUMBER || o->min <= o->max);
	}
	test_true("none", conf_options_find(slice_text("")) == NULL);
}

static void
conf_nearest_table(void **state)
{
	const struct {
		const char *name, *want;
	} rows[] = {
		{ "Canonicalisation", "Canonicalization" },
		{ "OversignHeader", "OversignHeaders" },
		{ "keytabel", "KeyTable" },
		{ "InternalHost", "InternalHosts" },
		/* three edits at either end or anywhere, and four */
		{ "InternalHostsabc", "InternalHosts" },
		{ "abcInternalHosts", "InternalHosts" },
		{ "ernalHosts", "InternalHosts" },
		{ "InternalHo", "InternalHosts" },
		{ "Int-rn-lHo-ts", "InternalHosts" },
		{ "InternalHostsabcd", NULL },
		{ "rnalHosts", NULL },
		{ "I-t-rn-lHo-ts", NULL },
		{ "On-BadSig", NULL },
		{ "", NULL },
		{ "MT", NULL },
		{ "abcdefgh", NULL },
		{ "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		  "aaaaaaaaaaaaa",
		    NULL },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++)
		test_str(rows[i].name, conf_nearest(slice_text(rows[i].name)),
		    rows[i].want);
}

static void
conf_check_parts(void **state)
{
	struct dkim_minimum minimum;
	uint64_t count, seconds;

	(void)state;
	test_int("octets", conf_check_minimum(slice_text("100"), &minimum), 0);
	test_true("octets",
	    minimum.kind == DKIM_MINIMUM_OCTETS && minimum.value == 100);
	test_int(
	    "percent", conf_check_minimum(slice_text("100%"), &minimum), 0);
	test_true("percent",
	    minimum.kind == DKIM_MINIMUM_PERCENT && minimum.value == 100);
	test_int("unsigned", conf_check_minimum(slice_text("5+"), &minimum), 0);
	test_true("unsigned",
	    minimum.kind == DKIM_MINIMUM_UNSIGNED && minimum.value == 5);
	test_int(
	    "rate", conf_check_rate(slice_text("10/2h"), &count, &seconds), 0);
	test_true("rate", count == 10 && seconds == 7200);
	test_int("rate",
	    conf_check_rate(slice_text("3 / 5 m"), &count, &seconds), 0);
	test_true("rate", count == 3 && seconds == 300);
	test_int("facility", conf_check_facility("Local7"), 23 << 3);
	test_int("facility", conf_check_facility("mail"), 2 << 3);
}

/* Configurations as real sites have them load without a fatal fault. */
static void
conf_options_load_sites(void **state)
{
	const struct {
		const char *name, *text;
	} rows[] = {
		{ "Debian's default, domain filled in",
		    "Syslog\t\t\tyes\nSyslogSuccess\t\tyes\n#LogWhy\t\t\tno\n"
		    "Canonicalization\trelaxed/"
		    "simple\n#Mode\t\t\tsv\n#SubDomains\t\tno\n"
		    "OversignHeaders\t\tFrom\n"
		    "Domain\t\t\texample.com\nSelector\t\t2020\n"
		    "KeyFile\t\t/etc/dkimkeys/example.private\n"
		    "UserID\t\t\topendkim\nUMask\t\t\t007\n"
		    "Socket\t\t\tlocal:/run/opendkim/opendkim.sock\n"
		    "PidFile\t\t\t/run/opendkim/opendkim.pid\n"
		    "#InternalHosts\t\t192.168.0.0/16, 10.0.0.0/8, "
		    "172.16.0.0/12\n"
		    "TrustAnchorFile\t\t/usr/share/dns/"
		    "root.key\n#Nameservers\t\t127.0.0.1\n" },
		{ "a distribution's default for verifying",
		    "PidFile /run/opendkim/opendkim.pid\nMode v\nSyslog "
		    "yes\nSyslogSuccess yes\n"
		    "LogWhy yes\nUserID opendkim:opendkim\n"
		    "Socket local:/run/opendkim/opendkim.sock\nUmask "
		    "002\nSendReports yes\n"
		    "SoftwareHeader yes\nCanonicalization "
		    "relaxed/relaxed\nSelector default\n"
		    "MinimumKeyBits 1024\nKeyFile "
		    "/etc/opendkim/keys/default.private\n"
		    "OversignHeaders From\nQueryCache yes\n" },
		{ "a hosting site with tables, as how-tos write it",
		    "AutoRestart             Yes\r\nAutoRestartRate         "
		    "10/1h\r\n"
		    "UMask                   002\r\nSyslog                  "
		    "yes\r\n"
		    "SyslogSuccess           Yes\r\nLogWhy                  "
		    "Yes\r\n"
		    "Canonicalization        relaxed/simple\r\n"
		    "ExternalIgnoreList      "
		    "refile:/etc/opendkim/TrustedHosts\r\n"
		    "InternalHosts           "
		    "refile:/etc/opendkim/TrustedHosts\r\n"
		    "KeyTable                refile:/etc/opendkim/KeyTable\r\n"
		    "SigningTable            "
		    "refile:/etc/opendkim/SigningTable\r\n"
		    "Mode                    sv\r\nPidFile "
		    "/var/run/opendkim/opendkim.pid\r\n"
		    "SignatureAlgorithm      rsa-sha256\r\nUserID "
		    "opendkim:opendkim\r\n"
		    "Socket                  inet:12301@localhost\r\n"
		    "SignHeaders             *,+List-Unsubscribe-Post\r\n"
		    "TemporaryDirectory      /var/tmp\r\n"
		    "X-Header                no\r\nResolverTracing "
		    "no\r\nADSPAction continue\r\n"
		    "AllowSHA1Only           no\r\nStatistics "
		    "/var/log/dkim-stats\r\n" },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		test_int(rows[i].name, load(rows[i].text), 0);
		test_int(rows[i].name, capture.report.fatals, 0);
	}
}

/* The sample has no fault, as it is and with every commented setting in. */
static void
conf_options_load_sample(void **state)
{
	size_t n;
	uint8_t *text = test_file("../conf/dkimd.conf", &n);
	char *all = calloc(1, n + 1);
	size_t at = 0;

	(void)state;
	test_int("sample", load((char *)text), 0);
	capture_check("sample", &capture, NULL);
	test_int("DNSError", options.on_dns_error, ACTION_ACCEPT);
	test_int("AlwaysAddARHeader", options.always_add_ar_header, true);
	test_str("Socket", options.socket,
	    "local:/var/spool/postfix/dkimd/dkimd.sock");
	for (size_t i = 0; i < n; i++)
		if (text[i] != '#' || (i > 0 && text[i - 1] != '\n') ||
		    text[i + 1] < 'A' || text[i + 1] > 'Z')
			all[at++] = (char)text[i];
	test_int("all settings", load(all), 0);
	test_int("all settings", capture.report.warnings, 1);
	capture_check("all settings", &capture, "Domain: not used");
	free(all);
	free(text);
}

static bool
run_load(void *arg)
{
	const struct conf_override override = { "SignatureAlgorithm",
		"rsa-sha1" };
	int error;

	capture_init(&capture);
	error = conf_options_load(arg, &override, 1, &capture.report, &options);
	conf_options_clear(&options);
	return error == 0;
}

static void
conf_options_load_no_memory(void **state)
{
	char path[300];

	(void)state;
	conf_options_clear(&options);
	snprintf(path, sizeof(path), "%s",
	    capture_text("memory.conf",
		"Domain a.bc\nSelector s\nKeyFile /k\nKeyFile /l\nSendReports "
		"yes\n"));
	test_every_allocation(run_load, path);
}

static int
clean(void **state)
{
	conf_options_clear(&options);
	return capture_clean(state);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(conf_options_load_defaults),
		cmocka_unit_test(conf_options_load_values),
		cmocka_unit_test(conf_options_load_meaning),
		cmocka_unit_test(conf_options_load_on_default),
		cmocka_unit_test(conf_options_load_needs),
		cmocka_unit_test(conf_options_load_all_faults),
		cmocka_unit_test(conf_options_load_overrides),
		cmocka_unit_test(conf_options_load_secrets),
		cmocka_unit_test(conf_options_compare_start),
		cmocka_unit_test(conf_options_keep_start),
		cmocka_unit_test(conf_options_keep_types),
		cmocka_unit_test(conf_options_load_idle),
		cmocka_unit_test(conf_options_table_rows),
		cmocka_unit_test(conf_nearest_table),
		cmocka_unit_test(conf_check_parts),
		cmocka_unit_test(conf_options_load_sites),
		cmocka_unit_test(conf_options_load_sample),
		cmocka_unit_test(conf_options_load_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, clean) != 0;
}
