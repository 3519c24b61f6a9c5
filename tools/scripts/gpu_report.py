"""Puts together what tools/gpu-check.sh left in a folder. Usage: gpu_report.py FOLDER; prints JSON."""
import collections
import csv
import datetime
import json
import os
import re
import sys

folder = sys.argv[1]


def text(name):
    path = os.path.join(folder, name)
    return open(path, errors="replace").read() if os.path.exists(path) else ""


name, driver, memory, *clocks = [*text("device.txt").strip().split(", "), "", "", ""][:5]
report = {"date": datetime.date.today().isoformat(), "device": name, "driver": driver, "memory": memory, "greatest_clocks": clocks,
          "parts": {}}
for line in text("parts.tsv").splitlines():
    part, status, seconds = line.split("\t")
    report["parts"][part] = {"status": int(status), "seconds": int(seconds)}
shards = [json.loads(text(name)) for name in sorted(os.listdir(folder)) if re.fullmatch(r"kernels\.\d+\.json", name)]
if shards:
    cases = [(suite["name"] + "." + case["name"], case) for shard in shards for suite in shard["testsuites"] for case in suite["testsuite"]]
    failed = [(name, case["failures"][0]["failure"][:500]) for name, case in cases if case.get("failures")]
    report["kernel_tests"] = {"run": sum(case["status"] == "RUN" for _, case in cases), "failed": len(failed),
                              "failures": [{"test": name, "message": message} for name, message in failed]}
for rows in ("f32", "f16"):
    if goldens := text(f"goldens-{rows}.json"):
        report[f"goldens_{rows}"] = json.loads(goldens)
for tool in ("memcheck", "racecheck", "initcheck"):
    if tool in report["parts"]:
        report["parts"][tool]["summaries"] = sorted(set(re.findall(r"(?:ERROR|RACECHECK) SUMMARY.*", text(tool + ".log"))))
        # What it says of each finding, without addresses and frames of the host.
        findings = re.findall(r"^========= (?!COMPUTE-|(?:ERROR|RACECHECK) SUMMARY)(\S.*)$", text(tool + ".log"), re.M)
        report["parts"][tool]["findings"] = collections.Counter(re.sub(r"0x[0-9a-f]+", "0x..", line) for line in findings)
if rows := list(csv.DictReader(line for line in text("kernel-times.log").splitlines() if line.startswith('"'))):
    # One step: from one kernel that reads the embedding up to the next. ncu's first row holds the units.
    times = [(row["Kernel Name"], float(row["gpu__time_duration.sum"].replace(",", ""))) for row in rows[1:]]
    unit = {"ns": 1e-3, "nsecond": 1e-3, "us": 1, "usecond": 1}[rows[0]["gpu__time_duration.sum"]]
    starts = [i for i, (kernel, _) in enumerate(times) if kernel.startswith("ds4_embed")]
    step = times[starts[0]:starts[1]] if len(starts) > 1 else times
    by_kernel = collections.defaultdict(list)
    for kernel, time in step:
        by_kernel[kernel.split("(")[0]].append(time * unit)
    report["kernel_times"] = {"launches": len(step), "microseconds": sum(t for ts in by_kernel.values() for t in ts), "kernels": {
        kernel: {"launches": len(ts), "microseconds": sum(ts)} for kernel, ts in sorted(by_kernel.items(), key=lambda e: -sum(e[1]))}}
if bench := text("kernel-bench.json"):
    report["kernel_bench"] = json.loads(bench)["kernels"]
if layers := text("layers.log"):
    report["layers"] = layers.strip().splitlines()[-1]
report["step"] = [line for line in text("step.log").splitlines() if re.match("(prompt|decode):", line)]
for plan in sorted(name for name in os.listdir(folder) if name.startswith("flash") and name.endswith(".json")):
    if result := text(plan):
        report.setdefault("real_size", {})[plan.removesuffix(".json")] = json.loads(result)
# Beside the floor of a step's bytes and launches: of each position, and of all 128 between two windows of ratio 128.
of_each = {"flash": 1, "flash-at-32763": 31, "flash-at-32766": 96}
steps = {name: step for name, step in report.get("real_size", {}).items() if name in of_each}
for step in steps.values():
    step["floor_ms"] = 1.5e-3 * step["launches"] + 0.215e-9 * step["weight_bytes"]
if len(steps) == len(of_each):
    mean = sum(count * steps[name]["step_ms"] for name, count in of_each.items()) / 128
    report["step_of_real_size"] = {"mean_ms": mean, "tokens_per_second": 1e3 / mean, "times_floor": mean / steps["flash"]["floor_ms"]}
print(json.dumps(report, indent=1))
