// Student's t distribution.
#ifndef MBS_STUDENT_H
#define MBS_STUDENT_H

// Probability that |t| is below x, with so many degrees of freedom; HUGE_VAL of them: the normal distribution.
double mbs_student_inside(double x, double freedom);
// x with that probability, 0 < inside < 1.
double mbs_student_bound(double inside, double freedom);
// Probability that a sum of squares of so many standard normal numbers is above x.
double mbs_chi_square_above(double x, double freedom);

#endif
