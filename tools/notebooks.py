#!/usr/bin/env python3
"""Notebooks from scripts: docs/notebooks/*.py are run cell by cell and written as executed .ipynb beside them.

    tools/notebooks.py            run all, and fail where one fails or its notebook holds other code
    tools/notebooks.py --write    run all and write the notebooks, with their outputs and pictures

A script has cells that begin with a line `# %%` (code) or `# %% [markdown]` (text in comments). The value of a last line that is an
expression is shown, as notebooks do; figures of matplotlib are shown at the end of a cell.
"""
import ast
import base64
import contextlib
import io
import json
import os
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "docs" / "notebooks"


def cells_of(text):
    """Kinds and texts."""
    for part in ("\n" + text).split("\n# %%")[1:]:
        head, _, body = part.partition("\n")
        if "[markdown]" in head:
            yield "markdown", "\n".join(line[2:] if line.startswith("# ") else line.lstrip("#") for line in body.strip().split("\n"))
        else:
            yield "code", body.strip()


def figures():
    """Those that are open, as PNG; they are closed."""
    from matplotlib import pyplot

    for number in pyplot.get_fignums():
        buffer = io.BytesIO()
        pyplot.figure(number).savefig(buffer, dpi=80, bbox_inches="tight")
        yield base64.b64encode(buffer.getvalue()).decode()
    pyplot.close("all")


def shown(value):
    """A value as a notebook shows it. Pages are too large to keep: the drawing stands for them."""
    data = {"text/plain": repr(value)}
    if hasattr(value, "drawing"):
        data["text/html"] = value.drawing()
    elif hasattr(value, "_repr_html_"):
        data["text/html"] = value._repr_html_()
    return data


def execute(code, names):
    """Outputs of a cell."""
    tree = ast.parse(code)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    said, outputs = io.StringIO(), []
    with contextlib.redirect_stdout(said):
        exec(compile(tree, "cell", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "cell", "eval"), names) if last else None
    if said.getvalue():
        outputs.append({"output_type": "stream", "name": "stdout", "text": said.getvalue()})
    images = list(figures())
    if value is not None and not images:
        outputs.append({"output_type": "execute_result", "execution_count": None, "metadata": {}, "data": shown(value)})
    for image in images:
        outputs.append({"output_type": "display_data", "metadata": {}, "data": {"image/png": image, "text/plain": "<Figure>"}})
    return outputs


def notebook_of(path):
    """Run a script and return its notebook."""
    names, cells = {"__name__": "__main__"}, []
    for kind, text in cells_of(path.read_text()):
        cell = {"cell_type": kind, "id": f"cell-{len(cells)}", "metadata": {}, "source": text}
        if kind == "code":
            cell.update(execution_count=len(cells), outputs=execute(text, names))
        cells.append(cell)
    about = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}, "language_info": {"name": "python"}}
    return {"cells": cells, "metadata": about, "nbformat": 4, "nbformat_minor": 5}


def main():
    import matplotlib

    matplotlib.use("Agg")
    os.chdir(FOLDER)
    failed = 0
    for path in sorted(FOLDER.glob("*.py")):
        notebook, kept = notebook_of(path), path.with_suffix(".ipynb")
        if "--write" in sys.argv:
            kept.write_text(json.dumps(notebook, indent=1) + "\n")
            continue
        old = json.loads(kept.read_text()) if kept.exists() else {"cells": []}
        if [cell["source"] for cell in old["cells"]] != [cell["source"] for cell in notebook["cells"]]:
            print(f"{kept.name} is not what {path.name} says: tools/notebooks.py --write", file=sys.stderr)
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
