/* Status codes and the thread-local message that travels with them. */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MESSAGE_SIZE = 1024 };
static _Thread_local char message[MESSAGE_SIZE];

const char *scdc_last_error(void)
{
    return message;
}

const char *scdc_version(void)
{
#define TEXT(x) #x
#define VERSION(a, b, c) TEXT(a) "." TEXT(b) "." TEXT(c)
    return VERSION(SCDC_VERSION_MAJOR, SCDC_VERSION_MINOR, SCDC_VERSION_PATCH);
}

const char *scdc_status_name(int status)
{
    switch (status) {
    case SCDC_OK: return "SCDC_OK";
    case SCDC_ERR_ARGUMENT: return "SCDC_ERR_ARGUMENT";
    case SCDC_ERR_INPUT: return "SCDC_ERR_INPUT";
    case SCDC_ERR_OUTPUT: return "SCDC_ERR_OUTPUT";
    case SCDC_ERR_MEMORY: return "SCDC_ERR_MEMORY";
    case SCDC_ERR_NUMERIC: return "SCDC_ERR_NUMERIC";
    case SCDC_ERR_STOPPED: return "SCDC_ERR_STOPPED";
    case SCDC_ERR_UNSUPPORTED: return "SCDC_ERR_UNSUPPORTED";
    case SCDC_ERR_INTERNAL: return "SCDC_ERR_INTERNAL";
    default: return "unknown status";
    }
}

int fail_with(scdc_status code, const char *format, ...)
{
    /* Written aside first: an argument may point into the old message. */
    char text[MESSAGE_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    memcpy(message, text, sizeof message);
    return code;
}

int fail_prefix(int code, const char *format, ...)
{
    char prefix[MESSAGE_SIZE], text[MESSAGE_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(prefix, sizeof prefix, format, args);
    va_end(args);
    memcpy(text, message, sizeof text);
    size_t length = strlen(prefix);
    if (length > MESSAGE_SIZE - 3) length = MESSAGE_SIZE - 3;
    memcpy(message, prefix, length);
    memcpy(message + length, ": ", 2);
    size_t room = MESSAGE_SIZE - 1 - (length + 2);
    size_t rest = strlen(text);
    if (rest > room) rest = room;
    memcpy(message + length + 2, text, rest);
    message[length + 2 + rest] = '\0';
    return code;
}

int fail_memory(size_t bytes, const char *what)
{
    return fail_with(SCDC_ERR_MEMORY, "out of memory: %s needs %zu bytes", what, bytes);
}
