/* pricer-mpi: pricer on several machines. It takes the options of pricer and writes what that
 * writes, bit for bit; docs/cluster.md. */
#define _GNU_SOURCE /* sched_getaffinity */
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/command/command_line.h"
#include "app/mpi/local_gpus.h"
#include "app/mpi/rank_state.h"
#include "kernels/threads.h"

enum { MOST_SECONDS = 1000000 };

/* The program, on a thread of its own: the first one is MPI's. */
struct command {
    int argc, result;
    char **argv;
    struct mpi_ranks *ranks;
};

/* Returns what pricing is given; NULL where there is one rank. */
static const struct ranks *shared_by(const struct command *program)
{
    return program->ranks->shared.n > 1 ? &program->ranks->shared : NULL;
}

static void *run_command_line(void *argument)
{
    struct command *program = argument;
    program->result = command_line(program->argc, program->argv, shared_by(program));
    mpi_ranks_finish(program->ranks);
    return NULL;
}

/* Returns the number that an environment variable holds; 0 where it holds none. */
static long environment(const char *name)
{
    const char *value = getenv(name);
    return value ? strtol(value, NULL, 10) : 0;
}

/* Tells whether a launcher has started this process: asked before MPI begins, which makes the
 * environment look as if one had. */
static bool is_launched(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_SIZE",
                                        "MPI_LOCALNRANKS"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i])) return true;
    return false;
}

/* Lets Open MPI look for no network where all ranks are on one host, which takes it a quarter of a
 * second; shared memory is all that they need. What the environment or mpirun --mca has chosen
 * stays; a file of Open MPI's parameters is overruled. */
static void stay_on_host(void)
{
    long n = environment("OMPI_COMM_WORLD_SIZE");
    if (n > 0 && environment("OMPI_COMM_WORLD_LOCAL_SIZE") == n) setenv("OMPI_MCA_pml", "ob1", 0);
}

/* Says why one rank is not what was meant; NULL where it may be. */
static const char *lonely(bool launched)
{
    if (environment("SLURM_STEP_NUM_TASKS") > 1)
        return "srun started several tasks that MPI knows nothing of: srun --mpi=pmix";
    if (launched) return NULL;
    return "no MPI launcher: mpirun -n 2 pricer-mpi ..., srun --mpi=pmix pricer-mpi ..., or pricer";
}

/* Tells whether the arguments ask for a text alone, which takes no launcher. */
static bool is_text(int argc, char **argv)
{
    static const char *const texts[] = {"--help", "--version", "-h", "-v"};
    for (size_t i = 0; argc == 2 && i < sizeof texts / sizeof *texts; i++)
        if (!strcmp(argv[1], texts[i])) return true;
    return false;
}

static bool has_argument(const struct command *program, const char *argument)
{
    for (int i = 1; i < program->argc; i++)
        if (!strcmp(program->argv[i], argument)) return true;
    return false;
}

static bool is_quiet(const struct command *program)
{
    return has_argument(program, "--quiet") || has_argument(program, "-q");
}

/* Says so where all threads of rank 0 share one core, as Open MPI has it. */
static void say_binding(const struct command *program)
{
    cpu_set_t cores;
    const struct ranks *ranks = shared_by(program);
    if (ranks->rank || is_quiet(program) || has_argument(program, "--threads=1") ||
        sched_getaffinity(0, sizeof cores, &cores) || CPU_COUNT(&cores) > 1 ||
        sysconf(_SC_NPROCESSORS_ONLN) < 2)
        return;
    fprintf(stderr, "pricer: a rank is bound to one core, which its threads share: "
                    "mpirun --bind-to none, or --threads=1\n");
}

/* Says what rank 0 has dealt. */
static void say_dealt(const struct mpi_ranks *ranks)
{
    int n = ranks->shared.n, hosts = 0;
    for (int r = 0; r < n; r++) {
        int first = 0;
        while (strcmp(ranks->hosts[first], ranks->hosts[r])) first++;
        hosts += first == r;
    }
    fprintf(stderr, "pricer: %d ranks on %d host%s: %llu ranges, %llu of them to rank 0\n", n,
            hosts, hosts == 1 ? "" : "s", (unsigned long long)ranks->n_dealt,
            (unsigned long long)ranks->n_own);
}

/* Runs the program beside the pump, which one rank does not need, and returns its exit status: rank
 * 0's alone counts. */
static int run_beside(struct command *program)
{
    const struct ranks *ranks = shared_by(program);
    pthread_t thread;
    if (!ranks) return command_line(program->argc, program->argv, NULL);
    say_binding(program);
    if (pthread_create(&thread, NULL, run_command_line, program) ||
        !mpi_ranks_pump(program->ranks)) {
        fflush(NULL);
        MPI_Abort(MPI_COMM_WORLD, EXIT_MACHINE);
    }
    pthread_join(thread, NULL);
    if (ranks_follow(ranks)) return 0;
    if (!is_quiet(program) && program->ranks->n_dealt) say_dealt(program->ranks);
    return program->result;
}

static volatile sig_atomic_t is_ending;

static void end_anyway(int number)
{
    static const char start[] = "pricer: MPI does not start, as if a rank hung or never came: the "
                                "run ends\n",
                      end[] = "pricer: MPI does not end, as if a rank hung: the run ends\n";
    ssize_t written = is_ending ? write(STDERR_FILENO, end, sizeof end - 1)
                                : write(STDERR_FILENO, start, sizeof start - 1);
    (void)number, (void)written;
    _exit(EXIT_MACHINE);
}

/* Ends MPI, which waits for all ranks: for twice as long as the last of them may take to come here,
 * so that one that hangs ends the run. */
static void end_mpi(const struct mpi_ranks *ranks)
{
    is_ending = 1;
    if (ranks) alarm((unsigned)(2.0 * mpi_ranks_patience(ranks)));
    MPI_Finalize();
    alarm(0);
}

/* Reads PRICER_RANK_SECONDS; false where it is no number of seconds. */
static bool read_limit(long *limit)
{
    const char *text = getenv("PRICER_RANK_SECONDS");
    char *end = NULL;
    *limit = 900;
    if (!text) return true;
    *limit = strtol(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && !*end && *limit >= 1 && *limit <= MOST_SECONDS;
}

int main(int argc, char **argv)
{
    int given, size, result;
    struct command program = {.argc = argc, .argv = argv};
    bool launched = is_launched();
    long limit;
    if (!read_limit(&limit)) {
        if (!environment("OMPI_COMM_WORLD_RANK") && !environment("PMI_RANK"))
            fprintf(stderr,
                    "pricer: PRICER_RANK_SECONDS is '%.40s', not a whole number from 1 to %d\n",
                    getenv("PRICER_RANK_SECONDS"), MOST_SECONDS);
        return EXIT_BAD_INPUT;
    }
    stay_on_host();
    signal(SIGALRM, end_anyway);
    alarm((unsigned)limit);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &given);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const char *why = size == 1 && !is_text(argc, argv) ? lonely(launched) : NULL;
    if (!why) program.ranks = mpi_ranks_begin((double)limit);
    alarm(0);
    if (program.ranks) threads_share_cores(program.ranks->sharing);
    if (why) {
        fprintf(stderr, "pricer: %s\n", why);
        result = EXIT_BAD_INPUT;
    } else if (!program.ranks || !local_gpus_choose(program.ranks->local, program.ranks->n_local)) {
        fprintf(stderr, "pricer: not enough memory\n");
        MPI_Abort(MPI_COMM_WORLD, EXIT_MACHINE);
        result = EXIT_MACHINE;
    } else result = run_beside(&program);
    end_mpi(program.ranks);
    mpi_ranks_end(program.ranks);
    return result;
}
