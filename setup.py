"""setup.py: builds the extension with Meson, as `make python` does, and hands it to setuptools."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parent
VERSION = re.search(r"version: '([^']+)'", (ROOT / "meson.build").read_text()).group(1)


class MesonBuild(build_ext):
    """One extension, which Meson knows how to build."""

    def run(self):
        folder = ROOT / "build-pip"
        subprocess.run([ROOT / "scripts" / "configure", folder, "-Dtests=false", f"-Dpython={sys.executable}"], check=True, cwd=ROOT)
        subprocess.run(["ninja", "-C", folder, "python/rkhs/_rkhs.abi3.so", "python/rkhs/__init__.pyi"], check=True, cwd=ROOT)
        target = pathlib.Path(self.build_lib if not self.inplace else ROOT / "python") / "rkhs"
        os.makedirs(target, exist_ok=True)
        for name in ("_rkhs.abi3.so", "__init__.pyi"):
            shutil.copy(folder / "python" / "rkhs" / name, target / name)
        (target / "py.typed").touch()

    def get_outputs(self):
        return [os.path.join(self.build_lib, "rkhs", name) for name in ("_rkhs.abi3.so", "__init__.pyi", "py.typed")]


# All that is made on the way goes to one folder, not to build/, which is Meson's.
(ROOT / "build-pip" / "setuptools").mkdir(parents=True, exist_ok=True)
setup(version=VERSION, ext_modules=[Extension("rkhs._rkhs", ["python/_rkhs.c"], py_limited_api=True)],
      cmdclass={"build_ext": MesonBuild}, options={"bdist_wheel": {"py_limited_api": "cp311"}, "build": {"build_base": "build-pip/setuptools"},
               "egg_info": {"egg_base": "build-pip/setuptools"}})
