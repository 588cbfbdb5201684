"""sarrus view and report: the files they write and what they refuse. test_view.py opens them in a browser.

    python3 test_pages.py PROGRAM SOURCE_ROOT
"""
import os
import re
import subprocess
import sys
import tempfile

import every_test

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
FOLDER = tempfile.TemporaryDirectory(prefix="sarrus-pages-")


def sarrus(wanted, *arguments):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, cwd=ROOT, timeout=120, check=False)
    assert done.returncode == wanted, (arguments, done.returncode, done.stdout, done.stderr)
    return done


def out(name):
    return os.path.join(FOLDER.name, name)


def test_files_that_are_no_motions():
    sarrus(0, "run", "four-bar", "--end", "0.1", "-q", "-o", out("bare.csv"))
    sarrus(0, "run", "four-bar", "--end", "0.1", "--all", "-q", "-o", out("a.h5"))
    sarrus(0, "run", "bricard", "--end", "0.1", "--all", "-q", "-o", out("b.h5"))
    assert "sarrus report" in sarrus(1, "view", out("bare.csv"), "-o", out("x.html")).stderr
    assert "of another model" in sarrus(1, "view", out("a.h5"), out("b.h5"), "-o", out("x.html")).stderr
    assert "is no result of the model 'bricard'" in sarrus(1, "view", out("a.h5"), "--model", "bricard", "-o", out("x.html")).stderr
    assert "needs the poses" in sarrus(2, "run", "four-bar", "--view", "-o", out("x.csv")).stderr
    assert "which results" in sarrus(2, "report").stderr
    assert not os.path.exists(out("x.html"))


def test_too_many_bodies_are_refused_before_the_run():
    said = sarrus(1, "view", "chain", "--set", "n=10000", "--no-open", "-o", out("x.html")).stderr
    assert "has 10000 bodies; a page shows the motion of at most 2000" in said and "sarrus draw" in said
    assert not os.path.exists(out("x.html"))


def test_the_page_is_below_a_megabyte_plus_data():
    sarrus(0, "run", "four-bar", "--end", "0.1", "--all", "-q", "-o", out("a.h5"))
    sarrus(0, "view", out("a.h5"), "--no-open", "-o", out("a.html"))
    assert os.path.getsize(out("a.html")) < 1e6
    with open(out("a.html"), encoding="utf-8") as file:
        assert not re.search(r'(src|href)=["\']?https?:', file.read())


def test_a_run_leaves_nothing_but_the_page():
    before = set(os.listdir(tempfile.gettempdir()))
    sarrus(0, "view", "four-bar", "--end", "0.1", "--no-open", "-o", out("run.html"))
    assert os.path.getsize(out("run.html")) > 500_000
    assert not [name for name in set(os.listdir(tempfile.gettempdir())) - before if re.fullmatch(r"sarrus-\w{6}\.h5", name)]


def has_pages():
    done = subprocess.run([PROGRAM, "report", out("none.csv"), "-o", out("none.html")], capture_output=True, text=True, cwd=ROOT, check=False)
    if "has no pages" not in done.stderr:
        return True
    assert "Install nodejs and npm" in done.stderr
    return False


if __name__ == "__main__":
    if not has_pages():
        print("skipped: this build has no pages, and says so")
        sys.exit(0)
    sys.exit(every_test.run(globals()))
