#include "io/page.h"

#include <string.h>

enum { LINE_WIDTH = 100, WIDEST = 40 };

// ---- words on a page ----

void mbs_page_heading(const MbsPage *page, int level, const char *title) {
  if (page->is_markdown) {
    (void)fprintf(page->out, "%.*s %s\n\n", level, "####", title);
  } else if (level < 3) {
    (void)fprintf(page->out, "%s\n", title);
    for (size_t i = 0; i < strlen(title); ++i) {
      (void)fputc(level == 1 ? '=' : '-', page->out);
    }
    (void)fputs("\n\n", page->out);
  } else {
    (void)fprintf(page->out, "%s\n", title);
  }
}

// Text for the terminal: from column `indent` on, in lines of LINE_WIDTH, with the cursor at `indent` already.
static void put_wrapped(const MbsPage *page, int indent, const char *text) {
  int column = indent;
  for (const char *word = text; *word;) {
    int length = (int)strcspn(word, " ");
    if (column > indent && column + 1 + length > LINE_WIDTH) {
      (void)fprintf(page->out, "\n%*s", indent, "");
      column = indent;
    } else if (column > indent) {
      (void)fputc(' ', page->out);
      ++column;
    }
    (void)fprintf(page->out, "%.*s", length, word);
    column += length;
    word += length;
    word += strspn(word, " ");
  }
  (void)fputc('\n', page->out);
}

void mbs_page_paragraph(const MbsPage *page, int indent, const char *text) {
  if (page->is_markdown) {
    (void)fprintf(page->out, "%s\n\n", text);
  } else {
    (void)fprintf(page->out, "%*s", indent, "");
    put_wrapped(page, indent, text);
  }
}

// A cell of a markdown table, where | would end it.
static void put_cell(const MbsPage *page, const char *text) {
  for (const char *c = text; *c; ++c) {
    if (*c == '|') {
      (void)fputc('\\', page->out);
    }
    (void)fputc(*c, page->out);
  }
}

// ---- lists of names ----

void mbs_page_entries(const MbsPage *page, const char *header, int count, const MbsPageEntry *entries) {
  int width = 0;
  for (int i = 0; i < count; ++i) {
    int length = (int)strlen(entries[i].name);
    width = length > width ? length : width;
  }
  if (page->is_markdown) {
    (void)fprintf(page->out, "| %s | meaning |\n|---|---|\n", header);
  }
  for (int i = 0; i < count; ++i) {
    if (page->is_markdown) {
      (void)fprintf(page->out, "| `%s` | ", entries[i].name);
      put_cell(page, entries[i].summary);
      (void)fputs(" |\n", page->out);
    } else {
      (void)fprintf(page->out, "  %-*s  ", width, entries[i].name);
      put_wrapped(page, width + 4, entries[i].summary);
    }
  }
  (void)fputc('\n', page->out);
}

// ---- fields ----

enum { COLUMN_KEY, COLUMN_VALUE, COLUMN_UNIT, COLUMN_DEFAULT, COLUMN_COUNT };

static const char *const column_titles[COLUMN_COUNT] = {"key", "value", "unit", "default"};

void mbs_page_describe_kind(const MbsField *field, char *text) {
  const char *record = field->record ? field->record->name : "";
  switch (field->kind) {
    case MBS_FIELD_INTEGER: (void)snprintf(text, MBS_PAGE_CELL, "whole number"); break;
    case MBS_FIELD_TEXT: (void)snprintf(text, MBS_PAGE_CELL, "text"); break;
    case MBS_FIELD_CHOICE:
      text[0] = '\0';
      for (const char *const *choice = field->choices; *choice; ++choice) {
        size_t used = strlen(text);
        if (used + strlen(*choice) + 5 > MBS_PAGE_CELL) {
          (void)snprintf(text, MBS_PAGE_CELL, "word");  // the summary has them
          break;
        }
        (void)snprintf(text + used, MBS_PAGE_CELL - used, "%s%s", used ? " or " : "", *choice);
      }
      break;
    case MBS_FIELD_NUMBER: (void)snprintf(text, MBS_PAGE_CELL, "number"); break;
    case MBS_FIELD_VECTOR: (void)snprintf(text, MBS_PAGE_CELL, "vector"); break;
    case MBS_FIELD_DIRECTION: (void)snprintf(text, MBS_PAGE_CELL, "vector or name"); break;
    case MBS_FIELD_INERTIA: (void)snprintf(text, MBS_PAGE_CELL, "number or tensor"); break;
    case MBS_FIELD_SIGNAL: (void)snprintf(text, MBS_PAGE_CELL, "expression"); break;
    case MBS_FIELD_SIGNAL_VECTOR: (void)snprintf(text, MBS_PAGE_CELL, "vector expression"); break;
    case MBS_FIELD_TURNING: (void)snprintf(text, MBS_PAGE_CELL, "number, in space vector"); break;
    case MBS_FIELD_TORQUE: (void)snprintf(text, MBS_PAGE_CELL, "expression, in space vector"); break;
    case MBS_FIELD_BODY: (void)snprintf(text, MBS_PAGE_CELL, "body"); break;
    case MBS_FIELD_POINT: (void)snprintf(text, MBS_PAGE_CELL, "point"); break;
    case MBS_FIELD_POINT_PAIR: (void)snprintf(text, MBS_PAGE_CELL, "[point, point]"); break;
    case MBS_FIELD_POINT_NAMES: (void)snprintf(text, MBS_PAGE_CELL, "point or [point, ...]"); break;
    case MBS_FIELD_JOINT_PAIR: (void)snprintf(text, MBS_PAGE_CELL, "[joint, joint]"); break;
    case MBS_FIELD_JOINT_NAMES: (void)snprintf(text, MBS_PAGE_CELL, "[joint, ...]"); break;
    case MBS_FIELD_BODY_PAIR: (void)snprintf(text, MBS_PAGE_CELL, "[body, body]"); break;
    case MBS_FIELD_NUMBER_LIST: (void)snprintf(text, MBS_PAGE_CELL, "[number, ...] or name"); break;
    case MBS_FIELD_NUMBER_ROWS: (void)snprintf(text, MBS_PAGE_CELL, "[[number, ...], ...] or name"); break;
    case MBS_FIELD_RECORD: (void)snprintf(text, MBS_PAGE_CELL, "{%s}", record); break;
    case MBS_FIELD_NUMBER_MAP:
      (void)snprintf(text, MBS_PAGE_CELL, "%s{name: number, ...}", field->is_short ? "name or " : "");
      break;
    case MBS_FIELD_SIGNAL_MAP: (void)snprintf(text, MBS_PAGE_CELL, "{name: expression, ...}"); break;
    case MBS_FIELD_VECTOR_MAP: (void)snprintf(text, MBS_PAGE_CELL, "{name: vector, ...}"); break;
    case MBS_FIELD_RECORD_MAP:
      (void)snprintf(text, MBS_PAGE_CELL, "{name: %s%s{%s}, ...}", field->is_short ? field->record->fields[0].name : "",
                     field->is_short ? " or " : "", record);
      break;
    case MBS_FIELD_RECORD_LIST: (void)snprintf(text, MBS_PAGE_CELL, "[{%s}, ...]", record); break;
    case MBS_FIELD_JOINT_LIST: (void)snprintf(text, MBS_PAGE_CELL, "[{joint}, ...]"); break;
    case MBS_FIELD_FORCE_LIST: (void)snprintf(text, MBS_PAGE_CELL, "[{force}, ...]"); break;
  }
}

static void describe_column(const MbsField *field, int column, char *text) {
  switch (column) {
    case COLUMN_KEY: (void)snprintf(text, MBS_PAGE_CELL, "%s", field->name); break;
    case COLUMN_VALUE: mbs_page_describe_kind(field, text); break;
    case COLUMN_UNIT: (void)snprintf(text, MBS_PAGE_CELL, "%s", field->unit ? field->unit : ""); break;
    default: {
      const char *value = field->default_text ? field->default_text : "";
      (void)snprintf(text, MBS_PAGE_CELL, "%s", field->is_required ? "required" : value);
    }
  }
}

static void put_fields_markdown(const MbsPage *page, const MbsRecordType *type) {
  (void)fputs("| key | value | unit | default | meaning |\n|---|---|---|---|---|\n", page->out);
  for (int i = 0; i < type->field_count; ++i) {
    char text[MBS_PAGE_CELL];
    for (int column = 0; column < COLUMN_COUNT; ++column) {
      describe_column(&type->fields[i], column, text);
      const char *quote = (column == COLUMN_KEY || column == COLUMN_VALUE) ? "`" : "";
      (void)fprintf(page->out, "| %s", quote);
      put_cell(page, text);
      (void)fprintf(page->out, "%s ", quote);
    }
    (void)fputs("| ", page->out);
    put_cell(page, type->fields[i].summary);
    (void)fputs(" |\n", page->out);
  }
  (void)fputc('\n', page->out);
}

// Column widths; a column without entries is left out, which width 0 says. What is longer than WIDEST stands in a line
// of its own.
static void measure(const MbsRecordType *type, int *width) {
  for (int column = 0; column < COLUMN_COUNT; ++column) {
    width[column] = 0;
    for (int i = 0; i < type->field_count; ++i) {
      char text[MBS_PAGE_CELL];
      describe_column(&type->fields[i], column, text);
      int length = (int)strlen(text), fits = length <= WIDEST ? length : 1;
      width[column] = fits > width[column] ? fits : width[column];
    }
    int title = (int)strlen(column_titles[column]);
    width[column] = width[column] > 0 && width[column] < title ? title : width[column];
  }
}

// One line of a table up to its last column; returns where that begins.
static int put_columns(const MbsPage *page, const int *width, const MbsField *field) {
  int indent = fprintf(page->out, "    ");
  for (int column = 0; column < COLUMN_COUNT; ++column) {
    char text[MBS_PAGE_CELL];
    (void)snprintf(text, sizeof text, "%s", column_titles[column]);
    if (field) {
      describe_column(field, column, text);
    }
    if (width[column] > 0) {
      indent += width[column] + 2;
      bool is_wide = (int)strlen(text) > width[column];
      (void)fprintf(page->out, is_wide ? "%s\n%*s" : "%s%*s", text,
                    is_wide ? indent : width[column] + 2 - (int)strlen(text), "");
    }
  }
  return indent;
}

static void put_fields_text(const MbsPage *page, const MbsRecordType *type) {
  int width[COLUMN_COUNT];
  measure(type, width);
  (void)put_columns(page, width, NULL);
  (void)fputs("meaning\n", page->out);
  for (int i = 0; i < type->field_count; ++i) {
    int indent = put_columns(page, width, &type->fields[i]);
    put_wrapped(page, indent, type->fields[i].summary);
  }
  (void)fputc('\n', page->out);
}

void mbs_page_fields(const MbsPage *page, const MbsRecordType *type) {
  if (page->is_markdown) {
    put_fields_markdown(page, type);
  } else {
    put_fields_text(page, type);
  }
}
