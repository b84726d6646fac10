#include "manual.h"

#include <string.h>

#include "formulations/formulation.h"
#include "help.h"
#include "io/catalogue.h"

// ---- the manual page, in the macros of man(7) ----
// A line may not begin with a control character; minus signs stay what they are, to be copied.
static void put_text(FILE *out, const char *text) {
  bool is_first = true;
  for (const char *c = text; *c; ++c) {
    if (is_first && (*c == '.' || *c == '\'')) {
      (void)fputs("\\&", out);
    }
    if (*c == '\\') {
      (void)fputs("\\e", out);
    } else if (*c == '-') {
      (void)fputs("\\-", out);
    } else {
      (void)fputc(*c, out);
    }
    is_first = *c == '\n';
  }
}

static void put_option(void *user, const CliOptionText *option) {
  FILE *out = user;
  (void)fputs(".TP\n.B ", out);
  put_text(out, option->name);
  if (option->argument) {
    (void)fputs(" \\fI", out);
    put_text(out, option->argument);
    (void)fputs("\\fR", out);
  }
  (void)fputc('\n', out);
  put_text(out, option->text);
  (void)fputc('\n', out);
}

// examples, behind an empty line and indented, stay as they are
static void put_details(FILE *out, const char *details) {
  const char *examples = strstr(details, "\n\n  ");
  size_t length = examples ? (size_t)(examples - details) : strlen(details);
  for (size_t i = 0; i < length; ++i) {
    char letter[2] = {details[i], '\0'};
    if (details[i] == '\n' && i + 1 < length && details[i + 1] == '\n') {
      (void)fputs("\n.PP", out);
    } else {
      put_text(out, letter);
    }
  }
  (void)fputc('\n', out);
  if (examples) {
    (void)fputs(".PP\n.nf\n", out);
    put_text(out, examples + 2);
    (void)fputs(".fi\n", out);
  }
}

void cli_manual_print(FILE *out, const CliCommand *commands, int command_count) {
  (void)fputs(
      ".TH MBSENS 1 \"\" \"mbsens " MBS_VERSION
      "\" \"User Commands\"\n.SH NAME\nmbsens \\- constrained multibody systems and exact gradients of what they "
      "do\n.SH SYNOPSIS\n.B mbsens\n\\fICOMMAND\\fR [\\fIMODEL\\fR] [\\fIoptions\\fR]\n.SH DESCRIPTION\n"
      "MODEL is a YAML file. It says how it is to be simulated; options override that. SI units, radians.\n",
      out);
  (void)fputs(".SH COMMANDS\n", out);
  for (int i = 0; i < command_count; ++i) {
    const CliCommand *command = &commands[i];
    (void)fprintf(out, ".SS \"mbsens %s ", command->name);
    put_text(out, command->usage);
    (void)fputs("\"\n", out);
    put_text(out, command->summary);
    (void)fputs("\n.PP\n", out);
    put_details(out, command->details);
    cli_options_each(command->bit, put_option, out);
  }
  (void)fputs(".SH EXIT STATUS\n.nf\n", out);
  put_text(out, cli_help_exit_statuses);
  (void)fputs(
      ".fi\n.SH FILES\nModels to begin with, and the schema of model files for editors, are installed below "
      "\\fIshare/mbsens\\fR.\n",
      out);
}

// ---- completion ----
static void put_name(void *user, const CliOptionText *option) { (void)fprintf(user, " %s", option->name); }

typedef struct Values {
  FILE *out;
  const char *told[200];  // options whose values are written already: several commands have them
  int count;
} Values;

static void put_values(void *user, const CliOptionText *option) {
  Values *values = user;
  bool is_formulation = strcmp(option->name, "--formulation") == 0;
  for (int i = 0; i < values->count; ++i) {
    if (strcmp(values->told[i], option->key) == 0) {
      return;
    }
  }
  if ((!option->choices && !is_formulation) || !option->argument || values->count == 200) {
    return;
  }
  values->told[values->count++] = option->key;
  (void)fprintf(values->out, "    %s) values=\"", option->name);
  for (int i = 0; option->choices && option->choices[i]; ++i) {
    (void)fprintf(values->out, "%s%s", i > 0 ? " " : "", option->choices[i]);
  }
  for (int i = 0; is_formulation && mbs_formulation_types[i]; ++i) {
    (void)fprintf(values->out, "%s%s", i > 0 ? " " : "", mbs_formulation_types[i]->name);
  }
  (void)fputs("\" ;;\n", values->out);
}

void cli_completion_print(FILE *out, const CliCommand *commands, int command_count) {
  Values values = {.out = out};
  (void)fputs(
      "# completion of mbsens for bash, made by `mbsens help --completion`\n"
      "_mbsens() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} options= values=\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W \"",
      out);
  for (int i = 0; i < command_count; ++i) {
    (void)fprintf(out, "%s ", commands[i].name);
  }
  (void)fputs(
      "--help --version\" -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  case $before in\n",
      out);
  for (int i = 0; i < command_count; ++i) {
    cli_options_each(commands[i].bit, put_values, &values);
  }
  (void)fputs(
      "  esac\n"
      "  if [ -n \"$values\" ]; then\n"
      "    COMPREPLY=($(compgen -W \"$values\" -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  case ${COMP_WORDS[1]} in\n"
      "    help) [ \"$COMP_CWORD\" -eq 2 ] && values=\"",
      out);
  for (int i = 0; i < command_count; ++i) {
    (void)fprintf(out, "%s ", commands[i].name);
  }
  (void)fputs("\" ;;\n    list) [ \"$COMP_CWORD\" -eq 2 ] && values=\"", out);
  for (int i = 0; mbs_catalogue_topics[i]; ++i) {
    (void)fprintf(out, "%s ", mbs_catalogue_topics[i]);
  }
  (void)fputs("\" ;;\n  esac\n  case ${COMP_WORDS[1]} in\n", out);
  for (int i = 0; i < command_count; ++i) {
    (void)fprintf(out, "    %s) options=\"", commands[i].name);
    cli_options_each(commands[i].bit, put_name, out);
    (void)fputs("\" ;;\n", out);
  }
  (void)fputs(
      "  esac\n"
      "  case $word in\n"
      "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
      "    *) COMPREPLY=($(compgen -W \"$values\" -- \"$word\")) ;;  # without values: names of files\n"
      "  esac\n"
      "}\n"
      "complete -o default -F _mbsens mbsens\n",
      out);
}
