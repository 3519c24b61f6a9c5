#!/usr/bin/env python3
"""Writes docs/cli.md from what the programs' --help says, or checks that it is up to date.

Usage: cli_docs.py [--check] [BIN] [FILE]     BIN: folder of the programs (build/bin), FILE: docs/cli.md
"""
import difflib
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SUBCOMMANDS = {
    "ds4c": ["compile", "inspect", "quantize", "synth", "verify", "bench", "cache", "cache list", "cache verify", "cache prune", "cache path"],
    "ds4-run": [],
    "ds4-bench": [],
    "ds4-golden": ["model", "draft", "layer"],
    "ds4-rtc": [],
}
HEAD = """# Command lines

What `--help` of each program says; `tools/scripts/cli_docs.py` writes this file and a test compares the two. `ds4-opt` is MLIR's usual
driver with the dialect and passes of ds4c: `ds4-opt --help` lists MLIR's own options beside one for each pass.

Exit codes: 0 right, 1 a result out of tolerance, 2 a mistake in files or flags, 3 the environment, 70 a bug of ds4c, 130 interrupted while
loading. Every error is one line on stderr.
"""


def help_of(folder, words):
    environment = {"PATH": folder + os.pathsep + os.environ["PATH"], "LC_ALL": "C.UTF-8"}
    done = subprocess.run([*words, "--help"], capture_output=True, text=True, encoding="utf-8", env=environment, check=False)
    if done.returncode != 0:
        sys.exit(f"cli_docs.py: error: {' '.join(words)} --help ended with {done.returncode}: {done.stderr.strip()}")
    return "\n".join(line.rstrip() for line in done.stdout.strip("\n").splitlines())


def document(folder):
    text = HEAD
    for program, subcommands in SUBCOMMANDS.items():
        for words in [[program]] + [[program, *subcommand.split()] for subcommand in subcommands]:
            text += f"\n{'#' * min(len(words) + 1, 3)} {' '.join(words)}\n\n```text\n{help_of(folder, words)}\n```\n"
    return text


def main():
    arguments = [word for word in sys.argv[1:] if word != "--check"]
    folder = os.path.abspath(arguments[0] if arguments else os.path.join(ROOT, "build", "bin"))
    path = arguments[1] if len(arguments) > 1 else os.path.join(ROOT, "docs", "cli.md")
    text = document(folder)
    if "--check" not in sys.argv:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return
    with open(path, encoding="utf-8") as file:
        kept = file.read()
    if kept != text:
        sys.stdout.writelines(difflib.unified_diff(kept.splitlines(True), text.splitlines(True), path, "--help"))
        sys.exit(f"cli_docs.py: error: '{path}' is out of date: run tools/scripts/cli_docs.py")


if __name__ == "__main__":
    main()
