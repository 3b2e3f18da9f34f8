#ifndef M_H
#define M_H
size_t m(void);
#endif
