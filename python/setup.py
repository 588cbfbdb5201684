"""Put libsarrus.so, the libraries that it needs and the program into the package.

They come from $SARRUS_BUILD, from build-portable/ or build/ of the clone, or are built: pip install ./python needs nothing
else than what Sarrus itself needs. Libraries of every Linux system (libc, libm) are not copied.
"""
import os
import pathlib
import re
import shutil
import subprocess

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = pathlib.Path(__file__).resolve().parent.parent
SYSTEM = re.compile(r"lib(c|m|dl|pthread|rt)\.so|ld-linux|linux-vdso")

try:
    from wheel.bdist_wheel import bdist_wheel

    class PlatformWheel(bdist_wheel):
        """For one kind of machine and any Python 3."""

        def finalize_options(self):
            super().finalize_options()
            self.root_is_pure = False

        def get_tag(self):
            return "py3", "none", super().get_tag()[2]
except ImportError:
    PlatformWheel = None


def built():
    """A folder with the library: as told, one that there is, or a new one that runs on any machine of this kind."""
    told = os.environ.get("SARRUS_BUILD")
    for folder in [pathlib.Path(told)] if told else [ROOT / "build-portable", ROOT / "build"]:
        if (folder / "libsarrus.so").exists():
            return folder
    folder = ROOT / "build-portable"
    subprocess.run(["cmake", "-S", ROOT, "-B", folder, "-DCMAKE_BUILD_TYPE=Release", "-DSARRUS_NATIVE=OFF", "-DSARRUS_BUILD_TESTS=OFF",
                    "-DSARRUS_BUILD_BENCH=OFF"], check=True)
    subprocess.run(["cmake", "--build", folder, "--parallel", "--target", "sarrus", "sarrus_shared"], check=True)
    return folder


class Build(build_py):
    """With the library."""

    def run(self):
        super().run()
        target = pathlib.Path(self.build_lib, "sarrus", "lib")
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        folder = built()
        library = (folder / "libsarrus.so").resolve()
        soname = re.search(r"libsarrus\.so\.\d+\.\d+", library.name)[0]
        shutil.copy(library, target / soname)
        needed = subprocess.run(["ldd", str(library)], check=True, capture_output=True, text=True).stdout
        for name, path in re.findall(r"(\S+) => (/\S+)", needed):
            if not SYSTEM.match(name):
                shutil.copy(path, target / name)
        if (folder / "sarrus").exists():
            shutil.copy(folder / "sarrus", target / "sarrus")


commands = {"build_py": Build}
if PlatformWheel:
    commands["bdist_wheel"] = PlatformWheel
setup(cmdclass=commands)
