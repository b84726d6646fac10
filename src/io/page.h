// Text for the terminal, or the same in markdown: headings, paragraphs, lists of names, tables of fields.
#ifndef MBS_PAGE_H
#define MBS_PAGE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/context.h"
#include "model/field.h"

enum { MBS_PAGE_CELL = 64 };  // room of a short cell of a table

typedef struct MbsPage {
  FILE *out;
  bool is_markdown;
  MbsBroken *broken;
} MbsPage;

typedef struct MbsPageEntry {
  const char *name, *summary;
} MbsPageEntry;

void mbs_page_heading(const MbsPage *page, int level, const char *title);
void mbs_page_paragraph(const MbsPage *page, int indent, const char *text);
// Names and what they mean; `header` is the title of the names' column.
void mbs_page_entries(const MbsPage *page, const char *header, int count, const MbsPageEntry *entries);
// The fields of a record: key, value, unit, default, meaning.
void mbs_page_fields(const MbsPage *page, const MbsRecordType *type);
// What may stand behind the key of a field, as one would write it: "[point, point]". Room: MBS_PAGE_CELL.
void mbs_page_describe_kind(const MbsField *field, char *text);

#endif
