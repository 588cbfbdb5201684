#!/usr/bin/env python3
"""Every model of tests/models/bad is refused at the right line with the right words.

Usage: test_bad_models.py PROGRAM SOURCE_ROOT

The first line of each model says what is expected: `# expect: LINE: part of the message`. Files are models, or collections of them.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(sys.argv[2]) / "tools"))
import collections_of_models  # noqa: E402


def expectation(path):
    first = path.read_bytes().split(b"\n", 1)[0].decode()
    match = re.fullmatch(r"# expect: (\d+): (.+)", first)
    if not match:
        raise SystemExit(f"{path}: the first line must be '# expect: LINE: part of the message'")
    return int(match[1]), match[2]


def complaint(program, path):
    """What is wrong with the program's answer, or None."""
    line, words = expectation(path)
    run = subprocess.run([program, "check", str(path)], capture_output=True, timeout=3600)
    answer = run.stderr.decode(errors="replace")
    if run.returncode != 3:
        return f"exit code {run.returncode}, wanted 3", answer
    blocks = [b for b in re.split(r"(?m)^(?=\S)", answer) if b.startswith(str(path))]
    at_line = [b for b in blocks if re.match(re.escape(str(path)) + rf":{line}:\d+: error: .", b)]
    if not at_line:
        return f"no error at line {line}", answer
    if not any(words in block for block in at_line):
        return f"the error at line {line} does not say '{words}'", answer
    return None


def main():
    program, root = sys.argv[1], pathlib.Path(sys.argv[2])
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        models = collections_of_models.unpack(root / "tests" / "models" / "bad", folder)
        for path in models:
            wrong = complaint(program, path)
            if wrong:
                failed += 1
                print(f"FAILED {path.name}: {wrong[0]}\n{wrong[1]}")
    print(f"{len(models) - failed} passed, {failed} failed")
    return 1 if failed or len(models) < 400 else 0


if __name__ == "__main__":
    sys.exit(main())
