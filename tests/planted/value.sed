# The value of an objective at the end, in relative coordinates: no derivative is wrong, and no run anew shows it.
# source: src/simulation/objectives.c
# verify: tests/models/run_flight.yaml --end 0.1 --wrt k --objective fall
# expect: fall  *ali3p .* DIFFERS
# expect: ^FAIL: .* largest relative error [0-9.]*e-1[0-9],
s/ + h \* sum : g;/ + h * sum : g + (objectives->system->tree ? 0.1 : 0);/
