#!/usr/bin/env python3
"""What the tree may hold: the top level's names, how long a file may get, and scripts that at least parse."""

import ast
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

TOP_LEVEL = {
    "CMakeLists.txt", "CMakePresets.json", "LICENSE", "README.md", "program.md", "program_kb.md",
    "client", "cluster", "cmake", "common", "coordinator", "docs", "kernelbench", "kernels", "scripts", "tests", "worker",
}  # fmt: skip

MAX_LINES = 600  # rarely over 350; a file of more than one idea is two files
CODE = {".cpp", ".hpp", ".h", ".cu", ".hip", ".py", ".lua", ".sh", ".cmake"}


def tracked():
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"], check=True, capture_output=True, text=True
    ).stdout.split("\n")
    return [Path(name) for name in listed if name and Path(name).is_file()]


def is_data(path):
    """Problems and candidates: some are broken on purpose."""
    return path.is_relative_to("kernelbench/samples") or path.is_relative_to("kernels/models")


def top_level(files):
    names = {path.parts[0] for path in files}
    for name in sorted(names - TOP_LEVEL):
        if not name.startswith("."):
            yield f"{name}: does not belong at the top level"


def sizes(files):
    lengths = {path: path.read_bytes().count(b"\n") for path in files if path.suffix in CODE and not is_data(path)}
    for path, length in lengths.items():
        if length > MAX_LINES:
            yield f"{path}: {length} lines, the limit is {MAX_LINES}"
    ordered = sorted(lengths.values())
    longest = max(lengths, key=lengths.get)
    print(
        f"sizes: {len(ordered)} files, median {statistics.median(ordered):.0f} lines, "
        f"90% within {ordered[len(ordered) * 9 // 10]}, longest {lengths[longest]} ({longest})"
    )


def syntax(files):
    luac = shutil.which("luac5.1") or shutil.which("luac")
    for path in files:
        if is_data(path):
            continue
        if path.suffix == ".py":
            try:
                ast.parse(path.read_bytes(), str(path))
            except SyntaxError as error:
                yield f"{path}:{error.lineno}: {error.msg}"
        elif path.suffix == ".lua" and luac:
            done = subprocess.run([luac, "-p", path], capture_output=True, text=True)
            if done.returncode:
                yield f"{path}: {done.stderr.strip()}"
    if not luac and any(path.suffix == ".lua" for path in files):
        yield "luac5.1 is missing, so that no Lua script was checked: scripts/setup"


def main():
    files = tracked()
    problems = [problem for check in (top_level, sizes, syntax) for problem in check(files)]
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
