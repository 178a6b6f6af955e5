/* `pricer diff`: what changed between two nights, trade by trade, and why. */
#ifndef PRICER_APP_COMMAND_DIFF_H
#define PRICER_APP_COMMAND_DIFF_H

/* Arguments as of main, without the word diff: FILE.db[:RUN] [FILE.db[:RUN]]. One file alone: its
 * last two complete runs; a file without a run: its last complete one. Writes to standard output,
 * what is wrong to standard error. Returns an exit status: 0 nothing changed beyond noise, 1
 * something did, 2 bad input, 3 the machine failed. */
int diff_runs(int argc, char **argv);

#endif
