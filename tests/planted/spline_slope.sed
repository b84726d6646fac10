# The right side of the equations for a spline's slopes: 2 instead of 3.
# source: src/expressions/table_slopes.c
# test: test_tables
# expect: ^spline: .*, expected
s/add_secant(p, y, i - 1, 3 \* step_of(p, i)/add_secant(p, y, i - 1, 2 * step_of(p, i)/
