/* A library to preload (LD_PRELOAD) that fails one call of the program: the FAULT-th of those that
 * can fail, and with FAULT=N+ all after it as well. Without FAULT it fails none. At the end it
 * appends to the file FAULT_LOG what happened: "calls N", "failed NAME" where the call was reached,
 * and "leaked N" where N blocks that the program itself had allocated were not freed.
 *
 * Counted are allocations, whoever asks for them but libconfig (1.5 does not look at what malloc
 * returns), threads, and what is done to files; with FAULT_OWN those of the program alone, not of
 * its libraries. glibc on Linux only: it reaches the C library by dlsym and __libc_malloc. */
#define _GNU_SOURCE

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <locale.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

/* ---- who calls ------------------------------------------------------------------------------- */

struct address_range {
    uintptr_t begin, end;
};

static struct address_range program, config_library, this_library;

static int note_object(struct dl_phdr_info *object, size_t size, void *context)
{
    (void)size, (void)context;
    struct address_range range = {UINTPTR_MAX, 0};
    for (int i = 0; i < object->dlpi_phnum; i++) {
        if (object->dlpi_phdr[i].p_type != PT_LOAD) continue;
        uintptr_t begin = object->dlpi_addr + object->dlpi_phdr[i].p_vaddr;
        uintptr_t end = begin + object->dlpi_phdr[i].p_memsz;
        if (begin < range.begin) range.begin = begin;
        if (end > range.end) range.end = end;
    }
    if (!object->dlpi_name[0] && !program.end) program = range;
    if (strstr(object->dlpi_name, "libconfig.so")) config_library = range;
    if ((uintptr_t)&note_object >= range.begin && (uintptr_t)&note_object < range.end)
        this_library = range;
    return 0;
}

static bool is_in(struct address_range range, const void *caller)
{
    return (uintptr_t)caller >= range.begin && (uintptr_t)caller < range.end;
}

/* ---- which call fails ------------------------------------------------------------------------ */

static bool ready, sticky, own;
static long calls, fails_at; /* 0: none */
static const char *failed;

__attribute__((constructor)) static void begin(void)
{
    const char *fault = getenv("FAULT");
    dl_iterate_phdr(note_object, NULL);
    own = getenv("FAULT_OWN") != NULL;
    if (fault) {
        char *end;
        fails_at = strtol(fault, &end, 10);
        sticky = *end == '+';
    }
}

/* Nothing fails before main: what libraries do when they are loaded (CUDA's registers its kernels)
 * is not the program's to answer for. */
typedef int main_function(int argc, char **argv, char **environment);
typedef int start_function(main_function *program_main, int argc, char **argv, void (*init)(void),
                           void (*fini)(void), void (*loader_fini)(void), void *stack_end);

static main_function *program_main;

static int main_with_faults(int argc, char **argv, char **environment)
{
    ready = true;
    return program_main(argc, argv, environment);
}

int __libc_start_main(main_function *wanted, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*loader_fini)(void), void *stack_end)
{
    start_function *start = (start_function *)dlsym(RTLD_NEXT, "__libc_start_main");
    program_main = wanted;
    return start(main_with_faults, argc, argv, init, fini, loader_fini, stack_end);
}

/* Whether this call fails; `caller` is whom it returns to. */
static bool fails(const char *name, const void *caller)
{
    if (!ready || is_in(config_library, caller) || is_in(this_library, caller)) return false;
    if (own && !is_in(program, caller)) return false;
    long call = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
    if (!fails_at || call < fails_at || (call > fails_at && !sticky)) return false;
    if (call == fails_at) failed = name;
    return true;
}

/* ---- blocks of the program that are not freed yet -------------------------------------------- */

/* As few as a run needs: each page of the table that is touched costs every run. */
enum { BLOCKS = 1 << 16 };

static void *blocks[BLOCKS]; /* open addressing; a block that went leaves `gone` */
static char gone;
static long n_blocks, n_taken;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static size_t place_of(const void *block)
{
    return (size_t)(((uintptr_t)block >> 4) * 0x9E3779B97F4A7C15u >> 48) % BLOCKS;
}

static void *note_block(void *block, const void *caller)
{
    if (!ready || !block || !is_in(program, caller)) return block;
    pthread_mutex_lock(&lock);
    size_t i = place_of(block);
    while (blocks[i] && blocks[i] != &gone) i = (i + 1) % BLOCKS;
    if (!blocks[i] && ++n_taken > BLOCKS / 2) abort();
    blocks[i] = block;
    n_blocks++;
    pthread_mutex_unlock(&lock);
    return block;
}

static void forget_block(void *block)
{
    if (!ready || !block) return;
    pthread_mutex_lock(&lock);
    size_t i = place_of(block);
    while (blocks[i] && blocks[i] != block) i = (i + 1) % BLOCKS;
    if (blocks[i]) {
        blocks[i] = &gone;
        n_blocks--;
    }
    pthread_mutex_unlock(&lock);
}

__attribute__((destructor)) static void end(void)
{
    const char *log = getenv("FAULT_LOG");
    char text[200];
    ready = false;
    int length = snprintf(text, sizeof text, "calls %ld\n", calls);
    if (failed)
        length += snprintf(text + length, sizeof text - (size_t)length, "failed %s\n", failed);
    if (n_blocks)
        length += snprintf(text + length, sizeof text - (size_t)length, "leaked %ld\n", n_blocks);
    int file = log ? open(log, O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;
    if (file < 0) return;
    if (write(file, text, (size_t)length) != length) abort();
    close(file);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void *no_memory(void)
{
    errno = ENOMEM;
    return NULL;
}

void *malloc(size_t size)
{
    return fails("malloc", __builtin_return_address(0))
               ? no_memory()
               : note_block(__libc_malloc(size), __builtin_return_address(0));
}

void *calloc(size_t n, size_t size)
{
    return fails("calloc", __builtin_return_address(0))
               ? no_memory()
               : note_block(__libc_calloc(n, size), __builtin_return_address(0));
}

void *realloc(void *block, size_t size)
{
    if (fails("realloc", __builtin_return_address(0))) return no_memory();
    forget_block(block);
    return note_block(__libc_realloc(block, size), __builtin_return_address(0));
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return fails("aligned_alloc", __builtin_return_address(0))
               ? no_memory()
               : note_block(__libc_memalign(alignment, size), __builtin_return_address(0));
}

void free(void *block)
{
    forget_block(block);
    __libc_free(block);
}

static char *copy(const char *text, size_t length, const void *caller)
{
    char *made = __libc_malloc(length + 1);
    if (!made) return NULL;
    memcpy(made, text, length);
    made[length] = '\0';
    return note_block(made, caller);
}

char *strdup(const char *text)
{
    return fails("strdup", __builtin_return_address(0))
               ? no_memory()
               : copy(text, strlen(text), __builtin_return_address(0));
}

/* The name under which libconfig calls it. */
char *__strdup(const char *text)
{
    return fails("strdup", __builtin_return_address(0))
               ? no_memory()
               : copy(text, strlen(text), __builtin_return_address(0));
}

char *strndup(const char *text, size_t most)
{
    return fails("strndup", __builtin_return_address(0))
               ? no_memory()
               : copy(text, strnlen(text, most), __builtin_return_address(0));
}

/* libconfig's parser takes a locale, and does not look whether it got one. */
locale_t newlocale(int mask, const char *name, locale_t base)
{
    locale_t (*function)(int, const char *, locale_t) =
        (locale_t(*)(int, const char *, locale_t))dlsym(RTLD_NEXT, "newlocale");
    bool was = ready;
    ready = ready && !is_in(config_library, __builtin_return_address(0));
    locale_t made = function(mask, name, base);
    ready = was;
    return made;
}

/* ---- files and threads ----------------------------------------------------------------------- */

/* The C library's own function of this name. */
static void *real(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

static int failure(int error)
{
    errno = error;
    return -1;
}

static void *no_result(int error)
{
    errno = error;
    return NULL;
}

FILE *fopen(const char *path, const char *mode)
{
    FILE *(*function)(const char *, const char *) =
        (FILE * (*)(const char *, const char *)) real("fopen");
    return fails("fopen", __builtin_return_address(0)) ? no_result(EMFILE) : function(path, mode);
}

FILE *fdopen(int descriptor, const char *mode)
{
    FILE *(*function)(int, const char *) = (FILE * (*)(int, const char *)) real("fdopen");
    return fails("fdopen", __builtin_return_address(0)) ? no_result(ENOMEM)
                                                        : function(descriptor, mode);
}

int mkstemp(char *name)
{
    int (*function)(char *) = (int (*)(char *))real("mkstemp");
    return fails("mkstemp", __builtin_return_address(0)) ? failure(ENOSPC) : function(name);
}

int rename(const char *from, const char *to)
{
    int (*function)(const char *, const char *) =
        (int (*)(const char *, const char *))real("rename");
    return fails("rename", __builtin_return_address(0)) ? failure(EIO) : function(from, to);
}

int fsync(int descriptor)
{
    int (*function)(int) = (int (*)(int))real("fsync");
    return fails("fsync", __builtin_return_address(0)) ? failure(EIO) : function(descriptor);
}

/* What a database writes and reads. */
ssize_t pwrite64(int descriptor, const void *from, size_t size, off64_t at)
{
    ssize_t (*function)(int, const void *, size_t, off64_t) =
        (ssize_t(*)(int, const void *, size_t, off64_t))real("pwrite64");
    return fails("pwrite", __builtin_return_address(0)) ? failure(ENOSPC)
                                                        : function(descriptor, from, size, at);
}

ssize_t pread64(int descriptor, void *to, size_t size, off64_t at)
{
    ssize_t (*function)(int, void *, size_t, off64_t) =
        (ssize_t(*)(int, void *, size_t, off64_t))real("pread64");
    return fails("pread", __builtin_return_address(0)) ? failure(EIO)
                                                       : function(descriptor, to, size, at);
}

int ftruncate64(int descriptor, off64_t size)
{
    int (*function)(int, off64_t) = (int (*)(int, off64_t))real("ftruncate64");
    return fails("ftruncate", __builtin_return_address(0)) ? failure(EIO)
                                                           : function(descriptor, size);
}

int fdatasync(int descriptor)
{
    int (*function)(int) = (int (*)(int))real("fdatasync");
    return fails("fdatasync", __builtin_return_address(0)) ? failure(EIO) : function(descriptor);
}

int stat(const char *path, struct stat *facts)
{
    int (*function)(const char *, struct stat *) =
        (int (*)(const char *, struct stat *))real("stat");
    return fails("stat", __builtin_return_address(0)) ? failure(EIO) : function(path, facts);
}

int fstat(int descriptor, struct stat *facts)
{
    int (*function)(int, struct stat *) = (int (*)(int, struct stat *))real("fstat");
    return fails("fstat", __builtin_return_address(0)) ? failure(EIO) : function(descriptor, facts);
}

ssize_t read(int descriptor, void *to, size_t size)
{
    ssize_t (*function)(int, void *, size_t) = (ssize_t(*)(int, void *, size_t))real("read");
    return fails("read", __builtin_return_address(0)) ? failure(EIO)
                                                      : function(descriptor, to, size);
}

char *realpath(const char *path, char *resolved)
{
    char *(*function)(const char *, char *) = (char *(*)(const char *, char *))real("realpath");
    return fails("realpath", __builtin_return_address(0)) ? no_result(ENOMEM)
                                                          : function(path, resolved);
}

int open(const char *path, int flags, ...)
{
    int (*function)(const char *, int, ...) = (int (*)(const char *, int, ...))real("open");
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    va_end(more);
    return fails("open", __builtin_return_address(0)) ? failure(EMFILE)
                                                      : function(path, flags, mode);
}

/* As a full disk does it: the stream remembers the error. */
static void mark(FILE *stream)
{
    stream->_flags |= 0x20; /* _IO_ERR_SEEN */
    errno = ENOSPC;
}

size_t fwrite(const void *from, size_t size, size_t n, FILE *stream)
{
    size_t (*function)(const void *, size_t, size_t, FILE *) =
        (size_t(*)(const void *, size_t, size_t, FILE *))real("fwrite");
    if (stream == stderr || !fails("fwrite", __builtin_return_address(0)))
        return function(from, size, n, stream);
    mark(stream);
    return 0;
}

int fflush(FILE *stream)
{
    int (*function)(FILE *) = (int (*)(FILE *))real("fflush");
    if (stream == stderr || !fails("fflush", __builtin_return_address(0))) return function(stream);
    mark(stream);
    return EOF;
}

/* The stream is gone, whatever fclose says. */
int fclose(FILE *stream)
{
    int (*function)(FILE *) = (int (*)(FILE *))real("fclose");
    bool failing = fails("fclose", __builtin_return_address(0));
    int result = function(stream);
    if (!failing) return result;
    errno = ENOSPC;
    return EOF;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *context)
{
    int (*function)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = (int (*)(
        pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))real("pthread_create");
    return fails("pthread_create", __builtin_return_address(0))
               ? EAGAIN
               : function(thread, attributes, start, context);
}
