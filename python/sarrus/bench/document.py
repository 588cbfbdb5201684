"""The files of studies: YAML as the library reads it, in maps that know their place for messages."""
from __future__ import annotations

import ctypes
import difflib
import json
import math
import os
import pathlib
import re
from types import SimpleNamespace
from typing import Any, Iterable, Iterator

from .. import _abi, _library
from .._library import library

_POWER = re.compile(r"([-+]?[\d.]+)[eE]([-+]?\d+\.\d+)")  # 1e8.5, as in sweeps


class StudyError(Exception):
    """A study makes no sense, or (`usage`) what was asked for."""

    def __init__(self, message: str, usage: bool = False) -> None:
        super().__init__(message)
        self.usage = usage


def folders(kind: str) -> Iterator[pathlib.Path]:
    """Where data is: in the working directory, in the package, in a clone, and beside the library."""
    package = pathlib.Path(__file__).resolve().parent.parent
    yield from (pathlib.Path(kind), package / "share/sarrus" / kind, package.parent.parent / kind)
    yield from (base / "share/sarrus" / kind for base in pathlib.Path(_library.path).resolve().parents)


def read(path: pathlib.Path) -> Any:
    """The document of a file; its numbers are still texts."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise StudyError(f"cannot read {path}: {error.strerror}") from None
    found, said = ctypes.c_void_p(), ctypes.c_void_p()
    status = library.sar_yaml_json(raw, len(raw), os.fsencode(path), ctypes.byref(found), ctypes.byref(said))
    answer, messages = (ctypes.cast(each, ctypes.c_char_p) for each in (found, said))
    texts = [(each.value or b"").decode("utf-8", "replace").strip() for each in (answer, messages)]
    library.sar_text_free(answer)
    library.sar_text_free(messages)
    if status != _abi.SAR_OK:
        raise StudyError(texts[1] or f"{path} cannot be read")
    return json.loads(texts[0])


def number(text: Any) -> float:
    """A number as people write it, 1e8.5 too; NaN: it is none."""
    power = _POWER.fullmatch(text) if isinstance(text, str) else None
    try:
        value = float(power[1]) * 10 ** float(power[2]) if power else float(text)
    except (TypeError, ValueError, OverflowError):
        return math.nan
    return value if math.isfinite(value) else math.nan


def nearest(word: str, known: Iterable[str]) -> str:
    """What to say after an unknown word: the known one that was meant, or nothing."""
    alike = {each: difflib.SequenceMatcher(None, word, each).ratio() for each in known}
    near = max(alike, key=lambda each: alike[each], default="")
    return f"; did you mean '{near}'?" if alike.get(near, 0) >= 0.6 else ""


class Map:
    """A map of a file. `where` begins the messages about it."""

    def __init__(self, values: Any, where: str, what: str) -> None:
        self.where = where
        if not isinstance(values, dict):
            raise self.wrong(f"{what} must be a map")
        self.values: dict[str, Any] = values

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def wrong(self, message: str) -> StudyError:
        """A mistake at this place."""
        return StudyError(f"{self.where}: {message}")

    def text(self, key: str, otherwise: str = "") -> str:
        """A text; `otherwise` if there is no such key, or nothing in it."""
        value = self.values.get(key, otherwise)
        if not isinstance(value, str):
            raise self.wrong(f"'{key}' must be one text")
        return value or otherwise

    def number(self, key: str) -> float:
        """A number; NaN if there is no such key."""
        value = number(self.values.get(key))
        if math.isnan(value) and key in self:
            raise self.wrong(f"'{key}' must be a number")
        return value

    def map(self, key: str) -> Map:
        """A map; empty if there is no such key."""
        return Map(self.values.get(key, {}), self.where, f"'{key}'")

    def list(self, key: str, of: str = "maps") -> list[Any]:
        """A list; empty if there is no such key."""
        value = self.values.get(key, [])
        if not isinstance(value, list):
            raise self.wrong(f"'{key}' is a list of {of}")
        return value

    def check(self, what: str, known: str) -> None:
        """Keys that are not among the words of `known` are mistakes."""
        for key in self.values:
            if key not in known.split():
                raise self.wrong(f"{what} has no key '{key}'{nearest(key, known.split())}")

    def read(self, what: str, texts: str, numbers: str = "", others: str = "") -> SimpleNamespace:
        """Texts ("" where there is no such key) and numbers (NaN there); `from` becomes `from_`. Other keys than these are mistakes."""
        self.check(what, f"{texts} {numbers} {others}")
        found: dict[str, Any] = {key: self.text(key) for key in texts.split()}
        found.update((key.replace("from", "from_"), self.number(key)) for key in numbers.split())
        return SimpleNamespace(**found)
