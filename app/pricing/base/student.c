#include "app/pricing/base/student.h"

#include <math.h>

double normal_of_student(double t, double freedom)
{
    return copysign(sqrt(freedom * log1p(t * t / freedom)), t) * (8.0 * freedom + 1.0) /
           (8.0 * freedom + 3.0);
}

double student_factor(double z, double freedom)
{
    double w = z * (8.0 * freedom + 3.0) / (8.0 * freedom + 1.0);
    return sqrt(freedom * expm1(w * w / freedom)) / z;
}
