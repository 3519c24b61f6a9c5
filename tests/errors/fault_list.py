#!/usr/bin/env python3
"""Checks that each test that docs/reliability.md names for a fault is there: `Suite.Case` in tests/, `folder/name` as a ctest test.

Usage: fault_list.py DOCUMENT TESTS     (TESTS: the folder of tests)
"""
import pathlib
import re
import sys

HEADING = "## Faults and their tests"


def named_tests(document):
    """The code spans in the last column of the section's tables."""
    section = document.split(HEADING + "\n", 1)[1].split("\n## ", 1)[0]
    rows = [line for line in section.splitlines() if line.startswith("| ") and not line.startswith("| fault")]
    return [(row.split("|")[1].strip(), re.findall(r"`([^`]+)`", row.rstrip("| ").rsplit("|", 1)[1])) for row in rows]


def tests_in(folder):
    cases = set()
    for source in folder.rglob("*.cpp"):
        for suite, case in re.findall(r"^TEST(?:_F|_P)?\((\w+),\s*(\w+)\)", source.read_text(), re.M):
            cases |= {f"{suite}.{case}", f"{suite}.*"}
    for parent in ("lit", "fuzz", "errors", "install"):
        for path in (folder / parent).rglob("*"):
            if path.suffix in (".test", ".mlir", ".sh", ".cpp"):
                cases.add(str(path.relative_to(folder).with_suffix("")))
    return cases


def main():
    faults = named_tests(pathlib.Path(sys.argv[1]).read_text())
    there = tests_in(pathlib.Path(sys.argv[2]))
    problems = [f"{fault}: no test is named" for fault, names in faults if not names]
    problems += [f"{fault}: there is no test {name}" for fault, names in faults for name in names if name not in there]
    if problems or not faults:
        sys.exit("\n".join(f"fault_list.py: error: {problem}" for problem in problems or ["no faults are listed"]))
    print(f"{len(faults)} faults, {len({name for _, names in faults for name in names})} tests")


main()
