# Guards of floors that are at zero go where their rates take them: a touched whole number is not come back from.
# source: src/simulation/event_sides.c
# test: test_kinks
# expect: test_kinks.c:.*expected
s/event->spec->change != 0 ? -event->spec->change : //
