"""Compares a trace and two line-record files of the same response. Usage: check_profile.py TRACE ONE TWO RUN.json"""
import json
import sys

trace, *runs = [open(path, encoding="utf-8").read() for path in sys.argv[1:]]
trace = json.loads(trace)
one, two = ([json.loads(line) for line in text.splitlines()] for text in runs[:2])
digest = json.loads(runs[2])["sha256"]

assert one[0]["record"] == "header" and one[0]["axis"] == "wave instructions", one[0]
for records in (one, two):
    footer = records[-1]
    assert footer == {"record": "footer", "records": len(records) - 2, "dropped": 0, "response_sha256": digest}, footer
    for record in records:
        record.pop("host_ns", None)
assert one == two, "two runs of one response differ"
assert {record["record"] for record in one[1:-1]} == {"step", "launch", "copy"}  # nothing is idle on this axis

assert trace["otherData"]["response_sha256"] == digest
assert "wave instruction" in trace["otherData"]["note"]
spans = [event for event in trace["traceEvents"] if event["ph"] == "X"]
assert len(spans) == len(one) - 2
assert [span["cat"] for span in spans] == [record["record"] for record in one[1:-1]]
