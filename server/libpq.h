/* libpq, loaded when the first database is opened: linked to the program every other command would
 * take a third longer to start (it brings Kerberos and LDAP along), and who has no database need
 * not have it. pq.finish(...) is PQfinish(...), and so on. */
#ifndef SCDC_SERVER_LIBPQ_H
#define SCDC_SERVER_LIBPQ_H

#include "base.h"

#include <libpq-fe.h>

#define LIBPQ_CALLS(CALL)                                                                          \
    CALL(clear)                                                                                    \
    CALL(connectdbParams)                                                                          \
    CALL(conninfoFree)                                                                             \
    CALL(conninfoParse)                                                                            \
    CALL(consumeInput)                                                                             \
    CALL(enterPipelineMode)                                                                        \
    CALL(errorMessage)                                                                             \
    CALL(exec)                                                                                     \
    CALL(finish)                                                                                   \
    CALL(flush)                                                                                    \
    CALL(getResult)                                                                                \
    CALL(getvalue)                                                                                 \
    CALL(isBusy)                                                                                   \
    CALL(nfields)                                                                                  \
    CALL(ntuples)                                                                                  \
    CALL(parameterStatus)                                                                          \
    CALL(pipelineSync)                                                                             \
    CALL(prepare)                                                                                  \
    CALL(resultErrorField)                                                                         \
    CALL(resultErrorMessage)                                                                       \
    CALL(resultStatus)                                                                             \
    CALL(sendQueryParams)                                                                          \
    CALL(sendQueryPrepared)                                                                        \
    CALL(setnonblocking)                                                                           \
    CALL(socket)                                                                                   \
    CALL(status)                                                                                   \
    CALL(transactionStatus)

typedef struct libpq {
#define LIBPQ_MEMBER(name) __typeof__(PQ##name) *name;
    LIBPQ_CALLS(LIBPQ_MEMBER)
#undef LIBPQ_MEMBER
} libpq;

extern libpq pq;
/* Before the first of its functions. SCDC_ERR_ARGUMENT when the library is not there. */
int libpq_load(void);

#endif
