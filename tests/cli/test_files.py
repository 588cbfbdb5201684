"""Files of the program when something is wrong: full disks, locks, kills, inputs that would be overwritten, damaged results.

    python3 test_files.py PROGRAM SOURCE_ROOT

tools/faults.py and tools/damage.py try the same at many more moments and places.
"""
import fcntl
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import built
import every_test

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
sys.path.insert(0, os.path.join(ROOT, "tools"))

import damage  # noqa: E402
import faults  # noqa: E402

TEMP = tempfile.TemporaryDirectory(prefix="sarrus-files-")
HERE = pathlib.Path(TEMP.name)

DRIVEN = """\
sarrus: 1
name: rod
dimension: 2
gravity: [0, -9.81]
tables:
  push: {file: push.csv, x: t, y: f}
bodies:
  rod: {mass: 2, center: [0.5, 0], inertia: 0.1, points: {tip: [1, 0]}, position: [0, 0], angle: 0}
joints:
  pin: {type: revolute, between: [ground.origin, rod.origin]}
forces:
  p: {type: torque, acts_on: rod, torque: push(t)}
outputs:
  angle: pin.angle
"""
TABLE = "t,f\n0,0\n1,1\n2,0\n"
DRIVE = "drives:\n  motor: {joint: pin, value: 0.1*t}\n"


def sarrus(*arguments, limit=None, **more):
    def prepare():
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    more.setdefault("stdout", subprocess.PIPE)
    more.setdefault("timeout", faults.PATIENCE)
    more.setdefault("env", faults.USUAL)
    return subprocess.run([PROGRAM, *map(str, arguments)], cwd=more.pop("cwd", ROOT), stderr=subprocess.PIPE, text=True,
                          preexec_fn=prepare, check=False, **more)


def code(wanted, *arguments, **more):
    done = sarrus(*arguments, **more)
    assert done.returncode == wanted, (arguments, done.returncode, done.stderr)
    return done


def to_full(*arguments):
    with open("/dev/full", "w", encoding="ascii") as full:
        return code(1, *arguments, stdout=full)


# ---- standard output and pictures ------------------------------------------------------------

def test_full_standard_output_is_said():
    done = to_full("run", "pendulum", "--end", "1", "-o", "-")
    assert "cannot write to standard output" in done.stderr
    assert "pendulum: failed" in done.stderr and "incomplete" in done.stderr and "completed" not in done.stderr
    done = to_full("sweep", "pendulum", "--vary", "m=1,2", "--end", "0.1", "-o", "-")
    assert "could not be written" in done.stderr and "file        standard output" not in done.stderr
    done = to_full("inverse", "tests/models/driven-crank.yaml", "--end", "1", "-o", "-")
    assert "failed" in done.stderr and "incomplete" in done.stderr
    for command in (["run", "pendulum", "--end", "0.1", "--json"], ["run", "pendulum", "--end", "0.1"], ["check", "pendulum"],
                    ["methods"], ["sweep", "pendulum", "--vary", "m=1,2", "--end", "0.1", "--json"],
                    ["tune", "pendulum", "--threshold", "drift=1e-3", "--over", "step=1e-3:1e-2", "--end", "0.2", "--json"],
                    ["compare", "problems/pendulum/reference.csv", "problems/pendulum/reference.csv"],
                    ["compare", "problems/pendulum/reference.csv", "problems/pendulum/reference.csv", "--json"], ["--help"]):
        assert "cannot write to standard output" in to_full(*command).stderr, command


def test_full_disk_leaves_no_half_picture():
    if not shutil.which("gnuplot"):
        return
    for name in ("a.svg", "a.png", "a.pdf"):
        picture = HERE / name
        code(0, "run", "pendulum", "--end", "1", "-q", "--plot", picture)
        good = picture.read_bytes()
        done = code(1, "run", "pendulum", "--end", "1", "--plot", picture, limit=len(good) // 2)
        assert "cut off" in done.stderr and str(picture) not in done.stdout
        assert picture.read_bytes() == good  # the old one
        assert not picture.with_name(name + ".part").exists()


def test_full_disk_leaves_the_old_tables():
    table = HERE / "table.csv"
    code(0, "sweep", "pendulum", "--vary", "m=1,2", "--end", "0.1", "-o", table)
    good = table.read_bytes()
    done = code(1, "sweep", "pendulum", "--vary", "m=1,2", "--end", "0.2", "-o", table, "--restart", limit=100)
    assert "cannot write" in done.stderr and table.read_bytes() == good


def test_plots_are_checked_before_the_run():
    endless = ["run", "n-four-bar", "--end", "1e6", "--best-effort", "-o", HERE / "never.h5"]
    assert "use .svg" in code(2, *endless, "--plot", HERE / "a.bmp").stderr
    assert "No such file" in code(1, *endless, "--plot", "/nonexistent/a.svg").stderr
    bare = {**faults.USUAL, "PATH": "/nonexistent"}
    assert "install gnuplot" in code(1, *endless, "--plot", HERE / "a.png", env=bare).stderr
    done = code(1, "sweep", "n-four-bar", "--vary", "step=1e-5,2e-5", "--end", "1e4", "--best-effort", "--plot",
                "/nonexistent/a.svg")
    assert "No such file" in done.stderr
    assert not (HERE / "never.h5").exists()


# ---- what is read is not written over --------------------------------------------------------

def test_inputs_are_not_overwritten():
    folder = HERE / "inputs"
    folder.mkdir()
    (folder / "push.csv").write_text(TABLE)
    (folder / "m.yaml").write_text(DRIVEN)
    (folder / "d.yaml").write_text(DRIVEN + DRIVE)
    (folder / "link.csv").symlink_to("push.csv")
    os.link(folder / "push.csv", folder / "hard.csv")
    (folder / "model.csv").symlink_to("m.yaml")
    (folder / "picture.svg").symlink_to("m.yaml")
    (folder / "side.csv.json").symlink_to("push.csv")
    run, sweep = ["run", "m.yaml", "--end", "0.1"], ["sweep", "m.yaml", "--vary", "step=1e-3,1e-2", "--end", "0.1"]
    for arguments in ([*run, "-o", "push.csv"], [*run, "-o", "./../inputs/push.csv"], [*run, "-o", "link.csv"],
                      [*run, "-o", "hard.csv"], [*run, "-o", "model.csv"], [*run, "-o", "side.csv"],
                      [*run, "--plot", "picture.svg"], [*sweep, "-o", "push.csv"], [*sweep, "-o", "m.yaml"],
                      [*sweep, "-o", "link.csv"], [*sweep, "--plot", "picture.svg"],
                      ["inverse", "d.yaml", "--end", "0.1", "-o", "link.csv"],
                      ["kinematics", "d.yaml", "--end", "0.1", "-o", "push.csv"]):
        done = code(2, *arguments, cwd=folder)
        assert "is an input of this command and would be overwritten" in done.stderr, (arguments, done.stderr)
    assert (folder / "push.csv").read_text() == TABLE and (folder / "m.yaml").read_text() == DRIVEN
    code(0, *run, "-q", "-o", "other.csv", cwd=folder)


def test_results_go_where_links_lead():
    folder = HERE / "links"
    (folder / "far").mkdir(parents=True)
    (folder / "far/x.h5").write_text("old")
    os.chmod(folder / "far/x.h5", 0o640)
    (folder / "x.h5").symlink_to("far/x.h5")
    code(0, "run", "pendulum", "--end", "0.1", "-q", "-o", folder / "x.h5")
    assert (folder / "x.h5").is_symlink() and faults.Result(folder / "far/x.h5").verdict == "completed"
    assert (folder / "far/x.h5").stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in (folder / "far").iterdir()) == ["x.h5"]


# ---- locks, kills, full disks ----------------------------------------------------------------

def test_a_result_that_is_open_is_not_touched():
    for name in ("open.h5", "open.csv"):
        path = HERE / name
        code(0, "run", "pendulum", "--end", "0.1", "-q", "-o", path)
        good = path.read_bytes()
        with open(path, "rb") as held:
            fcntl.flock(held, fcntl.LOCK_SH)
            done = code(1, "run", "pendulum", "--end", "0.2", "-o", path)
        assert "another program has it open" in done.stderr and path.read_bytes() == good


def test_a_second_run_to_the_same_file_is_refused():
    for name in ("two.h5", "two.csv"):
        path = HERE / name
        first = subprocess.Popen([PROGRAM, "run", "n-four-bar", "--end", "1e6", "--best-effort", "--sample", "0.01", "-q", "-o",
                                  path], cwd=ROOT, stderr=subprocess.PIPE, text=True, env=faults.USUAL)
        while not path.exists():
            assert first.poll() is None
            time.sleep(0.01)
        done = code(1, "run", "pendulum", "--end", "0.1", "-o", path)
        assert "another program has it open" in done.stderr
        first.send_signal(signal.SIGTERM)
        assert first.wait() == 130
        assert faults.Result(path).verdict == "interrupted"


def test_model_and_verdict_are_there_from_the_beginning():
    for name in ("begun.h5", "begun.csv"):
        path = HERE / name
        running = subprocess.Popen([PROGRAM, "run", "n-four-bar", "--end", "1e6", "--best-effort", "--sample", "1000", "-q",
                                    "-o", path], cwd=ROOT)
        while not path.exists():
            assert running.poll() is None
            time.sleep(0.01)
        running.kill()
        running.wait()
        result = faults.Result(path)
        assert result.verdict == "unfinished" and result.texts["model"] == "n-four-bar"
        assert "bodies:" in result.texts["model_text"] and result.texts["command"].startswith("sarrus run n-four-bar")
        told = result.texts["json"]
        told = told if isinstance(told, dict) else json.loads(told)
        assert told["status"] == "unfinished" and told["method"]["formulation"] == "al3"
        assert f"{path} is unfinished" in code(0, "cite", path).stderr


def test_nohup_is_respected():
    path = HERE / "hup.csv"
    running = subprocess.Popen([PROGRAM, "run", "n-four-bar", "--end", "1e6", "--best-effort", "--sample", "1", "-q", "-o", path],
                               cwd=ROOT, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))

    def grown(size):
        while not path.exists() or path.stat().st_size <= size:
            assert running.poll() is None
            time.sleep(0.01)
        return path.stat().st_size
    size = grown(0)
    running.send_signal(signal.SIGHUP)
    grown(grown(size))  # it goes on
    running.send_signal(signal.SIGINT)
    assert running.wait() == 130


def test_a_table_cut_off_by_a_kill_is_read():
    path = HERE / "cut.csv"
    code(0, "run", "pendulum", "--end", "0.1", "-q", "-o", path)
    text = path.read_text()
    side = path.with_name("cut.csv.json")
    path.write_text(text[:-7])  # a piece of the last row is gone
    side.write_text(side.read_text().replace('"completed"', '"unfinished"'))
    whole = HERE / "whole.csv"
    whole.write_text(text)
    done = code(0, "compare", path, whole, "--json")
    assert json.loads(done.stdout)["total_error"] == 0 and json.loads(done.stdout)["samples"] == text.count("\n") - 2


def test_faults_at_a_few_moments():
    names = ["kill", "hangup", "terminate", "limit", "open", "writers", "readonly", "meddle"]
    for (fault, ending), wrong in faults.measure(PROGRAM, names, 3 if built.full(PROGRAM) else 1, seed=7).items():
        assert not wrong, (fault, ending, wrong)


# ---- damaged results -------------------------------------------------------------------------

def test_damaged_results_do_not_crash_the_program():
    tally, reasons = damage.measure(PROGRAM, 45, seed=5)
    assert tally["crashes"] == 0 and tally["refused"] > 5 and tally["read"] > 5, (tally, reasons)


def flip_a_byte(path, dataset, row):
    """Change a bit of a number where the file has it; returns the rows of its chunk."""
    with damage.h5py.File(path, "r") as file:
        data = file[dataset]
        rows = data.chunks[0]
        first = row // rows * rows
        at = data.id.get_chunk_info_by_coord((first,) + (0,) * (data.ndim - 1)).byte_offset + 8 * (row - first) * int(data[0].size)
    content = bytearray(path.read_bytes())
    content[at + 3] ^= 0x10
    path.write_bytes(content)
    return first, rows


def test_changed_numbers_are_found():
    """In outputs, times, poses and rates: every command that reads them says which rows are damaged, and shows none of them."""
    good = HERE / "good.h5"
    code(0, "run", "pendulum", "--end", "3", "--step", "1e-3", "--all", "-q", "-o", good)
    with damage.h5py.File(good, "r") as file:
        body = next(iter(file["bodies"]))
        output = next(iter(file["outputs"]))
    for number, (dataset, row) in enumerate([(f"outputs/{output}", 0), (f"outputs/{output}", 2500), ("time", 1700), (f"bodies/{body}/position", 900)]):
        bad = HERE / f"flipped{number}.h5"
        shutil.copy(good, bad)
        first, rows = flip_a_byte(bad, dataset, row)
        commands = [["view", bad, "--no-open", "-o", HERE / "flipped.html"], ["draw", bad, "-o", HERE / "flipped.svg"]]
        if not dataset.startswith("bodies"):
            commands = [["compare", bad, good], ["compare", good, bad], *commands[:1]]
        for command in commands:
            done = code(1, *command)
            assert "is damaged: rows " in done.stderr and f'"{dataset}"' in done.stderr, (command, done.stderr)
            said = [int(word) for word in done.stderr.split("rows ")[1].split()[:3:2]]
            assert said[0] <= row <= said[1] and said[0] == first, (said, row, rows)
        try:
            with damage.h5py.File(bad, "r") as file:
                file[dataset][:]
            raise AssertionError("other programs do not see it")
        except OSError:
            pass
    code(0, "compare", good, good)


def test_rows_that_the_index_does_not_find():
    """The index of the blocks of rows has no checksum: what it loses is not shown as zeros."""
    path, bad = HERE / "indexed.h5", HERE / "lost.h5"
    code(0, "run", "pendulum", "--end", "1", "--step", "1e-3", "-q", "-o", path)
    content, lost = path.read_bytes(), 0
    at = content.find(b"TREE\x01")
    while at >= 0:
        entry = at + 24 + 32 + 8  # after the head, the first block, and size and filters of the second: the row that it begins with
        changed = bytearray(content)
        changed[entry + 2] ^= 1
        bad.write_bytes(changed)
        done = subprocess.run([PROGRAM, "compare", str(bad), str(path)], capture_output=True, text=True, check=False)
        assert done.returncode in (0, 1) and (done.returncode == 0 or "damaged" in done.stderr), done
        lost += done.returncode
        at = content.find(b"TREE\x01", at + 1)
    assert lost > 1, "no index was found"


def test_claims_beyond_what_is_stored_are_refused():
    h5py = damage.h5py
    path = HERE / "claims.h5"
    code(0, "run", "pendulum", "--end", "0.1", "-q", "-o", path)
    with h5py.File(path, "r+") as file:
        for name in ("time", *(f"outputs/{key}" for key in file["outputs"])):
            file[name].resize(200_000_000, axis=0)
    done = code(1, "compare", path, path)
    assert "is damaged" in done.stderr, done.stderr


if __name__ == "__main__":
    sys.exit(every_test.run(globals()))
