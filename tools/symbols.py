#!/usr/bin/env python3
"""The functions that the public headers declare, and so all that libsarrus.so exports.

    tools/symbols.py            fail when cmake/symbols.txt is not the list of them
    tools/symbols.py --write    write that list
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = ROOT / "cmake" / "symbols.txt"
DECLARATION = re.compile(r"^SAR_API\b[^;{]*?\b(sar_\w+)\(", re.M)


def declared():
    """Names of the functions in include/sarrus, sorted."""
    return sorted({name for path in (ROOT / "include" / "sarrus").glob("*.h") for name in DECLARATION.findall(path.read_text())})


def main():
    names = declared()
    if "--write" in sys.argv:
        LIST.write_text("\n".join(names) + "\n")
        return 0
    listed = LIST.read_text().split()
    for name in sorted(set(names) ^ set(listed)):
        print(f"{name} is {'not in cmake/symbols.txt' if name in names else 'in cmake/symbols.txt, but in no public header'}; "
              "tools/symbols.py --write writes the list", file=sys.stderr)
    return names != listed


if __name__ == "__main__":
    sys.exit(main())
