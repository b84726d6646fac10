#!/bin/sh
# Relative coordinates on the command line: which joints carry the tree, which are cut, and what is wrong with a choice.
# shellcheck disable=SC1091,SC2154  # names come from ensure.inc
. "$(dirname "$0")/ensure.inc"

exits 0 check $model --coordinates relative
prints '4 relative coordinates, 2 constraints'
prints 'joint revolute 3: '

# names may have blanks in them, and around them
exits 0 check $model --coordinates relative --cut ' revolute 5 '
prints 'joint revolute 5: '
exits 0 check $model --coordinates relative --tree 'revolute 3,revolute 4, revolute 5'
prints 'joint revolute 2: '

complains 'mbsens: cut: no joint "revolute 6"; did you mean' check $model --coordinates relative --cut 'revolute 6'
complains 'mbsens: tree: no joint "hinge"' simulate $model --coordinates relative --tree hinge
complains 'joint "revolute 5" closes a loop; leave it or another of the loop out' \
  check $model --coordinates relative --tree 'revolute 1,revolute 2,revolute 3,revolute 4,revolute 5'
complains ' cut: the list leaves a loop uncut, closed by joint "tie_end"; cut that one or another' \
  check models/double_wishbone.yaml --coordinates relative --cut ball
complains 'joint "tie_rod" (distance) cannot carry a body of the tree' \
  check models/slider_spring.yaml --coordinates relative --tree tie_rod
complains 'cannot both carry the tree and be cut' \
  check $model --coordinates relative --tree 'revolute 3' --cut 'revolute 3'
complains 'mbsens: tree is for relative coordinates; choose coordinates relative' check $model --tree 'revolute 3'
complains 'mbsens: cut is for relative coordinates; choose coordinates relative' gradient $model --cut 'revolute 3'
complains 'the list is longer than 4095 letters' check $model --coordinates relative --cut "$(printf '%05000d' 7)"
# rigid bodies have no multipliers in relative coordinates
sed 's/^objectives:/&\n  load: {integral: lambda(A1)^2}/' $model >"$folder/load.yaml"
exits 0 check "$folder/load.yaml"
complains 'lambda(A1): no body or joint of that name has a multiplier' check "$folder/load.yaml" --coordinates relative

# lists of the model file: joints of assemblies by their paths; the command line overrides them; natural coordinates
# have no use for them
sed 's/^simulation: {/&cut: [leg1.slider, ball2, ball3, ball4, ball5, ball6], /' models/stewart_platform.yaml \
  >"$folder/platform.yaml"
exits 0 check "$folder/platform.yaml" --coordinates relative
prints 'joint leg1_slider: '
exits 0 check "$folder/platform.yaml" --coordinates relative --cut ball1,ball2,ball3,ball4,ball5
prints 'joint ball1: '
exits 0 check "$folder/platform.yaml"
prints '111 natural coordinates'

done_well
