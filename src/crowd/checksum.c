/* A checksum of the answers, to tell whether two files hold the same ones. */
#include "crowd/crowd.h"
#include "io/byte_order.h"

enum { NUMBERS = sizeof(scdc_answer) / sizeof(uint32_t) }; /* that an answer is made of */

uint32_t scdc_crowd_checksum(const scdc_crowd *crowd)
{
    if (!crowd) return 0;
    return checksum_values(0, crowd->answers, crowd->count * NUMBERS, sizeof(uint32_t));
}
