/* Program scdc: the command table. */
#include <scdc/scdc.h>

#include <stdio.h>

int main(void)
{
    printf("scdc %s\n", scdc_version());
    return 0;
}
