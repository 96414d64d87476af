/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A DNS server on 127.0.0.1 for tests, on a thread of its own: what it does
 * with a question is written in the first label of the name.
 *
 *   ok-X      one record "v=DKIM1; k=ed25519; p=<32 octets>"
 *   two-X     two records
 *   alias-X   a CNAME to target.<rest>, and the record there
 *   nx-X      NXDOMAIN
 *   nodata-X  NOERROR, no record
 *   fail-X    SERVFAIL
 *   refuse-X  REFUSED
 *   drop-X    nothing
 *   slow-X    as ok, after 300 ms
 *   junk-X    octets that are no answer
 *   tc-X      as ok, but truncated; nobody answers by TCP
 *   rcodeN-X  as ok, but with this RCODE, a hexadecimal digit
 *
 * The root is answered by dns_server.root.
 *
 * Included by a test; everything is static.
 */
#ifndef DNS_SERVER_H
#define DNS_SERVER_H

/* system */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define DNS_SERVER_KEY \
	"v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="

static struct {
	int		fd;
	unsigned	port;
	pthread_t	thread;
	atomic_int	questions;	/* but for those of the root */
	atomic_bool	stop, mute;	/* mute: drops all */
	atomic_int	root;		/* RCODE for it; DNS_SERVER_DROP; with
					 * DNS_SERVER_SIGNED these records */
	atomic_int	roots;		/* questions for it */
	uint8_t		signed_root[512];
	size_t		signed_root_n;
} dns_server;

enum { DNS_SERVER_DROP = 100, DNS_SERVER_SIGNED };

struct dns_reply {
	uint8_t	octets[1024];
	size_t	n;
};

static void
dns_put(struct dns_reply *r, const void *p, size_t n)
{
	memcpy(r->octets + r->n, p, n);
	r->n += n;
}

static void
dns_put_txt(struct dns_reply *r, const char *owner, size_t owner_n,
    const char *text)
{
	uint8_t head[11] = { 0, 16, 0, 1, 0, 0, 0, 60, 0,
	    (uint8_t)(strlen(text) + 1), (uint8_t)strlen(text) };

	dns_put(r, owner, owner_n);
	dns_put(r, head, sizeof(head));
	dns_put(r, text, strlen(text));
	r->octets[7]++;
}

static void
dns_put_alias(struct dns_reply *r)
{
	/* to target.<what follows the first label> */
	uint8_t data[] = { 0xc0, 12, 0, 5, 0, 1, 0, 0, 0, 60, 0, 9, 6, 't',
	    'a', 'r', 'g', 'e', 't', 0xc0, 0 };
	size_t at = r->n + 12;

	data[20] = (uint8_t)(13 + r->octets[12]);
	dns_put(r, data, sizeof(data));
	r->octets[7]++;
	data[0] = (uint8_t)(0xc0 | at >> 8);
	data[1] = (uint8_t)at;
	dns_put_txt(r, (const char *)data, 2, DNS_SERVER_KEY);
}

static bool
dns_answer_root(struct dns_reply *r)
{
	int root = atomic_load(&dns_server.root);

	atomic_fetch_add(&dns_server.roots, 1);
	if (root == DNS_SERVER_SIGNED && r->octets[14] == 48) {
		/* DNSKEY and its RRSIG */
		dns_put(r, dns_server.signed_root, dns_server.signed_root_n);
		r->octets[7] = 2;
	} else if (root < DNS_SERVER_DROP)
		r->octets[3] |= (uint8_t)root;
	return root != DNS_SERVER_DROP;
}

/* False: say nothing. */
static bool
dns_answer(struct dns_reply *r)
{
	char label[64] = "";
	size_t k = r->octets[12];
	uint8_t *flags = r->octets + 2;

	memcpy(label, r->octets + 13, k);
	flags[0] = 0x85;
	flags[1] = 0x80;
	memset(r->octets + 6, 0, 6);
	if (k == 0)
		return dns_answer_root(r);
	if (strncmp(label, "ok-", 3) == 0 || strncmp(label, "slow-", 5) == 0 ||
	    strcmp(label, "target") == 0)
		dns_put_txt(r, "\xc0\x0c", 2, DNS_SERVER_KEY);
	else if (strncmp(label, "two-", 4) == 0) {
		dns_put_txt(r, "\xc0\x0c", 2, DNS_SERVER_KEY);
		dns_put_txt(r, "\xc0\x0c", 2, "v=DKIM1; p=");
	} else if (strncmp(label, "alias-", 6) == 0)
		dns_put_alias(r);
	else if (strncmp(label, "nx-", 3) == 0)
		flags[1] |= 3;
	else if (strncmp(label, "fail-", 5) == 0)
		flags[1] |= 2;
	else if (strncmp(label, "refuse-", 7) == 0)
		flags[1] |= 5;
	else if (strncmp(label, "tc-", 3) == 0) {
		dns_put_txt(r, "\xc0\x0c", 2, DNS_SERVER_KEY);
		flags[0] |= 2;
	} else if (strncmp(label, "rcode", 5) == 0) {
		dns_put_txt(r, "\xc0\x0c", 2, DNS_SERVER_KEY);
		flags[1] |= (uint8_t)strtoul(label + 5, NULL, 16);
	} else if (strncmp(label, "junk-", 5) == 0)
		memset(r->octets + 2, 0xff, r->n - 2);
	if (strncmp(label, "slow-", 5) == 0)
		usleep(300000);
	return strncmp(label, "drop-", 5) != 0;
}

static void
dns_serve_one(void)
{
	struct sockaddr_in from;
	socklen_t from_n = sizeof(from);
	struct dns_reply r;
	ssize_t n;
	size_t end = 12;

	n = recvfrom(dns_server.fd, r.octets, 512, 0,
	    (struct sockaddr *)&from, &from_n);
	if (n < 17)
		return;
	while (end < (size_t)n && r.octets[end] != 0)
		end += r.octets[end] + 1u;
	r.n = end + 5;			/* EDNS of the question is left out */
	if (r.octets[12] != 0)
		atomic_fetch_add(&dns_server.questions, 1);
	if (atomic_load(&dns_server.mute) || !dns_answer(&r))
		return;
	(void)!sendto(dns_server.fd, r.octets, r.n, 0,
	    (struct sockaddr *)&from, from_n);
}

static void *
dns_serve(void *unused)
{
	struct pollfd p = { .fd = dns_server.fd, .events = POLLIN };

	(void)unused;
	while (!atomic_load(&dns_server.stop))
		if (poll(&p, 1, 50) == 1)
			dns_serve_one();
	return NULL;
}

static int
dns_server_start(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	socklen_t n = sizeof(at);

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	dns_server.fd = socket(AF_INET, SOCK_DGRAM, 0);
	if (bind(dns_server.fd, (struct sockaddr *)&at, sizeof(at)) != 0 ||
	    getsockname(dns_server.fd, (struct sockaddr *)&at, &n) != 0)
		return -1;
	dns_server.port = ntohs(at.sin_port);
	return pthread_create(&dns_server.thread, NULL, dns_serve, NULL);
}

static void
dns_server_stop(void)
{
	atomic_store(&dns_server.stop, true);
	pthread_join(dns_server.thread, NULL);
	close(dns_server.fd);
}

#endif
