"""Lines of a page against what is printed: for tutorial.py and doc_commands.py."""

import re

NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?")


def is_same(expected, found):
    """Words, and numbers; how many numbers, or None."""
    one, other = NUMBER.split(expected), NUMBER.split(found)
    if [" ".join(text.split()) for text in one] != [" ".join(text.split()) for text in other]:
        return None
    numbers = list(zip(map(float, NUMBER.findall(expected)), map(float, NUMBER.findall(found))))
    good = all(abs(a - b) <= 1e-3 * max(abs(a), abs(b)) + 1e-6 for a, b in numbers)
    return len(numbers) if good else None
