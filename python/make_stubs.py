"""make_stubs.py PACKAGE OUT: writes the type stubs of the built package (__init__.pyi) from the library's tables."""
import importlib
import pathlib
import sys
import types

# The package's tables without the package, which needs NumPy.
package = types.ModuleType("rkhs")
package.__path__ = [sys.argv[1]]
sys.modules["rkhs"] = package
sys.dont_write_bytecode = True
tables = importlib.import_module("rkhs._tables")
default_of, python_name = tables.default_of, tables.python_name

HEAD = '''# Made from the library's tables.
from typing import Any, Callable, Literal, Sequence, overload
import os
import numpy as np
from numpy.typing import ArrayLike, NDArray

__version__: str
_Data = ArrayLike | Sequence[str] | "Bits" | Any
_Verbose = int | Callable[[str, int, int], Any]

class Advice(UserWarning): ...
class ConvergenceWarning(Advice): ...
class Error(Exception): ...
class ArgumentError(Error, ValueError): ...
class SpecError(Error, ValueError): ...
class DataError(Error, ValueError): ...
class FormatError(Error, ValueError): ...
class FileError(Error, OSError): ...
class MemoryLimitError(Error, MemoryError): ...
class NumericError(Error, ValueError): ...
class Cancelled(Error): ...
class BugError(Error, RuntimeError): ...
class BusyError(Error, RuntimeError): ...

class Bits:
    packed: NDArray[np.uint8]
    n_bits: int
    def __init__(self, packed: ArrayLike, n_bits: int | None = ...) -> None: ...
    @property
    def shape(self) -> tuple[int, int]: ...
    def __len__(self) -> int: ...
    def __getitem__(self, index: Any) -> "Bits": ...

def gram(X: _Data, Y: _Data | None = ..., kernel: str | Callable[..., float] = ..., *, random_state: Any = ...,
         n_jobs: int | None = ..., memory: int | None = ..., verbose: _Verbose = ...) -> NDArray[np.float64]: ...
@overload
def score(names: str, Z: ArrayLike, X: _Data | None = ..., y: ArrayLike | None = ..., *, kernel: str | None = ...,
          new_Z: ArrayLike | None = ..., new_X: _Data | None = ..., new_y: ArrayLike | None = ...,
          deviation: Literal[False] = ..., random_state: Any = ..., n_jobs: int | None = ..., memory: int | None = ...,
          verbose: _Verbose = ...) -> float: ...
@overload
def score(names: str, Z: ArrayLike, X: _Data | None = ..., y: ArrayLike | None = ..., *, kernel: str | None = ...,
          new_Z: ArrayLike | None = ..., new_X: _Data | None = ..., new_y: ArrayLike | None = ...,
          deviation: Literal[True], random_state: Any = ..., n_jobs: int | None = ..., memory: int | None = ...,
          verbose: _Verbose = ...) -> tuple[float, float]: ...
@overload
def score(names: Sequence[str], Z: ArrayLike, X: _Data | None = ..., y: ArrayLike | None = ..., *,
          kernel: str | None = ..., new_Z: ArrayLike | None = ..., new_X: _Data | None = ...,
          new_y: ArrayLike | None = ..., deviation: bool = ..., random_state: Any = ..., n_jobs: int | None = ...,
          memory: int | None = ..., verbose: _Verbose = ...) -> dict[str, Any]: ...
def load(path: str | os.PathLike[str], kernel: Callable[..., float] | None = ...) -> Any: ...
def model(spec: str, **settings: Any) -> Any: ...
def save(estimator: Any, path: str | os.PathLike[str]) -> None: ...
def list(what: str | None = ...) -> Any: ...
'''
KINDS = {"integer": "int", "real": "float", "true|false": "bool", "real or bandwidth rule": "float | str"}


def hint(param):
    kind = KINDS.get(param["kind"], "str")
    return kind if default_of(param) is not None else kind + " | None"


def stub(model):
    own = [f"{python_name(p)}: {hint(p)} = ..." for p in model["params"]]
    own += [f"{name}: {kind.replace(' or ', ' | ')} = ..." for name, kind, _ in tables.OF_SOLVER]
    arguments = own[:1] + ["*", "kernel: str | Callable[..., float] | None = ..."] + own[1:] + (
        ["supervised: bool = ..."] if tables.takes_labels(model) else []) + [
        "random_state: Any = ...", "n_jobs: int | None = ...", "memory: int | None = ...", "verbose: _Verbose = ...",
        "**aliases: Any"]
    more = "" if model["predicts"] else (", *, target: ArrayLike | None = ..., triplets: ArrayLike | None = ..., "
                                         "start: ArrayLike | None = ...")
    lines = [f"class {model['title']}:", f"    def __init__(self, {', '.join(arguments)}) -> None: ...",
             "    kernel_: str", "    report_: dict[str, Any]",
             f"    def fit(self, X: _Data, y: ArrayLike | None = ...{more}) -> {model['title']}: ..."]
    if model["predicts"]:
        lines += ["    def predict(self, X: _Data) -> NDArray[Any]: ...",
                  f"    def update(self, X: _Data, y: ArrayLike) -> {model['title']}: ..."]
    else:
        lines += ["    @property", "    def embedding_(self) -> NDArray[np.float64]: ...",
                  "    def transform(self, X: _Data, place: str | None = ...) -> NDArray[Any]: ...",
                  f"    def fit_transform(self, X: _Data, y: ArrayLike | None = ...{more}) -> NDArray[Any]: ...",
                  f"    def update(self, X: _Data) -> {model['title']}: ...",
                  "    def anomaly(self, X: _Data, by: str | None = ...) -> NDArray[np.float64]: ...",
                  "    def inverse_transform(self, Z: ArrayLike) -> NDArray[Any]: ...",
                  "    def explain(self, X: _Data, top: int = ...) "
                  "-> tuple[NDArray[np.int64], NDArray[np.float64]]: ...",
                  "    def get_feature_names_out(self, input_features: Any = ...) -> NDArray[Any]: ...",
                  "    def set_output(self, *, transform: str | None = ...) -> Any: ..."]
    target = "" if model["predicts"] else ", *, target: ArrayLike | None = ..."
    lines += [f"    def score(self, X: _Data, y: ArrayLike | None = ...{target}) -> float: ...",
              "    def get_params(self, deep: bool = ...) -> dict[str, Any]: ...",
              f"    def set_params(self, **params: Any) -> {model['title']}: ..."]
    return "\n".join(lines) + "\n"


pathlib.Path(sys.argv[2]).write_text(HEAD + "".join("\n" + stub(model) for model in tables.models().values()))
