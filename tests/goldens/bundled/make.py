#!/usr/bin/env python3
"""Expected values of the bundled model by an independent float64 forward pass in numpy, of the cases that the file has.

Usage: make.py REF_NUMPY.py bundled_goldens.json, in a folder with bundled.gguf, the bundled model with every weight decoded:
    ds4c quantize models/tiny/ds4-tiny-mixed.gguf --recipe f32.yaml -o bundled.gguf     # rules: [{"*": f32}]
REF_NUMPY.py is a reference pass of whole models, with functions forward, moe and tables kv, T of one file.
"""
import importlib.util
import json
import struct
import sys

import numpy as np

GREEDY = 8  # tokens
TOP = 16

(_, reference, path), sys.argv[1:] = sys.argv, ["bundled.gguf"]
spec = importlib.util.spec_from_file_location("ref", reference)
ref = importlib.util.module_from_spec(spec)
spec.loader.exec_module(ref)
moe_of_ref, router_weights = ref.moe, []


def moe(layer, x, ids):
    y, chosen = moe_of_ref(layer, x, ids)
    scores = np.sqrt(np.logaddexp(0, x[-1] @ ref.T[f"blk.{layer}.ffn_gate_inp.weight"].T))[chosen[-1]]
    router_weights.append((scores / scores.sum() * ref.kv["expert_weights_scale"]).tolist())
    return y, chosen


def greedy(tokens):
    made, margin = [], np.inf
    for _ in range(GREEDY):
        logits = ref.forward(tokens + made)[0][-1]
        best, second = np.sort(logits)[:-3:-1]
        margin = min(margin, best - second)
        made.append(int(logits.argmax()))
    return made, margin


def position(logits, at):
    top = np.argsort(-logits[at], kind="stable")[:TOP]
    most = logits[at].max()
    return {"position": at, "logsumexp": float(most + np.log(np.exp(logits[at] - most).sum())), "top_ids": top.tolist(),
            "top_logits": logits[at][top].tolist()}


def write_arrays(path, arrays):
    header, offset = {}, 0
    for name, values in arrays.items():
        header[name] = {"dtype": "F32", "shape": list(values.shape), "data_offsets": [offset, offset + values.nbytes]}
        offset += values.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(values.tobytes() for values in arrays.values()))


goldens, arrays = json.load(open(path)), {}
for case in goldens["cases"]:
    tokens = case["tokens"]
    ref.moe = moe
    router_weights.clear()
    logits, streams, case["router_ids"], case["indexer_picks"] = ref.forward(tokens)
    case["router_weights"] = [list(weights) for weights in router_weights]
    ref.moe = moe_of_ref
    last = len(tokens) - 1
    case["positions"] = [position(logits, at) for at in sorted({0, last // 2, last})]
    case["greedy"], case["greedy_min_margin"] = greedy(tokens)
    arrays[case["name"] + ".last_logits"] = logits[-1].astype(np.float32)
    arrays[case["name"] + ".streams_after_layer"] = streams.astype(np.float32)
    print(case["name"], len(tokens), case["greedy"], file=sys.stderr)
json.dump(goldens, open(path, "w"), indent=1)
write_arrays(path.replace(".json", ".safetensors"), arrays)
