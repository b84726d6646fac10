# A function that is told the wrong number of inputs: its own check sees it.
# source: src/terms/signal_bank.c
# broken: models/five_bar.yaml --end 0.1
# expect: ^mbsens: mbsens is broken (.*\.c:[0-9]*: function->tape->input_count == input_count does not hold)
s/MBS_TRY(mbs_tape_create(context, system->arena, graph, 1 + input_count, nodes, &function->tape));/&++function->tape->input_count;/
