#!/usr/bin/env python3
"""Runs clang-tidy over the project's own C++ files, those changed last first.

scripts/check_tidy.py BUILD_FOLDER [--seconds N] [--torch] [FILE…]

Files that include torch take about a minute each: they are linted with --torch, or when they are named. A file that passed is not linted again until it, a header of ours that it includes, its compile command or .clang-tidy
changes. With --seconds, what is left when the time is up is named: it was not linted.
"""

import argparse
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

INCLUDE = re.compile(rb'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
TORCH = re.compile(rb'^\s*#\s*include\s*<(torch|ATen|c10|pybind11)/', re.MULTILINE)
PASSED = Path(".cache/tidy")


def own_includes(path, seen):
    """Our own files that `path` includes, however deep."""
    if path in seen:
        return seen
    seen.add(path)
    for name in INCLUDE.findall(path.read_bytes()):
        for base in (Path("."), path.parent, Path("kernels/include")):
            target = base / os.fsdecode(name)
            if target.is_file():
                own_includes(target, seen)
                break
    return seen


def compile_command(entry):
    """What clang understands of g++'s command: no compiler launcher, no precompiled header of another compiler."""
    words = shlex.split(entry["command"])
    start = next(i for i, word in enumerate(words) if "ccache" not in word)
    kept, skip = [], False
    for i, word in enumerate(words[start + 1 :], start + 1):
        if skip:
            skip = False
        elif word in ("-include", "-o", "-MT", "-MF") or word == "-Xclang":
            skip = True
        elif word not in ("-c", "-MD", "-Winvalid-pch", "-fpch-preprocess", "-Wno-maybe-uninitialized", entry["file"]):
            kept.append(word)
    return kept


def key_of(path, flags):
    digest = hashlib.sha256(Path(".clang-tidy").read_bytes() + Path("tests/.clang-tidy").read_bytes())
    digest.update("\0".join(flags).encode())
    for name in sorted(own_includes(path, set())):
        digest.update(b"\0" + os.fsencode(name) + b"\0" + name.read_bytes())
    return digest.hexdigest()


def newest_first(paths):
    """Files that differ from the last commit, then by when a commit last touched them."""
    def git(*arguments):
        return subprocess.run(["git", *arguments], check=True, capture_output=True, text=True).stdout.split("\n")

    changed = git("diff", "--name-only", "HEAD") + git("ls-files", "--others", "--exclude-standard")
    history = git("log", "-n", "300", "--name-only", "--pretty=format:")
    rank = {name: position for position, name in reversed(list(enumerate(changed + history)))}
    return sorted(paths, key=lambda path: rank.get(str(path), len(rank) + len(history)))


def lint(tidy, path, flags):
    done = subprocess.run(
        [tidy, "--quiet", str(path), "--", *flags], capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    return done.returncode == 0, done.stdout.strip() or done.stderr.strip()


def folders_of(paths):
    return ", ".join(sorted({str(path.parent) for path in paths}))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--torch", action="store_true")
    parser.add_argument("files", nargs="*", type=Path)
    options = parser.parse_args()

    tidy = shutil.which("clang-tidy-14") or shutil.which("clang-tidy")
    if not tidy:
        print("clang-tidy is missing: scripts/setup")
        return 1
    root = Path.cwd()
    commands = {}
    for entry in json.loads((options.build / "compile_commands.json").read_text()):
        path = Path(entry["file"])
        if path.is_relative_to(root) and not path.is_relative_to(root / "build") and path.suffix == ".cpp":
            commands[path.relative_to(root)] = compile_command(entry)
    if options.files:
        commands = {path: flags for path, flags in commands.items() if path in options.files}

    slow = []
    if not options.torch and not options.files:
        slow = [path for path in commands if any(TORCH.search(name.read_bytes()) for name in own_includes(path, set()))]
        for path in slow:
            del commands[path]

    started = time.monotonic()
    PASSED.mkdir(parents=True, exist_ok=True)
    todo = [(path, PASSED / key_of(path, commands[path])) for path in newest_first(commands)]
    waiting = [(path, stamp) for path, stamp in todo if not stamp.exists()]
    failed, left = [], []

    def work(job):
        path, stamp = job
        if time.monotonic() - started > options.seconds:
            left.append(path)
            return
        passed, text = lint(tidy, path, commands[path])
        if passed:
            stamp.touch()
        else:
            failed.append(path)
            print(f"{path}:\n{text}", flush=True)

    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        list(pool.map(work, waiting))

    print(
        f"clang-tidy: {len(todo) - len(waiting)} files unchanged since they passed, "
        f"{len(waiting) - len(left) - len(failed)} passed, {len(failed)} failed, {len(left)} not linted, "
        f"{time.monotonic() - started:.0f} s"
    )
    if slow:
        print(f"not linted, as they include torch (--torch lints them): {len(slow)} files of {folders_of(slow)}")
    if left:
        print("not linted, as the time was up: " + " ".join(map(str, sorted(left))))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
