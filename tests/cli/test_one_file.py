"""The core and the reader as one C file (make sarrus.c): it compiles alone and computes the bits of the library, natively and, where `make
wasm` was there, as WebAssembly in node.

    python3 test_one_file.py PROGRAM SOURCE_ROOT [--all] [--node] [--page] [--arm64] [--mingw]

With --all every problem and example, at its defaults and by `auto`, as long as a run takes less than LIMIT seconds natively. With --node or
--page there has to be a program for them, and chromium (make live-check); without, node is tried where there is one. With --arm64 or
--mingw the file is compiled for that processor or for Windows, and runs in qemu or wine (make check-arm64, make check-mingw).
"""
import base64
import hashlib
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

import browser
import built

PROGRAM, ROOT = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
BUILD, EXAMPLE = PROGRAM.parent, ROOT / "examples" / "one-file" / "run_model.c"
WARNINGS = ["-std=c17", "-Wall", "-Wextra", "-Wpedantic", "-Wno-missing-field-initializers", "-Wno-psabi", "-Werror"]
# A compiler, more flags, and how its programs are run here.
TARGETS = {"arm64": ("aarch64-linux-gnu-gcc", ["-static"], [["qemu-aarch64"]]),
           "mingw": ("x86_64-w64-mingw32-gcc", ["-static", "-D__USE_MINGW_ANSI_STDIO=1"], [["wine64"], ["/usr/lib/wine/wine64"], ["wine"]])}
LIMIT = float(os.environ.get("LIMIT", "60"))
SWITCHES = ["ANALYSIS", "READER", "PICTURES", "CITATIONS"]
SOME = ["problems/slider-crank-1", "problems/n-four-bar", "problems/bricard", "problems/andrews", "examples/models/delta-robot", "examples/models/stick-slip", "examples/models/bouncing-ball"]


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, (command, done.returncode, done.stderr[-3000:])
    return done.stdout


def compiled(compiler, folder, *flags):
    """The object, and the processor's time for it."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(compiler, *WARNINGS, *flags, "-c", folder / "sarrus.c", "-o", folder / "sarrus.o")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return folder / "sarrus.o", after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def models(everything):
    if not everything:
        return [path for name in SOME for path in [ROOT / f"{name}.yaml", ROOT / name / "model.yaml"] if path.exists()]
    return sorted(ROOT.glob("problems/*/model.yaml")) + sorted(ROOT.glob("examples/models/*.yaml"))


def digest(command, limit=None):
    """Of all that a run prints, with its exit code; None: it takes too long."""
    if isinstance(command[0], InPage):
        return command[0].digest([str(part) for part in command[1:]])
    try:
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, timeout=limit, cwd=ROOT)
    except subprocess.TimeoutExpired:
        return None
    return hashlib.sha256(done.stdout.encode()).hexdigest(), done.returncode, done.stderr


class InPage:
    """The program in a page of chromium, with the files of problems and examples in its memory."""

    def __init__(self, folder):
        script = (BUILD / "live" / "run_model_page.js").read_text(encoding="utf-8")
        wasm = base64.b64encode((BUILD / "live" / "run_model_page.wasm").read_bytes()).decode()
        found = [p for part in ("problems", "examples/models") for p in (ROOT / part).rglob("*") if p.suffix in (".yaml", ".csv", ".tir") and p.stat().st_size < 1e6]
        files = json.dumps({str(p): p.read_text(encoding="utf-8") for p in found}).replace("</", "<\\/")
        page = folder / "run_model.html"
        page.write_text(f"""<!DOCTYPE html><meta charset="utf-8"><title>bits</title><script>{script}</script><script>
const wasm = Uint8Array.from(atob('{wasm}'), (c) => c.charCodeAt(0)), files = {files};
async function runModel(words) {{
  const said = [], faults = [];
  const program = await createRunModel({{wasmBinary: wasm, print: (line) => said.push(line), printErr: (line) => faults.push(line)}});
  for (const [path, text] of Object.entries(files)) {{
    program.FS.mkdirTree(path.slice(0, path.lastIndexOf('/')));
    program.FS.writeFile(path, text);
  }}
  const code = program.callMain(words);
  return [said.concat('').join('\\n'), code, faults.concat(faults.length ? '' : []).join('\\n')];
}}</script>""", encoding="utf-8")
        self.browser = browser.Browser().__enter__()
        self.page = self.browser.open(page)

    def digest(self, words):
        text, code, faults = self.page.evaluate(f"runModel({json.dumps(words)})")
        return hashlib.sha256(text.encode()).hexdigest(), code, faults

    def close(self):
        self.browser.__exit__(None, None, None)


def needs_sundials(path, options):
    """Does the library take an integrator that the one file lacks?"""
    done = subprocess.run([PROGRAM, "run", path, *(f"--{option}" for option in options), "--sample", "0", "--certify=no", "--json", "--end", "1e-9"],
                          capture_output=True, text=True, check=False, cwd=ROOT)
    return json.loads(done.stdout)["method"]["integrator"] in ("dopri5", "bdf", "ida", "dop853-ida")


def check_digests(ways, everything):
    """Every way against the first, which is the library."""
    count = 0
    for path in models(everything):
        for options in ([], ["preset=auto"]):
            arguments = [path, *options, *([] if everything else ["end=1"])]
            if needs_sundials(path, options):
                print(f"- one file: {path.relative_to(ROOT)} {options}: by SUNDIALS, left out")
                continue
            wanted = digest([*ways["library"], *arguments], LIMIT)
            if wanted is None:
                print(f"- one file: {path.relative_to(ROOT)} {options}: longer than {LIMIT:g} s, left out")
                continue
            for name, way in ways.items():
                if name != "library":
                    got = digest([*way, *arguments])
                    said = 2 if name == "mingw" else 3  # wine has much to say itself
                    assert got[:said] == wanted[:said], (name, str(path), options, got[1:], wanted[1:])
                    count += 1
    print(f"- one file: {count} runs with the bits of the library: {', '.join(ways)}")
    assert count > 0


def ways_of(folder, thing):
    ways = {}
    shared = next(iter(BUILD.glob("libsarrus.so")), None)
    assert shared, "the shared library is not there"
    run("cc", "-std=c17", "-O1", f"-I{ROOT / 'include'}", f"-I{ROOT / 'include' / 'sarrus'}", EXAMPLE, shared, f"-Wl,-rpath,{BUILD}", "-lm", "-o", folder / "library")
    run("cc", "-std=c17", "-O1", f"-I{folder}", EXAMPLE, thing, "-lm", "-o", folder / "alone")
    ways["library"], ways["one file"] = [folder / "library"], [folder / "alone"]
    node, script = shutil.which("node"), BUILD / "live" / "run_model.js"
    if node and script.exists():
        ways["WebAssembly in node"] = [node, "--no-experimental-fetch", script]
    else:
        assert "--node" not in sys.argv, "no node, or no run_model.js: 'make wasm'"
        print("- one file: no WebAssembly here ('make wasm'), so that is not compared")
    if "--page" in sys.argv:
        assert browser.find(), "there is no chromium"
        ways["WebAssembly in chromium"] = [InPage(folder)]
    return ways


def way_of_target(folder, name):
    """Compiled without a warning; how to run it, or None."""
    compiler, flags, runners = TARGETS[name]
    assert shutil.which(compiler), f"{compiler} is not there: 'make check-{name}' installs it"
    place = folder / name
    place.mkdir()
    run(compiler, *WARNINGS, "-O1", *flags, f"-I{folder}", EXAMPLE, folder / "sarrus.c", "-lm", "-lpthread", "-o", place / "run_model.exe")
    runner = next((r for r in runners if shutil.which(r[0])), None)
    print(f"- one file: {name} compiles without warnings" + ("" if runner else ", and nothing here runs its programs"))
    os.environ.update(WINEDEBUG="-all", WINEPREFIX=str(place / "wine"))
    return [*runner, place / "run_model.exe"] if runner else None


def main():
    if built.sanitized(PROGRAM):
        return
    with tempfile.TemporaryDirectory(prefix="sarrus-one-") as name:
        folder = pathlib.Path(name)
        run(sys.executable, ROOT / "tools" / "amalgamate.py", folder)
        full = built.full(PROGRAM)
        compilers = [name for name in ("clang", "cc") if shutil.which(name)]
        for compiler in compilers if full else compilers[:1]:  # clang takes a quarter of the time
            run(compiler, *WARNINGS, "-fsyntax-only", *[f"-DSARRUS_OMIT_{part}" for part in SWITCHES], folder / "sarrus.c")
            thing, seconds = compiled(compiler, folder, "-O1" if full else "-O0")
        print(f"- one file: {(folder / 'sarrus.c').stat().st_size / 1e6:.1f} MB, compiled in {seconds:.0f} s of a processor")
        ways = ways_of(folder, thing)
        for target in TARGETS:
            way = way_of_target(folder, target) if f"--{target}" in sys.argv else None
            ways.update({target: way} if way else {})
        try:
            check_digests(ways, "--all" in sys.argv or built.full(PROGRAM))
        finally:
            for way in ways.values():
                if isinstance(way[0], InPage):
                    way[0].close()


if __name__ == "__main__":
    os.environ.setdefault("SARRUS_CERTIFY", "no")
    main()
