"""Cells of the reproductions are computed once, found again, go on after a stop, and are left out when time is up; their pictures
are the same each time. Needs NumPy and matplotlib."""
import os
import pathlib
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "reproduce"
PYTHON = "/usr/bin/python3" if os.access("/usr/bin/python3", os.X_OK) else "python3"


def run(code, folder):
    """What a program that has `Cells` and the name of a folder prints."""
    code = f"import os, sys, numpy as np\nsys.path.insert(0, {str(FOLDER)!r})\nfrom cells import *\nfolder = {folder!r}\n" + code
    done = subprocess.run([PYTHON, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


class CellsAreKept(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.folder.cleanup()

    def test_a_cell_is_computed_once(self):
        code = ("c = Cells(folder, 60)\n"
                "print(c.value('a', lambda k: k + x, k=1), c.value('z', lambda k: np.arange(3) + x, k=2).sum())\n")
        self.assertEqual(run("x = 1\n" + code, self.folder.name), ["2", "6"])
        self.assertEqual(run("x = 5\n" + code, self.folder.name), ["2", "6"])

    def test_time_that_is_up_leaves_cells_out(self):
        code = "c = Cells(folder, 0)\nprint(c.value('a', lambda k: k, k=1), len(c.wanted))\n"
        self.assertEqual(run(code, self.folder.name), ["None", "1"])

    def test_processes_fill_rank_by_rank_and_one_failure_is_one_cell(self):
        code = """
def ask():
    first = c.value('first', lambda draw: draw + 3, draw=0)
    bad = c.value('bad', lambda draw: 1 // draw, draw=0)
    late = [c.value('late', lambda draw: draw, draw=d) for d in (2, 1)]
    return first, bad, None if first is None else c.value('second', lambda draw: first + 1, draw=0), late
c = Cells(folder, 60, 2, lambda name, key: key['draw'])
order = []
compute, c.compute = c.compute, lambda path, name, make, key: (compute(path, name, make, key), open(folder + '/order', 'a').write(f'{key["draw"]}\\n'))
c.fill(ask)
print(ask(), c.summary())
print(open(folder + '/order').read())
"""
        words = " ".join(run(code, self.folder.name))
        self.assertIn("(3, None, 4, [2, 1])", words)
        self.assertIn("4 cells", words)
        self.assertIn("Left out for lack of time: 1 cells", words)
        self.assertTrue(words.endswith("0 0 1 2"), words)

    def test_pictures_name_what_they_show_and_are_the_same_again(self):
        code = ("import pathlib\nfrom figures import *\npath = pathlib.Path(folder)\n"
                "bars(path / 'bars.svg', 'some', {'one': {'a': [.1, .2], 'b': [.3]}, 'two': {'a': [None], 'b': [.2, .4]}})\n"
                "curves(path / 'curves.svg', 'some', 'across', 'up', {'a': [(1, .5, .1), (2, .4, 0)]})\n"
                "tiles(path / 'tiles.svg', 'some', {'a': np.linspace(0, 1, 24).reshape(2, 3, 4), 'b': np.full((2, 3, 4), 7.)})\n")
        names = {"bars": {"some", "one", "two", "a", "b"}, "curves": {"some", "across", "up", "a"}, "tiles": {"some", "a", "b"}}
        drawn = []
        for _ in range(2):
            run(code, self.folder.name)
            drawn.append([(pathlib.Path(self.folder.name) / f"{name}.svg").read_bytes() for name in names])
        self.assertEqual(*drawn)
        for svg, words in zip(drawn[0], names.values()):
            texts = {node.text for node in xml.etree.ElementTree.fromstring(svg).iter() if node.tag.endswith("text")}
            self.assertLessEqual(words, texts)


if __name__ == "__main__":
    unittest.main()
