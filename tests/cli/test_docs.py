"""The documentation keeps its word: links lead somewhere, models in it are valid, C in it is that of the examples, commands
do what is shown.

Usage: test_docs.py PROGRAM SOURCE_ROOT [--update]

A command that is shown as `$ sarrus ...`, indented or between ```, is run, in a folder with the page's models, and what it prints is
compared with the lines below it: words exactly, numbers to 2 % or 1e-8. Searches that take seconds are run in full tests alone. Not compared are times and what is left by rounding; a line `...` stands for any
lines. Other commands have to succeed. With --update the pages get what is printed now.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import built

program, root = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
update = "--update" in sys.argv
pages = [*root.glob("*.md"), *root.glob("docs/*.md"), *root.glob("problems/**/*.md"), *root.glob("tests/**/*.md")]
assert len(pages) > 10, pages
wrong = []
os.environ.pop("SARRUS_CERTIFY", None)  # what is shown is what users see

NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
MEASURED = re.compile(r"wall time|CPU time|tried  |computed  |, in [\d.]+ [mu]?s$")  # differ from run to run
ROUNDING = re.compile(r"violations|residual")  # only the words count
LONG = re.compile(r"straight-line\.yaml|gait-leg\.yaml|constant-force\.yaml")
LEFT_OUT = re.compile(r"--realtime|mpirun|srun|sudo|make |sarrus.bench|<\(")  # take long, or more than this machine


def blocks(text, language):
    return re.findall(r"^```%s\n(.*?)^```" % language, text, re.M | re.S)


def anchors(text):
    """Heads of a page as links name them."""
    return {re.sub(r"[^\w\- ]", "", head.strip().lower()).replace(" ", "-") for head in re.findall(r"^#+ (.*)$", text, re.M)}


def check_page(page, text, folder):
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        path = target.split("#")[0]
        if path and not re.match(r"[a-z]+:", path) and not (page.parent / path).exists():
            wrong.append(f"{page}: the link {target} leads nowhere")
        elif "#" in target and path.endswith(".md") and target.split("#")[1] not in anchors((page.parent / path).read_text(encoding="utf-8")):
            wrong.append(f"{page}: the link {target} leads to no head")
    for model in blocks(text, "yaml"):
        if not re.search(r"^sarrus:", model, re.M):
            continue  # a piece of one
        named = re.match(r"sarrus: 1 +# ([\w-]+\.yaml)\n", model)  # others may use it
        if named:
            pathlib.Path(folder, named[1]).write_text(model, encoding="utf-8")
        done = subprocess.run([program, "check", "-"], input=model, capture_output=True, text=True, cwd=folder)
        if done.returncode != 0 or "note:" in done.stderr:
            wrong.append(f"{page}: a model in it is refused, or not plain:\n{done.stderr}")
    lines = {line.strip() for path in root.glob("examples/*.c") for line in path.read_text().splitlines()}
    for code in blocks(text, "c"):
        lost = [line for line in code.splitlines() if line.strip() and line.strip() not in lines]
        if lost:
            wrong.append(f"{page}: not in any example: {lost}")


def check_members():
    """The tables of axes in docs/architecture.md name all members, in the order of `sarrus methods`."""
    text = (root / "docs/architecture.md").read_text()
    axes = json.loads(subprocess.run([program, "methods", "--json"], capture_output=True, text=True, check=True).stdout)["axes"]
    for axis, members in axes.items():
        row = re.search(rf"^\| {axis} \| `[^|]*` \| ([^|]*) \|", text, re.M)
        named = re.findall(r"`([\w-]+)`", row[1]) if row else None
        if named != [m["name"] for m in members]:
            wrong.append(f"docs/architecture.md: members of {axis} are {[m['name'] for m in members]}, not {named}")
    for path in re.findall(r"`((?:src/)?[a-z]+/[\w/]+\.[ch])`", text):
        if not (root / path).exists() and not (root / "src" / path).exists():
            wrong.append(f"docs/architecture.md: there is no {path}")


OTHERS = re.compile(r"cmake|pkg-config|mkoctfile|SBATCH|mpirun|test_docs|--seed|==\[")  # options of other programs, drawings


def check_options():
    """Options that pages, models, studies and the help name are those of the program, and switches have no value behind a blank."""
    def help_of(*words):
        return subprocess.run([program, "help", *words], capture_output=True, text=True, check=True).stdout

    listed = help_of().split("Commands")[1].split("Models that")[0]
    helps = {f"help of {name}": help_of(name, "--all") for name in [*re.findall(r"^  (\w+) +\S", listed, re.M), "describe"]}
    for module in ("sarrus.bench", "sarrus.bench.iftomm"):
        helps[f"help of {module}"] = subprocess.run([sys.executable, "-m", module, "--help"], capture_output=True, text=True, check=True,
                                                    env=built.python_environment(program, root)).stdout
    options = re.findall(r"^    X\((\w+), (int|double), [^,]*, \"[^\"]*\", ([^,]*), ([^,]*),", (root / "include/sarrus/options.h").read_text(), re.M)
    known = {"plugin"} | {name.replace("_", "-") for name, *_ in options} | {word for text in helps.values() for word in re.findall(r"--([a-z][\w-]*)", text)}
    switches = {name.replace("_", "-") for name, kind, low, high in options if (kind, low, high) == ("int", "0", "1")}
    assert {"assemble", "equilibrium"} <= switches and {"iterations", "preset"} <= known
    files = [*pages, *root.glob("problems/**/*.yaml"), *root.glob("examples/**/*.yaml"), *root.glob("studies/*.yaml")]
    texts = {str(path): path.read_text(encoding="utf-8") for path in files if path.name not in ("CHANGELOG.md", "papers.md")}  # test_papers.py runs those
    for name, text in {**texts, **helps}.items():
        for line in text.splitlines():
            for word, value in re.findall(r"(?<![\w-])--([a-z][\w-]*)(?: ([01])(?![\w.]))?", "" if OTHERS.search(line) else line):
                if word not in known:
                    wrong.append(f"{name}: there is no option --{word}: {line.strip()[:100]}")
                elif value and word in switches:
                    wrong.append(f"{name}: a switch has its value behind '=': --{word}={value}, not --{word} {value}")


# ---- commands -----------------------------------------------------------------------------------


def commands(text):
    """(first line, command, lines shown below it or None, blanks before it) of every command in a block of four blanks or between ```."""
    lines = text.split("\n")
    k, blanks = 0, "    "
    while k < len(lines):
        if lines[k].startswith("```"):
            blanks = "" if blanks and lines[k] in ("```", "```sh") else "    "
        shown = re.match(rf"{blanks}\$ (.*)", lines[k])
        plain = None if shown else re.match(rf"{blanks}(sarrus \w+ .*)", lines[k])
        first, k = k, k + 1
        if not shown and not plain:
            continue
        command = (shown or plain)[1]
        while command.endswith("\\"):
            command, k = command[:-1] + " " + lines[k].strip(), k + 1
        below = []
        while shown and k < len(lines) and re.match(rf"{blanks}(?!\$ |```)", lines[k]):
            below.append(lines[k][len(blanks):])
            k += 1
        yield k - len(below), command.split(" #")[0], below if shown else None, blanks


def alike(shown, printed):
    if MEASURED.search(shown) and MEASURED.search(printed):
        return True
    words = [NUMBER.sub("0", line) for line in (shown, printed)]
    if re.sub(r"\s+", " ", words[0]) != re.sub(r"\s+", " ", words[1]):
        return False
    if ROUNDING.search(shown):
        return True
    pairs = zip(*(map(float, NUMBER.findall(line)) for line in (shown, printed)))
    return all(abs(a - b) <= 0.02 * max(abs(a), abs(b)) or max(abs(a), abs(b)) < 1e-8 for a, b in pairs)


def same(shown, printed):
    """Are the lines alike, where `...` stands for any number of them?"""
    if not shown:
        return not printed
    if shown[0].strip() == "...":
        return any(same(shown[1:], printed[k:]) for k in range(len(printed) + 1))
    if shown[0].endswith(" ...") and printed and alike(shown[0][:-4], printed[0][:len(shown[0]) - 4]):
        return same(shown[1:], printed[1:])
    return bool(printed) and alike(shown[0], printed[0]) and same(shown[1:], printed[1:])


def runnable(command, folder):
    """Of commands that show nothing: are the files that they name there?"""
    files = re.findall(r"[\w./-]+\.(?:yaml|h5|csv|urdf|xml|fmu)", re.sub(r"(-o|--output|--csv|--plot) \S+", "", command))
    return not LEFT_OUT.search(command) and " ..." not in command and all((folder / file).exists() for file in files)


def check_commands(page, text):
    lines, shift = text.split("\n"), 0
    environment = dict(os.environ, PATH=f"{program.parent}:{os.environ['PATH']}", NO_COLOR="1")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for data in ("problems", "tests", "studies", "examples"):
            (folder / data).symlink_to(root / data)
        for path, model in re.findall(r"[Ss]ave this as `([\w.-]+)`:\n+```yaml\n(.*?)^```", text, re.M | re.S):
            (folder / path).write_text(model)
        for at, command, shown, blanks in commands(text):
            if shown is None and not runnable(command, folder) or LEFT_OUT.search(command) or LONG.search(command) and not built.full(program):
                continue
            done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=folder, env=environment)
            if "has no live pages" in done.stderr:  # tests/cli/test_live.py runs them where there are
                continue
            doubtful = done.returncode == 6 and re.search("--certify|--best-effort|sarrus pose|gait-leg|--free m", command)  # that is what it shows
            if done.returncode != 0 and not doubtful:
                wrong.append(f"{page}: {command}\n{done.stdout}{done.stderr}")
            printed = done.stdout.rstrip("\n").split("\n") if done.stdout.strip() else []
            while shown and not shown[-1].strip():
                shown.pop()
            if not shown or same(shown, printed):
                continue
            wrong.append(f"{page}: {command}\nprints now:\n" + "\n".join(printed))
            if "..." not in [line.strip() for line in shown]:
                lines[at + shift:at + shift + len(shown)] = [blanks + line if line else "" for line in printed]
                shift += len(printed) - len(shown)
    if update:
        page.write_text("\n".join(lines), encoding="utf-8")


for path in pages:
    with tempfile.TemporaryDirectory() as beside:
        check_page(path, path.read_text(encoding="utf-8"), beside)
    if path.parent in (root, root / "docs") and path.name != "CHANGELOG.md" and not built.sanitized(program):  # the runs are others' work then
        check_commands(path, path.read_text(encoding="utf-8"))

check_members()
check_options()
assert len(blocks((root / "docs/getting-started.md").read_text(), "yaml")) == 1
print("\n".join(wrong) or f"{len(pages)} pages: all right")
sys.exit(1 if wrong else 0)
