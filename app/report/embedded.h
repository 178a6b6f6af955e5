/* The files that every page holds, put into the program by app/report/embed.cmake. */
#ifndef PRICER_APP_REPORT_EMBEDDED_H
#define PRICER_APP_REPORT_EMBEDDED_H

#include <stddef.h>

struct embedded {
    const unsigned char *bytes;
    size_t length;    /* 0: the build had none */
    const char *hash; /* SHA-256 in base64, as a Content-Security-Policy names it */
};

extern const struct embedded report_style;   /* style.css */
extern const struct embedded report_script;  /* report.js */
extern const struct embedded report_library; /* D3 and Observable Plot, after their licences */

#endif
