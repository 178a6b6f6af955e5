/* SHA-256 (FIPS 180-4). */
#ifndef PRICER_MODELS_BASE_SHA256_H
#define PRICER_MODELS_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { SHA256_BYTES = 32 };

/* A hash under way. */
struct sha256 {
    uint32_t state[8];
    uint64_t n; /* bytes so far */
    unsigned char block[64];
};

void sha256_begin(struct sha256 *hash);
void sha256_add(struct sha256 *hash, const void *bytes, size_t n);

/* Writes the hash of all that was added. */
void sha256_end(struct sha256 *hash, unsigned char digest[SHA256_BYTES]);

#endif
