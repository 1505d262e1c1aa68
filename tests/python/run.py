"""run.py [--slowest N] [NAME...]: the tests of the Python package, or those whose names contain NAME; prints 'N passed, N failed, N skipped'.

Run with the interpreter that the package was built for, and PYTHONPATH=build/python. A test that was skipped, or a part of one
(a subtest), has not passed: it is named with its reason and counted apart. --slowest N shows the N tests that took most
processor time, with that of the processes they ran.
"""
import argparse
import pathlib
import resource
import sys
import unittest


def processor_time():
    """Seconds of this process and of its children that have ended."""
    return sum(u.ru_utime + u.ru_stime for u in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


class Result(unittest.TextTestResult):
    def __init__(self, *args, **more):
        super().__init__(*args, **more)
        self.good, self.times = 0, []

    def startTest(self, test):
        super().startTest(test)
        self.before, self.skipped_before = processor_time(), len(self.skipped)

    def stopTest(self, test):
        super().stopTest(test)
        self.times.append((processor_time() - self.before, test.id()))

    def addSuccess(self, test):
        super().addSuccess(test)
        self.good += len(self.skipped) == self.skipped_before  # unittest calls a test with skipped parts a success


def tests_in(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from tests_in(test)
        else:
            yield test


parser = argparse.ArgumentParser(description=__doc__.partition(":")[2].partition("\n")[0])
parser.add_argument("--slowest", type=int, default=0, metavar="N")
parser.add_argument("names", nargs="*")
asked = parser.parse_args()
found = unittest.defaultTestLoader.discover(str(pathlib.Path(__file__).parent), "test_*.py")
wanted = [test for test in tests_in(found) if not asked.names or any(name in test.id() for name in asked.names)]
result = unittest.TextTestRunner(sys.stdout, resultclass=Result, verbosity=2).run(unittest.TestSuite(wanted))
bad = len(result.failures) + len(result.errors) + len(result.unexpectedSuccesses)
for seconds, name in sorted(result.times, reverse=True)[:asked.slowest]:
    print(f"{seconds:7.2f} s  {name}")
if asked.slowest:
    print(f"{sum(seconds for seconds, _ in result.times):7.2f} s of processor time in all")
for test, why in result.skipped:
    print(f"skipped: {test}: {why}")
print(f"{result.good} passed, {bad} failed, {len(result.skipped)} skipped")
sys.exit(1 if bad or not result.good else 0)
