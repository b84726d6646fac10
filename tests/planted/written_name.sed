# A name of a joint that is lost when a model is written.
# source: src/io/write.c
# test: test_written_models
# expect: joints: .* differs
s/(is_joint || is_force) \&\& !strchr/is_force \&\& !strchr/
