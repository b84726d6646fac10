# An entry of the matrix that nobody announced: the invariant of the pattern does not hold.
# source: src/terms/row.c
# broken: models/five_bar.yaml --end 0.1
# expect: ^mbsens: mbsens is broken (src/algebra/pattern.c:[0-9]*: every entry was added before does not hold)
s/MBS_TRY(mbs_entry(entries, multiplier, q, &rows\[i\]));/if (!entries->builder) {rows[i] = mbs_pattern_position(entries->pattern, multiplier, q);}/
