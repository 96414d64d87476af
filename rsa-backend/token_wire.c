/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records between a program and its token helper (token_wire.h).
 */

/* system */
#include <string.h>

/* this room */
#include "token_wire.h"

#define IDENTITY	((size_t)RSAB_TOKEN_IDENTITY - 1)
#define DETAIL		((size_t)RSAB_TOKEN_DETAIL - 1)

/* The largest error code, negated. */
#define ERROR_MAX	((uint32_t)-RSAB_ERR_TOKEN_NAME)

static const uint8_t magic[] = { 'D', 'K', 'T', 1 };

struct range {
	uint16_t	least, most;	/* octets of a field */
};

struct shape {
	unsigned	flags;		/* that may be set */
	uint32_t	value;		/* at most */
	struct range	field[TOKEN_WIRE_FIELDS];
};

#define URI	{ 1, RSAB_TOKEN_URI_MAX }

static const struct shape requests[] = {
	[TOKEN_WIRE_SETUP] = {
		.flags = TOKEN_WIRE_CAREFUL,
		.value = RSAB_TOKEN_SESSIONS_MAX,
		.field = {
			{ 0, RSAB_TOKEN_PATH_MAX },
			{ 0, RSAB_TOKEN_PATH_MAX },
			{ 0, RSAB_TOKEN_PIN_MAX },
			{ 0, RSAB_TOKEN_FOLDERS_MAX },
			{ 0, RSAB_TOKEN_REFUSED_MAX * IDENTITY },
		},
	},
	[TOKEN_WIRE_CONNECT] = { .flags = 0 },
	[TOKEN_WIRE_OPEN] = {
		.flags = TOKEN_WIRE_PIN_VALUE,
		.field = { URI },
	},
	[TOKEN_WIRE_SIGN] = {
		.flags = TOKEN_WIRE_PIN_VALUE,
		.field = {
			URI,
			{ 0, 0 },
			{ RSAB_DIGEST_MAX, RSAB_DIGEST_MAX },
		},
	},
	[TOKEN_WIRE_VERIFY] = {
		.flags = TOKEN_WIRE_PIN_VALUE | TOKEN_WIRE_SHA1,
		.field = {
			URI,
			{ 32, TOKEN_WIRE_PUBLIC_MAX },
			{ 20, RSAB_DIGEST_MAX },
			{ 64, RSAB_SIGNATURE_MAX },
		},
	},
	[TOKEN_WIRE_IMPORT] = {
		.flags = TOKEN_WIRE_PIN_VALUE,
		.field = { URI, { 64, TOKEN_WIRE_KEY_MAX } },
	},
	[TOKEN_WIRE_GENERATE] = {
		.flags = TOKEN_WIRE_PIN_VALUE,
		.value = RSAB_RSA_BITS_MAX,
		.field = { URI },
	},
	[TOKEN_WIRE_INFORM] = {
		.flags = TOKEN_WIRE_PIN_VALUE,
		.field = { URI },
	},
	/* What SIGN has, so that it costs the same on its way */
	[TOKEN_WIRE_ECHO] = {
		.flags = TOKEN_WIRE_PIN_VALUE,
		.value = RSAB_SIGNATURE_MAX,
		.field = {
			URI,
			{ 0, 0 },
			{ RSAB_DIGEST_MAX, RSAB_DIGEST_MAX },
		},
	},
};

#define OPS	(sizeof requests / sizeof requests[0])

/* What an answer without an error has as its result. */
static const struct range results[OPS] = {
	[TOKEN_WIRE_SETUP] = { 0, 0 },
	[TOKEN_WIRE_OPEN] = { 32, TOKEN_WIRE_PUBLIC_MAX },
	[TOKEN_WIRE_SIGN] = { 64, RSAB_SIGNATURE_MAX },
	[TOKEN_WIRE_VERIFY] = { 0, 0 },
	[TOKEN_WIRE_IMPORT] = URI,
	[TOKEN_WIRE_GENERATE] = { 32, TOKEN_WIRE_PUBLIC_MAX },
	[TOKEN_WIRE_INFORM] = { TOKEN_WIRE_INFO, TOKEN_WIRE_INFO },
	[TOKEN_WIRE_ECHO] = { 1, RSAB_SIGNATURE_MAX },
};

static uint64_t
get(const uint8_t *p, size_t n)
{
	uint64_t x = 0;

	for (size_t i = 0; i < n; i++)
		x = x << 8 | p[i];
	return x;
}

static void
put(uint8_t *p, size_t n, uint64_t x)
{
	for (size_t i = n; i-- > 0; x >>= 8)
		p[i] = (uint8_t)x;
}

static bool
is_printable(struct der text)
{
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] < 0x20 || text.p[i] > 0x7e)
			return false;
	return true;
}

static bool
is_hex(struct der text)
{
	for (size_t i = 0; i < text.n; i++)
		if (!(text.p[i] >= '0' && text.p[i] <= '9') &&
		    !(text.p[i] >= 'a' && text.p[i] <= 'f'))
			return false;
	return true;
}

static bool
in_range(struct der field, struct range range)
{
	return field.n >= range.least && field.n <= range.most;
}

/*
 * May a request be so?
 */
static bool
request_fits(const struct token_wire *record)
{
	const struct shape *shape = &requests[record->op];

	if ((record->flags & ~shape->flags) != 0 ||
	    record->value > shape->value)
		return false;
	for (size_t i = 0; i < TOKEN_WIRE_FIELDS; i++)
		if (!in_range(record->field[i], shape->field[i]))
			return false;
	if (record->op == TOKEN_WIRE_SETUP)
		return record->field[TOKEN_WIRE_REFUSED].n % IDENTITY == 0 &&
		    is_hex(record->field[TOKEN_WIRE_REFUSED]);
	return is_printable(record->field[TOKEN_WIRE_URI]);
}

/*
 * May an answer be so?
 */
static bool
answer_fits(const struct token_wire *record)
{
	const struct range none = { 0, 0 };
	struct der identity = record->field[TOKEN_WIRE_IDENTITY];
	bool good = record->value == 0;

	if (record->op == TOKEN_WIRE_CONNECT || record->flags != 0 ||
	    record->value > ERROR_MAX)
		return false;
	for (size_t i = TOKEN_WIRE_IDENTITY + 1; i < TOKEN_WIRE_FIELDS; i++)
		if (record->field[i].n != 0)
			return false;
	if (identity.n != 0 && (identity.n != IDENTITY || !is_hex(identity) ||
	    token_wire_error(record) != RSAB_ERR_PIN))
		return false;
	if (record->op == TOKEN_WIRE_IMPORT &&
	    !is_printable(record->field[TOKEN_WIRE_RESULT]))
		return false;
	return in_range(record->field[TOKEN_WIRE_RESULT],
	    good ? results[record->op] : none) &&
	    record->field[TOKEN_WIRE_DETAIL].n <= DETAIL &&
	    is_printable(record->field[TOKEN_WIRE_DETAIL]);
}

static bool
fits(const struct token_wire *record)
{
	if ((size_t)record->op >= OPS ||
	    (record->type != RSAB_RSA && record->type != RSAB_ED25519))
		return false;
	return record->answer ? answer_fits(record) : request_fits(record);
}

int
token_wire_parse(struct der in, struct token_wire *out)
{
	size_t at = TOKEN_WIRE_HEADER;

	if (in.n < TOKEN_WIRE_HEADER || in.n > TOKEN_WIRE_MAX ||
	    memcmp(in.p, magic, sizeof magic) != 0 || in.p[4] > 1 ||
	    in.p[5] >= OPS || in.p[6] > RSAB_ED25519)
		return RSAB_ERR_ARGUMENT;
	*out = (struct token_wire){
		.answer = in.p[4] == 1,
		.op = (enum token_wire_op)in.p[5],
		.type = (enum rsab_key_type)in.p[6],
		.flags = in.p[7],
		.id = get(&in.p[8], 8),
		.value = (uint32_t)get(&in.p[16], 4),
	};
	for (size_t i = 0; i < TOKEN_WIRE_FIELDS; i++) {
		size_t n = (size_t)get(&in.p[20 + 2 * i], 2);

		if (n > in.n - at)
			return RSAB_ERR_ARGUMENT;
		out->field[i] = (struct der){ &in.p[at], n };
		at += n;
	}
	return at == in.n && fits(out) ? RSAB_OK : RSAB_ERR_ARGUMENT;
}

int
token_wire_print(const struct token_wire *record, uint8_t *out, size_t *n)
{
	size_t at = TOKEN_WIRE_HEADER;

	if (!fits(record))
		return RSAB_ERR_ARGUMENT;
	memcpy(out, magic, sizeof magic);
	out[4] = record->answer;
	out[5] = (uint8_t)record->op;
	out[6] = (uint8_t)record->type;
	out[7] = (uint8_t)record->flags;
	put(&out[8], 8, record->id);
	put(&out[16], 4, record->value);
	for (size_t i = 0; i < TOKEN_WIRE_FIELDS; i++) {
		struct der field = record->field[i];

		/* The table's sums stay below; a table may change. */
		if (field.n > TOKEN_WIRE_MAX - at)
			return RSAB_ERR_ARGUMENT;
		put(&out[20 + 2 * i], 2, field.n);
		if (field.n != 0)
			memcpy(&out[at], field.p, field.n);
		at += field.n;
	}
	*n = at;
	return RSAB_OK;
}

int
token_wire_error(const struct token_wire *answer)
{
	return answer->value > ERROR_MAX ? RSAB_ERR_BACKEND :
	    -(int)answer->value;
}

/* The texts of a token and its numbers, one after the other. */
#define INFO_LABEL		0
#define INFO_MANUFACTURER	33
#define INFO_MODEL		66
#define INFO_SERIAL		83
#define INFO_FLAGS		100
#define INFO_SESSIONS		104
#define INFO_BITS_MIN		108
#define INFO_BITS_MAX		112

void
token_wire_put_info(const struct rsab_token_info *info, uint8_t *out)
{
	unsigned flags = (unsigned)info->signs_rsa |
	    (unsigned)info->signs_ed25519 << 1 |
	    (unsigned)info->needs_login << 2 | (unsigned)info->pin_locked << 3;

	memcpy(&out[INFO_LABEL], info->label, sizeof info->label);
	memcpy(&out[INFO_MANUFACTURER], info->manufacturer,
	    sizeof info->manufacturer);
	memcpy(&out[INFO_MODEL], info->model, sizeof info->model);
	memcpy(&out[INFO_SERIAL], info->serial, sizeof info->serial);
	put(&out[INFO_FLAGS], 4, flags);
	put(&out[INFO_SESSIONS], 4, info->sessions_max < UINT32_MAX ?
	    info->sessions_max : UINT32_MAX);
	put(&out[INFO_BITS_MIN], 4, info->rsa_bits_min);
	put(&out[INFO_BITS_MAX], 4, info->rsa_bits_max);
}

/*
 * Copy a text: printable up to its NUL, and only NULs from there on.
 */
static bool
get_text(const uint8_t *p, char *out, size_t size)
{
	size_t n = 0;

	while (n < size && p[n] != '\0')
		n++;
	if (n == size || !is_printable((struct der){ p, n }))
		return false;
	for (size_t i = n; i < size; i++)
		if (p[i] != '\0')
			return false;
	memcpy(out, p, size);
	return true;
}

int
token_wire_get_info(struct der in, struct rsab_token_info *out)
{
	uint64_t flags;

	if (in.n != TOKEN_WIRE_INFO)
		return RSAB_ERR_ARGUMENT;
	flags = get(&in.p[INFO_FLAGS], 4);
	if (flags > 15 || !get_text(&in.p[INFO_LABEL], out->label,
	    sizeof out->label) || !get_text(&in.p[INFO_MANUFACTURER],
	    out->manufacturer, sizeof out->manufacturer) ||
	    !get_text(&in.p[INFO_MODEL], out->model, sizeof out->model) ||
	    !get_text(&in.p[INFO_SERIAL], out->serial, sizeof out->serial))
		return RSAB_ERR_ARGUMENT;
	out->signs_rsa = (flags & 1) != 0;
	out->signs_ed25519 = (flags & 2) != 0;
	out->needs_login = (flags & 4) != 0;
	out->pin_locked = (flags & 8) != 0;
	out->sessions_max = (unsigned long)get(&in.p[INFO_SESSIONS], 4);
	out->rsa_bits_min = (unsigned)get(&in.p[INFO_BITS_MIN], 4);
	out->rsa_bits_max = (unsigned)get(&in.p[INFO_BITS_MAX], 4);
	return RSAB_OK;
}
