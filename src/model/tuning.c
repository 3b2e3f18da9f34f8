/* Constants from the environment, for measuring what they do: in builds with -DSCDC_ABLATIONS only.
 */
#include "model/tuning.h"

#ifdef SCDC_ABLATIONS
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

double tuned(const char *name, double usual)
{
    const char *text = getenv(name);
    double value;
    return text && text_double(&value, text, strlen(text)) ? value : usual;
}
#else
typedef int nothing_here; /* a source file may not be empty */
#endif
