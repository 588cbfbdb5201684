"""The documentation keeps its word: links lead somewhere, models in it are valid, C in it is that of the examples."""
import pathlib
import re
import subprocess
import sys

program, root = sys.argv[1], pathlib.Path(sys.argv[2])
pages = [*root.glob("*.md"), *root.glob("docs/*.md"), *root.glob("problems/**/*.md"), *root.glob("tests/**/*.md")]
assert len(pages) > 10, pages
wrong = []


def blocks(text, language):
    return re.findall(r"^```%s\n(.*?)^```" % language, text, re.M | re.S)


for page in pages:
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        path = target.split("#")[0]
        if path and not re.match(r"[a-z]+:", path) and not (page.parent / path).exists():
            wrong.append(f"{page}: the link {target} leads nowhere")
    for model in blocks(text, "yaml"):
        if not model.startswith("sarrus:"):
            continue  # a piece of one
        done = subprocess.run([program, "check", "-"], input=model, capture_output=True, text=True)
        if done.returncode != 0:
            wrong.append(f"{page}: a model in it is refused:\n{done.stderr}")
    for code in blocks(text, "c"):
        lines = {line.strip() for path in root.glob("examples/*.c") for line in path.read_text().splitlines()}
        lost = [line for line in code.splitlines() if line.strip() and line.strip() not in lines]
        if lost:
            wrong.append(f"{page}: not in any example: {lost}")

assert len(blocks((root / "docs/getting-started.md").read_text(), "yaml")) == 1
print("\n".join(wrong) or f"{len(pages)} pages: all right")
sys.exit(1 if wrong else 0)
