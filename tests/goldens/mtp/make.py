#!/usr/bin/env python3
"""Expected values of the next-token block (MTP) by an independent float64 forward pass in numpy.

Usage: make.py REF_NUMPY.py > ds4-tiny-synth.json, in a folder with synth.gguf, which is made by
    ds4c synth --model ds4-tiny --next-token-block -o synth.gguf
REF_NUMPY.py is a reference pass of whole models, with functions hc, attn, moe, write, rms and tables kv, T of one file.
"""
import importlib.util
import json
import sys

import numpy as np

sys.argv[1:], reference = ["synth.gguf"], sys.argv[1]
spec = importlib.util.spec_from_file_location("ref", reference)
ref = importlib.util.module_from_spec(spec)
spec.loader.exec_module(ref)
T, kv, rms = ref.T, ref.kv, ref.rms
BLOCK = kv["block_count"]
NEXT = f"blk.{BLOCK}.nextn."
kv["attention.compress_ratios"].append(0)
kv["swiglu_clamp_exp"].append(kv["swiglu_clamp_exp"][-1])


def block(index, streams, ids):
    x, post, comb = ref.hc(streams, f"blk.{index}.hc_attn_")
    y, _ = ref.attn(index, rms(x) * T[f"blk.{index}.attn_norm.weight"])
    streams = ref.write(y, streams, post, comb)
    x, post, comb = ref.hc(streams, f"blk.{index}.hc_ffn_")
    y, _ = ref.moe(index, rms(x) * T[f"blk.{index}.ffn_norm.weight"], ids)
    return ref.write(y, streams, post, comb)


def model(ids):
    streams = np.repeat(T["token_embd.weight"][ids][:, None], 4, 1)
    for index in range(BLOCK):
        streams = block(index, streams, ids)
    return streams


def draft(streams, tokens):
    """Rows that join streams[p] with tokens[p], the token behind p: the block's streams and logits."""
    e = (rms(T["token_embd.weight"][tokens]) * T[NEXT + "enorm.weight"]) @ T[NEXT + "e_proj.weight"].T
    h = (rms(streams) * T[NEXT + "hnorm.weight"]) @ T[NEXT + "h_proj.weight"].T
    made = block(BLOCK, h + e[:, None], tokens)
    m = rms(made.reshape(len(made), -1)) @ T[NEXT + "hc_head_fn.weight"].T
    w = ref.sig(m * T[NEXT + "hc_head_scale.weight"] + T[NEXT + "hc_head_base.weight"]) + kv["hyper_connection.epsilon"]
    x = (w[:, :, None] * made).sum(1)
    return made, (rms(x) * T[NEXT + "shared_head_norm.weight"]) @ T["output.weight"].T


def described(logits):
    order = np.argsort(-logits)
    shown = [int(i) for i in order[:4]] + [0, 1000, 4095]
    return {"draft": int(order[0]), "gap": float(logits[order[0]] - logits[order[1]]), "ids": shown,
            "logits": [float(logits[i]) for i in shown]}


ids = np.array([(7 + 37 * i * i + 11 * i) % 4096 for i in range(142)])
streams = model(ids)
made, logits = draft(streams[:-1], ids[1:])
cases = []
for p in (0, 1, 7, 8, 126, 127, 128, 140):  # a step's end, the window's end
    chain, rows, tokens, last = [described(logits[p])], streams[: p + 1], ids[1 : p + 2], made[p]
    while len(chain) < 3:  # the block's own streams in the place of the model's
        rows, tokens = np.concatenate([rows, last[None]]), np.append(tokens, chain[-1]["draft"])
        further, further_logits = draft(rows, tokens)
        last = further[-1]
        chain.append(described(further_logits[-1]))
    cases.append({"position": p, "streams": [float(v) for v in made[p].reshape(-1)[::97]], "chain": chain})
json.dump({"model": "ds4c synth --model ds4-tiny --next-token-block", "tokens": ids.tolist(), "cases": cases}, sys.stdout, indent=1)
print()
