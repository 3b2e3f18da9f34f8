#include "base/a.h"
int a(void)
{
    return 1;
}
