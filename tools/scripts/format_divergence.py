"""How far each weight format moves the small model from its f16 original: the table of docs/kernels.md.

Usage: format_divergence.py BIN MODEL-F16.gguf GOLDENS.json [--max-tokens N] [--matrices all|experts|dense|...] [FORMAT|RECIPE.yaml ...]
For each format: `ds4c quantize` of every large matrix, then `ds4-golden model` on the simulator with f32 rows, and a line of
Markdown: size of the file, mean Kullback-Leibler divergence of the reference values from the quantized model's, recall answers
that stay, greedy tokens of all cases that change. MODEL-F16 is what GOLDENS were computed from.
"""
import argparse
import json
import os
import subprocess
import tempfile

FORMATS = ["f16", "q8_0", "rocmfp8", "rocmfp6", "q4_0", "rocmfp4", "mxfp4", "rocmfp4_fast", "rocmfp3", "rocmfp2"]
GROUPS = {
    "head": ["output.weight"],
    "attention": ["blk.*.attn_q_?.weight", "blk.*.attn_kv.weight", "blk.*.attn_output_?.weight", "blk.*.indexer.attn_q_b.weight"],
    "gate_up": ["blk.*.ffn_gate_exps.weight", "blk.*.ffn_up_exps.weight"],
    "down": ["blk.*.ffn_down_exps.weight"],
    "shared": ["blk.*.ffn_*_shexp.weight"],
    "embedding": ["token_embd.weight"],
    "small": ["blk.*.attn_compressor_*.weight", "blk.*.indexer_compressor_*.weight", "blk.*.ffn_gate_inp.weight"],
}
USUAL = ["head", "attention", "gate_up", "down", "shared"]


def recipe_of(name, groups):
    rules = "".join(f"  - {pattern}: {name}\n" for group in groups for pattern in GROUPS[group])
    return f"name: {name}\nrules:\n{rules}"


def measure(arguments, recipe, folder):
    model = os.path.join(folder, "model.gguf")
    quantize = [f"{arguments.bin}/ds4c", "quantize", arguments.model, "-o", model, "--recipe", recipe]
    subprocess.run(quantize + (["--importance", arguments.importance] if arguments.importance else []), check=True, capture_output=True)
    command = [f"{arguments.bin}/ds4-golden", "model", model, arguments.goldens, "--rows", "f32", "--json", "--device", "sim"]
    if arguments.max_tokens:
        command += ["--max-tokens", str(arguments.max_tokens)]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode > 1:  # 1: out of the limits that the original keeps, as expected
        raise SystemExit(run.stderr)
    rows = json.loads(run.stdout)["rows"]
    divergence = [r["value"] for r in rows if r["quantity"] == "divergence, mean"][-1]
    greedy = {r["subject"]: r["value"] for r in rows if r["quantity"].startswith("greedy")}
    recall = {case: changed for case, changed in greedy.items() if case.startswith("recall")}
    kept = sum(changed == 0 for changed in recall.values())
    return os.path.getsize(model), divergence, f"{kept} of {len(recall)}", int(sum(greedy.values()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin")
    parser.add_argument("model")
    parser.add_argument("goldens")
    parser.add_argument("formats", nargs="*")
    parser.add_argument("--max-tokens", type=int, default=300)
    parser.add_argument("--groups", default=",".join(USUAL), help="of matrices, separated by commas: " + ", ".join(GROUPS))
    parser.add_argument("--importance")
    arguments = parser.parse_intermixed_args()
    print("| format | MB | mean KL divergence | recall answers kept | greedy tokens changed |\n|---|---|---|---|---|", flush=True)
    for name in arguments.formats or FORMATS:
        with tempfile.TemporaryDirectory() as folder:
            recipe = name
            if not name.endswith(".yaml"):
                recipe = os.path.join(folder, "recipe.yaml")
                with open(recipe, "w") as file:
                    file.write(recipe_of(name, arguments.groups.split(",")))
            size, divergence, recall, changed = measure(arguments, recipe, folder)
        print(f"| {os.path.basename(name)} | {size / 1e6:.1f} | {divergence:.2g} | {recall} | {changed} |", flush=True)


if __name__ == "__main__":
    main()
