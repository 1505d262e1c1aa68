"""scikit-learn's own checks on every estimator, one test each."""
import unittest
import warnings

from sklearn.utils.estimator_checks import check_estimator

from common import CLASSES, DESCENTS


class Checks(unittest.TestCase):
    pass


def add(name_of, model):
    counts = {}
    for estimator, check in check_estimator(model, generate_only=True):
        name = check.func.__name__ if hasattr(check, "func") else check.__name__
        counts[name] = counts.get(name, 0) + 1
        number = f"_{counts[name]}" if counts[name] > 1 else ""

        def test(self, estimator=estimator, check=check):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                check(estimator)
        setattr(Checks, f"test_{name_of}_{name}{number}", test)


for each in CLASSES:
    few = {"solver": "lbfgs(max_iter=20)"} if each in DESCENTS else {}  # how far a descent goes is no matter of these checks
    add(each.__name__, each(**few))
    if "supervised" in each().get_params():
        add(f"{each.__name__}_supervised", each(supervised=True, **few))

if __name__ == "__main__":
    unittest.main()
