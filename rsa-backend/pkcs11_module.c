/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A Cryptoki module.
 */

/* system */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* p11-kit */
#include <p11-kit/p11-kit.h>

/* this room */
#include "pkcs11_module.h"
#include "token_detail.h"

/* All functions that are called here must be there. */
static bool
is_complete(const CK_FUNCTION_LIST *f)
{
	return f->C_Initialize != NULL && f->C_Finalize != NULL &&
	    f->C_GetInfo != NULL && f->C_GetSlotList != NULL &&
	    f->C_GetTokenInfo != NULL && f->C_GetMechanismInfo != NULL &&
	    f->C_OpenSession != NULL && f->C_CloseSession != NULL &&
	    f->C_GetSessionInfo != NULL && f->C_Login != NULL &&
	    f->C_CreateObject != NULL && f->C_DestroyObject != NULL &&
	    f->C_GetAttributeValue != NULL && f->C_FindObjectsInit != NULL &&
	    f->C_FindObjects != NULL && f->C_FindObjectsFinal != NULL &&
	    f->C_SignInit != NULL && f->C_Sign != NULL &&
	    f->C_VerifyInit != NULL && f->C_Verify != NULL &&
	    f->C_GenerateKeyPair != NULL;
}

static int
module_new(CK_FUNCTION_LIST *f, const char *name, struct pkcs11_module **out)
{
	struct pkcs11_module *module = calloc(1, sizeof *module);

	if (module == NULL)
		return RSAB_ERR_NOMEM;
	if (pthread_mutex_init(&module->lock, NULL) != 0)
		goto no_lock;
	if (pthread_cond_init(&module->out, NULL) != 0)
		goto no_cond;
	module->f = f;
	module->delay = PKCS11_DELAY_MIN;
	token_detail_copy((const uint8_t *)name, strlen(name), module->name,
	    sizeof module->name);
	*out = module;
	return RSAB_OK;
no_cond:
	pthread_mutex_destroy(&module->lock);
no_lock:
	free(module);
	return RSAB_ERR_NOMEM;
}

static const char *
file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash == NULL ? path : slash + 1;
}

/*
 * The function list of a library.
 */
static int
functions(void *library, const char *path, CK_FUNCTION_LIST **out,
    struct pkcs11_fail *fail)
{
	void *symbol = dlsym(library, "C_GetFunctionList");
	CK_C_GetFunctionList get;
	CK_RV rv;

	if (symbol == NULL)
		return pkcs11_fail_set(fail, RSAB_ERR_TOKEN, "%s is not a "
		    "PKCS#11 module: it has no C_GetFunctionList", path);
	/* POSIX dlsym: a function's address in an object pointer */
	memcpy(&get, &symbol, sizeof get);
	if ((rv = get(out)) != CKR_OK)
		return pkcs11_fail_rv(fail, path, "C_GetFunctionList", rv);
	if (*out == NULL || (*out)->version.major != 2 || !is_complete(*out))
		return pkcs11_fail_set(fail, RSAB_ERR_TOKEN, "%s: its function "
		    "list is not that of PKCS#11 version 2", path);
	return RSAB_OK;
}

int
pkcs11_module_load(const char *path, const char *init_args,
    struct pkcs11_module **out, struct pkcs11_fail *fail)
{
	struct pkcs11_module *module = NULL;
	CK_FUNCTION_LIST *f;
	void *library;
	int r;

	if ((library = dlopen(path, RTLD_NOW | RTLD_LOCAL)) == NULL)
		return pkcs11_fail_set(fail, RSAB_ERR_TOKEN,
		    "the PKCS#11 module cannot be loaded: %s", dlerror());
	if ((r = functions(library, path, &f, fail)) != 0)
		goto out;
	if ((r = module_new(f, file_name(path), &module)) != 0)
		goto out;
	if (init_args != NULL &&
	    (module->init_args = strdup(init_args)) == NULL) {
		free(module);
		r = RSAB_ERR_NOMEM;
		goto out;
	}
	module->library = library;
	*out = module;
	return RSAB_OK;
out:
	dlclose(library);
	return r;
}

int
pkcs11_module_adopt(CK_FUNCTION_LIST *f, struct pkcs11_module **out)
{
	char *name = p11_kit_module_get_name(f);
	int r;

	r = module_new(f, name == NULL ? "module" : name, out);
	free(name);
	return r;
}

/*
 * C_Initialize; nobody is inside.
 */
static CK_RV
initialize(struct pkcs11_module *module)
{
	CK_C_INITIALIZE_ARGS arguments = {
		.flags = CKF_OS_LOCKING_OK,
		.pReserved = module->init_args,
	};
	CK_RV rv;

	if (module->library == NULL)
		return p11_kit_module_initialize(module->f);
	rv = module->f->C_Initialize(&arguments);
	if (rv != CKR_CRYPTOKI_ALREADY_INITIALIZED) {
		module->foreign = false;
		return rv;
	}
	/* Somebody else's in this process, who finalizes it */
	module->foreign = true;
	return CKR_OK;
}

static void
finalize(struct pkcs11_module *module)
{
	if (!module->up || module->foreign)
		return;
	if (module->library == NULL)
		(void)p11_kit_module_finalize(module->f);
	else
		(void)module->f->C_Finalize(NULL);
}

/*
 * Finalize what is up and initialize, with the lock and nobody inside. The
 * lock is not held meanwhile: closing keeps others out.
 */
static void
restart(struct pkcs11_module *module, uint64_t now)
{
	struct pkcs11_fail fail;
	CK_RV rv;

	module->closing = true;
	while (module->inside != 0)
		pthread_cond_wait(&module->out, &module->lock);
	pthread_mutex_unlock(&module->lock);
	finalize(module);
	rv = initialize(module);
	pthread_mutex_lock(&module->lock);
	module->up = rv == CKR_OK;
	if (!module->up) {
		pkcs11_fail_rv(&fail, module->name, "C_Initialize", rv);
		module->why = fail.detail;
	}
	module->epoch++;
	module->not_before = now + module->delay;
	if (module->delay < PKCS11_DELAY_MAX)
		module->delay *= 2;
	module->closing = false;
	pthread_cond_broadcast(&module->out);
}

int
pkcs11_module_enter(struct pkcs11_module *module, uint64_t now,
    uint64_t *epoch, struct pkcs11_fail *fail)
{
	int r = RSAB_OK;

	pthread_mutex_lock(&module->lock);
	while (module->closing)
		pthread_cond_wait(&module->out, &module->lock);
	if (!module->up && (module->epoch == 0 || now >= module->not_before))
		restart(module, now);
	if (module->up) {
		module->inside++;
		*epoch = module->epoch;
	} else {
		r = pkcs11_fail_set(fail, RSAB_ERR_TOKEN, "%s",
		    module->why.text);
	}
	pthread_mutex_unlock(&module->lock);
	return r;
}

void
pkcs11_module_leave(struct pkcs11_module *module)
{
	pthread_mutex_lock(&module->lock);
	if (--module->inside == 0)
		pthread_cond_broadcast(&module->out);
	pthread_mutex_unlock(&module->lock);
}

bool
pkcs11_module_again(struct pkcs11_module *module, uint64_t now,
    uint64_t epoch)
{
	bool is_new;

	pthread_mutex_lock(&module->lock);
	while (module->closing)
		pthread_cond_wait(&module->out, &module->lock);
	if (module->epoch == epoch && now >= module->not_before)
		restart(module, now);
	is_new = module->up && module->epoch != epoch;
	pthread_mutex_unlock(&module->lock);
	return is_new;
}

void
pkcs11_module_well(struct pkcs11_module *module)
{
	pthread_mutex_lock(&module->lock);
	module->delay = PKCS11_DELAY_MIN;
	pthread_mutex_unlock(&module->lock);
}

void
pkcs11_module_imported(struct pkcs11_module *module, uint64_t epoch)
{
	pthread_mutex_lock(&module->lock);
	module->imports = epoch;
	pthread_mutex_unlock(&module->lock);
}

bool
pkcs11_module_has_imports(struct pkcs11_module *module, uint64_t epoch)
{
	bool has;

	pthread_mutex_lock(&module->lock);
	has = module->imports == epoch;
	pthread_mutex_unlock(&module->lock);
	return has;
}

void
pkcs11_module_close(struct pkcs11_module *module)
{
	pthread_mutex_lock(&module->lock);
	module->closing = true;
	while (module->inside != 0)
		pthread_cond_wait(&module->out, &module->lock);
	pthread_mutex_unlock(&module->lock);
	finalize(module);
	pthread_mutex_lock(&module->lock);
	module->up = false;
	pthread_mutex_unlock(&module->lock);
}
