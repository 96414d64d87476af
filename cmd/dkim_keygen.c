/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dkim keygen: make a private key and the record that publishes it.
 */

/* system */
#include <sys/stat.h>
#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>
#include <unistd.h>

/* rooms below */
#include "rsa-backend/rsab.h"
#include "dkim/dkim.h"

/* this room */
#include "newfile.h"
#include "subcommand.h"
#include "token_open.h"

#define STRING_MAX	250	/* octets of one string of a TXT record */
#define BITS_DEFAULT	2048

struct keygen {
	const char	*domain, *selector, *folder, *owner;
	const char	*uri;		/* --token; NULL: a file */
	struct token_open token;
	enum rsab_key_type type;
	unsigned	 bits;
	bool		 force, testing, no_subdomains;
	uid_t		 uid;
	gid_t		 gid;
	char		 name[DKIM_NAME_MAX + 1];	/* A-labels */
	char		 label[DKIM_NAME_MAX + 1];
	char		 key_path[PATH_MAX], record_path[PATH_MAX];
};

static void
usage(FILE *out)
{
	fprintf(out,
"usage: dkim keygen -d DOMAIN -s SELECTOR [--type rsa|ed25519] [-b BITS]\n"
"                   [-D FOLDER] [--owner USER] [--force] [--testing]\n"
"                   [--no-subdomains] [--token URI]\n"
"  Writes SELECTOR.private (0600) and SELECTOR.txt, the record to publish.\n"
"  -b BITS          of an RSA key, 1024 to 8192; default %d\n"
"  -D FOLDER        where to; default the current one\n"
"  --owner USER     of the key, as root; default the folder's owner\n"
"  --force          replace files that are there\n"
"  --testing        t=y: verifiers treat failures as unsigned\n"
"  --no-subdomains  t=s: no sub-domain in i=\n"
"  --token URI      make the key in this token, as this object; no\n"
"                   SELECTOR.private is written then\n"
TOKEN_OPEN_USAGE
"Exit: 0 done, 64 usage, 73 cannot write or is there already, 75 the token\n"
"is not there, 78 the token refuses.\n",
	    BITS_DEFAULT);
}

static int
parse_type(const char *text, enum rsab_key_type *type)
{
	if (strcmp(text, "rsa") == 0)
		*type = RSAB_RSA;
	else if (strcmp(text, "ed25519") == 0)
		*type = RSAB_ED25519;
	else {
		warnx("--type %s: rsa or ed25519 is wanted", text);
		return EX_USAGE;
	}
	return 0;
}

static int
parse_bits(const char *text, unsigned *bits)
{
	unsigned long long n;
	int status = subcommand_number("-b", text, RSAB_RSA_BITS_MAX, &n);

	if (status == 0 && n < DKIM_RSA_BITS_FLOOR) {
		warnx("-b %llu: at least %d bits: verifiers refuse less "
		    "(RFC 8301 s3.2)", n, DKIM_RSA_BITS_FLOOR);
		status = EX_USAGE;
	}
	if (status == 0 && n % 2 != 0) {
		/* two primes of n / 2 bits each: one bit would be missing */
		warnx("-b %llu: an even number is wanted, as %llu", n, n - 1);
		status = EX_USAGE;
	}
	if (status == 0)
		*bits = (unsigned)n;
	return status;
}

/* A flat table and a flat switch: one entry an option. */
static int
parse_options(int argc, char **argv, struct keygen *k)
{
	enum { TYPE = 256, OWNER, FORCE, TOKEN, TESTING, NO_SUBDOMAINS,
	    MODULE, INIT_ARGS };
	static const struct option longs[] = {
		{ "type", required_argument, NULL, TYPE },
		{ "owner", required_argument, NULL, OWNER },
		{ "force", no_argument, NULL, FORCE },
		{ "token", required_argument, NULL, TOKEN },
		{ "testing", no_argument, NULL, TESTING },
		{ "no-subdomains", no_argument, NULL, NO_SUBDOMAINS },
		{ "module", required_argument, NULL, MODULE },
		{ "init-args", required_argument, NULL, INIT_ARGS },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int c, status = 0;

	while (status == 0 &&
	    (c = getopt_long(argc, argv, "D:b:d:hs:", longs, NULL)) != -1) {
		switch (c) {
		case 'D':
			k->folder = optarg;
			break;
		case 'b':
			status = parse_bits(optarg, &k->bits);
			break;
		case 'd':
			k->domain = optarg;
			break;
		case 's':
			k->selector = optarg;
			break;
		case TYPE:
			status = parse_type(optarg, &k->type);
			break;
		case OWNER:
			k->owner = optarg;
			break;
		case FORCE:
			k->force = true;
			break;
		case TESTING:
			k->testing = true;
			break;
		case NO_SUBDOMAINS:
			k->no_subdomains = true;
			break;
		case TOKEN:
			k->uri = optarg;
			break;
		case MODULE:
			k->token.module = optarg;
			break;
		case INIT_ARGS:
			k->token.init_args = optarg;
			break;
		case 'h':
			usage(stdout);
			exit(EX_OK);
		default:
			usage(stderr);
			status = EX_USAGE;
		}
	}
	return status;
}

static int
check_options(int argc, struct keygen *k)
{
	if (k->domain == NULL || k->selector == NULL || optind < argc) {
		usage(stderr);
		return EX_USAGE;
	}
	if (dkim_domain_to_ascii(slice_text(k->domain), k->name) != 0) {
		warnx("-d %s: no domain name", k->domain);
		return EX_USAGE;
	}
	/* s._domainkey.d must be a name of the DNS: RFC 6376 s3.6.2.1 */
	if (dkim_selector_to_ascii(slice_text(k->selector), k->label) != 0 ||
	    strlen(k->label) + strlen("._domainkey.") + strlen(k->name) >
	    DKIM_NAME_MAX) {
		warnx("-s %s: no selector, or the name is too long",
		    k->selector);
		return EX_USAGE;
	}
	if (snprintf(k->key_path, sizeof(k->key_path), "%s/%s.private",
	    k->folder, k->label) >= (int)sizeof(k->key_path) ||
	    snprintf(k->record_path, sizeof(k->record_path), "%s/%s.txt",
	    k->folder, k->label) >= (int)sizeof(k->record_path)) {
		warnx("-D %s: the path is too long", k->folder);
		return EX_USAGE;
	}
	if (k->uri != NULL && !token_open_is_uri(k->uri)) {
		warnx("--token %s: a pkcs11: URI is wanted, as "
		    "pkcs11:token=mail;object=%s", k->uri, k->label);
		return EX_USAGE;
	}
	return 0;
}

/*
 * Who shall own the key: the daemon's user must read it.
 */
static int
find_owner(struct keygen *k)
{
	struct stat st;
	const struct passwd *pw;

	k->uid = (uid_t)-1;
	k->gid = (gid_t)-1;
	if (k->owner != NULL) {
		pw = getpwnam(k->owner);
		if (pw == NULL) {
			warnx("--owner %s: no such user", k->owner);
			return EX_NOUSER;
		}
		k->uid = pw->pw_uid;
		k->gid = pw->pw_gid;
		return 0;
	}
	if (geteuid() != 0)
		return 0;
	if (stat(k->folder, &st) != 0) {
		warn("%s", k->folder);
		return EX_CANTCREAT;
	}
	k->uid = st.st_uid;
	k->gid = st.st_gid;
	return 0;
}

/*
 * One BIND line with strings of at most 250 octets, and the same joined.
 */
static void
print_record(const struct keygen *k, struct slice record, struct buf *out)
{
	size_t at, n;

	buf_add_format(out, "; DKIM key %s of %s, for a zone file:\n",
	    k->label, k->name);
	buf_add_format(out, "%s._domainkey.%s. IN TXT (", k->label, k->name);
	for (at = 0; at < record.n; at += n) {
		n = record.n - at < STRING_MAX ? record.n - at : STRING_MAX;
		buf_add_text(out, " \"");
		buf_add(out, slice_sub(record, at, n));
		buf_add_text(out, "\"");
	}
	buf_add_text(out, " )\n");
	buf_add_format(out, "; The same for a web form: name "
	    "%s._domainkey.%s, type TXT, text:\n; ", k->label, k->name);
	buf_add(out, record);
	buf_add_text(out, "\n");
}

/*
 * Before the key is made: one without its record helps nobody.
 */
static int
check_record(const struct keygen *k)
{
	if (k->force || access(k->record_path, F_OK) != 0)
		return 0;
	warnx("%s: is there already and stays as it is; --force replaces it",
	    k->record_path);
	return EX_CANTCREAT;
}

static int
write_key(const struct keygen *k, const struct newfile *file,
    const struct rsab_key *key)
{
	char *pem;
	size_t n;
	int status;

	if (k->uri != NULL)
		return 0;
	if (rsab_key_print_private(key, &pem, &n) != 0) {
		warnx("the key cannot be written as PEM");
		return EX_OSERR;
	}
	status = newfile_write(file, slice_of(pem, n));
	rsab_wipe_free(pem, n);
	return status;
}

/*
 * RFC 8463 s6: a selector is of one key; without --force no other one comes in
 * its place.
 */
static int
write_files(const struct keygen *k, const struct rsab_key *key,
    struct slice text)
{
	struct newfile file = { k->key_path, 0600, k->uid, k->gid, k->force };
	int status = write_key(k, &file, key);

	if (status != 0)
		return status;
	file.path = k->record_path;
	file.mode = 0644;
	return newfile_write(&file, text);
}

static void
print_where(const struct keygen *k)
{
	const struct passwd *pw = k->uid == (uid_t)-1 ? NULL :
	    getpwuid(k->uid);

	if (k->uri != NULL) {
		printf("%s: the private key, which cannot leave its token",
		    k->uri);
		return;
	}
	printf("%s: the private key, mode 0600", k->key_path);
	if (pw != NULL)
		printf(", owner %s", pw->pw_name);
	else if (k->uid != (uid_t)-1)
		printf(", owner %ld", (long)k->uid);
}

/*
 * An option and its value, as a shell takes them.
 */
static void
print_quoted(const char *option, const char *value)
{
	printf("%s'", option);
	for (; *value != '\0'; value++)
		if (*value == '\'')
			fputs("'\\''", stdout);
		else
			putchar(*value);
	putchar('\'');
}

static void
print_next_steps(const struct keygen *k, struct slice text)
{
	const char *quote = k->uri == NULL ? "" : "'";

	print_where(k);
	printf("\n%s: its record\n\n", k->record_path);
	fwrite(text.p, 1, text.n, stdout);
	printf("\nNext:\n"
	    "  1. publish the record\n"
	    "  2. dkim keycheck -d %s -s %s -k %s%s%s", k->name, k->label,
	    quote, k->uri == NULL ? k->key_path : k->uri, quote);
	if (k->uri != NULL && k->token.module != NULL)
		print_quoted(" --module ", k->token.module);
	if (k->uri != NULL && k->token.init_args != NULL)
		print_quoted(" --init-args ", k->token.init_args);
	printf("\n"
	    "  3. name the key in dkimd.conf or KeyTable, then reload dkimd\n");
}

static int
make_key(const struct keygen *k, struct rsab_key **out)
{
	const struct rsab_backend *backend;
	int error;

	if (k->uri != NULL)
		return token_open_generate(&k->token, k->uri, k->type, k->bits,
		    out);
	error = rsab_backend_find("libcrypto", &backend);
	if (error == 0)
		error = rsab_key_generate(backend, k->type, k->bits, out);
	if (error == 0)
		return 0;
	warnx("making the key: %s", rsab_strerror(error));
	return EX_SOFTWARE;
}

int
subcommand_keygen(int argc, char **argv)
{
	struct keygen k = { .folder = ".", .type = RSAB_RSA,
	    .bits = BITS_DEFAULT };
	struct rsab_key *key = NULL;
	struct buf record, text;
	int error, status;

	buf_init(&record, DKIM_TXT_MAX);
	buf_init(&text, 4 * DKIM_TXT_MAX);
	status = parse_options(argc, argv, &k);
	if (status == 0)
		status = check_options(argc, &k);
	if (status == 0)
		status = find_owner(&k);
	if (status == 0)
		status = check_record(&k);
	if (status == 0)
		status = make_key(&k, &key);
	if (status != 0)
		goto out;
	error = dkim_key_record_print(key, k.testing, k.no_subdomains,
	    &record);
	print_record(&k, buf_slice(&record), &text);
	if (error == 0)
		error = buf_end(&text);
	if (error != 0) {
		warnx("writing the record: %s", dkim_strerror(error));
		status = EX_SOFTWARE;
		goto out;
	}
	status = write_files(&k, key, buf_slice(&text));
	if (status == 0)
		print_next_steps(&k, buf_slice(&text));
out:
	rsab_key_unref(key);
	buf_clear(&record);
	buf_clear(&text);
	return status;
}
