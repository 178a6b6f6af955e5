#define _GNU_SOURCE /* wait4 */
#include "validation/tests/random_books/watched_run.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Processor time of a process that runs; 0 where the system does not say. */
static double busy_seconds(pid_t pid)
{
    char path[64], text[1024] = "";
    unsigned long user = 0, system = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "r");
    if (!file) return 0.0;
    size_t n = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[n] = '\0';
    const char *end = strrchr(text, ')'); /* of the name, field 2; the times are fields 14 and 15 */
    if (!end || sscanf(end + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
                       &system) != 2)
        return 0.0;
    return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

_Noreturn static void become(const char *folder, char *const *arguments, const char *out,
                             const char *err)
{
    if (chdir(folder)) _exit(127);
    int output = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600),
        error = open(err, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (output < 0 || error < 0 || dup2(output, 1) < 0 || dup2(error, 2) < 0) _exit(127);
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    execv(arguments[0], arguments);
    _exit(127);
}

struct ending watched_run(const char *folder, char *const *arguments, const char *out,
                          const char *err, double patience, double labour)
{
    struct ending ending = {.status = 127};
    struct rusage usage;
    int status = 0, turn = 0;
    double began = now(), sent = 0.0, busy = 0.0;
    pid_t pid = fork();
    if (pid < 0) return ending;
    if (!pid) become(folder, arguments, out, err);
    while (wait4(pid, &status, WNOHANG, &usage) == 0) {
        struct timespec moment = {0, 1000000};
        nanosleep(&moment, NULL);
        double passed = now() - began;
        if (!ending.stopped &&
            (passed > patience || (++turn % 32 == 0 && busy_seconds(pid) > labour))) {
            busy = busy_seconds(pid);
            sent = now();
            ending.stopped = !kill(pid, SIGTERM);
        }
        if (ending.stopped && now() - sent > 10.0) kill(pid, SIGKILL);
    }
    ending.seconds = now() - began;
    if (ending.stopped) {
        ending.after = now() - sent;
        ending.busy = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime) - busy;
    }
    ending.killed = WIFSIGNALED(status);
    ending.status = ending.killed ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return ending;
}

char *read_whole_file(const char *folder, const char *name)
{
    char path[4096], *text = NULL;
    size_t length = 0;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r"), *into = open_memstream(&text, &length);
    if (!into) abort();
    for (int c; file && (c = getc(file)) != EOF;) putc(c, into);
    if (file) fclose(file);
    fclose(into);
    return text;
}
