# Functions of the program differentiated by the wrong argument.
# source: src/expressions/external.c
# test: test_model_function
# expect: test_model_function.c:.*tried->gradient
s/index_of(graph, part.external, part.result, k)/index_of(graph, part.external, part.result, k == 2 ? 3 : k)/
