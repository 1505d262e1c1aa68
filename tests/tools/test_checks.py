#!/usr/bin/env python3
"""Each check of tools/ passes a good tree and refuses a bad one."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"

GOOD_TREE = {
    "include/rkhs.h": "#define RKHS_API\nRKHS_API int rkhs_one(int a);\n/* RKHS_API int rkhs_gone(void); */\n",
    "include/more.h": '#include "rkhs.h"\nRKHS_API const char\n    *rkhs_two(void);\n',
    "src/base/base.h": '#include "rkhs.h"\n',
    "src/base/alloc.c": '/* alloc.c: memory. */\n#include "base.h"\nvoid *rk_get(void) { return malloc(1); }\n',
    "src/la/la.h": '#include "base/base.h"\n',
    "src/la/blas.c": '/* blas.c: BLAS. */\n#include <cblas.h>\n#include "la/la.h"\n'
                     "void rk_go(void) { cblas_dgemm(); dsyevr_(); }\n",
    "src/kernel/kernel.h": '#include "la/la.h"\n',
    "src/kernel/kernels.def": "RK_KERNEL(rbf)\n",
    "src/kernel/vector.c": '/* vector.c: says malloc(1), rand() and "quotes". */\n#include "kernel/kernel.h"\n'
                           "const rk_kernel_type rk_kernel_rbf = {0};\n"
                           'void rk_use(T *p) { rk_free(p->env, p); p->free(p); puts("free(x) // no comment"); }\n',
    "cli/main.c": '/* main.c: the tool. */\n#include <stdio.h>\n#include "cli.h"\nint main(void) { free(0); }\n',
    "cli/cli.h": '#include "rkhs.h"\n',
    "Makefile": "all:\n\ttrue\n",
}


class Tree(unittest.TestCase):
    """Runs a check on GOOD_TREE with some files replaced."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)

    def write(self, changes):
        for name, text in {**GOOD_TREE, **changes}.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def run_check(self, check, changes):
        self.write(changes)
        command = [sys.executable, str(TOOLS / check), "--root", str(self.root)]
        return subprocess.run(command, capture_output=True, text=True)

    def passes(self, check, changes=None):
        result = self.run_check(check, changes or {})
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def refuses(self, check, changes, part):
        result = self.run_check(check, changes)
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertIn(part, result.stdout + result.stderr)


class Commands(unittest.TestCase):
    """tools/check_pages.py on a page of one block, with a tool that writes the file after -o unless its name is "none"."""

    TOOL = "#!/bin/sh\n[ \"$1\" != fail ] || exit 1\necho said\n[ \"$2\" = none ] || echo 1 > \"$2\"\n"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "doc").mkdir()
        (self.root / "examples").mkdir()
        self.tool = self.root / "tool"
        self.tool.write_text(self.TOOL)
        self.tool.chmod(0o755)

    def check(self, text, *options):
        (self.root / "README.md").write_text(text)
        command = [sys.executable, str(TOOLS / "check_pages.py"), "--root", str(self.root), "--tool", str(self.tool), *options]
        return subprocess.run(command, capture_output=True, text=True)

    def test_commands_that_work_pass(self):
        result = self.check("```sh\nrkhs -o Z.csv\n```\n\n```console exit=1\n$ rkhs fail\n```\n\n    rkhs fail\n")
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertIn("3 passed, 0 failed", result.stdout)

    def test_faults_are_named(self):
        for text, words in (("```sh\nrkhs fail\n```\n", "exit status 1, not 0: rkhs fail"),
                            ("```console exit=1\n$ rkhs -o Z.csv\n```\n", "exit status 0, not 1"),
                            ("```sh\nrkhs -o none\n```\n", "none was not written by: rkhs -o none"),
                            ("![picture](pictures/none.svg)\n", "there is no pictures/none.svg"),
                            ("[part](#nowhere)\n\n# Somewhere\n", "this page has no heading #nowhere"),
                            ("# m\n\n**For**: x\n\n```sh\nrkhs -o Z\n```\n\n![p](doc)\n\n## The method\n", "in this order"),
                            ("word " * 30 + "\n", "columns, 120 at most")):
            result = self.check(text)
            self.assertEqual(result.returncode, 1, result.stdout)
            self.assertIn(words, result.stdout)

    def test_what_is_printed_is_written_into_the_page(self):
        self.check("```console\n$ rkhs -o Z.csv\nan older word\n```\n", "--write")
        self.assertEqual((self.root / "README.md").read_text(), "```console\n$ rkhs -o Z.csv\nsaid\n```\n")


class Layers(Tree):
    check = "check_layers.py"

    def test_a_good_tree_passes(self):
        self.passes(self.check)

    def test_an_empty_tree_is_refused(self):
        command = [sys.executable, str(TOOLS / self.check), "--root", str(self.root)]
        self.assertEqual(subprocess.run(command, capture_output=True).returncode, 1)

    def test_a_lower_layer_may_not_include_a_higher_one(self):
        self.refuses(self.check, {"src/la/up.c": '#include "kernel/kernel.h"\n'}, "la may not know kernel")

    def test_a_relative_path_does_not_hide_the_layer(self):
        self.refuses(self.check, {"src/la/up.c": '#include "../kernel/kernel.h"\n'}, "la may not know kernel")

    def test_io_may_not_include_grams(self):
        self.refuses(self.check, {"src/io/csv.c": '# include "gram/gram.h"\n', "src/gram/gram.h": ""}, "io may not know gram")

    def test_the_tool_may_not_include_the_tables(self):
        self.refuses(self.check, {"cli/fit.c": '#include "more.h"\n'}, "the tool may include rkhs.h")

    def test_the_tool_may_not_include_internals(self):
        self.refuses(self.check, {"cli/fit.c": '#include "base/base.h"\n'}, "the tool may include rkhs.h")

    def test_only_la_includes_cblas(self):
        self.refuses(self.check, {"src/kernel/fast.c": "#include <cblas.h>\n"}, "belongs to src/la")

    def test_only_la_calls_blas(self):
        self.refuses(self.check, {"src/kernel/fast.c": "void f(void) { cblas_ddot(); }\n"}, "only src/la calls BLAS")
        self.refuses(self.check, {"src/kernel/fast.c": "void f(void) { dpotrf_(0); }\n"}, "only src/la calls BLAS")

    def test_only_alloc_allocates(self):
        for call in ("malloc(1)", "calloc (1, 1)", "realloc(p, 2)", "free(p)", "strdup(s)"):
            self.refuses(self.check, {"src/la/own.c": f"void f(void) {{ {call}; }}\n"}, "only src/base/alloc.c allocates")

    def test_rand_is_called_nowhere(self):
        self.refuses(self.check, {"src/base/alloc.c": "int f(void) { return rand(); }\n"}, "rk_random")
        self.refuses(self.check, {"cli/dice.c": "int f(void) { return random(); }\n"}, "rk_random")

    def test_an_unknown_folder_is_refused(self):
        self.refuses(self.check, {"src/extra/new.c": "int f(void);\n"}, "no layer")

    def test_a_header_that_does_not_exist_is_refused(self):
        self.refuses(self.check, {"src/la/up.c": '#include "nowhere.h"\n'}, "no file of the project")


class Text(Tree):
    check = "check_text.py"

    def test_a_good_tree_passes(self):
        self.passes(self.check)

    def test_a_tab_in_c_is_refused(self):
        self.refuses(self.check, {"cli/cli.h": "int\tx;\n"}, "cli/cli.h:1: a tab")

    def test_long_lines_are_refused_past_128_columns(self):
        self.passes(self.check, {"cli/cli.h": "x" * 128 + "\n"})
        self.refuses(self.check, {"cli/cli.h": "x" * 129 + "\n"}, "129 columns")

    def test_lines_with_a_comment_are_refused_past_120_columns(self):
        for text in ("/* " + "x" * 114 + " */\n", 'char *a = "/*";\n' + "x" * 128 + "\n", "/* b's\n */\n" + "x" * 128 + "\n",
                     "x; /* a macro */" + " " * 111 + "\\\n"):
            self.passes(self.check, {"cli/cli.h": text})
        for text in ("/* " + "x" * 115 + " */\n", "x" * 114 + " /* y */\n", "/* first\n" + "x" * 121 + "\n */\n"):
            self.refuses(self.check, {"cli/cli.h": text}, "columns, 120 at most in a line with a comment")

    def test_tables_that_are_not_formatted_may_be_wider(self):
        table = "/* clang-format off */\n" + "x" * 150 + "\n/* clang-format on */\n"
        self.passes(self.check, {"cli/cli.h": table})
        self.refuses(self.check, {"cli/cli.h": table + "x" * 129 + "\n"}, "cli/cli.h:4: 129 columns")

    def test_documents_are_refused_past_120_columns(self):
        self.passes("check_text.py", {"CHANGELOG.md": "x" * 120 + "\n| " + "x" * 200 + " |\n"})
        self.refuses("check_text.py", {"CHANGELOG.md": "x" * 121 + "\n"}, "CHANGELOG.md:1: 121 columns")

    def test_the_python_package_is_refused_past_120_columns(self):
        self.passes("check_text.py", {"python/rkhs/a.py": "x" * 120 + "\n"})
        self.refuses("check_text.py", {"python/rkhs/a.py": "x" * 121 + "\n"}, "python/rkhs/a.py:1: 121 columns")

    def test_trailing_blanks_are_refused(self):
        self.refuses(self.check, {"Makefile": "all: \n"}, "Makefile:1: blanks")

    def test_marks_of_unfinished_work_are_refused(self):
        for a, b in (("TO", "DO"), ("FIX", "ME"), ("XX", "X"), ("HA", "CK")):
            self.refuses(self.check, {"scripts/run": f"# {a + b}: later\n"}, "scripts/run:1: a mark")

    def test_words_of_the_tool_in_a_message_of_the_library_are_refused(self):
        for words in ("say --format npy", "'rkhs list' shows all"):
            line = f'/* x */\nconst char *a = "{words}";\n'
            self.refuses(self.check, {"src/la/blas.c": line}, "src/la/blas.c:2: ")
            self.passes(self.check, {"cli/cli.h": line})
        self.passes(self.check, {"src/la/blas.c": "/* --format */\nint x;\n"})

    def test_a_source_file_without_a_header_comment_is_refused(self):
        self.refuses(self.check, {"src/la/blas.c": "int x;\n"}, "src/la/blas.c:1: no header comment")

    def test_files_are_refused_past_700_lines(self):
        self.passes(self.check, {"src/la/blas.c": "/* x */\n" * 700})
        self.refuses(self.check, {"src/la/blas.c": "/* x */\n" * 701}, "701 lines")

    def test_a_missing_last_newline_is_refused(self):
        self.refuses(self.check, {"cli/cli.h": "int x;"}, "no newline")

    def test_a_listed_type_without_a_table_is_refused(self):
        listed = {"src/kernel/kernels.def": "RK_KERNEL(rbf)\nRK_KERNEL(lost)\n"}
        self.refuses(self.check, listed, "kernels.def:2: lost is listed")


class Pages(Tree):
    """make_doc.py on a tree with a tool that prints two small tables."""
    tool = """#!/bin/sh
case $1 in
list) echo '{"version": "1", "lists": [{"name": "kernels", "types": [{"name": "rbf", "brief": "a * b", "formula": "k",
    "data": null, "cost": null, "parameters": []}]}]}' ;;
help) echo '{"version": "1", "examples": "rkhs fit", "options": [], "commands": [{"name": "fit", "group": "Learn",
    "operands": "X", "brief": "learn", "more": null, "list": null, "examples": "rkhs fit", "options": []}]}' ;;
esac
"""
    header = ("/* rkhs.h: one.\n *\n * Words. */\ntypedef struct rkhs_env rkhs_env;\n\n/* ---- env: one ---- */\n\n"
              "/* Of a_*. */\nRKHS_API int rkhs_one(int a);\n\n#ifdef __cplusplus\n}\n#endif\n")

    def run_doc(self, *words):
        return subprocess.run([sys.executable, str(TOOLS / "make_doc.py"), "--root", str(self.root), *words],
                              capture_output=True, text=True)

    def setUp(self):
        super().setUp()
        self.write({"include/rkhs.h": self.header, "build/rkhs": self.tool, "examples/one.c": "int main(void);\n",
                    "ARCHITECTURE.md": "# One\n\n<!-- files: made -->\n<!-- end of files -->\n",
                    "cli/one.c": "/* one.c: does a * b. More words. */\n"})
        (self.root / "build/rkhs").chmod(0o755)
        for path in [*self.root.glob("src/**/*.[ch]"), *self.root.glob("cli/*.h")]:
            path.unlink()
        self.pages = self.root / "doc/reference"

    def differs(self, part):
        result = self.run_doc("--check")
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertIn(part, result.stdout)

    def test_pages_just_made_pass(self):
        self.assertEqual(self.run_doc().returncode, 0)
        self.assertEqual(self.run_doc("--check").returncode, 0)
        self.assertIn("A \\* b.", (self.pages / "kernels.md").read_text())
        text = (self.pages / "c-api.md").read_text()
        self.assertIn("Of a_\\*.\n\n```c\nint rkhs_one(int a);\n```", text)
        self.assertIn("```c\nint main(void);\n```", text)

    def test_every_file_is_in_the_architecture(self):
        self.run_doc()
        self.assertIn("| `one.c` | does a \\* b |", (self.root / "ARCHITECTURE.md").read_text())
        (self.root / "cli/two.c").write_text("/* two.c: does c. */\n")
        self.differs("ARCHITECTURE.md: the files say something else")

    def test_a_page_that_was_edited_is_refused(self):
        self.run_doc()
        (self.pages / "kernels.md").write_text("other\n")
        self.differs("kernels.md: the tables say something else")

    def test_a_page_that_is_missing_or_too_many_is_refused(self):
        self.run_doc()
        (self.pages / "kernels.md").rename(self.pages / "old.md")
        self.differs("kernels.md: is missing")
        self.differs("old.md: nothing makes this page")


class Claims(Tree):
    """check_claims.py on a tree whose documents name one file, one slot, the packages and one list."""
    claims = {
        "ARCHITECTURE.md": "`cli/cli.h` is there.\n", "README.md": "\n", "VERSIONING.md": "\n",
        "CONTRIBUTING.md": "".join(f"**{heading}**\n`go` is a slot.\n" for heading in
                                   ("A kernel", "A model", "A solver", "A gram", "A format", "A score"))
                           + "## End\nthe library needs BLAS and zlib.\n",
        "meson.build": "x = [\n  dependency('blas'), dependency('zlib'), dependency('threads'),\n]\n",
        "include/rkhs.h": '/* One type of a list ("kernels"). */\n',
        "src/kernel/tree.c": 'const rk_list rk_kernels = {"kernels", "kernel", entries};\n',
        **{f"src/{path}": f"typedef struct rk_{name}_type {{\n    int (*go)(void); /* `stop` */\n}} rk_{name}_type;\n"
           for path, name in (("kernel/kernel.h", "kernel"), ("model/model.h", "model"), ("opt/opt.h", "solver"),
                              ("gram/gram.h", "gram"), ("io/io.h", "format"), ("score/score.h", "score"))},
    }

    def test_true_claims_pass(self):
        self.passes("check_claims.py", self.claims)

    def test_false_claims_are_named(self):
        for name, old, new, part in (("ARCHITECTURE.md", "cli.h", "gone.h", "there is no file cli/gone.h"),
                                     ("CONTRIBUTING.md", "`go`", "`stop`", "rk_kernel_type has no slot 'stop'"),
                                     ("CONTRIBUTING.md", "and zlib", "and more", "the library needs BLAS, zlib"),
                                     ("include/rkhs.h", "kernels", "solvers", "the lists are kernels, and it names solvers")):
            with self.subTest(part):
                self.refuses("check_claims.py", {**self.claims, name: self.claims[name].replace(old, new)}, part)


class Symbols(Tree):
    check = "check_symbols.py"
    library_source = "int rkhs_one(int a) { return a; }\nconst char *rkhs_two(void) { return 0; }\n"

    def compile(self, *arguments):
        subprocess.run(["cc", *arguments], cwd=self.root, check=True)

    def build(self, source, libraries=()):
        """A library and a tool made of one source file."""
        (self.root / "build").mkdir()
        (self.root / "one.c").write_text(source)
        (self.root / "main.c").write_text("int main(void) { return 0; }\n")
        self.compile("-c", "-fPIC", "one.c", "-o", "one.o")
        self.compile("-shared", "one.o", "-o", "build/librkhs.so", *libraries)
        subprocess.run(["ar", "rcs", "build/librkhs.a", "one.o"], cwd=self.root, check=True)
        self.compile("main.c", "-o", "build/rkhs")

    def test_a_good_library_passes(self):
        self.build(self.library_source)
        self.passes(self.check)

    def test_a_missing_library_is_refused(self):
        self.refuses(self.check, {}, "run make first")

    def test_a_function_that_is_declared_but_not_exported_is_refused(self):
        self.build("int rkhs_one(int a) { return a; }\n")
        self.refuses(self.check, {}, "rkhs_two is declared in a header but not exported")

    def test_a_function_that_is_exported_but_not_declared_is_refused(self):
        self.build(self.library_source + "int rkhs_three(void) { return 3; }\n")
        self.refuses(self.check, {}, "rkhs_three is exported but declared in no public header")

    def test_a_global_name_without_our_prefix_is_refused(self):
        self.build(self.library_source + "__attribute__((visibility(\"hidden\"))) int helper(void) { return 3; }\n")
        self.refuses(self.check, {}, "the global name helper")

    def test_a_library_beyond_the_list_is_refused(self):
        (self.root / "other.c").write_text("int other(void) { return 1; }\n")
        self.compile("-shared", "-fPIC", "other.c", "-o", "libother.so")
        self.build(self.library_source, ("-Wl,--no-as-needed", "-L.", "-lother"))
        self.refuses(self.check, {}, "needs libother.so")


if __name__ == "__main__":
    unittest.main()
