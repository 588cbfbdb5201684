"""The number of threads changes nothing in a result: the bytes of a table, and every number of a full record.

    python3 test_threads.py PROGRAM SOURCE_ROOT
"""
import os
import pathlib
import subprocess
import sys
import tempfile

import built

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
TEMP = tempfile.TemporaryDirectory(prefix="sarrus-threads-")
HDF5 = "SARRUS_WITH_HDF5:BOOL=ON" in (pathlib.Path(PROGRAM).parent / "CMakeCache.txt").read_text()
RESTING = {**os.environ, "OMP_WAIT_POLICY": "passive"}  # there may be fewer cores than threads
THREADS = (1, 2, 7) if built.full(PROGRAM) else (1, 7)
LINKS = 900  # fewer would not get seven threads
METHODS = [["--preset", "DCA"], ["--preset", "i3DCA"]][:2 if built.full(PROGRAM) else 1]


def run(ending, threads, *options):
    out = os.path.join(TEMP.name, f"{threads}.{ending}")
    done = subprocess.run([PROGRAM, "run", "chain", "--set", f"n={LINKS}", "--end", "0.1", "--step", "1e-2", "--threads",
                           str(threads), *options, "-o", out],
                          cwd=ROOT, env=RESTING, text=True, capture_output=True, timeout=3600)
    assert done.returncode == 0, done.stdout + done.stderr
    return out


def test_tables_are_the_same_byte_for_byte():
    for method in METHODS:
        one, *others = [pathlib.Path(run("csv", n, *method)).read_bytes() for n in THREADS]
        assert one.count(b"\n") == 12  # a header and 11 rows
        for n, other in zip(THREADS[1:], others):
            assert other == one, f"{method}: {n} threads give other numbers than one"


def test_records_are_the_same_bit_for_bit():
    if not HDF5:
        return
    import h5py

    def numbers(path):
        found = {}
        with h5py.File(path) as file:
            file.visititems(lambda name, item: found.update({name: item[()].tobytes()})
                            if isinstance(item, h5py.Dataset) and item.dtype.kind in "if" else None)
        return found

    one, seven = [numbers(run("h5", n, "--preset", "DCA", "--all", "--end", "0.02")) for n in (1, 7)]
    assert sum(name.startswith("bodies/") for name in one) == 4 * LINKS  # poses and velocities of all links
    assert seven.keys() == one.keys()
    assert not [name for name in one if seven[name] != one[name]]


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
        print("ok", name)
