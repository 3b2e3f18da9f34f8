/* Numbers beyond which a fit does less than it could. It tells so: the program after every fit it
 * happens to, <scdc/scdc.h> by scdc_model_info. */
#ifndef SCDC_LIMITS_H
#define SCDC_LIMITS_H

enum {
    /* Of more clusters the mixture and all neighbours place items as they are: answers do not
     * weigh them, there is no classifier beside them, and none is learned from answers. */
    SCDC_LIMIT_CLUSTERS = 64,
    /* Items of more values have no kernel classifier, and no clusters learned from answers. */
    SCDC_LIMIT_VALUES = 20000,
    /* Annotated items that teach the kernel classifier, those with the most answers. */
    SCDC_LIMIT_TAUGHT = 3000,
    /* Of more items each is placed by itself (and by answers), and hears no neighbours: these would
     * have to lie in the memory of every process. */
    SCDC_LIMIT_NEIGHBOURS = 250000
};

#endif
