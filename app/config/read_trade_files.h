/* Trades in CSV files: a row is a trade, its columns are the keys of the format. Each row becomes
 * the group that the book would have held, so that the same reading, the same rules and the same
 * complaints serve both. */
#ifndef PRICER_APP_CONFIG_READ_TRADE_FILES_H
#define PRICER_APP_CONFIG_READ_TRADE_FILES_H

#include "app/config/read_trades.h"

/* Reads the trades of a file, or of a list of files, named by `at`, behind those that are in the
 * list already. Complaints go to the reader. */
void read_trade_files(struct reader *reader, const config_setting_t *at, struct trade_list *list);

/* Does the same for the text of one file, which is file `file` of the reader's source. */
void read_trade_rows(struct reader *reader, int file, const char *text, size_t length,
                     struct trade_list *list);

#endif
