#include <scdc/scdc.h>
#include <stdio.h>
