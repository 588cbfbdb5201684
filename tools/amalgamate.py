#!/usr/bin/env python3
"""The core and the reader as one C file and one header: sarrus.c, sarrus.h.

    tools/amalgamate.py FOLDER
    tools/amalgamate.py --check      # nothing is written: do headers share a name?

Every header is written where it is first included, every source behind those that come before it in FOLDERS. Names that two sources
define for themselves (static functions, types, constants) get the name of their file in front. What begins with SARRUS_OMIT_ leaves
a part out when it is defined; PARTS lists them, and the head of the file does.
"""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ["base", "math", "linalg", "expression", "model", "elements", "system", "coordinates", "formulations", "integrators", "simulation",
           "analysis", "input", "pictures"]
ALONE = ["import/without_expat.c"]
LEFT_OUT = re.compile(r"integrators/sundials")  # what needs libraries of others
PARTS = {"analysis": ("SARRUS_OMIT_ANALYSIS", "modes, state space, self-stress (analysis.h)"),
         "input": ("SARRUS_OMIT_READER", "model files (load.h): models are made by functions (model.h)"),
         "import": ("SARRUS_OMIT_READER", ""),
         "pictures": ("SARRUS_OMIT_PICTURES", "what to draw of a mechanism (drawing.h)"),
         "bibliography": ("SARRUS_OMIT_CITATIONS", "the texts of sar_citation (methods.h)")}
# Names of the C library that a source may use for its own where it does not include the header.
TAKEN = {"index", "remove", "signal", "y0", "y1", "yn", "j0", "j1", "jn", "gamma", "link", "truncate", "pause", "read", "write", "open", "close", "access", "step", "time", "clock", "select",
         "div", "round", "scale"}
OURS = re.compile(r"sari?_|SARI?_|SARRUS_")
TOKEN = re.compile(r"""(?P<space>\s+)|(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<string>L?"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|(?P<name>[A-Za-z_]\w*)
                    |(?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)|(?P<sign>->|\#\#|.)""", re.S | re.X)
HEAD = """/* Sarrus %s: the numerical core and the reader of models as one C file, made by tools/amalgamate.py.
 *
 *     cc -std=c17 -O2 -c sarrus.c             (C17; nothing but the C library and libm)
 *     cc -std=c17 -O2 program.c sarrus.o -lm
 *
 * On processors with fused multiply-adds in their basic set (arm64), -ffp-contract=off with gcc, unless -std=c17 is given, keeps the bits of other
 * processors. Parts that can be left out:
 *
%s */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE
#define __USE_MINGW_ANSI_STDIO 1 /* formats of C17 in Windows */
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#pragma clang diagnostic ignored "-Wunused-function" /* of headers that are part of the file */
#endif
#define SARRUS_WITHOUT_EXPAT
#include "sarrus.h"
"""


def tokens(text):
    return [(m.lastgroup, m[0]) for m in TOKEN.finditer(text)]


def logical_lines(text):
    """Directives by themselves, everything else as it is: pairs (is a directive, text)."""
    out, rest = [], []
    lines = iter(text.split("\n"))
    for line in lines:
        if line.lstrip().startswith("#"):
            while line.endswith("\\"):
                line += "\n" + next(lines)
            if rest:
                out.append((False, "\n".join(rest) + "\n"))
                rest = []
            out.append((True, line))
        else:
            rest.append(line)
    if rest:
        out.append((False, "\n".join(rest)))
    return out


def statements(text):
    """The declarations at file scope, as lists of tokens without blanks and comments; bodies of functions are left out."""
    code = "".join(part for directive, part in logical_lines(text) if not directive)
    now, depth = [], 0
    for kind, token in tokens(code):
        if kind in ("space", "comment"):
            continue
        depth += (token in "{([") - (token in "})]") if kind == "sign" else 0
        now.append(token)
        if depth == 0 and (token == ";" or (token == "}" and is_function(bare(now)))):
            yield bare(now)
            now = []


def bare(statement):
    """Without attributes and alignments."""
    out, k = [], 0
    while k < len(statement):
        if statement[k] not in ("__attribute__", "_Alignas", "alignas"):
            out.append(statement[k])
            k += 1
            continue
        depth = 0
        while True:
            k += 1
            depth += (statement[k] == "(") - (statement[k] == ")")
            if depth == 0:
                break
        k += 1
    return out


def is_function(statement):
    brace = statement.index("{")
    return brace > 0 and statement[brace - 1] == ")"


def declared(statement):
    """Names that a declaration at file scope makes."""
    names, is_name = [], lambda t: re.fullmatch(r"[A-Za-z_]\w*", t)
    names += [statement[k + 1] for k, t in enumerate(statement[:-2]) if t in ("struct", "union") and statement[k + 2] == "{"]
    if "{" in statement and not is_function(statement):
        brace = statement.index("{")
        before = statement[:brace]
        for word in ("struct", "enum", "union"):
            if word in before:
                names += [t for t in before[before.index(word) + 1:][:1] if is_name(t)]
        if "enum" in before:  # its constants
            depth, wanted = 0, True
            for token in statement[brace:]:
                depth += (token in ("{", "(")) - (token in ("}", ")"))
                if depth == 1 and wanted and is_name(token):
                    names.append(token)
                    wanted = False
                wanted = wanted or (token == "," and depth == 1)
                if depth == 0:
                    break
    flat, depth = [], 0
    for token in statement:
        if token in ("}", ")", "]"):
            depth -= 1
        if depth == 0 or token in ("{", "("):
            flat.append(token)
        if token in ("{", "(", "["):
            depth += 1
    if statement[0] == "typedef":
        function = [k for k, t in enumerate(statement) if t == "*" and statement[k - 1] == "("]
        return names + ([statement[function[0] + 1]] if function and "{" not in statement else [t for t in flat[:-1] if is_name(t)][-1:])
    if statement[0] in ("struct", "enum", "union") and (len(flat) < 4 or flat[-2] == "}"):
        return names
    own = "static" in statement[:3] or re.fullmatch(r"[A-Z_]*INLINE", statement[0])
    if not own and statement[0] not in ("const", "struct", "enum"):
        return names
    paren = statement.index("(") if "(" in statement else 0
    if paren and statement[paren + 1] == "*":  # a pointer to a function
        return names + [t for t in statement[paren + 2:paren + 4] if is_name(t) and t != "const"][:1]
    value = False
    for k, token in enumerate(flat[:-1]):  # the names before ( = [ , ;
        value = (value or token == "=") and token != ","
        if not value and is_name(token) and flat[k + 1] in ("(", "=", ",", ";", "[", "]") and token not in ("static", "const"):
            names.append(token)
            if flat[k + 1] == "(":
                break
    return names


def rename(text, names):
    """Tokens that are such names, but for members of structures."""
    out, before, open_signs, members = [], [""], [], 0
    parts = tokens(text)
    solid = [(k, t) for k, (kind, t) in enumerate(parts) if kind not in ("space", "comment")]
    after = {k: solid[n + 1][1] if n + 1 < len(solid) else "" for n, (k, _) in enumerate(solid)}
    for k, (kind, token) in enumerate(parts):
        if kind in ("space", "comment"):
            out.append(token)
            continue
        if token == "{":
            is_struct = "struct" in before[-2:] or "union" in before[-2:]
            open_signs.append(is_struct)
            members += is_struct
        elif token == "}" and open_signs:
            members -= open_signs.pop()
        if kind == "name" and token in names and before[-1] not in (".", "->"):
            member = members and after[k] in (";", ",", "[", ":", ")") and before[-1] != "["
            argument = before[-4:-3] == ["offsetof"] and before[-1] == ","
            if not member and not argument:
                token = names[token]
        out.append(token)
        before.append(parts[k][1])
    return "".join(out)


class Book:
    def __init__(self):
        self.seen, self.system, self.heads, self.out = set(), [], [], []
        self.names, self.templates, self.local = {}, {}, set()

    def sources(self):
        for folder in FOLDERS:
            yield from (p for p in sorted((ROOT / "src" / folder).rglob("*.c")) if not LEFT_OUT.search(str(p)))
        yield from (ROOT / "src" / name for name in ALONE)

    def find_templates(self, where):
        """Headers that are about numbers of SARI_DUAL variables are written anew for each of their users, whose names they are."""
        headers = {str(p.relative_to(ROOT / "src")): p.read_text(encoding="utf-8") for p in sorted((ROOT / "src").rglob("*.h"))}
        of_duals = {name for name, text in headers.items() if "SARI_DUAL" in text}
        for name, text in headers.items():
            names = [n for statement in statements(text) for n in declared(statement) if not OURS.match(n)]
            if name in of_duals or of_duals & set(re.findall(r'^#include "([^"]+)"', text, re.M)):
                self.templates[name] = names
            else:
                for n in names:
                    where[n].add(name)

    def template_names(self, text):
        found = []
        for name in re.findall(r'^#include "([^"]+)"', text, re.M):
            if name in self.templates:
                found += self.templates[name] + self.template_names((ROOT / "src" / name).read_text(encoding="utf-8"))
        return found

    def find_clashes(self):
        where = collections.defaultdict(set)
        files = list(self.sources())
        self.find_templates(where)
        for path in files:
            text = path.read_text(encoding="utf-8")
            for name in [n for statement in statements(text) for n in declared(statement)] + self.template_names(text):
                where[name].add(path)
        stems = collections.Counter(path.stem for path in files)
        for path in files:
            stem = path.stem if stems[path.stem] == 1 else f"{path.parent.name}_{path.stem}"
            self.names[path] = {name: f"{stem}_{name}" for name, places in where.items()
                                if path in places and (len(places) > 1 or name in TAKEN) and not OURS.match(name)}
        taken = set(where)
        for path, names in self.names.items():
            for name, new in names.items():
                while new in taken:
                    new += "_"
                taken.add(new)
                names[name] = new

    def write_header(self, name, public):
        if name in self.seen:
            return
        self.seen.add(name)
        path = ROOT / ("include" if name.startswith("sarrus/") else "src") / name
        out, self.out = self.out, []
        self.write(path, self.unguarded(path), public)
        self.heads.append("".join(self.out))
        self.out = out

    def unguarded(self, path):
        return re.sub(r"^#ifndef (\w+)\n#define \1\n(.*)\n#endif\s*$", r"\2\n", path.read_text(encoding="utf-8"), count=1, flags=re.S | re.M)

    def write(self, path, text, public, user=None):
        """A source or a header; `user`: the source for which a template is written."""
        names, depth, macros = self.names.get(user or path, {}), 0, []
        if path.suffix == ".c":
            self.local = set()
        body = []
        for directive, part in logical_lines(text):
            if not directive:
                body.append(rename(part, names))
                continue
            word = re.match(r"\s*#\s*(\w+)\s*(.*)", part, re.S)
            depth += (word[1] in ("if", "ifdef", "ifndef")) - (word[1] == "endif")
            if word[1] == "include" and word[2][0] == '"':
                name = word[2].split('"')[1]
                self.out.append("".join(body))
                body = []
                if name in self.templates and name not in self.local:
                    self.local.add(name)
                    macros += self.write(ROOT / "src" / name, self.unguarded(ROOT / "src" / name), public, user or path)
                elif name not in self.templates and (public or not name.startswith("sarrus/")):
                    self.write_header(name, public)
            elif word[1] == "include" and depth == 0:
                if word[2] not in self.system:
                    self.system.append(word[2])
            else:
                if word[1] == "define" and (user or path.suffix == ".c"):
                    macros.append(re.match(r"\w+", word[2])[0])
                body.append(rename(part, names) + "\n")
        self.out.append("".join(body))
        if not user:
            self.out.append("".join(f"#undef {name}\n" for name in dict.fromkeys(macros)))
        return macros

    def take(self):
        """The headers that were not there yet, and the source itself."""
        both = ["".join(part) for part in (self.heads, self.out)]
        self.heads, self.out = [], []
        return [re.sub(r"\n{3,}", "\n\n", text) for text in both]


def bibliography():
    """As cmake/embed_bib.cmake writes it."""
    text = (ROOT / "docs" / "references.bib").read_text(encoding="utf-8")
    quoted = lambda line: '     "' + line.replace("\\", "\\\\").replace('"', '\\"') + '\\n"'
    entries = [f'    {{"{m[1]}",\n' + "\n".join(quoted(line) for line in m[0].split("\n")) + "},\n" for m in re.finditer(r"^@\w+{([^,]+),.*?^}$", text, re.S | re.M)]
    return "".join(entries)


def header(version):
    book = Book()
    book.write_header("sarrus/sarrus.h", True)
    system = "".join(f"#include {name}\n" for name in book.system)
    return f"/* Sarrus {version}: all public headers as one, made by tools/amalgamate.py. */\n#ifndef SARRUS_H\n#define SARRUS_H\n{system}\n{book.take()[0]}\n#endif\n"


def source(version):
    book = Book()
    book.find_clashes()
    always, parts = [], collections.defaultdict(list)
    for path in book.sources():
        switch = PARTS.get(path.relative_to(ROOT / "src").parts[0], (None,))[0]
        book.write(path, path.read_text(encoding="utf-8"), False)
        heads, body = book.take()
        always.append(heads)  # others may need them, too
        (parts[switch] if switch else always).append(f"\n/* ==== {path.relative_to(ROOT)} ==== */\n\n{body}")
    sections = "".join(always)
    for switch, bodies in parts.items():
        sections += f"\n#ifndef {switch}\n" + "".join(bodies) + f"\n#endif /* {switch} */\n"
    sections += f"\nconst sari_citation sari_citations[] = {{\n#ifndef SARRUS_OMIT_CITATIONS\n{bibliography()}#endif\n    {{0, 0}},\n}};\n"
    words = "".join(f" *     {switch:<22} {text}\n" for switch, text in PARTS.values() if text)
    system = "".join(f"#include {name}\n" for name in book.system)
    return HEAD % (version, words) + "\n" + system + "#undef I\n" + sections


def shared_names():
    """Types that two headers define, each for itself."""
    where = collections.defaultdict(set)
    for path in [p for folder in FOLDERS for p in sorted((ROOT / "src" / folder).rglob("*.h"))]:
        for name in re.findall(r"^typedef (?:struct|union|enum) \w* ?{.*?^} (sari_\w+)", path.read_text(encoding="utf-8"), re.S | re.M):
            where[name].add(str(path.relative_to(ROOT)))
    return [f"{name}: {', '.join(sorted(paths))}" for name, paths in where.items() if len(paths) > 1]


def main():
    if shared_names():
        sys.exit("Types of one name in several headers, which one file cannot hold:\n" + "\n".join(shared_names()))
    if sys.argv[1] == "--check":
        print("no two headers define a type of the same name")
        return
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    version = re.search(r"project\(sarrus VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]
    (folder / "sarrus.h").write_text(header(version), encoding="utf-8")
    (folder / "sarrus.c").write_text(source(version), encoding="utf-8")


if __name__ == "__main__":
    main()
