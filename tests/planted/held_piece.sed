# The pieces of tables without the last power of x: branches hold another function than the table.
# source: src/model/table_pieces.c
# test: test_kinks
# expect: akima, .*: direct, adjoint and complex step differ
s/from_x == zero ? 0 : MBS_TABLE_ORDERS - 1 - order\[0\]/from_x == zero ? 0 : MBS_TABLE_ORDERS - 2 - order[0]/
