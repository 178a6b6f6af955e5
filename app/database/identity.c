#include "app/database/identity.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "app/digest.h"

static enum status digest_file(const char *path, uint64_t *digest, struct message *why)
{
    char bytes[65536];
    size_t n;
    FILE *file = fopen(path, "rb");
    if (!file) {
        snprintf(why->text, sizeof why->text, "cannot read %.400s: %s", path, strerror(errno));
        return STATUS_FILE;
    }
    while ((n = fread(bytes, 1, sizeof bytes, file)) > 0) *digest = digest_bytes(*digest, bytes, n);
    fclose(file);
    return STATUS_OK;
}

void arithmetic_name(const char *engine, const char *kernel, size_t room, char *name)
{
    static const char own[] = "baseline";
    bool baseline = !strncmp(kernel, own, strlen(own));
    if (baseline) snprintf(name, room, "%s on %s", own, engine);
    else snprintf(name, room, "exact");
}

enum status identity_make(const struct book *book, int n_sets, const char *const *sets, const char *engine,
                          uint64_t plan_digest, uint64_t *identity, struct message *why)
{
    enum status status = STATUS_OK;
    const struct settings *settings = &book->settings;
    char arithmetic[64];
    uint64_t digest = digest_text(digest_text(DIGEST_BEGIN, PRICER_VERSION), PRICER_COMMIT);
    for (int i = 0; i < book->n_files; i++) TRY(digest_file(book->files[i], &digest, why));
    for (int i = 0; i < n_sets; i++) digest = digest_text(digest, sets[i]);
    arithmetic_name(engine, settings->kernel, sizeof arithmetic, arithmetic);
    digest = digest_text(digest, arithmetic);
    digest = digest_integer(digest, (uint64_t)settings->paths);
    digest = digest_integer(digest, settings->seed);
    digest = digest_number(digest, settings->max_step);
    digest = digest_integer(digest, (uint64_t)settings->max_paths);
    digest = digest_integer(digest, (uint64_t)settings->check);
    *identity = digest_integer(digest, plan_digest);
done:
    return status;
}
