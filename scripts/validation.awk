# JSON in, one line per number, text or literal out: "objectives.psi1.gradient.Ls1 -4.2288"; arrays count
# from 0. Strings may not span lines. Used by scripts/validation.
function path(i, whole) {
  whole = ""
  for (i = 1; i <= depth; ++i) {
    whole = whole (i > 1 ? "." : "") key[i]
  }
  return whole
}
{
  s = $0
  while (length(s) > 0) {
    c = substr(s, 1, 1)
    if (c == "{" || c == "[") {
      is_array[++depth] = c == "["
      key[depth] = c == "[" ? 0 : ""
      expects_key = c == "{"
      s = substr(s, 2)
    } else if (c == "}" || c == "]") {
      --depth
      s = substr(s, 2)
    } else if (c == ",") {
      if (is_array[depth]) {
        ++key[depth]
      }
      expects_key = !is_array[depth]
      s = substr(s, 2)
    } else if (c == "\"") {
      match(s, /^"([^"\\]|\\.)*"/)
      text = substr(s, 2, RLENGTH - 2)
      s = substr(s, RLENGTH + 1)
      if (expects_key) {
        key[depth] = text
        sub(/^[ \t]*:/, "", s)
        expects_key = 0
      } else {
        print path() " " text
      }
    } else if (match(s, /^[-+.0-9A-Za-z]+/)) {
      print path() " " substr(s, 1, RLENGTH)
      s = substr(s, RLENGTH + 1)
    } else {
      s = substr(s, 2)
    }
  }
}
