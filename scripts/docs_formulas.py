"""Formulas of the theory pages as MathML.

In the Markdown files they are indented blocks of plain text, so that they are read as they stand:  q = qh + beta h^2 a,  Phi_x' lambda.
Here names of Greek letters become letters, what is behind _ and ^ goes down and up, ' and * are primes and stars, words stay words. A block
that is no formula (commands, tables, matrices drawn with brackets) stays as it is.
"""

import html
import re

GREEK = dict(alpha="α", beta="β", gamma="γ", delta="δ", epsilon="ε", zeta="ζ", eta="η", theta="θ", kappa="κ", mu="μ", nu="ν",
             xi="ξ", pi="π", rho="ρ", sigma="σ", tau="τ", phi="φ", psi="ψ", omega="ω", Gamma="Γ", Delta="Δ", Phi="Φ", Psi="Ψ",
             Omega="Ω", Sigma="Σ")
GREEK["lambda"] = "λ"
ACCENTS = {"dot": "˙", "ddot": "¨", "b": "¯"}
WORDS = {"a", "as", "at", "by", "if", "in", "is", "no", "of", "on", "or", "so", "to", "all", "and", "but", "for", "its", "the", "one", "not",
         "add", "get", "own", "tan", "cos", "sin", "Re"}
TOKEN = re.compile(r"(?P<space> {2,})|(?P<blank> )|`(?P<code>[^`]*)`|(?P<name>[A-Za-z]+[0-9]*)|(?P<number>\d+\.?\d*(?:e-?\d+)?)|(?P<other>.)")
SCRIPT = re.compile(r"\{([^}]*)\}|(-?[A-Za-z0-9]+)|(\([^()]*\))")


def symbol(name):
    """A letter, or a word."""
    if name == "sum":
        return "<mo>∑</mo>"
    for suffix in sorted(["", *ACCENTS], key=len):
        stem = name[:len(name) - len(suffix)] if name.endswith(suffix) else None
        digits = re.search(r"\d*$", stem or "")[0]
        letter = GREEK.get(stem[:len(stem) - len(digits)]) if stem else None
        if letter:
            made = f"<mi>{letter}</mi>"
            made = f"<mover><mrow>{made}</mrow><mo>{ACCENTS[suffix]}</mo></mover>" if suffix else made
            return f"<msub>{made}<mn>{digits}</mn></msub>" if digits else made
    match = re.fullmatch(r"([A-Za-z])(\d+)", name)
    if match:
        return f"<msub><mi>{match[1]}</mi><mn>{match[2]}</mn></msub>"
    return f"<mi>{name}</mi>"


def is_word(name, line, at):
    """Words of a sentence, and not a variable: `a` is one only between words."""
    if name in GREEK or name == "sum":
        return False
    if name == "a":
        return bool(re.search(r"[a-z]{4,} $", line[:at]) and re.match(r"a [a-z]{3,}", line[at:]))
    return name in WORDS or (len(name) > 3 and symbol(name).startswith("<mi>") and name.isalpha())


def script(text):
    return "<mrow>" + "".join(parse(text)) + "</mrow>"


def parse(line):
    """The parts of a line, each of one element."""
    parts, at = [], 0
    while at < len(line):
        match = TOKEN.match(line, at)
        char = line[at]
        touches = bool(parts) and at > 0 and line[at - 1] != " "
        at = match.end()
        if match["space"]:
            parts.append(f'<mspace width="{0.5 * min(len(match["space"]), 6):g}em"></mspace>')
        elif match["blank"]:
            parts.append('<mspace width="0.25em"></mspace>')
        elif match["code"] is not None:
            parts.append(f"<mtext>{html.escape(match['code'])}</mtext>")
        elif match["name"]:
            name = match["name"]
            parts.append(f"<mtext>{name}</mtext>" if is_word(name, line, match.start()) else symbol(name))
        elif match["number"]:
            parts.append(f"<mn>{match['number']}</mn>")
        elif char in "_^" and touches and SCRIPT.match(line, at):
            found = SCRIPT.match(line, at)
            at = found.end()
            tag = "msub" if char == "_" else "msup"
            parts.append(f"<{tag}><mrow>{parts.pop()}</mrow>{script(found[1] or found[2] or found[3])}</{tag}>")
        elif char == "'" and touches:
            primes = len(re.match(r"'*", line[at:])[0])
            at += primes
            parts.append(f"<msup><mrow>{parts.pop()}</mrow><mo>{'′' * (1 + primes)}</mo></msup>")
        elif char == "*" and touches and not re.match(r"[A-Zac-z0-9]", line[at:at + 1]):
            parts.append(f"<msup><mrow>{parts.pop()}</mrow><mo>∗</mo></msup>")
        else:
            parts.append(f"<mo stretchy=\"false\">{html.escape({'-': '−', '*': '·'}.get(char, char))}</mo>")
    return parts


def is_formula(lines):
    return (any("=" in line for line in lines) and
            not any(re.match(r"(mbsens|make|git|cmake|pip|python3?|suspect|force|\$|\[ )", line) or line.endswith("\\") for line in lines))


def block(text):
    """What is to stand in the place of an indented block; None: it is no formula."""
    lines = [line for line in text.strip("\n").split("\n") if line.strip()]
    if not is_formula(lines):
        return None
    rows = "\n".join(f"<div><math>{''.join(parse(line.rstrip()))}</math></div>" for line in lines)
    return f'<div class="formula" tabindex="0">\n{rows}\n</div>'
