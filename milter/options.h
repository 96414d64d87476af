/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The values of all configuration options. A member is the option's name in
 * snake case; text and data sets are kept as written, their meaning is made in
 * conf.c. NULL text: the option is absent. Filled by the one table of options
 * in conf_options.c.
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "../dkim/dkim.h"

enum action {
	ACTION_ACCEPT,
	ACTION_DISCARD,
	ACTION_QUARANTINE,
	ACTION_REJECT,
	ACTION_TEMPFAIL,
};

enum log_style {
	LOG_STYLE_DKIMD,
	LOG_STYLE_OPENDKIM,
	LOG_STYLE_BOTH,
};

/*
 * A configuration file that was read; places point to its path.
 */
struct option_file {
	struct option_file	*next;
	char			 path[];
};

/*
 * Where an option was set, for messages.
 */
struct option_place {
	const char	*file;		/* NULL: not set; "command line" */
	unsigned	 line;		/* 0: no line */
};

#define OPTIONS_MAX	256	/* rows of the table in conf_options.c */

struct options {
	char		*config_path;	/* the file read; NULL: none */
	struct option_file *files;
	struct option_place places[OPTIONS_MAX]; /* by row of the table */

	/* process and socket */
	char		*socket;
	char		*user_id;	/* user[:group] */
	uint64_t	 umask;
	char		*pid_file;
	bool		 background;
	bool		 auto_restart;
	uint64_t	 auto_restart_count;	/* 0: no limit */
	char		*auto_restart_rate;	/* "10/1h" */
	char		*base_directory;
	uint64_t	 stop_timeout;		/* seconds, new */
	bool		 enable_coredumps;

	/* who signs, as whom */
	bool		 mode_sign, mode_verify;
	char		*domain;		/* data set */
	char		*selector;
	char		*key_file;
	char		*key_table, *signing_table;	/* data sets */
	bool		 sub_domains;
	bool		 multiple_signatures;
	bool		 check_signing_table;
	char		*sender_headers;
	char		*internal_hosts, *external_ignore_list, *peer_list;
	char		*exempt_domains, *dont_sign_mail_to;
	char		*mta, *macro_list;
	bool		 require_safe_keys;
	uint64_t	 key_cache_size;	/* keys, new */

	/* what a signature says */
	char		*canonicalization;
	char		*signature_algorithm;
	char		*sign_headers, *omit_headers, *oversign_headers;
	uint64_t	 signature_ttl;		/* seconds; 0: no x= */
	bool		 diagnostics;		/* z= */
	bool		 fix_crlf;
	uint64_t	 sign_timeout;		/* seconds, new */
	uint64_t	 signer_threads;	/* 0: half of the CPUs, new */
	char		*rsa_backend;		/* RSABackend, new */

	/* tokens, all new */
	char		*pkcs11_module;		/* path; NULL: p11-kit's */
	char		*pkcs11_init_args;
	char		*pkcs11_pin;		/* wiped once it is handed on */
	char		*pkcs11_pin_directory;	/* folders between commas */
	uint64_t	 pkcs11_sessions;	/* 0: as SignerThreads */
	uint64_t	 pkcs11_timeout;	/* seconds */
	char		*pkcs11_token;		/* URI, of RSABackend pkcs11 */
	bool		 pkcs11_verify;

	/* verifying */
	enum action	 on_default;	/* where it is set: of all On-* that
					 * are not */
	enum action	 on_no_signature, on_bad_signature, on_key_not_found;
	enum action	 on_dns_error, on_internal_error, on_security;
	enum action	 on_signature_error;
	uint64_t	 minimum_key_bits;
	char		*minimum;		/* "n", "n%", "n+" */
	uint64_t	 maximum_signatures_to_verify;
	uint64_t	 maximum_headers;	/* octets */
	uint64_t	 clock_drift;		/* seconds */

	/* Authentication-Results */
	char		*authserv_id;
	bool		 authserv_id_with_job_id;
	bool		 no_header_b;
	bool		 always_add_ar_header;
	bool		 keep_auth_results;
	bool		 remove_ar_all;		/* built in yes: all fields that
						 * claim our id; no: only those
						 * with a dkim result, or in
						 * doubt */
	char		*remove_ar_from;	/* data set */

	/* DNS */
	uint64_t	 dns_timeout;		/* seconds */
	char		*nameservers;
	char		*trust_anchor_file;
	char		*test_public_keys;

	/* log */
	bool		 syslog;
	char		*syslog_facility, *syslog_name;
	bool		 syslog_success;
	bool		 log_why, log_results;
	enum log_style	 log_style;		/* new */
};

#endif
