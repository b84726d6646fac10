// See path.h.
#include "integrators/path.h"

// the stretch of a step
static const MbsStretch *find(const MbsPath *path, long number) {
  int low = 0, high = path->stretch_count - 1;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (path->stretches[middle].last < number) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return &path->stretches[low];
}

MbsStep mbs_path_step(const MbsPath *path, long number) {
  if (number == 0) {
    return (MbsStep){.t = path->t_start};
  }
  const MbsStretch *stretch = find(path, number);
  return (MbsStep){
      .number = number,
      .t = mbs_complex(stretch->t_anchor + (double)(number - stretch->anchor) * stretch->h, stretch->t_imaginary),
      .h = mbs_complex(stretch->h, stretch->h_imaginary),
      .set = stretch->set,
      .event = stretch->event,
      .side = stretch->side,
      .is_flow = stretch->is_flow,
      .is_chained = stretch->is_chained,
      .is_projected = stretch->is_projected,
      .is_planned = stretch->is_planned};
}

void mbs_path_clear(MbsPath *path) {
  path->step_count = 0;
  path->stretch_count = path->peak_count = 0;
}

MbsStatus mbs_path_add_stretch(MbsContext *context, MbsArena *arena, MbsPath *path, const MbsStretch *stretch) {
  MBS_GROW(context, arena, path->stretches, path->stretch_count, path->stretch_capacity);
  path->stretches[path->stretch_count++] = *stretch;
  path->step_count = stretch->last;
  return MBS_OK;
}

MbsStatus mbs_path_add_planned(MbsContext *context, MbsArena *arena, MbsPath *path, const MbsPath *from, long planned,
                               const MbsStep *step) {
  MbsStretch next = *find(from, planned);
  next.last = path->step_count + 1;
  next.anchor += next.last - planned;
  next.set = step->set;
  MbsStretch *last = path->stretch_count > 0 ? &path->stretches[path->stretch_count - 1] : NULL;
  bool is_equal = last && last->anchor == next.anchor && last->set == next.set && last->event == 0 && !last->is_flow &&
                  !last->is_projected && !(last->t_anchor < next.t_anchor || last->t_anchor > next.t_anchor) &&
                  !(last->h < next.h || last->h > next.h);
  if (!is_equal) {
    return mbs_path_add_stretch(context, arena, path, &next);
  }
  last->last = path->step_count = next.last;
  return MBS_OK;
}

MbsStatus mbs_path_add_piece(MbsContext *context, MbsArena *arena, MbsPath *path, const MbsStep *step) {
  const MbsStretch piece = {.last = path->step_count + 1,
                            .anchor = path->step_count + 1,
                            .t_anchor = mbs_re(step->t),
                            .h = mbs_re(step->h),
                            .t_imaginary = mbs_im(step->t),
                            .h_imaginary = mbs_im(step->h),
                            .set = step->set,
                            .event = step->event,
                            .side = step->side,
                            .is_flow = step->is_flow,
                            .is_chained = step->is_chained,
                            .is_projected = step->is_projected,
                            .is_planned = step->is_planned};
  return mbs_path_add_stretch(context, arena, path, &piece);
}

MbsStatus mbs_path_add_peak(MbsContext *context, MbsArena *arena, MbsPath *path, const MbsPeakPlace *place) {
  MBS_GROW(context, arena, path->peaks, path->peak_count, path->peak_capacity);
  path->peaks[path->peak_count++] = *place;
  return MBS_OK;
}

void mbs_path_cut(MbsPath *path, long last) {
  while (path->peak_count > 0 && path->peaks[path->peak_count - 1].found > last) {
    path->peak_count -= 1;
  }
  while (path->stretch_count > 0 && path->stretches[path->stretch_count - 1].last > last) {
    MbsStretch *stretch = &path->stretches[path->stretch_count - 1];
    long before = path->stretch_count > 1 ? path->stretches[path->stretch_count - 2].last : 0;
    stretch->last = last;
    path->stretch_count -= before >= last;
  }
  path->step_count = path->step_count < last ? path->step_count : last;
}

static MbsStatus copy_list(MbsContext *context, MbsArena *arena, int count, const int **list) {
  const int *from = *list;
  int *to;
  MBS_TAKE(context, arena, to, count);
  for (int i = 0; i < count; ++i) {
    to[i] = from[i];
  }
  *list = to;
  return MBS_OK;
}

MbsStatus mbs_path_copy(MbsContext *context, MbsArena *arena, const MbsPath *from, MbsPath *to) {
  MbsSetChoice *sets;
  *to = *from;
  MBS_TAKE(context, arena, to->stretches, from->stretch_count);
  to->stretch_capacity = from->stretch_count;
  for (int i = 0; i < from->stretch_count; ++i) {
    to->stretches[i] = from->stretches[i];
  }
  MBS_TAKE(context, arena, to->peaks, from->peak_count);
  to->peak_capacity = from->peak_count;
  for (int i = 0; i < from->peak_count; ++i) {
    to->peaks[i] = from->peaks[i];
  }
  MBS_TAKE(context, arena, sets, from->set_count);
  for (int s = 0; s < from->set_count; ++s) {
    MbsSetChoice *set = &sets[s];
    *set = from->sets[s];
    MBS_TRY(copy_list(context, arena, set->is_automatic ? set->count : 0, &set->coordinates));
    MBS_TRY(copy_list(context, arena, set->row_count, &set->rows));
    MBS_TRY(copy_list(context, arena, set->rate_row_count, &set->rate_rows));
  }
  to->sets = sets;
  return MBS_OK;
}
