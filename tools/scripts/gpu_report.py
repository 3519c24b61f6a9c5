"""Puts together what tools/gpu-check.sh left in a folder. Usage: gpu_report.py FOLDER; prints JSON."""
import datetime
import json
import os
import re
import sys

folder = sys.argv[1]


def text(name):
    path = os.path.join(folder, name)
    return open(path, errors="replace").read() if os.path.exists(path) else ""


name, driver, memory, *clocks = [field.strip() for field in text("device.txt").strip().split(",")] + [""] * 3
report = {"date": datetime.date.today().isoformat(), "device": name, "driver": driver, "memory": memory, "greatest_clocks": clocks,
          "parts": {}}
for line in text("parts.tsv").splitlines():
    part, status, seconds = line.split("\t")
    report["parts"][part] = {"status": int(status), "seconds": int(seconds)}
if kernels := text("kernels.json"):
    kernels = json.loads(kernels)
    report["kernel_tests"] = {"run": kernels["tests"], "failed": kernels["failures"] + kernels["errors"], "failures": [
        {"test": suite["name"] + "." + case["name"], "message": case["failures"][0]["failure"][:500]}
        for suite in kernels["testsuites"] for case in suite["testsuite"] if case.get("failures")]}
for rows in ("f32", "f16"):
    if goldens := text(f"goldens-{rows}.json"):
        report[f"goldens_{rows}"] = json.loads(goldens)
for tool in ("memcheck", "racecheck", "initcheck"):
    if tool in report["parts"]:
        report["parts"][tool]["summary"] = re.findall(r"(?:ERROR|RACECHECK) SUMMARY.*", text(tool + ".log"))[-1:]
report["step"] = [line for line in text("step.log").splitlines() if re.match("(prompt|decode):", line)]
print(json.dumps(report, indent=1))
