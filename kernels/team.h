/* Threads that share loops. A piece of a loop may itself run a loop: threads that have nothing left
 * to take of the first one help with it. So one long job among many short ones, and one job that is
 * all there is, keep the machine busy alike. */
#ifndef PRICER_KERNELS_TEAM_H
#define PRICER_KERNELS_TEAM_H

struct team;

/* Begins a team of at most that many threads, the caller's included; they are started when there
 * is something to do. NULL where memory is lacking, and where one thread is asked for: the caller's
 * thread then does without. */
struct team *team_begin(int threads);

/* Ends the threads, which must have no loop. NULL is accepted. */
void team_end(struct team *team);

/* Returns the threads of a team, the caller's included. */
int team_threads(const struct team *team);

/* Does pieces 0 .. n - 1, each once: on the caller's thread, and begun in order on whatever others
 * of the team are idle; returns when all are done. Any number of threads may call it at the same
 * time, those of the team among them. Pieces must not wait for each other. NULL: in order, on the
 * caller's thread. */
typedef void team_piece(void *context, int i);
void team_loop(struct team *team, int n, team_piece *piece, void *context);

#endif
