/* Which sanitizer a test is built with: gcc defines macros, clang has features. */
#ifndef SCDC_TESTS_SANITIZERS_H
#define SCDC_TESTS_SANITIZERS_H

#ifndef __has_feature
#define __has_feature(what) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#define ADDRESS_SANITIZER 1
#else
#define ADDRESS_SANITIZER 0
#endif

#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
#define THREAD_SANITIZER 1
#else
#define THREAD_SANITIZER 0
#endif

#define SANITIZED (ADDRESS_SANITIZER || THREAD_SANITIZER)

/* Of so many draws some must be good: a sanitizer, under which each takes several times as long, is
 * shown one of them, and how many are good is asked of the ordinary build. */
#define DRAWS(count) (SANITIZED ? 1 : (count))
#define MOST_ARE_GOOD(good, least) (SANITIZED || (good) >= (least))

#endif
