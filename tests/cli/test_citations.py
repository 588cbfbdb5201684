"""The check of the citations passes on the sources, and can fail."""
import pathlib
import subprocess
import sys
import tempfile

root = pathlib.Path(sys.argv[2])
tool = root / "tools" / "check_citations.py"


def check(folder):
    return subprocess.run([sys.executable, tool, folder], capture_output=True, text=True)


real = check(root)
assert real.returncode == 0, real.stderr

with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    (folder / "docs").mkdir()
    (folder / "src" / "x").mkdir(parents=True)
    (folder / "docs" / "references.bib").write_text("@book{known1990,\n  year = {1990}\n}\n")
    source = folder / "src" / "x" / "x.c"
    for text, wanted in [
        ('.cite = "known1990"', None),
        ('int a;\n.cite = "known1990 "\n  "other1991"', "x.c:2: other1991"),
        ('{"al3", "text of 1991", "known1990 other1991"}', "x.c:1: other1991"),
        ("/* (3) [other1991, Eq. (2)] */", "x.c:1: other1991"),
        ('.cite = "noyear"', "x.c:1: noyear"),
        ('int x[n2000]; puts("version 2000");', None),
    ]:
        source.write_text(text)
        answer = check(folder)
        if wanted is None:
            assert answer.returncode == 0, (text, answer.stderr)
        else:
            assert answer.returncode == 1 and wanted in answer.stderr, (text, answer.stderr)
    (folder / "docs" / "references.bib").write_text("@book{a,\n}\n@book{a,\n}\n")
    assert "twice" in check(folder).stderr
print("ok")
