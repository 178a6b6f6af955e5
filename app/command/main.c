/* pricer: prices a book of equity and FX derivatives by Monte Carlo and checks every price. */
#include "app/command/command_line.h"

int main(int argc, char **argv)
{
    return command_line(argc, argv, NULL);
}
