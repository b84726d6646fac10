# What an objective has of a position, in the transposed product.
# source: src/terms/signal_bank.c
# verify: tests/models/run_chain.yaml --end 0.1 --wrt L1 --objective position
# expect: objective "position"  *natural  *positions  *adjoint
s/case MBS_SIGNAL_POSITION: add_component(system, signal, slope/case MBS_SIGNAL_POSITION: add_component(system, signal, 1.01 * slope/
