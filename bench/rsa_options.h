/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The command line of dkimbench rsa.
 */
#ifndef RSA_OPTIONS_H
#define RSA_OPTIONS_H

/* this room */
#include "options.h"
#include "rsa_token.h"

/* An arrival rate of --rate. */
struct rsa_rate {
	double	value;		/* a second, or part of the capacity */
	bool	is_part;
};

struct rsa_options {
	struct options_measure	 measure;
	struct options_names	 backends, ops;
	struct options_numbers	 bits, batches, threads;
	const char		*key;
	bool			 openssl_form, bits_given, ops_given;
	bool			 batches_given;
	struct rsa_rate		 rates[OPTIONS_LIST_MAX];
	size_t			 rates_n;	/* 0: no --rate */
	struct rsa_token_place	 places[RSA_TOKENS_MAX];
	size_t			 places_n;
};

/*
 * Take the command line apart; --help ends the program.
 *   returns  0, or an exit status (told)
 */
int rsa_options_parse(int argc, char **argv, struct rsa_options *out) MUSTUSE;

/*
 * Wipe the PINs.
 */
void rsa_options_clear(struct rsa_options *options);

/*
 * Is an operation among those asked for: "sign", "verify", "boundary"?
 */
bool rsa_options_has(const struct rsa_options *options, const char *op);

#endif
