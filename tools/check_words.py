#!/usr/bin/env python3
"""Fail where a word of tools/words.txt occurs in sources, docs or messages.

    tools/check_words.py [ROOT]
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
FOLDERS = ["src", "cli", "include", "docs", "python", "problems", "examples"]
ENDINGS = {".c", ".h", ".md", ".py", ".yaml"}


def words():
    """word: (what to write, folders in which it counts)"""
    for line in (ROOT / "tools" / "words.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            word, new = (part.strip() for part in line.split("->"))
            new, _, folders = (part.strip() for part in new.partition("|"))
            yield word, (new, [ROOT / folder for folder in folders.split()])


def main():
    known = dict(words())
    pattern = re.compile("|".join(re.escape(word).replace("\\ ", r"\s+") for word in known), re.I)
    files = [ROOT / "README.md", *(path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*")) if path.suffix in ENDINGS)]
    found = 0
    for path in files:
        text = path.read_text(encoding="utf-8")
        for m in pattern.finditer(text):
            new, folders = known[re.sub(r"\s+", " ", m.group().lower())]
            if folders and not any(folder in path.parents for folder in folders):
                continue
            found += 1
            print(f"{path}:{text.count(chr(10), 0, m.start()) + 1}: '{m.group()}': write '{new}'", file=sys.stderr)
    print(f"{len(files)} files, {found} words that are not of the field")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
