#!/usr/bin/env python3
"""What the program does with result files that are damaged: it says so, and does not crash.

    tools/damage.py PROGRAM [--count 1230] [--seed 1] [--keep FOLDER]

Writes results, damages copies of them (bytes changed, blocks of zeros or noise, ends cut off), and reads each with 'sarrus
compare' and 'sarrus cite'. A crash is a signal, an exit code that the help does not know, or a sanitizer's report.
"""
import argparse
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import h5py

os.environ.setdefault("SARRUS_CERTIFY", "no")  # reference runs have tests of their own

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODEL = ROOT / "problems/four-bar/model.yaml"
REPORTS = ("AddressSanitizer", "runtime error:", "terminate called")


def rewrite(source, target):
    """The same content as other programs may have stored it: the newest format, packed."""
    with h5py.File(source) as old, h5py.File(target, "w", libver="latest") as new:
        for name, text in old.attrs.items():
            new.attrs[name] = text
        new.create_dataset("time", data=old["time"][:], compression="gzip", chunks=True)
        for name, data in old["outputs"].items():
            new.create_dataset(f"outputs/{name}", data=data[:], compression="gzip", shuffle=True, chunks=True)


def originals(program, folder):
    """Three files: outputs alone, everything, and one in another program's style."""
    plain, full, other = folder / "plain.h5", folder / "full.h5", folder / "other.h5"
    common = [program, "run", MODEL, "-q", "--end", "1", "--sample", "0.01"]
    subprocess.run([*common, "-o", plain], check=True)
    subprocess.run([*common, "--all", "-o", full], check=True)
    rewrite(plain, other)
    return [plain, full, other]


def damage(data, chance):
    """One mutation of the bytes; half of them where HDF5 keeps what it knows about the file."""
    data = bytearray(data)
    kind = chance.random()
    if kind < 0.15:
        return bytes(data[:chance.randrange(len(data))])
    where = chance.randrange(min(len(data), 4096)) if chance.random() < 0.5 else chance.randrange(len(data))
    if kind < 0.30:
        length = chance.choice([4, 8, 64, 512])
        noise = bytes(length) if chance.random() < 0.5 else chance.randbytes(length)
        data[where:where + length] = noise[:len(data) - where]
        return bytes(data)
    for _ in range(chance.choice([1, 1, 2, 4, 8])):
        data[where] = chance.choice([data[where] ^ 1 << chance.randrange(8), 0, 0xFF, chance.randrange(256)])
        where = min(len(data) - 1, where + chance.randrange(16))
    return bytes(data)


def crashed(done):
    """A signal, a foreign exit code, a sanitizer's report; or no end, which is no better."""
    return done.returncode not in (0, 1, 2) or any(word in done.stderr for word in REPORTS)


def read_with(program, arguments):
    try:
        # the HDF5 library does not release all of what it read of a damaged file: that is no crash
        options = ":".join(filter(None, [os.environ.get("ASAN_OPTIONS"), "detect_leaks=0"]))
        return subprocess.run([program, *arguments], capture_output=True, text=True, errors="replace", timeout=60,
                              env={**os.environ, "ASAN_OPTIONS": options})
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(arguments, 124, "", "no end within a minute")


def measure(program, count, seed, keep=None):
    """How many mutations there were, were refused, were read, and crashed the program; and why."""
    chance = random.Random(seed)
    tally = {"mutations": 0, "refused": 0, "read": 0, "crashes": 0}
    reasons = {}
    with tempfile.TemporaryDirectory(prefix="sarrus-damage-") as name:
        folder = pathlib.Path(name)
        good = originals(program, folder)
        contents = [path.read_bytes() for path in good]
        bad = folder / "bad.h5"
        for k in range(count):
            which = k % len(good)
            bad.write_bytes(damage(contents[which], chance))
            answers = [read_with(program, ["compare", bad, good[0]])]
            if k % 10 == 0:  # the same reader, and texts are printed
                answers.append(read_with(program, ["cite", bad]))
            tally["mutations"] += 1
            worst = [done for done in answers if crashed(done)]
            if worst:
                tally["crashes"] += 1
                reason = next((line for line in worst[0].stderr.splitlines() if any(w in line for w in REPORTS)),
                              f"exit code {worst[0].returncode}")
                reasons[reason[:100]] = reasons.get(reason[:100], 0) + 1
                if keep:
                    pathlib.Path(keep).mkdir(parents=True, exist_ok=True)
                    (pathlib.Path(keep) / f"crash-{k}.h5").write_bytes(bad.read_bytes())
            elif answers[0].returncode == 0:
                tally["read"] += 1
            else:
                tally["refused"] += 1
                assert answers[0].stderr.strip(), f"mutation {k}: refused without a word"
    return tally, reasons


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=1230)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", help="folder for the files that crash the program")
    given = parser.parse_args()
    tally, reasons = measure(pathlib.Path(given.program).resolve(), given.count, given.seed, given.keep)
    print(", ".join(f"{count} {what}" for what, count in tally.items()))
    for reason, times in sorted(reasons.items(), key=lambda item: -item[1]):
        print(f"  {times} x {reason}")
    return 1 if tally["crashes"] else 0


if __name__ == "__main__":
    sys.exit(main())
