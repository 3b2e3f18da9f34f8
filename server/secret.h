/* Tokens: 128 random bits as 32 hexadecimal digits. Only their SHA-256 is kept. */
#ifndef SCDC_SERVER_SECRET_H
#define SCDC_SERVER_SECRET_H

#include <stdbool.h>
#include <stdint.h>

enum { TOKEN_LENGTH = 32, HASH_SIZE = 32, SEAL_LENGTH = 16 };

typedef struct token_hash {
    unsigned char bytes[HASH_SIZE];
} token_hash;

void token_make(char out[TOKEN_LENGTH + 1]);
/* False when the text is not shaped like a token. */
bool token_hash_of(token_hash *out, const char *text);
/* In constant time. */
bool token_hash_equal(const token_hash *a, const token_hash *b);

/* What a worker must hand back with an answer: only who was given the task knows it. */
void seal_make(char out[SEAL_LENGTH + 1], const char *secret, uint32_t task, uint32_t worker);
bool seal_equal(const char *a, const char *b);

#endif
