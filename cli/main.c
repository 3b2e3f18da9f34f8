/* Program scdc. */
#include "commands.h"
#include "output.h"

int main(int argc, char **argv)
{
    take_fast_products(argv);
    end_program(run_program(argc, argv));
}
