"""Pages in which a model runs, for notebooks and files."""
from __future__ import annotations

import html
import os
import tempfile
from typing import Any

from .program import command


class LivePage:
    """A page with the solver inside: shown by notebooks, or saved for any browser. Made by `Model.live` and `Result.live`.

    Needs the program 'sarrus' with live pages ('make wasm' in its sources).
    """

    def __init__(self, text: str, path: str, settings: dict[str, Any], options: dict[str, Any]) -> None:
        self._text, self._path, self._settings, self._options = text, path, settings, options

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page."""
        with tempfile.TemporaryDirectory() as folder:
            model = self._path
            if not os.path.exists(model):
                model = os.path.join(folder, "model.json")
                with open(model, "w", encoding="utf-8") as file:
                    file.write(self._text)
            settings = [f"{name}={value}" for name, value in self._settings.items()]
            command("view", model, live=True, no_open=True, output=path, set=settings, **self._options)

    def _repr_html_(self) -> str:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "page.html")
            self.save(path)
            with open(path, encoding="utf-8") as file:
                page = html.escape(file.read(), quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%;height:720px;border:0" title="{html.escape(os.path.basename(self._path))}, live"></iframe>'
