#include "kernels/cuda/host/code_folder.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_ROOM = 1024, LONGEST_NAME = KERNEL_NAME_ROOM, FOLDERS = 3 };

/* Finds the path of the folder, or of a file in it, and makes it; false where there is none. */
static bool find_own(const char *name, char *path)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    bool own = cache && cache[0] == '/';
    if (!own && !(home && home[0] == '/')) return false;
    int length = snprintf(path, FILE_ROOM, "%s%s", own ? cache : home, own ? "" : "/.cache");
    if (length >= FILE_ROOM - 2 * LONGEST_NAME) return false;
    mkdir(path, 0700);
    strcat(path, "/pricer");
    mkdir(path, 0700);
    snprintf(path + strlen(path), 2 * LONGEST_NAME - 16, "/%s", name);
    return true;
}

/* The folders that are read: the user's own, and those that came with the program. */
static bool find_folder(int folder, const char *name, char *path)
{
    static const char *const shipped[FOLDERS] = {NULL, BUILT_CODE, INSTALLED_CODE};
    if (!folder) return find_own(name, path);
    return snprintf(path, FILE_ROOM, "%s/%s", shipped[folder], name) < FILE_ROOM;
}

/* A file is the code and its hash, which says that it is whole. */
static uint64_t hash_code(const char *code, size_t size)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++) hash = (hash ^ (unsigned char)code[i]) * 0x100000001b3u;
    return hash;
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool read_whole(FILE *file, struct compiled_code *code)
{
    uint64_t hash;
    return fread(code->code, 1, code->size, file) == code->size &&
           fread(&hash, sizeof hash, 1, file) == 1 && hash == hash_code(code->code, code->size);
}

/* Reads a folder's file; false where it is not there, or damaged. */
static bool read_file(int folder, const char *name, struct compiled_code *code)
{
    char path[FILE_ROOM];
    struct stat facts;
    FILE *file = find_folder(folder, name, path) ? fopen(path, "rb") : NULL;
    *code = (struct compiled_code){.code = NULL};
    snprintf(code->name, sizeof code->name, "%s", name);
    if (!file) return false;
    if (!fstat(fileno(file), &facts) && facts.st_size > (off_t)sizeof(uint64_t) &&
        facts.st_size < 1 << 28) {
        code->size = (size_t)facts.st_size - sizeof(uint64_t);
        code->code = malloc(code->size);
    }
    bool whole = code->code && read_whole(file, code);
    fclose(file);
    if (whole) return true;
    free(code->code);
    code->code = NULL;
    return false;
}

bool code_read(const char *name, struct compiled_code *code)
{
    bool there = false;
    for (int folder = 0; folder < FOLDERS && !there; folder++)
        there = read_file(folder, name, code);
    return there;
}

/* ---- writing --------------------------------------------------------------------------------- */

void code_write(const struct compiled_code *code)
{
    char path[FILE_ROOM];
    char temporary[FILE_ROOM + 32];
    uint64_t hash = hash_code(code->code, code->size);
    if (!find_own(code->name, path)) return;
    snprintf(temporary, sizeof temporary, "%s~XXXXXX", path);
    int opened = mkstemp(temporary);
    FILE *file = opened < 0 ? NULL : fdopen(opened, "wb");
    if (!file) return;
    bool whole = fwrite(code->code, 1, code->size, file) == code->size &&
                 fwrite(&hash, sizeof hash, 1, file) == 1;
    whole = !fclose(file) && whole;
    if (!whole || rename(temporary, path)) unlink(temporary);
}
