# A joint given by an expression: what its acceleration level has of velocities, in the product with columns.
# In so short a run it does not show; the element by itself shows it all the same.
# source: src/terms/expression_row_evaluate.c
# verify: models/slider_crank.yaml --end 0.1
# expect: constraint "joint [^"]*"  *natural  *velocities  *direct
# expect: constraint "joint [^"]*"  *relative  *velocities  *direct
s/x->work\[1\]\[i\] = w\.w1 \* x->g\[i\] + w\.w2 \* x->level2_v\[i\];/x->work[1][i] = w.w1 * x->g[i] + 1.0001 * w.w2 * x->level2_v[i];/
