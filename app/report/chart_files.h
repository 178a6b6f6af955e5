/* The charts of a page as pictures of their own: FOLDER/NAME.svg for the figure "chart-NAME", or
 * NAME-1.svg, NAME-2.svg, ... of a figure of several. Each has its title and its style, follows who
 * shows it into the dark, and is complete or absent. */
#ifndef PRICER_APP_REPORT_CHART_FILES_H
#define PRICER_APP_REPORT_CHART_FILES_H

#include "models/base/status.h"

/* Makes the folder, which ends in /, and tells whether a picture could be put there. STATUS_FILE
 * and one line; STATUS_NO_MEMORY. */
enum status chart_files_possible(const char *folder, struct message *why);

/* Writes every chart of a page of the report but those of single trades; other files of the folder
 * stay. STATUS_FILE and one
 * line; STATUS_NO_MEMORY. */
enum status chart_files_write(const char *folder, const char *page, struct message *why);

#endif
