#!/bin/sh
# The progress of long work: a bar on a terminal with rate and time left, nothing in a pipe or with --quiet, and nothing for
# what is short.
# shellcheck disable=SC1091,SC2154,SC2034  # names come from ensure.inc
. "$(dirname "$0")/ensure.inc"
needs_python

python3 - "$command" <<'PYTHON' || fail 'no bar where one is expected, or one where none is'
import os, pty, re, subprocess, sys, time

def shown(seconds, *arguments):
    """What a terminal on standard error sees, until a bar has come or time is over."""
    master, slave = pty.openpty()
    process = subprocess.Popen([sys.argv[1], *arguments], stderr=slave, stdout=subprocess.DEVNULL)
    import fcntl, struct, termios
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    os.close(slave)
    os.set_blocking(master, False)
    seen, end = b"", time.monotonic() + seconds
    while time.monotonic() < end and process.poll() is None and b"left" not in seen:
        try:
            seen += os.read(master, 10000)
        except BlockingIOError:
            time.sleep(0.02)
    process.terminate()
    process.wait()
    os.close(master)
    return seen.decode()

long = ("models/five_bar.yaml", "--end", "1000000", "--wrt", "Ls1")
bar = shown(20, "gradient", *long, "--objective", "psi1")
match = re.search(r"\r(.*): \[([#-]{20})\] +([0-9]+) %, [0-9.e-]+ %/s, [0-9]+ (h|min|s).* left", bar)
assert match and match[1] == "gradient" and int(match[3]) < 50 and match[2].count("#") == int(match[3]) * 20 // 100, bar
assert len(bar.split("\r")[1]) == 79, "a line of the terminal, which has 80"
parts = shown(20, "study", *long, "--vary", "step=0.01,0.02")
assert re.search(r"\rrun 1 of 2: \[#*-{10,}\] +[0-9]+ %", parts), parts
assert shown(2.5, "gradient", *long, "--objective", "psi1", "--quiet") == ""
assert shown(20, "gradient", "models/five_bar.yaml", "--end", "0.1") == ""
PYTHON
checks=$((checks + 1))
done_well
