"""Runs that keep pace with the clock: deadlines, what is reported, and that the motion is that of any other run.

    python3 test_realtime.py PROGRAM SOURCE_ROOT

Machines that test are busy: nothing here depends on deadlines being met.
"""
import ctypes
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

import h5py

import every_test

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
TEMP = tempfile.TemporaryDirectory(prefix="sarrus-realtime-")
LATE = 5
CACHE = (pathlib.Path(PROGRAM).parent / "CMakeCache.txt").read_text()


def path(name):
    return os.path.join(TEMP.name, name)


def sarrus(*arguments, **more):
    return subprocess.run([PROGRAM, *map(str, arguments)], cwd=ROOT, text=True, capture_output=True, timeout=3600, **more)


def code(wanted, *arguments, **more):
    done = sarrus(*arguments, **more)
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    assert done.returncode in wanted, (
        f"sarrus {' '.join(map(str, arguments))}: exit {done.returncode}, wanted {wanted}\n{done.stdout}{done.stderr}")
    return done


def paced(*arguments, factor=None, **more):
    """The report of a complete run in real time; its exit code must say the same."""
    option = "--realtime" if factor is None else f"--realtime={factor}"
    done = code((0, LATE), "run", *arguments, option, "--json", **more)
    got = json.loads(done.stdout)
    deadlines = got["realtime"]["deadlines"]
    assert got["status"] == "completed"
    assert deadlines["met"] + deadlines["missed"] == got["time"]["steps"] > 0
    assert done.returncode == (LATE if deadlines["missed"] else 0)
    assert (deadlines["first_miss_t"] is None) == (deadlines["missed"] == 0)
    assert (got["realtime"]["lag_us"]["max"] > 0) == (deadlines["missed"] > 0)
    return got


def increasing(times):
    return 0 < times["p50"] <= times["p99"] <= times["p999"] <= times["max"] and times["mean"] <= times["max"]


# ---- the pace --------------------------------------------------------------------------------

def test_a_run_takes_the_time_it_simulates():
    began = time.monotonic()
    got = paced("pendulum", "--end", 0.5, "--step", 1e-3)
    assert time.monotonic() - began >= 0.5 and got["realtime"]["wall_s"] >= 0.5
    assert got["realtime"]["factor"] == 1 and abs(got["realtime"]["period_us"] - 1000) < 1e-3
    assert increasing(got["realtime"]["computing_us"])
    share, computing = got["realtime"]["computing_share"], got["realtime"]["computing_us"]
    assert abs(share["max"] - computing["max"] / 1000) <= 1e-9 * share["max"]
    assert got["realtime"]["start_delay_us"]["max"] >= 0
    assert 0 < got["realtime"]["slowest_t"] <= 0.5


def test_a_factor_changes_the_pace_only():
    got = paced("pendulum", "--end", 0.4, "--step", 1e-3, factor=4)
    assert got["realtime"]["wall_s"] >= 0.1 and abs(got["realtime"]["period_us"] - 250) < 1e-3
    slow = paced("pendulum", "--end", 0.1, "--step", 1e-3, factor=0.25)
    assert slow["realtime"]["wall_s"] >= 0.4 and slow["time"]["steps"] == 100


def test_a_last_short_step_has_a_short_time():
    got = paced("pendulum", "--end", 0.1005, "--step", 1e-3)
    assert got["time"]["steps"] == 101 and got["realtime"]["wall_s"] >= 0.1005


def test_impossible_steps_miss_every_deadline():
    got = paced("chain", "--set", "n=64", "--step", 1e-7, "--end", 5e-5)
    deadlines, lag = got["realtime"]["deadlines"], got["realtime"]["lag_us"]
    assert deadlines["missed"] == deadlines["overruns"] == got["time"]["steps"] == 500
    assert deadlines["first_miss_t"] == 1e-7
    assert lag["max"] >= lag["end"] > 0 and 0 < lag["max_t"] <= 5e-5
    assert any("too slow" in warning for warning in got["warnings"])


def test_the_motion_is_that_of_any_other_run():
    for k, arguments in enumerate((
            ("slider-crank-1", "--end", 0.5),  # through a singular configuration
            ("chain", "--set", "n=8", "--end", 0.3, "--sample", 0.0007),  # rows between steps
            ("chain", "--set", "n=64", "--end", 0.0003, "--step", 1e-6),  # late all the time
            ("pendulum", "--end", 0.2, "--formulation", "al1", "--integrator", "rk4"))):
        iterations = [] if "rk4" in arguments else ["--iterations", "fixed:3"]
        code(0, "run", *arguments, *iterations, "-q", "-o", path("free.csv"))
        got = paced(*arguments, "-o", path("paced.csv"))
        free, bound = (pathlib.Path(path(name)).read_bytes() for name in ("free.csv", "paced.csv"))
        assert free == bound, f"case {k}: other numbers in real time"
        assert bound.count(b"\n") == got["rows"] + 1 > 100


# ---- the budget ------------------------------------------------------------------------------

def test_steps_have_a_fixed_number_of_iterations():
    got = paced("n-four-bar", "--end", 0.05, "--step", 1e-3)
    assert got["method"]["iterations"] == "fixed:3" and got["realtime"]["fixed_iterations"] == 3
    assert got["realtime"]["fixed_iterations_presumed"] and got["time"]["iterations"] == 150
    assert got["realtime"]["last_correction"] > 0
    got = paced("n-four-bar", "--end", 0.05, "--step", 1e-3, "--iterations", "fixed:1")
    assert not got["realtime"]["fixed_iterations_presumed"] and got["time"]["iterations"] == 50
    text = code((0, LATE), "run", "n-four-bar", "--end", 0.05, "--realtime").stdout
    assert re.search(r"accuracy +3 iterations in every step, by default; .*\d", text)


def test_singular_configurations_are_looked_for_if_wanted():
    text = code((0, LATE), "run", "slider-crank-1", "--end", 0.5, "--realtime", "--step", "1e-2").stdout
    assert re.search(r"singular +not looked for in real time", text)
    assert paced("slider-crank-1", "--end", 0.5, "--step", "1e-2")["method"]["monitor"] == 0
    assert len(paced("slider-crank-1", "--end", 0.5, "--step", "1e-2", "--monitor")["singular_passes"]) == 1
    assert "not looked for" in code(0, "run", "slider-crank-1", "--end", 0.5, "--monitor=0").stdout


def test_a_number_that_varies_is_warned_of():
    got = paced("pendulum", "--end", 0.02, "--step", 1e-3, "--iterations", "20")
    assert any("longer" in warning and "--iterations fixed:" in warning for warning in got["warnings"]), got["warnings"]
    got = paced("pendulum", "--end", 0.02, "--step", 1e-3, "--formulation", "al1", "--integrator", "trapezoidal-fixed-point")
    assert got["realtime"]["fixed_iterations"] == 3 and got["realtime"]["fixed_iterations_presumed"]


def test_variable_steps_are_refused():
    for name in ("trapezoidal-variable", "dopri5", "bdf"):
        more = [] if name.startswith("trap") else ["--formulation", "al1"]
        if name not in sarrus("methods").stdout:
            continue  # built without
        done = code(2, "run", "pendulum", "--realtime", "--integrator", name, *more)
        assert name in done.stderr and "trapezoidal" in done.stderr and "rk4" in done.stderr


def test_factors_that_are_none_are_refused():
    for factor in ("0", "-1", "x", "inf", "nan", "", "2x"):
        assert "factor" in code(2, "run", "pendulum", f"--realtime={factor}").stderr


# ---- what is kept ----------------------------------------------------------------------------

def test_files_tell_it():
    got = paced("pendulum", "--end", 0.05, "--all", "-o", path("run.h5"), "--plot", path("run.svg"))
    with h5py.File(path("run.h5")) as file:
        assert len(file["time"]) == got["rows"] == 51
        assert "energy" in file and json.loads(file.attrs["json"])["realtime"] == got["realtime"]
    assert "<svg" in pathlib.Path(path("run.svg")).read_text()
    done = code((0, LATE), "run", "pendulum", "--end", 0.05, "--realtime", "-o", "-")
    assert done.stdout.count("\n") == 52 and "real time" in done.stderr


def test_more_rows_than_memory_are_refused():
    done = code(2, "run", "pendulum", "--realtime", "--sample", 1e-10, "-o", path("huge.csv"))
    assert "--sample" in done.stderr and not os.path.exists(path("huge.csv"))


def interrupted_after(seconds):
    """The report of a run that is interrupted; None: it had not begun, or taken no step."""
    running = subprocess.Popen([PROGRAM, "run", "pendulum", "--end", "1e5", "--sample", "0.01", "--realtime", "--json",
                                "-o", path("cut.csv")], cwd=ROOT, text=True, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    time.sleep(seconds)
    assert running.poll() is None, running.communicate()
    running.send_signal(signal.SIGINT)
    out, err = running.communicate()
    if running.returncode == -signal.SIGINT:
        return None
    assert running.returncode == 130, (running.returncode, err)
    got = json.loads(out)
    return got if got["time"]["steps"] > 0 else None


def test_interruption_keeps_results_and_report():
    seconds, got = 0.25, None
    while not got:  # on a busy machine the start takes its time
        got, seconds = interrupted_after(seconds), 2 * seconds
    deadlines = got["realtime"]["deadlines"]
    assert got["status"] == "interrupted" and 0 < got["time"]["end"] < 1e5
    assert deadlines["met"] + deadlines["missed"] == got["time"]["steps"] > 0
    lines = pathlib.Path(path("cut.csv")).read_text().splitlines()
    assert len(lines) == got["rows"] + 1 and float(lines[-1].split(",")[0]) == got["time"]["end"]


def test_no_progress_bar_but_a_summary():
    done = code((0, LATE), "run", "pendulum", "--end", 0.05, "--realtime")
    for word in ("real time", "computing", "beginning", "machine", "page faults"):
        assert word in done.stdout, word
    assert "wall time" not in done.stdout and "\r" not in done.stdout + done.stderr
    assert code((0, LATE), "run", "pendulum", "--end", 0.05, "--realtime", "-q").stdout == ""


# ---- the machine -----------------------------------------------------------------------------

def without_privileges():
    libc = ctypes.CDLL(None)
    for capability in (14, 23):  # CAP_IPC_LOCK, CAP_SYS_NICE
        libc.prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP: holds after exec
    resource.setrlimit(resource.RLIMIT_RTPRIO, (0, 0))
    resource.setrlimit(resource.RLIMIT_MEMLOCK, (0, 0))


def test_privileges_are_not_necessary():
    machine = paced("pendulum", "--end", 0.05, preexec_fn=without_privileges)["realtime"]["machine"]
    assert not machine["realtime_scheduling"] and "not permitted" in machine["scheduling"]
    sanitized = re.search(r"^SARRUS_SANITIZE:BOOL=ON", CACHE, re.M)  # sanitizers make mlock do nothing
    assert sanitized or not machine["memory_locked"]
    assert machine["wake_up_us"]["trials"] > 0 and machine["wake_up_us"]["max"] >= machine["wake_up_us"]["median"]
    assert 0 <= machine["spin_us"] <= 100


def test_a_policy_from_outside_stays():
    def chosen():
        try:
            os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(7))
        except PermissionError:
            pass
    machine = paced("pendulum", "--end", 0.05, preexec_fn=chosen)["realtime"]["machine"]
    assert machine["scheduling"] == "SCHED_RR, priority 7, as started" or not machine["realtime_scheduling"]


# Counts, between the first wait of the run and the last one, what must not happen there.
SPY = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
void* __libc_malloc(size_t); void* __libc_calloc(size_t, size_t); void* __libc_realloc(void*, size_t);
static long sleeps, calls, first, last;
void* malloc(size_t n) { calls++; return __libc_malloc(n); }
void* calloc(size_t n, size_t k) { calls++; return __libc_calloc(n, k); }
void* realloc(void* p, size_t n) { calls++; return __libc_realloc(p, n); }
ssize_t write(int f, const void* b, size_t n)
{
    static ssize_t (*real)(int, const void*, size_t);
    if (!real) real = (ssize_t (*)(int, const void*, size_t))dlsym(RTLD_NEXT, "write");
    calls++;
    return real(f, b, n);
}
int clock_nanosleep(clockid_t c, int flags, const struct timespec* at, struct timespec* left)
{
    static int (*real)(clockid_t, int, const struct timespec*, struct timespec*);
    if (!real) real = (int (*)(clockid_t, int, const struct timespec*, struct timespec*))dlsym(RTLD_NEXT, "clock_nanosleep");
    if (++sleeps == 51) first = calls; // after the trials
    last = calls;
    return real(c, flags, at, left);
}
__attribute__((destructor)) static void tell(void)
{
    FILE* file = fopen(getenv("SPY"), "w");
    if (!file) return;
    fprintf(file, "%ld %ld %ld\n", sleeps, first, last);
    fclose(file);
}
"""


def test_nothing_is_allocated_or_written_between_steps():
    if re.search(r"^SARRUS_SANITIZE:BOOL=ON", CACHE, re.M):
        return  # they have an allocator of their own
    compiler = re.search(r"^CMAKE_C_COMPILER:\w+=(.*)$", CACHE, re.M).group(1)
    pathlib.Path(path("spy.c")).write_text(SPY)
    subprocess.run([compiler, "-O0", "-fPIC", "-shared", path("spy.c"), "-o", path("spy.so"), "-ldl"], check=True)
    for arguments in (["chain", "--set", "n=16", "-o", path("spied.h5"), "--all", "--plot", path("spied.svg")],
                      ["four-bar", "-o", path("spied.csv"), "--sample", "0.0003"],
                      ["slider-crank-1", "-o", "-"]):  # --json would want standard output too
        environment = {**os.environ, "LD_PRELOAD": path("spy.so"), "SPY": path("spied.txt")}
        code((0, LATE), "run", *arguments, "--end", 0.6, "--step", "2e-3", "--realtime", env=environment)
        sleeps, first, last = map(int, pathlib.Path(path("spied.txt")).read_text().split())
        assert sleeps > 51, "the spy saw no waits"
        assert first > 0 and last == first, f"{arguments}: {last - first} allocations or writes between steps"


if __name__ == "__main__":
    sys.exit(every_test.run(globals()))
