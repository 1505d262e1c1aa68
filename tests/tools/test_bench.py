#!/usr/bin/env python3
"""The bench runs every row on tiny data and writes its table and picture. No time is looked at: machines differ.

Needs bench_core, bench_la and bench_gram in build/bench, and NumPy; a program to compare with may be there or not."""
import gzip
import math
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench" / "bench.py"
BUILD = BENCH.parents[1] / "build"
PYTHON = "/usr/bin/python3" if os.access("/usr/bin/python3", os.X_OK) else "python3"
COLUMNS = ["row", "what", "size", "threads", "ours_s", "ours_min_s", "ours_max_s", "peer", "peer_s", "peer_min_s", "peer_max_s",
           "ratio", "ratio_min", "ratio_max", "wanted", "share", "limit", "ours_peak_mb", "peer_peak_mb",
           "ours_cpu_s", "peer_cpu_s", "difference", "memory", "memory_wanted", "beyond_s", "beyond_wanted_s",
           "share_wanted", "memory_mb_wanted", "slope", "slope_wanted", "before_s", "before_ratio", "before_wanted",
           "blas_ratio", "blas_wanted", "ratio_unset"]
LA_ROWS = {"product", "tall", "cholesky", "triangles"}  # of bench_la: no peer, except that of 2 threads


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
                         set(re.findall(r"^@row\ndef (\w+)", BENCH.with_name("rows.py").read_text(), re.MULTILINE)))
        for line in lines:
            self.assertGreater(float(line["ours_s"]), 0)
            self.assertEqual(line["limit"] == "", line["row"] == "python_call", line)
            if line["limit"]:
                self.assertGreater(float(line["share"]), 0)
            self.assertEqual(line["peer"] == "" or "not installed" in line["peer"], line["ratio"] == "", line)
            alone = line["row"] in LA_ROWS and not line["what"].endswith("2 threads")
            no_peer = alone or line["what"].startswith(("import", "tke, new", "kpca lazy", "lazy"))
            self.assertEqual(line["peer"] == "", no_peer, line)
            has_share = alone and line["row"] != "triangles" or line["what"].startswith("lazy")
            self.assertEqual(line["share_wanted"] != "", has_share, line)
            self.assertEqual(line["memory_mb_wanted"] != "", "lazy fit" in line["what"], line)
            self.assertEqual((line["before_ratio"], line["blas_ratio"]), ("", ""), line)
            self.assertEqual(line["beyond_s"] == "", line["beyond_wanted_s"] == "", line)
            self.assertIn(line["what"], result.stdout)
            if line["difference"]:
                self.assertLess(float(line["difference"]), 1e-6, line)
        picture = xml.etree.ElementTree.parse(pathlib.Path(self.folder) / "table.svg")
        words = " ".join(node.text or "" for node in picture.iter())
        for line in lines:
            self.assertIn(line["what"], words)
        self.assertEqual(result.stdout.count("|K - Phi Phi'| / |K|: orthogonal"), 3)

    def test_rows_that_are_asked_for(self):
        names = re.findall(r"^@row\(ask=True\)\ndef (\w+)", BENCH.with_name("rows.py").read_text(), re.MULTILINE)
        data = pathlib.Path(self.folder) / "mnist"
        data.mkdir()
        with gzip.open(data / "train-images-idx3-ubyte.gz", "wb") as file:
            file.write(struct.pack(">4i", 2051, 30, 28, 28) + os.urandom(30 * 784))
        result = run(self.folder, "--repeats", "1", "--rows", ",".join(names), environment={"DATA": self.folder})
        self.assertEqual(result.returncode, 0, result.stderr)
        _, lines = read_table(self.folder)
        self.assertEqual({line["row"] for line in lines}, set(names))
        for line in lines:
            self.assertGreater(float(line["ours_s"]), 0)
            self.assertEqual(line["memory_mb_wanted"], "1500" if line["row"] == "hundred_thousand" else "")
        million = [line for line in lines if line["row"] == "nystrom_million"]
        self.assertEqual([line["slope_wanted"] for line in million], ["", "1.05", ""])
        grown = math.log(float(million[1]["ours_s"]) / float(million[0]["ours_s"])) / math.log(100 / 20)
        self.assertAlmostEqual(float(million[1]["slope"]), grown, delta=1e-3)
        self.assertEqual([line["what"] for line in lines if line["row"] == "landmark_sample"],
                         ["landmarks, mixture", "landmarks, rare groups", "landmarks, MNIST"])
        self.assertEqual(result.stdout.count("tr(K - Phi Phi') / tr K: landmarks of a sample"), 3)

    def test_a_real_set_that_is_not_there_is_left_out(self):
        result = run(self.folder, "--repeats", "1", "--rows", "landmark_sample", environment={"DATA": ""})
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("MNIST is left out", result.stderr)
        self.assertEqual(len(read_table(self.folder)[1]), 2)

    def test_the_kernels_of_blas_are_named(self):
        result = run(self.folder, "--repeats", "1", "--rows", "npy,cholesky", environment={"OPENBLAS_CORETYPE": "Prescott"})
        self.assertEqual(result.returncode, 0, result.stderr)
        if "OpenBLAS on" in result.stdout:  # another BLAS does not say
            self.assertIn("OpenBLAS on the kernels of Prescott", result.stdout)

    def test_ours_is_run_on_several_core_types_of_blas(self):
        result = run(self.folder, "--repeats", "2", "--rows", "gram,product", "--blas", "unset,Prescott",
                     environment={"OPENBLAS_CORETYPE": "Nehalem"})
        self.assertEqual(result.returncode, 0, result.stderr)
        head, lines = read_table(self.folder)
        self.assertEqual(head, COLUMNS + ["ours_unset_s", "before_unset", "ours_Prescott_s", "before_Prescott"])
        for line in lines:
            self.assertGreater(float(line["ours_unset_s"]), 0)
            self.assertEqual(line["ours_Prescott_s"], line["ours_s"], "the last core type is that of the other columns")
            self.assertGreaterEqual(float(line["blas_ratio"]), 1)
            self.assertEqual(line["blas_wanted"], "1.15")
            self.assertEqual(line["ratio"] == "", line["ratio_unset"] == "", line)
            self.assertEqual((line["before_ratio"], line["before_unset"]), ("", ""))
        shown = result.stdout.split("largest ratio")[-1]
        self.assertIn("unset, s", result.stdout)
        self.assertIn("rbf Gram", shown)
        self.assertEqual("MISSED" in shown, any(float(line["blas_ratio"]) > 1.15 for line in lines), shown)
        if "OpenBLAS on" in result.stdout:
            self.assertIn("Prescott: Prescott", result.stdout)
            self.assertNotIn("Nehalem", result.stdout)

    def test_a_core_type_that_does_not_exist_is_refused(self):
        result = run(self.folder, "--blas", "unset,Z80")
        self.assertEqual(result.returncode, 2)
        self.assertIn("there is no core type 'Z80'", result.stderr)

    def test_ours_is_run_from_another_build(self):
        before = pathlib.Path(self.folder) / "before"
        (before / "bench").mkdir(parents=True)
        (before / "bench" / "bench_core").symlink_to(BUILD / "bench" / "bench_core")  # and no bench_la, as in an old build
        result = run(self.folder, "--repeats", "2", "--rows", "gram,tall,python_call", "--before", str(before))
        self.assertEqual(result.returncode, 0, result.stderr)
        _, lines = read_table(self.folder)
        for line in lines:
            self.assertEqual(line["before_ratio"] != "", line["row"] == "gram", line)
            self.assertEqual(line["before_wanted"], "1.05" if line["row"] == "gram" else "")
        self.assertIn("ours/before", result.stdout)
        result = run(self.folder, "--repeats", "1", "--rows", "gram", "--before", str(before), "--blas", "unset,Prescott")
        self.assertEqual(result.returncode, 0, result.stderr)
        _, lines = read_table(self.folder)
        for line in lines:
            self.assertGreater(float(line["before_unset"]), 0)
            self.assertEqual(float(line["before_ratio"]), max(float(line["before_unset"]), float(line["before_Prescott"])))

    def test_a_build_from_before_that_cannot_run_a_row_is_noted(self):
        program = pathlib.Path(self.folder) / "bench" / "bench_core"
        program.parent.mkdir()
        program.write_text("#!/bin/sh\necho there is no such kernel >&2\nexit 1\n")
        program.chmod(0o755)
        result = run(self.folder, "--repeats", "2", "--rows", "npy", "--before", self.folder)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(read_table(self.folder)[1][0]["before_ratio"], "")
        self.assertIn("could not be run before: there is no such kernel", result.stdout)
        result = run(self.folder, "--before", self.folder + "/nowhere")
        self.assertEqual(result.returncode, 2)
        self.assertIn("bench_core is not there", result.stderr)

    def test_a_row_for_more_threads_is_left_out(self):
        result = run(self.folder, "--repeats", "1", "--rows", "cholesky", "--threads", "1")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("left out, it needs 2 threads", result.stderr)
        self.assertNotIn("2 threads", " ".join(line["what"] for line in read_table(self.folder)[1]))

    def test_operations_of_bench_la_refuse_what_they_cannot_measure(self):
        for words in ([], ["product", "--m", "5"], ["cholesky", "--n", "x"], ["tall", "--type", "single", "--n", "5", "--r", "5", "--k", "5"]):
            result = subprocess.run([BUILD / "bench" / "bench_la", *words], capture_output=True, text=True)
            self.assertEqual((result.returncode, result.stdout), (2, ""), words)
            self.assertIn("usage", result.stderr)

    def test_jobs_of_bench_gram_refuse_what_they_cannot_measure(self):
        data = ["--kernel", "linear", "--x", "x.npy"]
        for words in ([], ["product", *data], ["product", *data, "--gram", "lazy"], ["landmarks", *data]):
            result = subprocess.run([BUILD / "bench" / "bench_gram", *words], capture_output=True, text=True)
            self.assertEqual((result.returncode, result.stdout), (2, ""), words)
            self.assertIn("usage", result.stderr)

    def test_what_is_missed_is_said(self):
        sys.path.insert(0, str(BENCH.parent))
        import table
        c = dict.fromkeys(COLUMNS)
        self.assertEqual(table.wanted(c), "-")
        c.update(share=0.79, share_wanted=0.8)
        self.assertEqual(table.wanted(c), "share 80% MISSED")
        c.update(share=0.81)
        self.assertEqual(table.wanted(c), "share 80%")
        self.assertEqual(table.short(c), "81%")
        c.update(wanted=2.0, ratio=1.9)
        self.assertEqual(table.wanted(c), "2.00 MISSED, share 80%")
        c.update(share=None, share_wanted=None, wanted=None, ours_peak_mb=310, memory_mb_wanted=300, slope=1.04,
                 slope_wanted=1.05)
        self.assertEqual(table.wanted(c), "300 MB MISSED: 310, n^1.05")
        c.update(before_ratio=1.06, before_wanted=1.05)
        self.assertEqual(table.before_wanted(c), "1.05 MISSED: 1.06")
        c.update(before_ratio=1.05)
        self.assertEqual(table.before_wanted(c), "1.05")

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


class Scale(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_scale(self, *words):
        command = [PYTHON, str(BENCH.with_name("scale.py")), "--to", str(self.folder), "--threads", "1", *words]
        return subprocess.run(command, capture_output=True, text=True)

    def test_models_are_fitted_by_size(self):
        result = self.run_scale("--models", "krr,kle", "--sizes", "40,80")
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = [line.split("\t") for line in (self.folder / "scale.tsv").read_text().splitlines()]
        self.assertEqual([line[:2] for line in lines[1:]], [["krr", "40"], ["krr", "80"], ["kle", "40"], ["kle", "80"]])
        for line in lines[1:]:
            self.assertGreater(float(line[lines[0].index("seconds")]), 0)
        self.assertIn("| model | 40 | 80 |", (self.folder / "scale.md").read_text())
        words = " ".join(node.text or "" for node in xml.etree.ElementTree.parse(self.folder / "scale.svg").iter())
        for word in ("krr", "kle", "time of a fit, s", "memory, MB"):
            self.assertIn(word, words)

    def test_a_model_that_does_not_exist_is_refused(self):
        result = self.run_scale("--models", "krr,nothing")
        self.assertEqual(result.returncode, 2)
        self.assertIn("there is no model 'nothing'", result.stderr)

    def test_what_is_left_out_says_what_the_tool_says(self):
        tsv = self.folder / "earlier.tsv"
        tsv.write_text("model\trows\tcolumns\tthreads\tseconds\tcpu_s\tpeak_mb\texpected_s\tsays\n"
                       "ke\t1000\t50\t2\t4.567\t9\t32.1\t\t\n"
                       "ke\t10000\t50\t2\t\t\t\t4000\tthis fit takes about 68 minutes and 3.2 GB; "
                       "gram=nystrom(landmarks=500) takes about 13 minutes and 608 MB\n"
                       "kae\t1000\t50\t2\t\t\t\t400\t\n"
                       "kae\t10000\t50\t2\t\t\t\t4000\tall pairs needs 400 GB; the limit is 20.2 GB: fit fewer rows\n")
        result = self.run_scale("--read", str(tsv))
        self.assertEqual(result.returncode, 0, result.stderr)
        text = (self.folder / "scale.md").read_text()
        self.assertIn("| `ke` | 4.6 s, 32 MB | (68 minutes, 3.2 GB) |", text)
        self.assertIn("| `kae` | (about 400 s) | (needs 400 GB) |", text)
        self.assertIn("- `ke`, 10,000 rows: this fit takes about 68 minutes", text)
        self.assertIn("`gram=nystrom(landmarks=500)` takes", text)
        self.assertIn("- `kae`, 10,000 rows: all pairs needs 400 GB; the limit is 20.2 GB: fit fewer rows.", text)


if __name__ == "__main__":
    unittest.main()
