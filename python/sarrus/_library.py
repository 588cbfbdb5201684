"""Find and load libsarrus.so, and call it."""
from __future__ import annotations

import ctypes
import os
import pathlib
import re
from typing import Any, Iterator

from . import _abi

#: The name by which programs ask for this version of the library.
SONAME = "libsarrus.so." + ".".join(_abi.VERSION.split(".")[:2])
#: Where the library for processors with AVX2 is, beside the other one: the same bits, in less time.
HWCAPS = "glibc-hwcaps/x86-64-v3"
_PACKAGE = pathlib.Path(__file__).resolve().parent


def _has_avx2() -> bool:
    """Whether the processor has the instructions of the second library; SARRUS_CPU=baseline: do not use them."""
    if os.environ.get("SARRUS_CPU") == "baseline":
        return False
    try:
        flags = re.search(r"^flags\s*:(.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
    except OSError:
        return False
    return flags is not None and {"avx2", "bmi1", "bmi2", "f16c", "fma", "movbe", "abm"} <= set(flags[1].split())


def _candidates() -> Iterator[str]:
    """Where the library may be: as told, in the package, in a build of the clone, where the system looks."""
    told = os.environ.get("SARRUS_LIBRARY")
    if told:
        yield told
        return
    if _has_avx2():
        yield str(_PACKAGE / "lib" / HWCAPS / SONAME)
    yield str(_PACKAGE / "lib" / SONAME)
    for build in ("build", "build-portable"):
        yield str(_PACKAGE.parent.parent / build / SONAME)
    yield SONAME


def _load_companions(folder: pathlib.Path) -> None:
    """Libraries that lie beside ours in the package: loaded before it, they are the ones it finds."""
    waiting = [path for path in sorted(folder.glob("*.so*")) if not path.name.startswith(("libsarrus", "sarrus"))]
    for _ in range(len(waiting)):
        left = []
        for path in waiting:
            try:
                ctypes.CDLL(str(path))
            except OSError:
                left.append(path)  # it needs another one of them first
        waiting = left


def _remedy() -> str:
    """What to do where there is no library."""
    if os.environ.get("SARRUS_LIBRARY"):
        return "SARRUS_LIBRARY names this file: correct it, or unset it"
    clone = _PACKAGE.parent.parent
    if (clone / "Makefile").exists() and (clone / "CMakeLists.txt").exists():
        return f"'make build' in {clone} builds it; SARRUS_LIBRARY names another one"
    return "Install Sarrus (make install in a clone), or name the library in SARRUS_LIBRARY"


def _load() -> tuple[ctypes.CDLL, str]:
    tried = []
    for path in _candidates():
        if "/" in path and not os.path.exists(path):
            tried.append(path)
            continue
        try:
            if path.startswith(str(_PACKAGE)):
                _load_companions(_PACKAGE / "lib")
            library = ctypes.CDLL(path)
            _abi.declare(library)
            return library, path
        except (OSError, AttributeError) as error:
            tried.append(f"{path} ({error})")
    raise ImportError(f"{SONAME} was not found; tried {', '.join(tried)}. {_remedy()}")


library, path = _load()


def text(raw: bytes | None) -> str:
    """Text of the library as text of Python."""
    return (raw or b"").decode("utf-8", "replace")


def pointer(array: Any) -> int:
    """Address of the numbers of an array."""
    return int(array.ctypes.data)


def program() -> str | None:
    """The command-line program: in the package, beside the library, or in the path."""
    import shutil

    for folder in (_PACKAGE / "lib", pathlib.Path(path).parent, pathlib.Path(path).parent.parent / "bin"):
        if (folder / "sarrus").is_file() and os.access(folder / "sarrus", os.X_OK):
            return str(folder / "sarrus")
    return shutil.which("sarrus")
