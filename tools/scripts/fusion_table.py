#!/usr/bin/env python3
"""What each optimisation saves: counted cost of a decode step with all passes, with each one left out, and with none.

    tools/scripts/fusion_table.py build/bin/ds4c MODEL.gguf --at 32767,1 --json OUT.json > TABLE.md

Prints a table for docs/measurements/; instructions and bytes are counted by the simulator, milliseconds are predicted.
"""
import argparse
import json
import re
import subprocess


def optional_passes(ds4c):
    text = subprocess.run([ds4c, "bench", "--help"], check=True, capture_output=True, text=True).stdout
    return sorted(set(re.findall(r"ds4-[a-z-]+", text)))


def bench(ds4c, model, at, disabled):
    command = [ds4c, "bench", "--step", model, "--at", at, "--json"]
    if disabled:
        command += ["--disable-pass", ",".join(disabled)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def row(name, total, rest):
    return (f"| {name} | {total['launches']} | {total['instructions'] / 1e6:,.0f} | {total['bytes'] / 1e9:.3f} "
            f"| {total['predicted_ms']:.2f} | {rest['instructions'] / 1e6:,.1f} | {rest['predicted_ms']:.2f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ds4c")
    parser.add_argument("model")
    parser.add_argument("--at", default="32767,1", help="position and tokens")
    parser.add_argument("--json", help="file for all groups of all runs")
    arguments = parser.parse_args()
    passes = optional_passes(arguments.ds4c)
    runs = [("all passes", [])] + [(f"without `{name}`", [name]) for name in passes] + [("none of them", passes)]
    results = {}
    print("| passes | launches | M instructions | GB | predicted ms | M instructions beside products | predicted ms of those |")
    print("|---|---|---|---|---|---|---|")
    for name, disabled in runs:
        results[name] = bench(arguments.ds4c, arguments.model, arguments.at, disabled)
        print(row(name, results[name]["total"], results[name]["without_products"]), flush=True)
    if arguments.json:
        with open(arguments.json, "w") as out:
            json.dump(results, out, indent=1)
            out.write("\n")


if __name__ == "__main__":
    main()
