/* A checksum of the answers, to tell whether two files hold the same ones. */
#include "crowd/crowd.h"

#include <zlib.h>

uint32_t scdc_crowd_checksum(const scdc_crowd *crowd)
{
    uLong crc = crc32_z(0, NULL, 0);
    if (crowd)
        crc = crc32_z(crc, (const void *)crowd->answers, crowd->count * sizeof *crowd->answers);
    return (uint32_t)crc;
}
