"""The man page and the completion of shells know every option, and bash completes with theirs."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

program, root = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])


def run(*command, **more):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **more)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


def options_of(command):
    """The long options that the whole help shows."""
    return set(re.findall(r"^  (?:-\w, |    )--([a-z-]+)", run(program, "help", command, "--all"), re.M))


overview = run(program, "--help")
commands = re.findall(r"^  (\w+) +\S", overview[overview.index("\nCommands"):overview.index("\nModels")], re.M)
assert len(commands) >= 10 and "run" in commands and "describe" not in commands, commands
described = {kind: run(program, "describe", kind) for kind in ["man", "bash", "zsh", "fish"]}

# ---- every command and option is everywhere --------------------------------------------------
man = described["man"].replace("\\-", "-")
for command in commands:
    options = options_of(command)
    assert "help" in options, command
    assert f".SS sarrus {command}\n" in man, command
    bash = re.search(rf"^    {command}\) options='([^']*)'", described["bash"], re.M)[1].split()
    zsh = re.search(rf"^    {command}\)\n(.*?);;$", described["zsh"], re.M | re.S)[1]
    fish = re.findall(rf"seen_subcommand_from {command}' -l ([a-z-]+)", described["fish"])
    assert {word[2:] for word in bash if word.startswith("--")} == options, (command, bash)
    assert set(re.findall(r"--([a-z-]+)(?=[\[=}])", zsh)) == options, command
    assert set(fish) == options, command
    missing = [name for name in options if f"--{name}\\fR" not in man]
    assert not missing, missing

# ---- help is whole ----------------------------------------------------------------------------
for command in commands:
    text = run(program, "help", command, "--all")
    assert "cli_" not in text, command
    for heading in re.findall(r"^Only with (?:.*\n)+?(?=  )", text, re.M):
        members = re.findall(r"[\w-]+", heading)[3:]
        known = set(re.findall(r"^  ([\w-]+) ", run(program, "methods"), re.M))
        assert set(members) - {"or"} <= known, heading
version = run(program, "--version")
assert re.search(r"compiled by (GCC|Clang|.*clang)", version), version

# ---- the page is well formed ------------------------------------------------------------------
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    (folder / "sarrus.1").write_text(described["man"])
    if shutil.which("man") and shutil.which("groff"):
        done = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", folder / "sarrus.1"], capture_output=True, text=True)
        assert done.returncode == 0 and done.stderr == "", done.stderr
        page = re.sub(r"\s+", " ", re.sub(r"\x1b\[[\d;]*m|.\x08", "", done.stdout))
        assert "--newton-tolerance" in page and "sarrus run MODEL [options]" in page, page[:2000]

    # ---- bash completes -----------------------------------------------------------------------
    (folder / "robot.yaml").write_text("")
    (folder / "completion").write_text(described["bash"])

    def complete(*words):
        script = (f"source {folder}/completion; COMP_WORDS=({program} {' '.join(words)}); "
                  f"COMP_CWORD={len(words)}; _sarrus; printf '%s\\n' \"${{COMPREPLY[@]}}\"")
        return set(run("bash", "-c", script, cwd=folder).split())

    assert complete("ru") == {"run"}
    assert set(commands) <= complete("''")
    assert complete("run", "--coord") == {"--coordinates"}
    assert complete("run", "--coordinates", "rel") == {"relative"}
    assert complete("run", "--coordinates", "=", "rel") == {"relative"}
    assert complete("kinematics", "--solver", "''") == {"dense", "sparse", "dca", "tree", "auto"}
    assert complete("run", "--preset", "ALi3pv") == {"ALi3pvs"}
    assert complete("run", "--step", "''") == set()
    assert complete("run", "-o", "rob") == {"robot.yaml"}
    assert complete("check", "rob") == {"robot", "robot.yaml"}
    assert complete("help", "swee") == {"sweep"}
    assert complete("compare", "--columns", "x", "rob") == {"robot.yaml"}
    # problems are where the program is installed, or in the working directory
    (folder / "problems" / "seesaw").mkdir(parents=True)
    (folder / "problems" / "seesaw" / "model.yaml").write_text("")
    assert complete("run", "sees") == {"seesaw"}

# ---- its own help names all that it describes ---------------------------------------------------
things = re.search("one of (.*)", subprocess.run([program, "describe"], capture_output=True, text=True, check=False).stderr)[1].split(", ")
assert "|".join(things) in run(program, "describe", "--help"), things

# ---- zsh and fish accept theirs, where they are -------------------------------------------------
for shell, option in [("zsh", "-n"), ("fish", "--no-execute")]:
    if shutil.which(shell):
        run(shell, option, "/dev/stdin", input=described[shell])
print(f"{len(commands)} commands")
