#!/usr/bin/env python3
"""The bench runs every row on tiny data and writes its table and picture. No time is looked at: machines differ.

Needs build/bench/bench_core and NumPy; a program to compare with may be there or not."""
import os
import pathlib
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench" / "bench.py"
PYTHON = "/usr/bin/python3" if os.access("/usr/bin/python3", os.X_OK) else "python3"
COLUMNS = ["row", "what", "size", "threads", "ours_s", "ours_min_s", "ours_max_s", "peer", "peer_s", "peer_min_s", "peer_max_s",
           "ratio", "ratio_min", "ratio_max", "wanted", "share", "limit", "ours_peak_mb", "peer_peak_mb",
           "ours_cpu_s", "peer_cpu_s", "difference", "memory", "memory_wanted", "beyond_s", "beyond_wanted_s"]


def run(folder, *words, environment=None):
    command = [PYTHON, str(BENCH), "--to", folder, "--scale", "0.0001", "--threads", "2", *words]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, **(environment or {})})


def read_table(folder):
    lines = (pathlib.Path(folder) / "table.tsv").read_text().splitlines()
    head = lines[0].split("\t")
    return head, [dict(zip(head, line.split("\t"))) for line in lines[1:]]


class Bench(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_every_row_is_in_the_table_and_in_the_picture(self):
        result = run(self.folder, "--repeats", "1")
        self.assertEqual(result.returncode, 0, result.stderr)
        head, lines = read_table(self.folder)
        self.assertEqual(head, COLUMNS)
        self.assertEqual({line["row"] for line in lines},
                         {"gram", "sparse", "text", "pairwise", "tanimoto", "ssk", "spectrum", "wl", "shapes", "kpca", "transform", "nystrom",
                          "krr", "scores", "silhouette", "python_kpca", "python_call", "csv", "npy"})
        for line in lines:
            self.assertGreater(float(line["ours_s"]), 0)
            self.assertEqual(line["limit"] == "", line["row"] == "python_call", line)
            if line["limit"]:
                self.assertGreater(float(line["share"]), 0)
            self.assertEqual(line["peer"] == "" or "not installed" in line["peer"], line["ratio"] == "", line)
            self.assertEqual(line["peer"] == "", line["what"].startswith("import"), line)
            self.assertEqual(line["beyond_s"] == "", line["beyond_wanted_s"] == "", line)
            self.assertIn(line["what"], result.stdout)
            if line["difference"]:
                self.assertLess(float(line["difference"]), 1e-6, line)
        picture = xml.etree.ElementTree.parse(pathlib.Path(self.folder) / "table.svg")
        words = " ".join(node.text or "" for node in picture.iter())
        for line in lines:
            self.assertIn(line["what"], words)

    def test_one_row_is_run_again_and_its_range_holds_its_median(self):
        result = run(self.folder, "--repeats", "3", "--rows", "npy")
        self.assertEqual(result.returncode, 0, result.stderr)
        _, lines = read_table(self.folder)
        self.assertEqual([line["row"] for line in lines], ["npy"])
        for name in ("ours", "peer"):
            least, median, most = (float(lines[0][name + part]) for part in ("_min_s", "_s", "_max_s"))
            self.assertTrue(0 < least <= median <= most)

    def test_a_peer_that_is_not_there_is_said_in_its_row(self):
        hidden = pathlib.Path(self.folder) / "pandas.py"
        hidden.write_text("raise ModuleNotFoundError(name='pandas')\n")
        result = run(self.folder, "--repeats", "1", "--rows", "csv", environment={"PYTHONPATH": self.folder})
        self.assertEqual(result.returncode, 0, result.stderr)
        _, lines = read_table(self.folder)
        for line in lines:
            self.assertEqual((line["peer"], line["peer_s"], line["ratio"]), ("pandas: not installed (python3-pandas)", "", ""))
            self.assertGreater(float(line["ours_s"]), 0)

    def test_a_row_that_does_not_exist_is_refused_with_the_names(self):
        result = run(self.folder, "--rows", "gram,nothing")
        self.assertEqual(result.returncode, 2)
        self.assertIn("there is no row 'nothing'", result.stderr)
        self.assertIn("transform", result.stderr)


if __name__ == "__main__":
    unittest.main()
