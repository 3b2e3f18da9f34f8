#include "model/m.h"
#include "a.h"
