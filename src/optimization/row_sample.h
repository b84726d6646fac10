// Values of a run at times of somebody else's, from the rows of its histories.
//
// A time at which a row stands is that row. Any other lies on the polynomial through the six nearest rows between the
// events around it, with an error that falls with the sixth power of the step; nearer to an event than the next row
// the polynomial goes on to it. Rows at events are never among them: their time moves with the parameters, while the
// times of all others stay, so that a derivative is the same sum over derivatives, exactly.
#ifndef MBS_ROW_SAMPLE_H
#define MBS_ROW_SAMPLE_H

#include <stdbool.h>

enum { MBS_ROW_SAMPLE_MOST = 6 };

typedef struct MbsRowSample {
  int count;  // of rows; 1: the time is that of a row; 0: no row is between the events around it, or it is outside
  long rows[MBS_ROW_SAMPLE_MOST];
  double weights[MBS_ROW_SAMPLE_MOST];
  double rough[MBS_ROW_SAMPLE_MOST];  // of the polynomial through all but the farthest two: the difference is an
                                      // estimate of its error, and so more than that of the other
} MbsRowSample;

// count: rows, with these times, which do not decrease (time of row i: times[i * stride]); two or more of one time are
// an event. ends_in_event: the last row is one, too. near: a row that is not behind t, to begin with (0 is one).
MbsRowSample mbs_row_sample(long count, const double *times, int stride, bool ends_in_event, double t, long near);

// The last row that is not behind t, from one that is not (or 0).
long mbs_row_find(long count, const double *times, int stride, double t, long near);

#endif
