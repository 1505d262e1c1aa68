"""run.py [NAME...]: the tests of the Python package, or those whose names contain NAME; prints 'N passed, N failed'.

Run with the interpreter that the package was built for, and PYTHONPATH=build/python.
"""
import pathlib
import sys
import unittest


class Result(unittest.TextTestResult):
    def addSuccess(self, test):
        super().addSuccess(test)
        self.good = getattr(self, "good", 0) + 1


def tests_in(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from tests_in(test)
        else:
            yield test


found = unittest.defaultTestLoader.discover(str(pathlib.Path(__file__).parent), "test_*.py")
wanted = [test for test in tests_in(found) if len(sys.argv) < 2 or any(name in test.id() for name in sys.argv[1:])]
result = unittest.TextTestRunner(sys.stdout, resultclass=Result, verbosity=2).run(unittest.TestSuite(wanted))
bad = len(result.failures) + len(result.errors) + len(result.unexpectedSuccesses)
for test, why in result.skipped:
    print(f"skipped: {test}: {why}")
print(f"{len(result.skipped)} skipped")
print(f"{getattr(result, 'good', 0)} passed, {bad} failed")
sys.exit(1 if bad or not getattr(result, "good", 0) else 0)
