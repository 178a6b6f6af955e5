/* The files that every page holds, put into the program by app/report/embed.cmake. */
#ifndef PRICER_APP_REPORT_EMBEDDED_H
#define PRICER_APP_REPORT_EMBEDDED_H

#include <stddef.h>

struct embedded {
    const unsigned char *bytes;
    size_t length;
    const char *hash; /* SHA-256 in base64, as a Content-Security-Policy names it */
};

extern const struct embedded report_style;  /* of the page: colours.css, charts.css, style.css */
extern const struct embedded report_script; /* report.js */
extern const struct embedded chart_style;   /* of a chart that stands alone: the first two */

#endif
