/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The one table of options (MIGRATION 1, BEHAVIOUR 2), and how a file and the
 * command line fill struct options from it.
 */

/* system */
#include <stdio.h>
#include <stdlib.h>

/* room below */
#include "../rsa-backend/rsab.h"

/* this room */
#include "conf_check.h"
#include "conf_file.h"
#include "conf_nearest.h"
#include "conf_value.h"

#define MEMBER(m)	offsetof(struct options, m)
#define TEXT(m)		OPTION_TEXT, MEMBER(m), 0, 0
#define BOOL(m)		OPTION_BOOL, MEMBER(m), 0, 0
#define ACTION(m)	OPTION_ACTION, MEMBER(m), 0, 0
#define NUMBER(m, min, max) OPTION_NUMBER, MEMBER(m), min, max
#define START		OPTION_START
#define IGNORED(text)	OPTION_IGNORED, 0, 0, 0, NULL, 0, text
#define LATER(text)	OPTION_LATER, 0, 0, 0, NULL, 0, text
#define LATER_BOOL(text) OPTION_LATER_BOOL, 0, 0, 0, NULL, 0, text
#define LATER_ZERO(text) OPTION_LATER_ZERO, 0, 0, 0, NULL, 0, text

/* why, and what to do instead */
#define ADSP	"ADSP (RFC 5617) is historic; use a DMARC filter behind dkimd"
#define ATPS	"ATPS (RFC 6541) is not used; list the domain in SigningTable"
#define VBR	"vouch by reference (RFC 5518) is not used; leave it out"
#define REPUTE	"reputation is not dkimd's; use a spam filter behind dkimd"
#define REPORTS	"failure reports (RFC 6651) are not sent; see the log"
#define STATIST	"statistics are not written; see the counters in the log"
#define LDAP	"data sets in a directory; use file: or refile:"
#define LUA	"scripts; use the tables and On-* actions"
#define LENGTH	"l= is never written: text could be appended to a message"
#define LENIENT	"signatures are judged by RFC 6376 and RFC 8301 alone"
#define RESOLVER "use Nameservers, TrustAnchorFile"
#define SENDER	"the sender is taken from SenderHeaders"
#define SQL	"without data sets in a database there is nothing to wait for"
#define OMIT	"leave it out"
#define OMIT_NO	"leave it out or say no"

#define YEARS	UINT64_C(315360000)	/* ten of them, in seconds */

const struct option conf_options_table[] = {
	/* process and socket */
	{ "AutoRestart", BOOL(auto_restart), "no", START, NULL },
	{ "AutoRestartCount", NUMBER(auto_restart_count, 0, UINT32_MAX), "0",
	    START, NULL },
	{ "AutoRestartRate", TEXT(auto_restart_rate), NULL, START, NULL },
	{ "Background", BOOL(background), "yes", START, NULL },
	{ "BaseDirectory", TEXT(base_directory), NULL, 0, NULL },
	{ "EnableCoredumps", BOOL(enable_coredumps), "no", START, NULL },
	{ "Include", OPTION_INCLUDE, 0, 0, 0, NULL, 0, NULL },
	{ "PidFile", TEXT(pid_file), NULL, START, NULL },
	{ "Socket", TEXT(socket), NULL, START, NULL },
	{ "StopTimeout", NUMBER(stop_timeout, 1, 3600), "30", 0, NULL },
	{ "UMask", OPTION_OCTAL, MEMBER(umask), 0, 0777, "007", START, NULL },
	{ "UserID", TEXT(user_id), NULL, START, NULL },
	/* who signs, as whom */
	{ "CheckSigningTable", BOOL(check_signing_table), "yes", 0, NULL },
	{ "Domain", TEXT(domain), NULL, 0, NULL },
	{ "DontSignMailTo", TEXT(dont_sign_mail_to), NULL, 0, NULL },
	{ "ExemptDomains", TEXT(exempt_domains), NULL, 0, NULL },
	{ "ExternalIgnoreList", TEXT(external_ignore_list), NULL, 0, NULL },
	{ "InternalHosts", TEXT(internal_hosts), "127.0.0.1,::1", 0, NULL },
	{ "KeyCacheSize", NUMBER(key_cache_size, 1, 10000000), "10000", 0,
	    NULL },
	{ "KeyFile", TEXT(key_file), NULL, 0, NULL },
	{ "KeyTable", TEXT(key_table), NULL, 0, NULL },
	{ "MTA", TEXT(mta), NULL, 0, NULL },
	{ "MacroList", TEXT(macro_list), NULL, 0, NULL },
	{ "Mode", OPTION_MODE, 0, 0, 0, "sv", 0, NULL },
	{ "MultipleSignatures", BOOL(multiple_signatures), "no", 0, NULL },
	{ "PeerList", TEXT(peer_list), NULL, 0, NULL },
	{ "RequireSafeKeys", BOOL(require_safe_keys), "yes", 0, NULL },
	{ "Selector", TEXT(selector), NULL, 0, NULL },
	{ "SenderHeaders", TEXT(sender_headers), NULL, 0, NULL },
	{ "SigningTable", TEXT(signing_table), NULL, 0, NULL },
	{ "SubDomains", BOOL(sub_domains), "no", 0, NULL },
	/* what a signature says */
	{ "Canonicalization", TEXT(canonicalization), "relaxed/relaxed", 0,
	    NULL },
	{ "Diagnostics", BOOL(diagnostics), "no", 0, NULL },
	{ "FixCRLF", BOOL(fix_crlf), "no", 0, NULL },
	{ "OmitHeaders", TEXT(omit_headers), NULL, 0, NULL },
	{ "OversignHeaders", TEXT(oversign_headers), NULL, 0, NULL },
	{ "PKCS11InitArgs", TEXT(pkcs11_init_args), NULL, 0, NULL },
	{ "PKCS11Module", TEXT(pkcs11_module), NULL, 0, NULL },
	{ "PKCS11PIN", TEXT(pkcs11_pin), NULL, OPTION_SECRET, NULL },
	{ "PKCS11PINDirectory", TEXT(pkcs11_pin_directory), NULL, 0, NULL },
	{ "PKCS11Sessions", NUMBER(pkcs11_sessions, 0,
	    RSAB_TOKEN_SESSIONS_MAX), "0", 0, NULL },
	{ "PKCS11Timeout", NUMBER(pkcs11_timeout, 1, 600), "5", 0, NULL },
	{ "PKCS11Token", TEXT(pkcs11_token), NULL, 0, NULL },
	{ "PKCS11Verify", BOOL(pkcs11_verify), "no", 0, NULL },
	{ "RSABackend", TEXT(rsa_backend), "libcrypto", 0, NULL },
	{ "SignHeaders", TEXT(sign_headers), NULL, 0, NULL },
	{ "SignTimeout", NUMBER(sign_timeout, 1, 3600), "20", 0, NULL },
	{ "SignatureAlgorithm", TEXT(signature_algorithm), NULL, 0, NULL },
	{ "SignatureTTL", NUMBER(signature_ttl, 0, YEARS), "0", 0, NULL },
	{ "SignerThreads", NUMBER(signer_threads, 0, 1024), "0", START, NULL },
	/* verifying */
	{ "ClockDrift", NUMBER(clock_drift, 0, YEARS), "300", 0, NULL },
	{ "MaximumHeaders", NUMBER(maximum_headers, 0, DKIM_HEADER_HARD_MAX),
	    "1048576", 0, NULL },
	{ "MaximumSignaturesToVerify",
	    NUMBER(maximum_signatures_to_verify, 0, 1000), "8", 0, NULL },
	{ "Minimum", TEXT(minimum), NULL, 0, NULL },
	{ "MinimumKeyBits", NUMBER(minimum_key_bits, 0, 8192), "1024", 0,
	    NULL },
	{ "On-BadSignature", ACTION(on_bad_signature), "accept", 0, NULL },
	{ "On-DNSError", ACTION(on_dns_error), "tempfail", 0, NULL },
	{ "On-Default", ACTION(on_default), NULL, 0, NULL },
	{ "On-InternalError", ACTION(on_internal_error), "tempfail", 0, NULL },
	{ "On-KeyNotFound", ACTION(on_key_not_found), "accept", 0, NULL },
	{ "On-NoSignature", ACTION(on_no_signature), "accept", 0, NULL },
	{ "On-Security", ACTION(on_security), "accept", 0, NULL },
	{ "On-SignatureError", ACTION(on_signature_error), "reject", 0, NULL },
	/* Authentication-Results */
	{ "AlwaysAddARHeader", BOOL(always_add_ar_header), "no", 0, NULL },
	{ "AuthservID", TEXT(authserv_id), NULL, 0, NULL },
	{ "AuthservIDWithJobID", BOOL(authserv_id_with_job_id), "no", 0, NULL },
	{ "KeepAuthResults", BOOL(keep_auth_results), "no", 0, NULL },
	{ "NoHeaderB", BOOL(no_header_b), "no", 0, NULL },
	{ "RemoveARAll", BOOL(remove_ar_all), "yes", 0, NULL },
	{ "RemoveARFrom", TEXT(remove_ar_from), NULL, 0, NULL },
	/* DNS */
	{ "DNSTimeout", NUMBER(dns_timeout, 0, 3600), "5", 0, NULL },
	{ "Nameservers", TEXT(nameservers), NULL, 0, NULL },
	{ "TestPublicKeys", TEXT(test_public_keys), NULL, START, NULL },
	{ "TrustAnchorFile", TEXT(trust_anchor_file), NULL, 0, NULL },
	/* log */
	{ "LogResults", BOOL(log_results), "no", 0, NULL },
	{ "LogStyle", OPTION_LOG_STYLE, MEMBER(log_style), 0, 0, "dkimd", 0,
	    NULL },
	{ "LogWhy", BOOL(log_why), "no", 0, NULL },
	{ "Syslog", BOOL(syslog), "yes", 0, NULL },
	{ "SyslogFacility", TEXT(syslog_facility), "mail", 0, NULL },
	{ "SyslogName", TEXT(syslog_name), "dkimd", 0, NULL },
	{ "SyslogSuccess", BOOL(syslog_success), "yes", 0, NULL },

	/* not built yet */
	{ "BogusKey", LATER("a bogus answer is a temperror: On-DNSError") },
	{ "ChangeRootDirectory", LATER("the systemd unit confines dkimd") },
	{ "DiagnosticDirectory", LATER("use dkim verify on a copy") },
	{ "FinalPolicyScript", LATER(LUA) },
	{ "IgnoreMalformedMail", LATER_BOOL(OMIT_NO) },
	{ "KeepTemporaryFiles", LATER_BOOL(OMIT_NO) },
	{ "LDAPAuthMechanism", LATER(LDAP) },
	{ "LDAPAuthName", LATER(LDAP) },
	{ "LDAPAuthRealm", LATER(LDAP) },
	{ "LDAPAuthUser", LATER(LDAP) },
	{ "LDAPBindPassword", LATER(LDAP) },
	{ "LDAPBindUser", LATER(LDAP) },
	{ "LDAPDisableCache", LATER_BOOL(LDAP) },
	{ "LDAPKeepaliveIdle", LATER(LDAP) },
	{ "LDAPKeepaliveInterval", LATER(LDAP) },
	{ "LDAPKeepaliveProbes", LATER(LDAP) },
	{ "LDAPTimeout", LATER(LDAP) },
	{ "LDAPUseTLS", LATER_BOOL(LDAP) },
	{ "LuaOnlySigning", LATER_BOOL(LUA) },
	{ "MilterDebug", LATER_ZERO("leave it out or say 0") },
	{ "MustBeSigned", LATER(OMIT) },
	{ "RemoveOldSignatures", LATER_BOOL(OMIT_NO) },
	{ "RequiredHeaders", LATER_BOOL(OMIT_NO) },
	{ "ResignAll", LATER_BOOL(OMIT_NO) },
	{ "ResignMailTo", LATER(OMIT) },
	{ "ScreenPolicyScript", LATER(LUA) },
	{ "SetupPolicyScript", LATER(LUA) },
	{ "SoftStart", LATER_BOOL(SQL) },
	{ "StrictHeaders", LATER_BOOL(OMIT_NO) },
	{ "StrictTestMode", LATER_BOOL(OMIT_NO) },
	{ "TestDNSData", LATER("use TestPublicKeys") },
	{ "TrustSignaturesFrom", LATER(OMIT) },
	{ "UnprotectedKey", LATER("keys without DNSSEC count as they are") },

	/* parsed, warned about, ignored */
	{ "ADSPAction", IGNORED(ADSP) },
	{ "ADSPNoSuchDomain", IGNORED(ADSP) },
	{ "ATPSDomains", IGNORED(ATPS) },
	{ "ATPSHashAlgorithm", IGNORED(ATPS) },
	{ "AddAllSignatureResults", IGNORED("all results are always written") },
	{ "AllowSHA1Only", IGNORED(LENIENT) },
	{ "BodyLengthDB", IGNORED(LENGTH) },
	{ "BogusPolicy", IGNORED(ADSP) },
	{ "CaptureUnknownErrors", IGNORED("use On-InternalError") },
	{ "ConditionalSignatures", IGNORED("the draft became no RFC; " OMIT) },
	{ "DNSConnect", IGNORED("the resolver uses TCP when it has to") },
	{ "DefaultSender", IGNORED(SENDER) },
	{ "DisableADSP", IGNORED(ADSP) },
	{ "DisableCryptoInit", IGNORED("OpenSSL 3 needs none; " OMIT) },
	{ "DomainKeysCompat", IGNORED(LENIENT) },
	{ "FlowData", IGNORED(REPUTE) },
	{ "FlowDataFactor", IGNORED(REPUTE) },
	{ "FlowDataTTL", IGNORED(REPUTE) },
	{ "IdentityHeader", IGNORED("i= comes from SigningTable's signer") },
	{ "IdentityHeaderRemove", IGNORED("IdentityHeader is not read") },
	{ "LDAPSoftStart", IGNORED("see SoftStart") },
	{ "LocalADSP", IGNORED(ADSP) },
	{ "MTACommand", IGNORED(REPORTS) },
	{ "MaximumSignedBytes", IGNORED(LENGTH) },
	{ "NoDiscardableMailTo", IGNORED(ADSP) },
	{ "On-PolicyError", IGNORED(ADSP) },
	{ "On-ReputationError", IGNORED(REPUTE) },
	{ "POPDBFile", IGNORED("use SMTP AUTH: authenticated mail is signed") },
	{ "Quarantine", IGNORED("use On-BadSignature quarantine") },
	{ "QueryCache", IGNORED("answers are always cached, by their TTL") },
	{ "RateLimits", IGNORED(REPUTE) },
	{ "RedirectFailuresTo", IGNORED("use On-BadSignature quarantine") },
	{ "ReplaceHeaders", IGNORED("fields are signed as they are") },
	{ "ReplaceRules", IGNORED("fields are signed as they are") },
	{ "ReportAddress", IGNORED(REPORTS) },
	{ "ReportBccAddress", IGNORED(REPORTS) },
	{ "ReputationCache", IGNORED(REPUTE) },
	{ "ReputationCacheTTL", IGNORED(REPUTE) },
	{ "ReputationDuplicates", IGNORED(REPUTE) },
	{ "ReputationLimitModifiers", IGNORED(REPUTE) },
	{ "ReputationLimits", IGNORED(REPUTE) },
	{ "ReputationLowTime", IGNORED(REPUTE) },
	{ "ReputationMinimum", IGNORED(REPUTE) },
	{ "ReputationRRDHashDepth", IGNORED(REPUTE) },
	{ "ReputationRRDRoot", IGNORED(REPUTE) },
	{ "ReputationRatios", IGNORED(REPUTE) },
	{ "ReputationSpamCheck", IGNORED(REPUTE) },
	{ "ReputationTest", IGNORED(REPUTE) },
	{ "ReputationTimeFactor", IGNORED(REPUTE) },
	{ "ReputationTimeout", IGNORED(REPUTE) },
	{ "ReputationVerbose", IGNORED(REPUTE) },
	{ "RequestReports", IGNORED(REPORTS) },
	{ "ResolverConfiguration", IGNORED(RESOLVER) },
	{ "ResolverTracing", IGNORED("see dns_ms in the log") },
	{ "SMTPURI", IGNORED(REPORTS) },
	{ "SelectCanonicalizationHeader", IGNORED("use Canonicalization") },
	{ "SendADSPReports", IGNORED(ADSP) },
	{ "SendReports", IGNORED(REPORTS) },
	{ "SenderMacro", IGNORED(SENDER) },
	{ "SingleAuthResult", IGNORED("all results are always written") },
	{ "SoftwareHeader", IGNORED("no DKIM-Filter field is added; " OMIT) },
	{ "Statistics", IGNORED(STATIST) },
	{ "StatisticsName", IGNORED(STATIST) },
	{ "StatisticsPolicyScript", IGNORED(STATIST) },
	{ "StatisticsPrefix", IGNORED(STATIST) },
	{ "TemporaryDirectory", IGNORED("no temporary files are written") },
	{ "UnboundConfigFile", IGNORED(RESOLVER) },
	{ "UnprotectedPolicy", IGNORED(ADSP) },
	{ "VBR-Certifiers", IGNORED(VBR) },
	{ "VBR-PurgeFields", IGNORED(VBR) },
	{ "VBR-TrustedCertifiers", IGNORED(VBR) },
	{ "VBR-TrustedCertifiersOnly", IGNORED(VBR) },
	{ "VBR-Type", IGNORED(VBR) },
	{ "WeakSyntaxChecks", IGNORED(LENIENT) },
	{ "X-Header", IGNORED("no DKIM-Filter field is added; " OMIT) },
};

const size_t conf_options_count =
    sizeof(conf_options_table) / sizeof(conf_options_table[0]);

static_assert(sizeof(conf_options_table) / sizeof(conf_options_table[0]) <=
    OPTIONS_MAX, "struct options has a place for each option");

const struct option *
conf_options_find(struct slice name)
{
	size_t i;

	for (i = 0; i < conf_options_count; i++)
		if (slice_equal_nocase(name,
		    slice_text(conf_options_table[i].name)))
			return &conf_options_table[i];
	return NULL;
}

static void
print_where(const char *name, struct option_place place, char *out, size_t n)
{
	if (place.file == NULL)
		snprintf(out, n, "%s", name);
	else if (place.line == 0)
		snprintf(out, n, "%s: %s", place.file, name);
	else
		snprintf(out, n, "%s:%u: %s", place.file, place.line, name);
}

struct option_place
conf_options_place(const struct options *options, const char *name)
{
	const struct option *option = conf_options_find(slice_text(name));

	return option == NULL ? (struct option_place){ NULL, 0 } :
	    options->places[option - conf_options_table];
}

const char *
conf_options_where(const struct options *options, const char *name,
    struct option_where *out)
{
	print_where(name, conf_options_place(options, name), out->text,
	    sizeof(out->text));
	return out->text;
}

bool
conf_options_is_set(const struct options *options, const char *name)
{
	return conf_options_place(options, name).file != NULL;
}

/*
 * A setting on its way into options.
 */
struct loader {
	struct report	*report;
	struct options	*options;
};

static int
set_one(void *context, struct option_place place, struct slice name,
    struct slice value)
{
	struct loader *loader = context;
	const struct option *option = conf_options_find(name);
	struct option_where where;
	struct report_octets shown;
	const char *nearest;

	if (option == NULL) {
		nearest = conf_nearest(name);
		print_where(report_octets(&shown, name), place, where.text,
		    sizeof(where.text));
		report_fault(loader->report, FAULT_FATAL,
		    "%s: unknown option%s%s%s", where.text,
		    nearest == NULL ? "; dkimd.conf(5) names all there are" :
		    "; is \"", nearest == NULL ? "" : nearest,
		    nearest == NULL ? "" : "\" meant?");
		return DKIM_ERR_SYNTAX;
	}
	print_where(option->name, place, where.text, sizeof(where.text));
	loader->options->places[option - conf_options_table] = place;
	return conf_value_set(option, value, where.text, loader->report,
	    loader->options);
}

static int
set_defaults(struct loader *loader)
{
	const struct option *option;
	size_t i;
	int error;

	for (i = 0; i < conf_options_count; i++) {
		option = &conf_options_table[i];
		if (option->value == NULL)
			continue;
		error = conf_value_set(option, slice_text(option->value),
		    option->name, loader->report, loader->options);
		if (error != 0)
			return error;
	}
	return 0;
}

static int
set_all(struct loader *loader, const char *path,
    const struct conf_override *overrides, size_t n)
{
	struct option_place place = { "command line", 0 };
	struct options *options = loader->options;
	int error, one;
	size_t i;

	if ((error = set_defaults(loader)) != 0)
		return error;
	if (path != NULL) {
		if ((options->config_path = strdup(path)) == NULL)
			return DKIM_ERR_NOMEM;
		error = conf_file_read(path, set_one, loader, loader->report,
		    &options->files);
	}
	for (i = 0; i < n && error != DKIM_ERR_NOMEM; i++) {
		one = set_one(loader, place, slice_text(overrides[i].name),
		    slice_trim(slice_text(overrides[i].value)));
		if (one != 0)
			error = one;
	}
	return error;
}

int
conf_options_load(const char *path, const struct conf_override *overrides,
    size_t n, struct report *report, struct options *out)
{
	struct loader loader = { report, out };
	int error, checked;

	*out = (struct options){ 0 };
	error = set_all(&loader, path, overrides, n);
	/* the checks run after a fault, too: all are named in one run */
	if (error != DKIM_ERR_NOMEM) {
		checked = conf_check_options(out, report);
		if (checked != 0)
			error = checked;
	}
	if (error != 0)
		conf_options_clear(out);
	return error;
}

static void *
member(const struct options *options, const struct option *option)
{
	return (uint8_t *)(uintptr_t)options + option->offset;
}

void
conf_options_forget(struct options *options)
{
	const struct option *option;
	char *text;
	size_t i;

	for (i = 0; i < conf_options_count; i++) {
		option = &conf_options_table[i];
		if ((option->flags & OPTION_SECRET) == 0)
			continue;
		text = *(char **)member(options, option);
		if (text != NULL)
			rsab_wipe(text, strlen(text));
	}
}

void
conf_options_clear(struct options *options)
{
	size_t i;

	conf_options_forget(options);
	for (i = 0; i < conf_options_count; i++)
		if (conf_options_table[i].type == OPTION_TEXT)
			free(*(char **)member(options,
			    &conf_options_table[i]));
	free(options->config_path);
	conf_file_free(options->files);
	*options = (struct options){ 0 };
}
