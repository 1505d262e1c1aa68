#!/usr/bin/env python3
"""`make install` puts everything in its place, and a program compiles against it, shared and static, and runs.

Installs as packagers do: into a folder of its own by DESTDIR, moved to its prefix afterwards. BUILD is the build folder.
"""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "examples" / "data" / "iris.csv"


def output_of(*command, **more):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(str(word) for word in command)}: exit {done.returncode}\n{done.stdout}")
    return done.stdout


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.scratch = pathlib.Path(cls.folder.name).resolve()
        cls.prefix, stage = cls.scratch / "prefix", cls.scratch / "stage"
        cls.said = output_of("make", "install", f"PREFIX={cls.prefix}", f"DESTDIR={stage}", cwd=ROOT)
        cls.outside = cls.prefix.exists() or [path.name for path in stage.iterdir()] != [cls.prefix.parts[1]]
        shutil.move(f"{stage}{cls.prefix}", cls.prefix)
        cls.library = cls.prefix / "lib" / "librkhs.so"
        cls.version = output_of(cls.prefix / "bin" / "rkhs", "--version").split()[1]
        names = re.findall(r"^  ([a-z]+) ", output_of(cls.prefix / "bin" / "rkhs", "help"), re.MULTILINE)
        cls.commands = [name for name in dict.fromkeys(names) if name != "rkhs"]

    def pkg_config(self, *words):
        environment = {**os.environ, "PKG_CONFIG_PATH": str(self.prefix / "lib" / "pkgconfig")}
        return output_of("pkg-config", *words, "rkhs", env=environment).split()

    def run_example(self, name, flags, environment=None):
        """Compiles an example against what is installed, runs it, and gives what it printed."""
        program = self.scratch / f"{name}_{len(list(self.scratch.iterdir()))}"
        output_of("cc", "-Wall", "-Werror", ROOT / "examples" / f"{name}.c", "-o", program, *flags)
        words = [DATA] if name == "embed" else []
        return program, output_of(program, *words, cwd=self.scratch, env={**os.environ, **(environment or {})})

    def test_nothing_is_written_outside_destdir(self):
        self.assertFalse(self.outside, self.said)

    def test_every_file_is_in_its_place(self):
        there = {str(path.relative_to(self.prefix)) for path in self.prefix.rglob("*") if not path.is_dir()}
        wanted = {"bin/rkhs", "include/rkhs.h", "lib/librkhs.a", "lib/librkhs.so",
                  f"lib/librkhs.so.{self.version.split('.')[0]}", f"lib/librkhs.so.{self.version}", "lib/pkgconfig/rkhs.pc",
                  "share/bash-completion/completions/rkhs", "share/man/man1/rkhs.1"}
        self.assertGreater(len(self.commands), 5)
        self.assertEqual(there, wanted | {f"share/man/man1/rkhs-{name}.1" for name in self.commands})

    def test_the_library_has_a_soname_and_no_path_is_built_in(self):
        dynamic = output_of("readelf", "-dW", self.library)
        self.assertIn(f"[librkhs.so.{self.version.split('.')[0]}]", dynamic)
        for path in (self.library, self.prefix / "bin" / "rkhs"):
            self.assertNotRegex(output_of("readelf", "-dW", path), "RPATH|RUNPATH")

    def test_only_names_that_begin_with_rkhs_are_exported(self):
        lines = [line.split() for line in output_of("nm", "-D", "--defined-only", self.library).splitlines()]
        names = [fields[2] for fields in lines if fields[1] != "A"]
        self.assertGreater(len(names), 30)
        self.assertEqual([name for name in names if not name.startswith("rkhs_")], [])
        self.assertEqual({name.partition("@@")[2] for name in names}, {f"RKHS_{self.version.split('.')[0]}"})

    def test_pkg_config_knows_the_version_and_the_place(self):
        self.assertEqual(self.pkg_config("--modversion"), [self.version])
        self.assertIn(f"-I{self.prefix}/include", self.pkg_config("--cflags"))
        self.assertEqual(self.pkg_config("--libs"), [f"-L{self.prefix}/lib", "-lrkhs"])

    def test_examples_compile_and_run_with_the_shared_library(self):
        for source in sorted((ROOT / "examples").glob("*.c")):
            environment = {"LD_LIBRARY_PATH": str(self.prefix / "lib")}
            flags = [*self.pkg_config("--cflags", "--libs"), "-lm"]
            program, printed = self.run_example(source.stem, flags, environment)
            self.assertTrue(printed)
            found = output_of("ldd", program, env={**os.environ, **environment})
            self.assertRegex(found, rf"librkhs\.so\.\d+ => {re.escape(str(self.prefix))}/lib/")
            self.assertNotIn("not found", found)

    def test_an_example_gives_the_same_with_the_static_library(self):
        flags = [flag.replace("-lrkhs", "-l:librkhs.a") for flag in self.pkg_config("--cflags", "--libs", "--static")]
        if "-lgfortran" in flags and output_of("cc", "-print-file-name=libgfortran.so").strip() == "libgfortran.so":
            self.skipTest("the system's blas.pc asks for libgfortran, which is not installed")
        program, printed = self.run_example("embed", flags)
        self.assertNotIn("librkhs", output_of("ldd", program))
        _, shared = self.run_example("embed", self.pkg_config("--cflags", "--libs"),
                                     {"LD_LIBRARY_PATH": str(self.prefix / "lib")})
        self.assertEqual(printed, shared)

    def test_the_header_compiles_on_its_own(self):
        source = self.scratch / "one.c"
        source.write_text("#include <rkhs.h>\nint main(void) { return 0; }\n")
        output_of("cc", "-std=c11", "-pedantic-errors", "-Wall", "-Werror", "-fsyntax-only", source,
                  *self.pkg_config("--cflags"))

    @unittest.skipUnless(shutil.which("groff"), "there is no groff to read man pages")
    def test_man_pages_have_no_faults(self):
        for page in sorted((self.prefix / "share" / "man" / "man1").iterdir()):
            self.assertEqual(output_of("groff", "-man", "-ww", "-z", "-Tutf8", page), "", page.name)

    def test_the_man_page_of_a_command_has_each_of_its_options(self):
        for name in self.commands:
            text = (self.prefix / "share" / "man" / "man1" / f"rkhs-{name}.1").read_text().replace("\\-", "-")
            options = re.findall(r"^  .{3,5}(--[a-z-]+)", output_of(self.prefix / "bin" / "rkhs", "help", name), re.MULTILINE)
            self.assertGreater(len(options), 3)
            self.assertEqual([option for option in options if option not in text], [], name)


class Refused(unittest.TestCase):
    def test_a_prefix_that_is_no_full_path(self):
        done = subprocess.run(["make", "-s", "install", "PREFIX=here"], cwd=ROOT, capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("must be a full path", done.stderr)


if __name__ == "__main__":
    unittest.main()
