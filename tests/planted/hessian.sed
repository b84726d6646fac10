# The curvature of a constraint in the assembled matrix.
# source: src/terms/row_evaluate.c
# verify: models/pendulum.yaml --step 0.05 --end 1 --objective swing
# expect: constraint "[^"]*length[^"]*"  *natural  *positions  *matrix
s/scale \*= row->is_square ? 2 : 1/scale *= row->is_square ? 2.02 : 1/
