#define _GNU_SOURCE /* dladdr1 */
#include "kernels/cuda/host/code_folder.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "models/base/sha256.h"

/* Where code lies that came with the program: seen from the folder of the program, or of the
 * library that it uses. */
static const char *const shipped[] = {"/path_code/pricer", "/../share/pricer/path_code",
                                      "/../../share/pricer/path_code"};

enum { FOLDERS = 1 + sizeof shipped / sizeof *shipped, ROOM = PATH_MAX + 64 };

/* Finds the user's own folder and makes it; false where there is none. */
static bool find_user_folder(char *path)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    bool cache_is_set = cache && cache[0] == '/';
    if (!cache_is_set && !(home && home[0] == '/')) return false;
    int length = snprintf(path, PATH_MAX, "%s%s", cache_is_set ? cache : home,
                          cache_is_set ? "" : "/.cache");
    if (length >= PATH_MAX - KERNEL_NAME_ROOM) return false;
    mkdir(path, 0700);
    strcat(path, "/pricer");
    mkdir(path, 0700);
    return true;
}

static bool find_shipped(int folder, char *path)
{
    Dl_info info;
    struct link_map *map = NULL;
    bool found = dladdr1((const void *)shipped, &info, (void **)&map, RTLD_DL_LINKMAP) && map;
    const char *self = found && map->l_name[0] ? map->l_name : "/proc/self/exe";
    if (!realpath(self, path)) return false;
    strcpy(strrchr(path, '/'), shipped[folder - 1]);
    return true;
}

/* Tells whether nobody but this user or root can have written it. */
static bool is_ours(const struct stat *facts)
{
    return (facts->st_uid == geteuid() || !facts->st_uid) && !(facts->st_mode & 022);
}

/* Opens a folder that is ours, and no link; -1 where it is not there. */
static int open_folder(int folder, char *path)
{
    struct stat facts;
    if (folder ? !find_shipped(folder, path) : !find_user_folder(path)) return -1;
    int opened = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (opened >= 0 && !fstat(opened, &facts) && is_ours(&facts)) return opened;
    if (opened >= 0) close(opened);
    return -1;
}

/* A file is the code and the hash of its name and code, which says that it is whole, and that it is
 * no other kernel's. */
static void hash_code(const struct compiled_code *code, unsigned char digest[SHA256_BYTES])
{
    struct sha256 hash;
    sha256_begin(&hash);
    sha256_add(&hash, code->name, strlen(code->name) + 1);
    sha256_add(&hash, code->code, code->size);
    sha256_end(&hash, digest);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Opens a regular file that is ours; a link is not followed, and nobody waited for. */
static FILE *open_file(int folder, const char *name, struct stat *facts)
{
    char path[ROOM];
    FILE *file = NULL;
    int in = open_folder(folder, path);
    if (in < 0) return NULL;
    int opened = openat(in, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    close(in);
    if (opened < 0) return NULL;
    if (!fstat(opened, facts) && S_ISREG(facts->st_mode) && is_ours(facts))
        file = fdopen(opened, "rb");
    if (!file) close(opened);
    return file;
}

/* Reads a folder's file; false where it is not there, or damaged. */
static bool read_file(int folder, struct compiled_code *code)
{
    struct stat facts;
    unsigned char stored[SHA256_BYTES], wanted[SHA256_BYTES];
    bool whole = false;
    FILE *file = open_file(folder, code->name, &facts);
    if (!file) return false;
    if (facts.st_size > SHA256_BYTES && facts.st_size < 1 << 28) {
        code->size = (size_t)facts.st_size - SHA256_BYTES;
        code->code = malloc(code->size);
    }
    if (code->code && fread(code->code, 1, code->size, file) == code->size &&
        fread(stored, sizeof stored, 1, file) == 1) {
        hash_code(code, wanted);
        whole = !memcmp(stored, wanted, sizeof stored);
    }
    fclose(file);
    if (whole) return true;
    free(code->code);
    code->code = NULL;
    return false;
}

bool code_read(struct compiled_code *code)
{
    bool found = false;
    code->code = NULL;
    for (int folder = 0; folder < FOLDERS && !found; folder++) found = read_file(folder, code);
    return found;
}

/* ---- writing --------------------------------------------------------------------------------- */

void code_write(const struct compiled_code *code)
{
    char path[ROOM], temporary[ROOM + KERNEL_NAME_ROOM + 16], final[ROOM + KERNEL_NAME_ROOM];
    unsigned char hash[SHA256_BYTES];
    int folder = open_folder(0, path);
    if (folder < 0) return;
    close(folder);
    hash_code(code, hash);
    snprintf(final, sizeof final, "%s/%s", path, code->name);
    snprintf(temporary, sizeof temporary, "%s~XXXXXX", final);
    int opened = mkstemp(temporary);
    FILE *file = opened < 0 ? NULL : fdopen(opened, "wb");
    if (!file) return;
    bool whole = fwrite(code->code, 1, code->size, file) == code->size &&
                 fwrite(hash, sizeof hash, 1, file) == 1;
    whole = !fclose(file) && whole;
    if (!whole || rename(temporary, final)) unlink(temporary);
}
