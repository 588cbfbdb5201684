#!/usr/bin/env python3
"""What the Python package uses of the public headers as ctypes: structures, constants and prototypes, for python/sarrus/_abi.py.

    tools/python_abi.py            fail when that file is not what the headers say
    tools/python_abi.py --write    write it
    tools/python_abi.py --layout   a C program that prints sizes and offsets, for the test of the file

The headers are preprocessed by the C compiler and read by a small parser: they hold enumerations, structures and
prototypes in a regular style, and a test compares every size and offset with the compiler's.
"""
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "python"
FILE = PACKAGE / "sarrus" / "_abi.py"
SCALARS = {"double": "c_double", "int": "c_int", "unsigned": "c_uint", "long": "c_long", "char": "c_char", "int32_t": "c_int32",
           "uint64_t": "c_uint64", "size_t": "c_size_t", "uint32_t": "c_uint32", "short": "c_short", "float": "c_float"}


def preprocessed():
    """The text that comes from our headers, on one line."""
    text = subprocess.run([os.environ.get("CC", "cc"), "-std=c17", "-E", "-I", ROOT / "include", "-x", "c", "-"], check=True, text=True,
                          capture_output=True, input="#include <sarrus/sarrus.h>\n").stdout
    lines, ours = [], False
    for line in text.splitlines():
        if line.startswith("#"):
            ours = "/include/sarrus/" in line
        elif ours:
            lines.append(line)
    return re.sub(r"\s+", " ", " ".join(lines))


def statements(text):
    """Split at semicolons outside of braces."""
    depth = start = 0
    for k, c in enumerate(text):
        depth += (c in "{(") - (c in "})")
        if c == ";" and depth == 0:
            yield text[start:k].strip()
            start = k + 1


class Headers:
    def __init__(self):
        self.constants, self.enums, self.structs, self.inner, self.functions = {}, {}, {}, set(), {}
        for statement in statements(preprocessed()):
            self.take(statement)

    def take(self, s):
        if m := re.fullmatch(r"(?:typedef )?enum (\w*) ?\{(.*)\} ?(\w*)", s):
            self.take_enum(m[2])
            if m[3]:
                self.enums[m[3]] = True
        elif m := re.fullmatch(r"typedef struct (\w+) \{(.*)\} (\w+)", s):
            self.structs[m[3]] = self.fields(m[2], m[3])
        elif re.fullmatch(r"typedef struct (\w+) (\w+)", s):
            pass  # opaque: a pointer to it is a pointer
        elif m := re.fullmatch(r"__attribute__\(\(visibility\(\"default\"\)\)\) (.+?)\b(sar_\w+)\((.*)\)", s):
            arguments = [] if m[3].strip() == "void" else [self.of(a) for a in re.split(r",(?![^(]*\))", m[3])]
            self.functions[m[2]] = (self.type(m[1].strip()), arguments)
        else:
            raise SystemExit(f"tools/python_abi.py cannot read: {s}")

    def take_enum(self, body):
        value = -1
        for item in filter(None, (part.strip() for part in body.split(","))):
            name, _, text = (part.strip() for part in item.partition("="))
            value = self.number(text) if text else value + 1
            self.constants[name] = value

    def number(self, text):
        return eval(text, {"__builtins__": {}}, dict(self.constants))  # sums and products of constants

    def type(self, text):
        """A type without a name."""
        text = re.sub(r"\b(const|struct)\b", " ", text).strip()
        stars, base = text.count("*"), text.replace("*", "").strip()
        if stars:
            return "c_char_p" if (base, stars) == ("char", 1) else "c_void_p"
        if base == "void":
            return "None"
        if base in self.enums:
            return "c_int"
        return SCALARS.get(base) or base

    def of(self, argument):
        """The type of an argument with a name; arrays and functions are pointers."""
        argument = argument.strip()
        if "(" in argument or "[" in argument:
            return "c_void_p"
        return self.type(re.sub(r"\b\w+$", "", argument))

    def fields(self, body, owner):
        out = []
        for s in statements(body):
            if m := re.fullmatch(r"struct \{(.*)\} (\w+)\[(.*)\]", s):
                inner = f"{owner}_{m[2]}"
                self.inner.add(inner)
                self.structs[inner] = self.fields(m[1], inner)
                out.append((m[2], f"{inner} * {self.number(m[3])}"))
            elif m := re.search(r"\(\*(\w+)\)", s):
                out.append((m[1], "c_void_p"))
            else:
                out += self.plain_fields(s)
        return out

    def plain_fields(self, s):
        m = re.match(r"((?:const |struct )*\w+(?: const\b)?) ?(.*)", s.replace("volatile ", ""))
        for declarator in m[2].split(","):
            stars, name, sizes = re.fullmatch(r" ?(\**(?: ?const\b ?\**)?) ?(\w+) ?((?:\[.*?\])*)", declarator).groups()
            kind = self.type(m[1] + "*" * stars.count("*"))
            for size in re.findall(r"\[(.*?)\]", sizes):
                kind = f"{kind} * {self.number(size)}"
            yield name, kind


def used_by_package():
    """All names of the library in the package and its tests."""
    files = [path for path in PACKAGE.rglob("*.py") if path != FILE]
    return {name for path in files for name in re.findall(r"\b(?:sar|SAR)_\w+", path.read_text())}


def keep_used(h, used):
    """Leave out what is not named there, and is in nothing that is."""
    h.constants = {name: value for name, value in h.constants.items() if name in used}
    h.functions = {name: types for name, types in h.functions.items() if name in used}
    queue = [name for name in h.structs if name in used]
    queue += [kind for result, arguments in h.functions.values() for kind in (result, *arguments)]
    keep = set()
    while queue:
        name = queue.pop().split(" * ")[0]
        if name in h.structs and name not in keep:
            keep.add(name)
            queue += [kind for _, kind in h.structs[name]]
    h.structs = {name: fields for name, fields in h.structs.items() if name in keep}
    return h


HEAD = '''"""The C interface, as tools/python_abi.py reads it from the headers: do not edit."""
# mypy: ignore-errors
from ctypes import (CDLL, Structure, c_char, c_char_p, c_double, c_int, c_int32, c_long, c_size_t, c_uint, c_uint64,
                    c_void_p)

VERSION = "{version}"
'''


def module(h):
    version = re.search(r'#define SAR_VERSION "(.*)"', (ROOT / "include" / "sarrus" / "base.h").read_text())[1]
    out = [HEAD.format(version=version)]
    out += [f"{name} = {value}" for name, value in h.constants.items()]
    for name, fields in h.structs.items():
        out += ["", "", f"class {name}(Structure):", "    _fields_ = ["]
        out += [f'        ("{field}", {kind}),' for field, kind in fields] + ["    ]"]
    out += ["", "", "PROTOTYPES = {"]
    for name, (result, arguments) in h.functions.items():
        out.append(f'    "{name}": ({result}, ({", ".join(arguments)}{"," if len(arguments) == 1 else ""})),')
    out += ["}", "", "", "def declare(library: CDLL) -> None:", '    """Give all functions of the library their types."""',
            "    for name, (result, arguments) in PROTOTYPES.items():", "        function = getattr(library, name)",
            "        function.restype, function.argtypes = result, arguments", ""]
    return "\n".join(out)


def layout(h):
    """C that prints `struct size` and `struct.field offset`."""
    lines = ["#include <sarrus/sarrus.h>", "#include <stddef.h>", "#include <stdio.h>", "int main(void) {"]
    for name, fields in h.structs.items():
        if name in h.inner:
            continue
        lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
        lines += [f'printf("{name}.{field} %zu\\n", offsetof({name}, {field}));' for field, _ in fields]
    return "\n".join(lines + ["}", ""])


def main():
    headers = keep_used(Headers(), used_by_package())
    if "--layout" in sys.argv:
        print(layout(headers))
    elif "--write" in sys.argv:
        FILE.write_text(module(headers))
    elif FILE.read_text() != module(headers):
        print("python/sarrus/_abi.py is not what the headers say: tools/python_abi.py --write", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
