"""Tests scripts/make_identity_candidates: on the samples, on a problem that uses its class's name in many ways, on bad input."""

import ast
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = ROOT / "scripts" / "make_identity_candidates"

TRICKY = '''
import torch.nn as nn
"""Model in a string"""
class Model(nn.Module):  # Model in a comment
    def __init__(self):
        super(Model, self).__init__()
        self.Model = ModelConfig.Model
    def forward(self, x):
        return Model.helper(x), "Model"
\f
def make(): return Model()
'''


def run(*arguments):
    return subprocess.run([sys.executable, "-B", str(SCRIPT), *map(str, arguments)], capture_output=True, text=True)


def names(text):
    tree = ast.parse(text)
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} | {
        node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}


class IdentityCandidates(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, name, text):
        path = self.folder / "problems" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def test_renames_every_sample(self):
        problems = ROOT / "kernelbench" / "samples" / "problems"
        result = run(problems, self.folder / "out")
        self.assertEqual(result.returncode, 0, result.stderr)
        written = list((self.folder / "out").iterdir())
        self.assertEqual(len(written), len(list(problems.glob("level*/*.py"))))
        for path in written:
            found = names(path.read_text(encoding="utf-8"))
            self.assertIn("ModelNew", found, path)
            self.assertNotIn("Model", found, path)

    def test_renames_references_but_no_strings_comments_or_attributes(self):
        self.write("level1/7_Tricky.py", TRICKY)
        self.assertEqual(run(self.folder / "problems", self.folder / "out").returncode, 0)
        text = (self.folder / "out" / "level_1_problem_7_sample_0_kernel.py").read_text(encoding="utf-8")
        self.assertIn("super(ModelNew, self)", text)
        self.assertIn("ModelNew.helper(x), \"Model\"", text)
        self.assertIn("return ModelNew()", text)
        self.assertIn("# Model in a comment", text)
        self.assertIn("self.Model = ModelConfig.Model", text)

    def test_takes_only_the_levels_asked_for(self):
        self.write("level1/1_A.py", "class Model: ...")
        self.write("level2/1_B.py", "class Model: ...")
        self.assertEqual(run("--level", 2, self.folder / "problems", self.folder / "out").returncode, 0)
        self.assertEqual([path.name for path in (self.folder / "out").iterdir()], ["level_2_problem_1_sample_0_kernel.py"])

    def test_skips_what_it_cannot_rename_and_says_so(self):
        self.write("level1/1_A.py", "class Model: ...")
        self.write("level1/2_None.py", "x = 1")
        self.write("level1/3_Open.py", "class Model(")
        result = run(self.folder / "problems", self.folder / "out")
        self.assertEqual(result.returncode, 0)
        self.assertIn("2_None.py", result.stderr)
        self.assertIn("3_Open.py", result.stderr)
        self.assertEqual(len(list((self.folder / "out").iterdir())), 1)

    def test_refuses_a_folder_without_problems(self):
        self.assertEqual(run(self.folder / "nowhere", self.folder / "out").returncode, 2)
        self.assertEqual(run(self.folder, self.folder / "out").returncode, 2)
        self.write("level1/1_A.py", "class Model: ...")
        self.assertEqual(run("--level", 4, self.folder / "problems", self.folder / "out").returncode, 2)


if __name__ == "__main__":
    unittest.main()
