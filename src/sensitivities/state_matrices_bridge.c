// The derivatives of the terms as sparse matrices: see state_terms.h.
//
// In natural coordinates, and in relative ones whose matrix is assembled, a block of the system's pattern holds all
// entries there can be, so that columns without a row in common are found by one product (Curtis, Powell and Reid). The
// others are full: what follows from solutions (accelerations, multipliers), trees that are solved along themselves,
// and what parameters do.
#include <string.h>

#include "sensitivities/state_terms.h"

// ---- patterns ----
typedef enum Shape { EMPTY, FULL, BLOCK } Shape;

// rows: of f or of the constraints; columns: coordinates or multipliers, of the system's matrix
typedef struct Block {
  Shape shape;
  bool is_below, is_right;
} Block;

static Block block_of(const MbsTerms *terms, MbsTermsVector of, MbsTermsArgument by) {
  bool is_force = of == MBS_TERMS_BALANCE || of == MBS_TERMS_CONSTRAINT_FORCES;
  bool is_level = of == MBS_TERMS_PHI || of == MBS_TERMS_PHIDOT || of == MBS_TERMS_PHIDDOT;
  bool depends = false;
  switch (by) {
    case MBS_BY_POSITIONS: depends = true; break;
    case MBS_BY_VELOCITIES:
      depends =
          of == MBS_TERMS_BALANCE || of == MBS_TERMS_PHIDOT || of == MBS_TERMS_PHIDDOT || !mbs_vector_is_given(of);
      break;
    case MBS_BY_ACCELERATIONS: depends = of == MBS_TERMS_BALANCE || of == MBS_TERMS_PHIDDOT; break;
    case MBS_BY_MULTIPLIERS: depends = is_force; break;
    case MBS_BY_INDEPENDENT_VELOCITIES:
      depends = block_of(terms, of, MBS_BY_VELOCITIES).shape != EMPTY && of != MBS_TERMS_POSITIONS;
      break;
    default: depends = true; break;
  }
  bool is_sparse = mbs_system_has_tangent(terms->system) && by <= MBS_BY_MULTIPLIERS &&
                   (is_force || is_level || of == MBS_TERMS_CONSTRAINT_RATES);
  return (Block){.shape = !depends    ? EMPTY
                          : is_sparse ? BLOCK
                                      : FULL,
                 .is_below = !is_force,
                 .is_right = by == MBS_BY_MULTIPLIERS};
}

// entries of a block, counted (row NULL) or listed
static int list_block(const MbsTerms *terms, const Block *block, int rows, int columns, int *start, int *row) {
  const MbsPattern *whole = &terms->system->mode.pattern;
  int count = 0, first_row = block->is_below ? terms->n : 0, first = block->is_right ? terms->n : 0;
  for (int k = 0; k < columns; ++k) {
    if (row) {
      start[k] = count;
    }
    for (int e = block->shape == BLOCK ? whole->column_start[first + k] : 0;
         block->shape == BLOCK && e < whole->column_start[first + k + 1]; ++e) {
      int i = whole->row[e] - first_row;
      if (i >= 0 && i < rows) {
        if (row) {
          row[count] = i;
        }
        count += 1;
      }
    }
    for (int i = 0; i < rows && block->shape == FULL; ++i) {
      if (row) {
        row[count] = i;
      }
      count += 1;
    }
  }
  if (row) {
    start[columns] = count;
  }
  return count;
}

// The least colour that no column with a row in common has.
static MbsStatus choose_colours(MbsContext *context, MbsArena *arena, MbsColouring *to) {
  const MbsTermsPattern *pattern = &to->pattern;
  int *colour, *start, *next, *column, *taken_by;
  MBS_TAKE(context, arena, colour, pattern->columns);
  MBS_TAKE(context, arena, start, pattern->rows + 1);
  MBS_TAKE(context, arena, next, pattern->rows);
  MBS_TAKE(context, arena, column, pattern->entries);
  MBS_TAKE(context, arena, taken_by, pattern->columns + 1);
  for (int e = 0; e < pattern->entries; ++e) {
    start[pattern->row[e] + 1] += 1;
  }
  for (int i = 0; i < pattern->rows; ++i) {
    start[i + 1] += start[i];
    next[i] = start[i];
  }
  for (int k = 0; k < pattern->columns; ++k) {
    for (int e = pattern->column_start[k]; e < pattern->column_start[k + 1]; ++e) {
      column[next[pattern->row[e]]++] = k;
    }
  }
  for (int k = 0; k < pattern->columns; ++k) {
    for (int e = pattern->column_start[k]; e < pattern->column_start[k + 1]; ++e) {
      for (int s = start[pattern->row[e]]; s < start[pattern->row[e] + 1] && column[s] < k; ++s) {
        taken_by[colour[column[s]]] = 1 + k;
      }
    }
    while (taken_by[colour[k]] == 1 + k) {
      colour[k] += 1;
    }
    to->colour_count = colour[k] >= to->colour_count ? colour[k] + 1 : to->colour_count;
  }
  to->colour = colour;
  return MBS_OK;
}

static MbsStatus find_pattern(MbsContext *context, MbsTerms *terms, MbsTermsVector of, MbsTermsArgument by) {
  MbsColouring *to = &terms->colourings[of][by];
  int rows = mbs_terms_size(terms, of), columns = mbs_terms_width(terms, by), *start, *row;
  const Block block = block_of(terms, of, by);
  if (to->is_known) {
    return MBS_OK;
  }
  *to = (MbsColouring){.pattern = {.rows = rows, .columns = columns}};
  to->pattern.entries = list_block(terms, &block, rows, columns, NULL, NULL);
  MBS_TAKE(context, terms->arena, start, columns + 1);
  MBS_TAKE(context, terms->arena, row, to->pattern.entries);
  (void)list_block(terms, &block, rows, columns, start, row);
  to->pattern.column_start = start;
  to->pattern.row = row;
  if (block.shape == BLOCK) {
    MBS_TRY(choose_colours(context, terms->arena, to));
  }
  to->is_known = true;
  return MBS_OK;
}

MbsStatus mbs_terms_pattern(MbsContext *context, MbsTerms *terms, MbsTermsVector of, MbsTermsArgument by,
                            MbsTermsPattern *pattern) {
  MBS_CALL_BEGIN(context, "mbs_terms_pattern", {"terms", terms}, {"pattern", pattern});
  MBS_TRY(mbs_state_terms_check_pair(context, terms, of, by));
  mbs_arena_tell(terms->arena, context);
  MBS_TRY(mbs_call_end(context, find_pattern(context, terms, of, by)));
  *pattern = terms->colourings[of][by].pattern;
  return MBS_OK;
}

// ---- values ----
// one product for each colour; NULL: for each column
static MbsStatus find_by_columns(MbsContext *context, MbsTerms *terms, MbsTermsVector of, MbsTermsArgument by,
                                 const MbsColouring *colouring, double *values) {
  const MbsTermsPattern *pattern = &colouring->pattern;
  int count = colouring->colour ? colouring->colour_count : pattern->columns;
  for (int colour = 0; colour < count; ++colour) {
    mbs_state_terms_clear_seeds(terms, &terms->seeds);
    double *part = mbs_state_terms_part(terms, &terms->seeds, by);
    for (int k = 0; k < pattern->columns; ++k) {
      part[k] = (colouring->colour ? colouring->colour[k] : k) == colour;
    }
    MbsSeeds own = {.q = NULL};
    double **const slots[] = {&own.q, &own.v, &own.a, &own.lambda};
    if (by <= MBS_BY_MULTIPLIERS) {
      *slots[by] = part;
    } else if (by == MBS_BY_INDEPENDENT_POSITIONS) {
      own.y = part;
    } else if (by == MBS_BY_INDEPENDENT_VELOCITIES) {
      own.u = part;
    } else {
      own.columns = terms->seeds.columns;
    }
    memset(terms->vector, 0, (size_t)pattern->rows * sizeof *terms->vector);
    MBS_TRY(mbs_state_terms_push(context, terms, of, &own, terms->vector));
    for (int k = 0; k < pattern->columns; ++k) {
      for (int e = pattern->column_start[k];
           e < pattern->column_start[k + 1] && (colouring->colour ? colouring->colour[k] : k) == colour; ++e) {
        values[e] = terms->vector[pattern->row[e]];
      }
    }
  }
  return MBS_OK;
}

// one transposed product for each row of a full matrix
static MbsStatus find_by_rows(MbsContext *context, MbsTerms *terms, MbsTermsVector of, MbsTermsArgument by,
                              const MbsTermsPattern *pattern, double *values) {
  for (int i = 0; i < pattern->rows; ++i) {
    memset(terms->vector, 0, (size_t)pattern->rows * sizeof *terms->vector);
    terms->vector[i] = 1;
    MBS_TRY(mbs_state_terms_pull(context, terms, of, terms->vector));
    if (mbs_vector_is_tangent(of) || by >= MBS_BY_INDEPENDENT_POSITIONS) {
      MBS_TRY(mbs_state_terms_lower(context, terms, &terms->pulled));
    }
    const double *row = mbs_state_terms_part(terms, &terms->pulled, by);
    for (int k = 0; k < pattern->columns; ++k) {
      values[k * pattern->rows + i] = row[k];
    }
  }
  return MBS_OK;
}

// all columns at once: time is one of them, and inputs
static MbsStatus find_by_parameters(MbsContext *context, MbsTerms *terms, MbsTermsVector of, MbsTermsArgument by,
                                    const MbsTermsPattern *pattern, double *values) {
  MBS_TRY(mbs_state_terms_all_columns(context, terms, of));
  const double *first = mbs_state_terms_part(terms, &terms->seeds, by);
  memcpy(values, terms->Y + (first - terms->seeds.columns) * pattern->rows, (size_t)pattern->entries * sizeof *values);
  return MBS_OK;
}

static MbsStatus find_values(MbsContext *context, MbsTerms *terms, MbsTermsVector of, MbsTermsArgument by,
                             double *values) {
  const MbsColouring *colouring = &terms->colourings[of][by];
  const MbsTermsPattern *pattern = &colouring->pattern;
  bool is_column = by >= MBS_BY_PARAMETERS && by <= MBS_BY_TIME;
  if (pattern->entries == 0) {
    return MBS_OK;
  }
  if (is_column && !mbs_vector_is_tangent(of)) {
    return find_by_parameters(context, terms, of, by, pattern, values);
  }
  return !colouring->colour && (is_column || pattern->rows < pattern->columns)
             ? find_by_rows(context, terms, of, by, pattern, values)
             : find_by_columns(context, terms, of, by, colouring, values);
}

MbsStatus mbs_terms_matrix(MbsContext *context, MbsTerms *terms, MbsTermsVector of, MbsTermsArgument by, int entries,
                           double *values) {
  MBS_CALL_BEGIN(context, "mbs_terms_matrix", {"terms", terms}, {"values", values});
  MBS_TRY(mbs_state_terms_check_pair(context, terms, of, by));
  MBS_TRY(mbs_state_terms_need(context, terms));
  mbs_arena_tell(terms->arena, context);
  mbs_simulation_tell(terms->simulation, context);
  MBS_TRY(mbs_call_end(context, find_pattern(context, terms, of, by)));
  MBS_TRY(mbs_state_terms_check_count(context, "entries", entries, terms->colourings[of][by].pattern.entries));
  MBS_TRY(mbs_call_end(context, find_values(context, terms, of, by, values)));
  return mbs_state_terms_check_result(context, terms, entries, values);
}
