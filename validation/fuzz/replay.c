/* Runs a fuzz target on every file of the folders named: what fuzzing once found is looked at by
 * every test run. */
#define _XOPEN_SOURCE 700

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "validation/fuzz/fuzz.h"

static int run_file(const char *folder, const char *name)
{
    static uint8_t bytes[1 << 20];
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return 1;
    }
    size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    LLVMFuzzerTestOneInput(bytes, length);
    return 0;
}

int main(int argc, char **argv)
{
    int n = 0, failed = 0;
    for (int i = 1; i < argc; i++) {
        DIR *folder = opendir(argv[i]);
        if (!folder) {
            perror(argv[i]);
            return 1;
        }
        for (const struct dirent *entry; (entry = readdir(folder)); n++)
            if (entry->d_name[0] != '.') failed += run_file(argv[i], entry->d_name);
        closedir(folder);
    }
    printf("%d inputs\n", n);
    return failed || n < 3;
}
