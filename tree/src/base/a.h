#ifndef A_H
#define A_H
int a(void);
#endif
