"""Files of many small models: documents that begin with a line `--- # NAME`."""
import pathlib
import re
import shutil


def documents(path):
    """(name, bytes) of every model of a file; one that is no collection is a model itself."""
    content = path.read_bytes()
    if not content.startswith(b"--- # "):
        return [(path.stem, content)]
    parts = re.split(rb"(?m)^--- # ([\w-]+)\n", content)
    return [(name.decode(), text) for name, text in zip(parts[1::2], parts[2::2])]


def unpack(source, folder):
    """Write every model of a folder as a file of its own, with the other files of the folder; returns the models."""
    shutil.copytree(source, folder, dirs_exist_ok=True, ignore=lambda path, names: [n for n in names if pathlib.Path(path) == source and n.endswith(".yaml")])
    models = []
    for path in sorted(source.glob("*.yaml")):
        for name, text in documents(path):
            models.append(pathlib.Path(folder, name + ".yaml"))
            models[-1].write_bytes(text)
    return models
