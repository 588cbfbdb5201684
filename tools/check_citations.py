#!/usr/bin/env python3
"""Fail when the sources cite a work that docs/references.bib does not have.

    tools/check_citations.py [ROOT]

Looks at src/**/*.[ch] and include/**/*.h for three ways to cite:
    .cite = "bayo1996 dopico2014"          keys of a method, separated by spaces
    "...", "bayo1996 dopico2014"           the same by position: a string of nothing but names with a year
    [bayo1996, Eq. (3)]                    in a comment
"""
import pathlib
import re
import sys

KEY = r"[a-z]+(?:1[89]|20)\d\d[a-z]?"
STRING = r'"(?:[^"\\\n]|\\.)*"'


def bib_keys(text):
    keys = re.findall(r"^@[A-Za-z]+\{([^,\s]+),", text, re.M)
    twice = sorted({k for k in keys if keys.count(k) > 1})
    return set(keys), twice


def cited(text):
    """Pairs of offset and key."""
    for m in re.finditer(r"\bcite\s*=\s*((?:%s\s*)+)" % STRING, text):
        joined = "".join(s[1:-1] for s in re.findall(STRING, m.group(1)))
        for key in joined.split():
            yield m.start(), key
    for m in re.finditer(STRING, text):
        words = m.group()[1:-1].split()
        if words and all(re.fullmatch(KEY, w) for w in words):
            for key in words:
                yield m.start(), key
    for m in re.finditer(r"(?<!\w)\[(%s)(?=[],; ])" % KEY, text):
        yield m.start(), m.group(1)


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
    bib = root / "docs" / "references.bib"
    keys, twice = bib_keys(bib.read_text(encoding="utf-8"))
    errors = [f"{bib}: the key {k} is there twice" for k in twice]
    count = 0
    sources = [*root.glob("src/**/*.[ch]"), *root.glob("include/**/*.h")]
    for path in sorted(sources):
        text = path.read_text(encoding="utf-8")
        for at, key in sorted(set(cited(text))):
            count += 1
            if key not in keys:
                line = text.count("\n", 0, at) + 1
                errors.append(f"{path}:{line}: {key} is not in docs/references.bib")
    for error in errors:
        print(error, file=sys.stderr)
    if errors:
        return 1
    print(f"{count} citations of {len(keys)} works: all known")
    return 0


if __name__ == "__main__":
    sys.exit(main())
