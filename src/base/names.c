#include "base/names.h"

#include <ctype.h>
#include <string.h>

enum { LONGEST = 64 };

bool mbs_name_is_identifier(const char *name) {
  if (!(isalpha((unsigned char)name[0]) || name[0] == '_')) {
    return false;
  }
  for (const char *c = name; *c; ++c) {
    if (!(isalnum((unsigned char)*c) || *c == '_')) {
      return false;
    }
  }
  return true;
}

size_t mbs_name_next(const char **text) {
  size_t length = 0;
  int depth = 0;
  while (**text == ',' || **text == ' ') {
    ++*text;
  }
  for (const char *c = *text; *c && (*c != ',' || depth > 0); ++c) {
    depth += (*c == '(') - (*c == ')');
    ++length;
  }
  while (length > 0 && (*text)[length - 1] == ' ') {
    --length;
  }
  return length;
}

static int smaller(int a, int b) { return a < b ? a : b; }

int mbs_name_distance(const char *a, const char *b) {
  int n = (int)strnlen(a, LONGEST);
  int m = (int)strnlen(b, LONGEST);
  // optimal string alignment, three rows of the dynamic programme
  int rows[3][LONGEST + 1];
  for (int j = 0; j <= m; ++j) {
    rows[0][j] = j;
  }
  for (int i = 1; i <= n; ++i) {
    int *row = rows[i % 3];
    const int *above = rows[(i + 2) % 3];
    const int *two_above = rows[(i + 1) % 3];
    row[0] = i;
    for (int j = 1; j <= m; ++j) {
      int cost = tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[j - 1]);
      row[j] = smaller(smaller(above[j] + 1, row[j - 1] + 1), above[j - 1] + cost);
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = smaller(row[j], two_above[j - 2] + 1);
      }
    }
  }
  return rows[n % 3][m];
}

void mbs_name_nearest(const char *name, const char *candidate, const char **best) {
  int distance = mbs_name_distance(name, candidate);
  int length = (int)strnlen(name, LONGEST), other = (int)strnlen(candidate, LONGEST);
  int longest = length > other ? length : other;
  if (distance > 1 + longest / 3 || distance >= longest) {
    return;
  }
  if (!*best || distance < mbs_name_distance(name, *best)) {
    *best = candidate;
  }
}
