/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Private key files and the safety of their paths.
 */

/* system */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* room below */
#include "rsa-backend/rsab.h"

/* this room */
#include "milter/keyfile.h"

#ifdef O_PATH
#define SEARCH_ONLY	O_PATH
#else
#define SEARCH_ONLY	O_SEARCH
#endif

/* On the way along a path */
struct walk {
	const struct identity	*who;
	bool			 safe;
	bool			 look_only;	/* no octets are wanted */
	int			 error;		/* errno of a failed call */
	char			*reason;	/* KEYFILE_REASON_MAX */
	int			 fd;		/* the folder reached */
	unsigned		 links;
	char			 seen[PATH_MAX]; /* its path, for messages */
	char			 rest[PATH_MAX]; /* parts still to go */
};

static int
fail(struct walk *w, const char *part, const char *what)
{
	size_t n = strlen(w->seen);
	bool slash = part[0] != '\0' && n > 0 && w->seen[n - 1] != '/';

	snprintf(w->reason, KEYFILE_REASON_MAX, "%s%s%s: %s", w->seen,
	    slash ? "/" : "", part, what);
	return -1;
}

static int
fail_errno(struct walk *w, const char *part, const char *needs)
{
	char text[320];
	int error = errno;

	w->error = error;
	if (error == EACCES || error == EPERM)
		snprintf(text, sizeof(text), "user %s has no permission; "
		    "needed is %s", w->who->user, needs);
	else if (error == ELOOP)
		snprintf(text, sizeof(text), "the last part of a key's path "
		    "must not be a symbolic link");
	else
		snprintf(text, sizeof(text), "%s", strerror(error));
	return fail(w, part, text);
}

/*
 * Something about a path element is unsafe. Without RequireSafeKeys it is only
 * told, the first thing found.
 */
static int
unsafe(struct walk *w, const char *part, const char *what)
{
	char before[320];

	if (!w->safe && w->reason[0] != '\0')
		return 0;
	snprintf(before, sizeof(before), "unsafe: %s", what);
	fail(w, part, before);
	return w->safe ? -1 : 0;
}

static int
judge_owner(struct walk *w, const char *part, const struct stat *st)
{
	char text[256], owner[IDENTITY_NAME_MAX];
	bool root = w->who->uid == 0;

	if (st->st_uid == 0 || st->st_uid == w->who->uid)
		return 0;
	identity_user_name(st->st_uid, owner);
	snprintf(text, sizeof(text), "owner is %s, not root%s%s; chown %s",
	    owner, root ? "" : " or ", root ? "" : w->who->user, w->who->user);
	return unsafe(w, part, text);
}

/*
 * Judge permission bits of an element.
 *   bits     what others and foreign groups must not have, as 007
 */
static int
judge_bits(struct walk *w, const char *part, const struct stat *st,
    unsigned bits)
{
	unsigned others = st->st_mode & bits, group = st->st_mode & bits << 3;
	char text[256], name[IDENTITY_NAME_MAX];

	if (others != 0) {
		snprintf(text, sizeof(text), "mode %04o has bits %04o for "
		    "all users (user %s runs the daemon); chmod o-%s",
		    (unsigned)st->st_mode & 07777, others, w->who->user,
		    bits == 02 ? "w" : "rwx");
		return unsafe(w, part, text);
	}
	if (group == 0 || st->st_gid == 0 ||
	    identity_has_group(w->who, st->st_gid))
		return 0;
	identity_group_name(st->st_gid, name);
	snprintf(text, sizeof(text), "mode %04o has bits %04o for group %s, "
	    "in which user %s is not; chmod g-%s",
	    (unsigned)st->st_mode & 07777, group, name, w->who->user,
	    bits == 02 ? "w" : "rwx");
	return unsafe(w, part, text);
}

/* Who may write to a folder can put another file there, but for the sticky
 * bit: then only what it owns, and owners are judged part by part. */
static int
judge_folder(struct walk *w, const char *part, const struct stat *st)
{
	if (judge_owner(w, part, st) != 0)
		return -1;
	if ((st->st_mode & S_ISVTX) != 0)
		return 0;
	return judge_bits(w, part, st, 02);
}

static int
enter_root(struct walk *w)
{
	struct stat st;
	int fd;

	fd = open("/", SEARCH_ONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return fail_errno(w, "", "to search /");
	if (w->fd >= 0)
		close(w->fd);
	w->fd = fd;
	snprintf(w->seen, sizeof(w->seen), "/");
	if (fstat(fd, &st) != 0)
		return fail_errno(w, "", "to see /");
	return judge_folder(w, "", &st);
}

/* Put a link's target before what is left of the path. */
static int
follow(struct walk *w, const char *part)
{
	char target[PATH_MAX], rest[PATH_MAX];
	ssize_t n;
	int k;

	if (++w->links > KEYFILE_LINKS_MAX)
		return fail(w, part, "too many symbolic links");
	n = readlinkat(w->fd, part, target, sizeof(target) - 1);
	if (n < 0)
		return fail_errno(w, part, "to read the link");
	target[n] = '\0';
	k = snprintf(rest, sizeof(rest), "%s/%s", target, w->rest);
	if (k < 0 || (size_t)k >= sizeof(rest))
		return fail(w, part, "the path is too long");
	memcpy(w->rest, rest, (size_t)k + 1);
	return target[0] == '/' ? enter_root(w) : 0;
}

static int
enter(struct walk *w, const char *part)
{
	struct stat st;
	size_t n = strlen(w->seen);
	int fd;

	fd = openat(w->fd, part,
	    SEARCH_ONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return fail_errno(w, part, "the x bit (search)");
	close(w->fd);
	w->fd = fd;
	if (n + strlen(part) + 2 > sizeof(w->seen))
		return fail(w, part, "the path is too long");
	snprintf(w->seen + n, sizeof(w->seen) - n, "%s%s",
	    n > 0 && w->seen[n - 1] == '/' ? "" : "/", part);
	if (fstat(fd, &st) != 0)
		return fail_errno(w, "", "to see it");
	return judge_folder(w, "", &st);
}

/*
 * Go along the folders of rest.
 *   part     out: the last part, which is not entered
 */
static int
go(struct walk *w, char part[NAME_MAX + 1])
{
	struct stat st;
	size_t n, slash;
	int r = 0;

	while (r == 0) {
		n = strspn(w->rest, "/");
		slash = strcspn(w->rest + n, "/");
		if (slash == 0)
			return fail(w, "", "is a folder, not a key file");
		if (slash > NAME_MAX)
			return fail(w, "", "a name in the path is too long");
		memcpy(part, w->rest + n, slash);
		part[slash] = '\0';
		memmove(w->rest, w->rest + n + slash,
		    strlen(w->rest + n + slash) + 1);
		if (w->rest[0] == '\0')
			return 0;
		if (fstatat(w->fd, part, &st, AT_SYMLINK_NOFOLLOW) != 0)
			return errno == EACCES ?
			    fail_errno(w, "", "the x bit (search)") :
			    fail_errno(w, part, "the x bit (search)");
		if (!S_ISLNK(st.st_mode))
			r = enter(w, part);
		else if ((r = judge_owner(w, part, &st)) == 0)
			r = follow(w, part);
	}
	return r;
}

static int
start(struct walk *w, const char *path)
{
	char here[PATH_MAX];
	int k;

	w->fd = -1;
	if (path[0] == '/') {
		k = snprintf(w->rest, sizeof(w->rest), "%s", path);
	} else {
		if (getcwd(here, sizeof(here)) == NULL)
			return fail_errno(w, path, "to see this folder");
		k = snprintf(w->rest, sizeof(w->rest), "%s/%s", here, path);
	}
	if (k < 0 || (size_t)k >= sizeof(w->rest))
		return fail(w, "", "the path is too long");
	return enter_root(w);
}

static int
read_octets(struct walk *w, int fd, const char *part, size_t size,
    struct keyfile *out)
{
	ssize_t got = 0;
	size_t n = 0;

	/* One octet more than there should be shows a file that grows */
	out->octets = malloc(size + 1);
	if (out->octets == NULL)
		return fail(w, part, "no memory");
	do {
		got = read(fd, out->octets + n, size + 1 - n);
		if (got > 0)
			n += (size_t)got;
	} while ((got > 0 && n <= size) || (got < 0 && errno == EINTR));
	if (got >= 0 && n == size) {
		out->n = n;
		return 0;
	}
	fail(w, part, got < 0 ? strerror(errno) :
	    "it changed while it was read");
	rsab_wipe_free(out->octets, size + 1);
	out->octets = NULL;
	return -1;
}

static int
judge_file(struct walk *w, const char *part, const struct stat *st)
{
	if (!S_ISREG(st->st_mode))
		return fail(w, part, "is no plain file");
	if (st->st_size == 0)
		return fail(w, part, "is empty");
	if (st->st_size > RSAB_KEY_FILE_MAX)
		return fail(w, part, "is too large for a private key");
	if (judge_owner(w, part, st) != 0)
		return -1;
	return judge_bits(w, part, st, 07);
}

static void
identify(const struct stat *st, struct keyfile_id *out)
{
	out->dev = st->st_dev;
	out->ino = st->st_ino;
	out->size = st->st_size;
	out->mtime = st->st_mtim;
}

/* EACCES is the file's fault, or that of the folder it is in. */
static int
fail_open(struct walk *w, const char *part)
{
	struct stat st;
	int error = errno;

	if (error == EACCES &&
	    fstatat(w->fd, part, &st, AT_SYMLINK_NOFOLLOW) != 0 &&
	    errno == EACCES)
		return fail_errno(w, "", "the x bit (search)");
	errno = error;
	return fail_errno(w, part, "the r bit");
}

static int
read_file(struct walk *w, const char *part, struct keyfile *out)
{
	struct stat st;
	int fd, r = -1;

	/* A FIFO must not hold us up before it is seen to be one */
	fd = openat(w->fd, part,
	    O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return fail_open(w, part);
	if (fstat(fd, &st) != 0)
		fail_errno(w, part, "to see it");
	else if (judge_file(w, part, &st) == 0)
		r = w->look_only ? 0 :
		    read_octets(w, fd, part, (size_t)st.st_size, out);
	close(fd);
	if (r == 0)
		identify(&st, &out->id);
	return r;
}

static int
take(const char *path, const struct identity *who, bool safe, bool look_only,
    struct keyfile *out)
{
	struct walk w = { .who = who, .safe = safe, .look_only = look_only,
	    .reason = out->reason };
	char part[NAME_MAX + 1];
	int r;

	out->octets = NULL;
	out->n = 0;
	out->reason[0] = '\0';
	r = start(&w, path);
	if (r == 0)
		r = go(&w, part);
	if (r == 0)
		r = read_file(&w, part, out);
	if (w.fd >= 0)
		close(w.fd);
	out->error = w.error;
	return r;
}

int
keyfile_read(const char *path, const struct identity *who, bool safe,
    struct keyfile *out)
{
	return take(path, who, safe, false, out);
}

int
keyfile_check(const char *path, const struct identity *who, bool safe,
    struct keyfile *out)
{
	return take(path, who, safe, true, out);
}

void
keyfile_clear(struct keyfile *file)
{
	rsab_wipe_free(file->octets, file->n);
	file->octets = NULL;
	file->n = 0;
}

int
keyfile_identify(const char *path, struct keyfile_id *out)
{
	struct stat st;

	if (lstat(path, &st) != 0)
		return -1;
	identify(&st, out);
	return 0;
}

bool
keyfile_is_same(const struct keyfile_id *a, const struct keyfile_id *b)
{
	return a->dev == b->dev && a->ino == b->ino && a->size == b->size &&
	    a->mtime.tv_sec == b->mtime.tv_sec &&
	    a->mtime.tv_nsec == b->mtime.tv_nsec;
}
