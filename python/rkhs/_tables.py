"""The library's tables as Python sees them: models with their parameters, defaults and words."""
import functools
import keyword

from . import _rkhs

# What scikit-learn calls the parameter. One line for a name that would surprise its users, none for the others.
PYTHON_NAMES = {"dim": "n_components", "neighbours": "n_neighbors"}
# Parameters of the solver that every estimator with a solver takes too: name, type, words.
OF_SOLVER = [("max_iter", "int or None", "the solver's maximum number of iterations; None: its own default. With "
                                         "solver=None it sets, and so chooses, the first solver in the list that has "
                                         "such a parameter."),
             ("tol", "float or None", "the solver's tolerance; None: its own default. With solver=None as max_iter.")]


@functools.cache
def tables():
    return _rkhs.tables()


@functools.cache
def models():
    """{class name: table of the model}, in the library's order."""
    return {model["title"]: model for model in tables()["models"] if model["title"]}


def takes_labels(model):
    """Whether a model can learn from classes besides its objects."""
    return model["takes_labels"]


def takes_target(model):
    """Whether a model can learn to give other numbers than its objects."""
    return model["takes_target"]


def python_name(param):
    name = PYTHON_NAMES.get(param["name"], param["name"])
    return name + "_" if keyword.iskeyword(name) else name


def other_spellings(params):
    """{keyword: the name of the parameter}, for the spellings that are accepted besides it."""
    found = {}
    for p in params:
        for alias in (p["aliases"] or "").split("|") + [p["name"]]:
            found[alias + "_" if keyword.iskeyword(alias) else alias] = python_name(p)
    return {alias: name for alias, name in found.items() if alias and alias != name}


def solver_with(param, text, given):
    """A solver's spec text with more parameters; None is the first solver of the list that has them."""
    given = {name: value for name, value in given.items() if value is not None}
    if not given:
        return text
    if text is None:
        has = ({p["name"] for p in solver["params"]} for solver in tables()[param["bounds"]])
        text = next(solver["name"] for solver, names in zip(tables()[param["bounds"]], has) if names >= given.keys())
    else:
        refuse_twice(param["bounds"], text, given)
    return _rkhs.spec_set(param["bounds"], text, {name: value_text(value) for name, value in given.items()})


def refuse_twice(solvers, text, given):
    """Refuses parameters that the solver's own text sets too, to another value than the default."""
    name, _ = _rkhs.spec_get(solvers, text, ())
    params = next(solver["params"] for solver in tables()[solvers] if solver["name"] == name)
    default = {p["name"]: p["value"] for p in params if p["name"] in given}
    _, own = _rkhs.spec_get(solvers, text, tuple(default))
    for p, value in own.items():
        if value != default[p]:
            raise ValueError(f"{p} is given twice: as {p}={value_text(given[p])} and in solver={text!r}")


def default_of(param):
    """The default of a parameter as a Python value; None where it is not set unless given."""
    text, kind = param["value"], param["kind"]
    if text is None:
        return None
    if kind == "integer":
        return int(float(text))
    if kind == "real":
        return float(text)
    if kind == "true|false":
        return text in ("true", "yes", "on", "1")
    return text


def spec_params(text):
    """The model of a spec text, and its parameters as Python values: the way back from spec_text."""
    name, _ = _rkhs.spec_get("models", text, ())
    table = next(model for model in models().values() if model["name"] == name)
    _, given = _rkhs.spec_get("models", text, tuple(p["name"] for p in table["params"]))
    return table, {python_name(p): default_of({**p, "value": given[p["name"]]}) for p in table["params"]}


def value_text(value):
    """A Python value as a spec spells it."""
    if isinstance(value, bool) or type(value).__name__ == "bool_":
        return "true" if value else "false"
    return value if isinstance(value, str) else repr(int(value)) if hasattr(value, "__index__") else repr(float(value))


def spec_text(name, params):
    """The spec text of a model with its parameters, by paths such as "gram.by"; None: the library's default."""
    return _rkhs.spec_set("models", name, {path: value_text(v) for path, v in params.items() if v is not None})
