#!/bin/sh
# mbsens linearize and gradient --hessian: what is printed, what files hold, what is refused.
#   linearize.sh MBSENS
# shellcheck disable=SC1091,SC2154  # names come from ensure.inc
. "$(dirname "$0")/ensure.inc"
bicycle=models/bicycle.yaml
car=models/half_car.yaml

# the published eigenvalues of the bicycle at 5 m/s, in words and in JSON
exits 0 linearize $bicycle --wrt v
prints 'bicycle: linearised at t = 0 s, 7 coordinates, 3 independent rates'
prints '-0.7753418822      4.464867714'
prints '-14.07838969'
prints 'defective'
exits 0 linearize $bicycle --wrt v --json
prints '"real": -0.7753418821958'
prints '"eigenvalues": \['
prints '"A": \['

# files: whole, and what they are
exits 0 linearize $car --wrt kf --frequencies 0.5:20:5 -o "$folder/ride.csv"
[ "$(wc -l <"$folder/ride.csv")" -eq 6 ] || fail 'expected a header and 5 frequencies'
grep -q '^frequency \[Hz\],re heave/road_f,im heave/road_f,' "$folder/ride.csv" || fail 'columns of responses'
exits 0 linearize $car --wrt kf -o "$folder/modes.csv"
[ "$(wc -l <"$folder/modes.csv")" -eq 9 ] || fail 'expected a header and 8 eigenvalues'
exits 0 linearize $car --wrt kf --frequencies 0.5:20:5 -o "$folder/car.mat"
[ "$(head -c 10 "$folder/car.mat")" = 'MATLAB 5.0' ] || fail 'the header of a MAT file'
exits 0 linearize $car --wrt kf --at 0.5 --inputs road_f,mf
prints 'linearised at t = 0.5 s'

# about an equilibrium: the Iltis bounces at 1.59 Hz
exits 0 linearize tests/models/iltis_at_rest.yaml --coordinates relative --at equilibrium --wrt tyre
prints '9.997082835      1.591085150'

# refused
complains '--at: must be start, equilibrium, or a time' linearize $car --at soon
complains '--at: must be start, equilibrium, or a time' linearize $car --at -1
complains 'say initial: {equilibrium: yes} in' linearize $car --at equilibrium
complains '--frequencies: must be FROM:TO:COUNT' linearize $car --frequencies 1:2
complains '--frequencies: must be FROM:TO:COUNT' linearize $car --frequencies 0:2:10
complains '--frequencies: must be FROM:TO:COUNT' linearize $car --frequencies 1:2:2.5
complains '--inputs: name 2 of "road_f," is empty' linearize $car --inputs road_f,
complains 'no parameter "road_x"' linearize $car --inputs road_x
complains 'the model has no inputs; say which: --inputs' linearize $bicycle --frequencies 1:2:3
complains 'must end in .csv, .h5 or .mat' linearize $car -o "$folder/car.hdf"
complains '--hessian: not an option of linearize' linearize $car --hessian
complains 'no degree of freedom' linearize models/universal_shaft.yaml
[ ! -e "$folder/car.hdf" ] || fail 'left behind'

# second derivatives, symmetric
exits 0 gradient models/five_bar.yaml --objective psi1 --wrt Ls1,Ls2 --hessian --end 1
prints 'd2 psi1'
exits 0 gradient models/five_bar.yaml --objective psi1 --wrt Ls1,Ls2 --hessian --end 1 --json
prints '"hessian": {'

grep -q '"warnings": \[\]' "$folder/out" || fail "a linkage has no kinks"
# laws that bend are warned of, but where steps end at the bends
exits 0 gradient models/quarter_car.yaml --objective travel --wrt k --hessian --end 0.02
prints '^warning: kinks in force "stop 4", force "stop 2" (abs, max, stops, '
exits 0 gradient models/quarter_car.yaml --objective travel --wrt k --hessian --end 0.02 --json
prints 'kinks in force \\"stop 4'
exits 0 gradient models/quarter_car.yaml --objective travel --wrt k --hessian --end 0.02 --integrator radau-5
if grep -q 'kinks in' "$folder/out"; then fail "radau-5 ends steps at kinks"; fi
done_well
