"""Build the wheel: the package, libsarrus.so, the libraries that it needs, the program and its models. Needs nothing but Python.

The library comes from $SARRUS_BUILD, from build-portable/ or build/ of the clone, or is built in build-portable/, by as many
compilers as there are processors (or $CMAKE_BUILD_PARALLEL_LEVEL). Libraries of every Linux system (libc, libm) are not copied. The functions are those that pip asks for (PEP 517).
"""
import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sysconfig
import tarfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
HWCAPS = "glibc-hwcaps/x86-64-v3"
SYSTEM = re.compile(r"lib(c|m|dl|pthread|rt)\.so|ld-linux|linux-vdso")
VERSION = re.search(r'^VERSION = "(.*)"', (HERE / "sarrus" / "_abi.py").read_text(), re.M)[1]
METADATA = f"""Metadata-Version: 2.1
Name: sarrus
Version: {VERSION}
Summary: Multibody dynamics through redundant constraints and singular configurations
Requires-Python: >=3.9
Requires-Dist: numpy>=1.20
Provides-Extra: plot
Requires-Dist: matplotlib; extra == 'plot'
Provides-Extra: pandas
Requires-Dist: pandas; extra == 'pandas'
"""


def processors():
    """How many compilers may run at once."""
    return os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL") or str(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


def build(folder):
    """The library and the program, for any machine of this kind; every source is compiled once."""
    generator = ["-G", "Ninja"] if shutil.which("ninja") and not (folder / "CMakeCache.txt").exists() else []
    options = ["-DCMAKE_BUILD_TYPE=Release", "-DSARRUS_NATIVE=OFF", "-DSARRUS_HWCAPS=OFF", "-DSARRUS_BUILD_TESTS=OFF", "-DSARRUS_BUILD_BENCH=OFF"]
    subprocess.run(["cmake", *generator, "-S", ROOT, "-B", folder, *options], check=True)
    subprocess.run(["cmake", "--build", folder, "-j", processors(), "--target", "sarrus", "sarrus_shared", "sarrus_program"], check=True)


def folder_with_library():
    """$SARRUS_BUILD, a build that is there, or a new one."""
    named = os.environ.get("SARRUS_BUILD")
    if named and not pathlib.Path(named, "libsarrus.so").exists():
        raise RuntimeError(f"SARRUS_BUILD={named}: there is no libsarrus.so in this folder; build Sarrus there, or unset SARRUS_BUILD")
    for folder in [pathlib.Path(named)] if named else [ROOT / "build-portable", ROOT / "build"]:
        if (folder / "libsarrus.so").exists():
            return folder
    if not (ROOT / "CMakeLists.txt").exists():
        raise RuntimeError("The library is built from a clone of Sarrus: run 'pip install ./python' in the clone, or name the folder of a build in SARRUS_BUILD")
    build(ROOT / "build-portable")
    return ROOT / "build-portable"


def binaries():
    """Names in sarrus/lib and where they are now."""
    folder = folder_with_library()
    library = (folder / "libsarrus.so").resolve()
    yield re.search(r"libsarrus\.so\.\d+\.\d+", library.name)[0], library
    faster = folder / HWCAPS / "libsarrus.so"  # for processors with AVX2, where it was built
    if faster.exists():
        yield f"{HWCAPS}/" + re.search(r"libsarrus\.so\.\d+\.\d+", library.name)[0], faster.resolve()
    needed = subprocess.run(["ldd", str(library)], check=True, capture_output=True, text=True).stdout
    for name, path in re.findall(r"(\S+) => (/\S+)", needed):
        if not SYSTEM.match(name):
            yield name, pathlib.Path(path)
    for name in ("sarrus", "sarrus-fmu.so", "baseline/program.so"):  # the runtime of FMUs; the last one for methods in Python
        if (folder / name).exists():
            yield name, folder / name


def models():
    """Problems, examples and studies, where the program in sarrus/lib looks for them."""
    for folder in ("problems", "examples/models", "studies"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file() and path.suffix in (".yaml", ".csv", ".json", ".tir"):
                yield f"share/sarrus/{path.relative_to(ROOT)}", path


class Wheel:
    """A zip file with a record of what is in it."""

    def __init__(self, path):
        self.zip, self.rows = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED), []

    def add(self, name, data, mode=0o644):
        """Put a file in."""
        about = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
        about.external_attr, about.compress_type = (0o100000 | mode) << 16, zipfile.ZIP_DEFLATED
        self.zip.writestr(about, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.rows.append(f"{name},sha256={digest},{len(data)}")

    def close(self, info):
        """Write the record."""
        self.rows.append(f"{info}/RECORD,,")
        self.zip.writestr(f"{info}/RECORD", "\n".join(self.rows) + "\n")
        self.zip.close()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """For one kind of machine and any Python 3."""
    tag = "py3-none-" + sysconfig.get_platform().replace("-", "_").replace(".", "_")
    name, info = f"sarrus-{VERSION}-{tag}.whl", f"sarrus-{VERSION}.dist-info"
    wheel = Wheel(pathlib.Path(wheel_directory, name))
    for path in sorted((HERE / "sarrus").rglob("*.py")) + [HERE / "sarrus" / "py.typed"]:
        wheel.add(str(path.relative_to(HERE)), path.read_bytes())
    for file, path in binaries():
        wheel.add(f"sarrus/lib/{file}", path.read_bytes(), 0o755)
    for file, path in models():
        wheel.add(f"sarrus/{file}", path.read_bytes())
    wheel.add(f"{info}/METADATA", (METADATA + "\n" + (HERE / "README.md").read_text()).encode())
    wheel.add(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: sarrus\nRoot-Is-Purelib: false\nTag: {tag}\n".encode())
    wheel.close(info)
    return name


def build_sdist(sdist_directory, config_settings=None):
    """The folder as it is: the library has to be there when it is built."""
    name = f"sarrus-{VERSION}.tar.gz"
    with tarfile.open(pathlib.Path(sdist_directory, name), "w:gz") as tar:
        for path in ["sarrus", "build_backend.py", "pyproject.toml", "README.md"]:
            tar.add(HERE / path, f"sarrus-{VERSION}/{path}", filter=lambda about: None if "__pycache__" in about.name else about)
    return name
