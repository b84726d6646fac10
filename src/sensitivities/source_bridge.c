// The sources of derivatives by name. Double only: one of them is the complex twin.
#include "sensitivities/twin.h"

const MbsSourceTable *mbs_source_table(MbsDerivatives derivatives) {
  static const MbsSourceTable automatic = {
      .functions = {mbs_complex_terms_element, mbs_complex_tape_slopes, mbs_complex_terms_follow},
      .create = mbs_complex_terms_create,
      .destroy = mbs_complex_terms_destroy};
  static const MbsSourceTable numerical = {
      .functions = {mbs_twin_terms_element, mbs_twin_tape_slopes, mbs_twin_terms_follow},
      .create = mbs_twin_terms_create,
      .destroy = mbs_twin_terms_destroy};
  switch (derivatives) {
    case MBS_DERIVATIVES_ANALYTICAL: return NULL;
    case MBS_DERIVATIVES_AUTOMATIC: return &automatic;
    case MBS_DERIVATIVES_NUMERICAL: return &numerical;
  }
  return NULL;
}
