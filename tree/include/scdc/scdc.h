#define SCDC_API
SCDC_API int scdc_one(void);
SCDC_API const char *scdc_two(int,
    int);
