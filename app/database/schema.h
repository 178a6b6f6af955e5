/* The tables of a results database: docs/database.md describes each column. */
#ifndef PRICER_APP_DATABASE_SCHEMA_H
#define PRICER_APP_DATABASE_SCHEMA_H

/* In the header of the file (SQLite's application_id and user_version): whose it is, and of which
 * layout. */
enum { SCHEMA_APPLICATION = 0x50524943, SCHEMA_VERSION = 4 };

/* SQL that makes all tables in an empty file; does nothing where they are there. */
extern const char schema_sql[];

#endif
