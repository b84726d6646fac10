#include "page.h"

#include "assets.h"
#include "sha256.h"

// Text of HTML: what it could be mistaken for is written as a reference.
static void put_text(FILE *out, const char *text) {
  for (; *text; ++text) {
    if (*text == '<' || *text == '>' || *text == '&' || *text == '"') {
      (void)fprintf(out, "&#%d;", *text);
    } else {
      (void)fputc(*text, out);
    }
  }
}

static void put_asset(FILE *out, CliAsset asset) { (void)fwrite(asset.bytes, 1, asset.count, out); }

CliJson cli_page_begin(FILE *out, const char *title) {
  CliAsset style = cli_asset_style(), script = cli_asset_script();
  char of_style[CLI_SHA256_TEXT], of_script[CLI_SHA256_TEXT];
  cli_sha256(style.bytes, style.count, of_style);
  cli_sha256(script.bytes, script.count, of_script);
  (void)fprintf(out,
                "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'sha256-%s'; "
                "style-src 'sha256-%s'; img-src data:; base-uri 'none'; form-action 'none'\">\n"
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
                of_script, of_style);
  put_text(out, title);
  (void)fputs("</title>\n<style>", out);
  put_asset(out, style);
  (void)fputs("</style>\n</head>\n<body>\n", out);
  put_asset(out, cli_asset_body());
  (void)fputs("<script type=\"application/json\" id=\"data\">\n", out);
  CliJson json = cli_json_begin(out);
  json.is_in_html = true;
  return json;
}

void cli_page_end(CliJson *json) {
  cli_json_end(json);
  (void)fputs("</script>\n<script>", json->out);
  put_asset(json->out, cli_asset_script());
  (void)fputs("</script>\n</body>\n</html>\n", json->out);
}
