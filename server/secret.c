/* Random bits, hashes and seals, all from GnuTLS. */
#include "secret.h"

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_hex(char *out, const unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) snprintf(out + 2 * i, 3, "%02x", bytes[i]);
}

void token_make(char out[TOKEN_LENGTH + 1])
{
    unsigned char bytes[TOKEN_LENGTH / 2];
    if (gnutls_rnd(GNUTLS_RND_KEY, bytes, sizeof bytes) != 0) {
        fputs("scdc: no random numbers from the system\n", stderr);
        exit(1);
    }
    put_hex(out, bytes, sizeof bytes);
}

bool token_hash_of(token_hash *out, const char *text)
{
    if (strlen(text) != TOKEN_LENGTH || text[strspn(text, "0123456789abcdef")] != '\0')
        return false;
    return gnutls_hash_fast(GNUTLS_DIG_SHA256, text, TOKEN_LENGTH, out->bytes) == 0;
}

bool token_hash_equal(const token_hash *a, const token_hash *b)
{
    return gnutls_memcmp(a->bytes, b->bytes, HASH_SIZE) == 0;
}

void seal_make(char out[SEAL_LENGTH + 1], const char *secret, uint32_t task, uint32_t worker)
{
    unsigned char mac[HASH_SIZE];
    char text[32];
    int length = snprintf(text, sizeof text, "%lu.%lu", (unsigned long)task, (unsigned long)worker);
    memset(mac, 0, sizeof mac);
    gnutls_hmac_fast(GNUTLS_MAC_SHA256, secret, strlen(secret), text, (size_t)length, mac);
    put_hex(out, mac, SEAL_LENGTH / 2);
}

bool seal_equal(const char *a, const char *b)
{
    return strlen(a) == SEAL_LENGTH && strlen(b) == SEAL_LENGTH &&
           gnutls_memcmp(a, b, SEAL_LENGTH) == 0;
}
