import os

import lit.formats

config.name = "ds4"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = config.ds4_binary_dir
root = os.path.dirname(os.path.dirname(config.test_source_root))
config.substitutions.append(("%tiny", os.path.join(root, "models", "tiny", "ds4-tiny-mixed.gguf")))
config.substitutions.append(("%models", os.path.join(root, "models")))
config.substitutions.append(("%drafter", os.path.join(root, "models", "tiny", "ds4-tiny-dspark-q8_0.gguf")))
# Plans of the bundled model that the build compiled; a test that only runs one need not compile its own.
plans = os.path.join(os.path.dirname(config.ds4_binary_dir), "unit", "runtime")
config.substitutions.append(("%plan64", os.path.join(plans, "tiny-64.ds4plan")))
config.substitutions.append(("%plan4096", os.path.join(plans, "tiny-4096.ds4plan")))
config.substitutions.append(("%fakerocm", os.path.join(os.path.dirname(config.ds4_tools_dir), "lib", "fake-rocm")))
config.substitutions.append(("%docs", "python3 " + os.path.join(root, "tools", "scripts", "cli_docs.py")))
config.substitutions.append(("%cli", os.path.join(root, "docs", "cli.md")))
config.substitutions.append(("%bin", config.ds4_tools_dir))
config.environment["PATH"] = os.pathsep.join([config.ds4_tools_dir, config.llvm_tools_dir, os.environ["PATH"]])
# Plans without a prefill function compile in half the time; tests that want one say so.
config.environment["DS4C_PREFILL_CHUNK"] = "0"
# Kernels compiled by tests stay out of the user's cache.
config.environment["DS4C_CACHE_DIR"] = os.path.join(config.ds4_binary_dir, "test-cache")
