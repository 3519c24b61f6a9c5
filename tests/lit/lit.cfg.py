import os

import lit.formats

config.name = "ds4"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = config.ds4_binary_dir
config.environment["PATH"] = os.pathsep.join([config.ds4_tools_dir, config.llvm_tools_dir, os.environ["PATH"]])
