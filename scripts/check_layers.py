#!/usr/bin/env python3
"""Who may include whom. Reads every #include of the project's own sources and names each one that breaks a rule.

The tables below are the rules; docs/ARCHITECTURE.md says why.
"""

import re
import subprocess
import sys
from pathlib import Path, PurePosixPath

# Folder → folders it may include beside itself. The longest matching folder decides, and a folder's name
# stands for what is below it too.
MAY_INCLUDE = {
    "common/result": [],
    "common/clock": [],
    "common/id": ["common/result"],
    "common/system": ["common/result"],
    "common/text": [],
    "common/protocol": ["common/result", "common/id"],
    "common/telemetry": ["common/result"],
    "common/config": ["common/result", "common/protocol", "common/telemetry"],
    "common/transport": ["common/result", "common/protocol"],
    "kernelbench": ["common/result", "common/id", "common/protocol", "common/system", "common/text"],
    "kernelbench/scoring": ["common/result", "common/id", "common/protocol", "kernelbench"],
    "coordinator": ["common", "kernelbench/scoring"],
    "worker/messages": ["common/protocol"],
    "worker/runner": ["common", "kernels/include", "worker/messages"],
    "worker": ["common", "kernelbench", "kernels/include", "worker/messages"],
    "client": ["common", "kernelbench"],
    "kernels": ["kernels/include"],
    "kernels/include": [],
    "tests": ["client", "common", "coordinator", "kernelbench", "kernels", "worker"],
}

# Edges inside an allowed folder that are refused all the same: the agent must not crash, so nothing of the runner is in it.
REFUSED = {("worker", "worker/runner")}

# Third-party headers (the beginning of the name) → folders that may include them. Each library has one home.
HOMES = {
    "zmq": ["common/transport"],
    "msgpack": ["common/protocol"],
    "spdlog/": ["common/telemetry"],
    "prometheus/": ["common/telemetry"],
    "CLI/": ["common/config"],
    "openssl/": ["common/id"],
    "hiredis/": ["coordinator/store"],
    "nlohmann/": ["kernelbench/export"],
    "toml++/": ["common/config"],
    "seccomp.h": ["worker/runner"],
    **dict.fromkeys(
        ["torch/", "ATen/", "c10/", "pybind11/", "Python.h", "dlpack/"],
        ["worker/runner", "tests/unit/runner", "tests/unit/judge"],
    ),
    **dict.fromkeys(["cuda", "nvml.h", "nvrtc.h", "cupti", "hip/"], ["worker/runner"]),
    **dict.fromkeys(["gtest/", "gmock/"], ["tests"]),
    **dict.fromkeys(["fmt/", "tl/expected.hpp"], [""]),
}

# Headers of C, C++ and Linux: anybody's.
SYSTEM = re.compile(
    r"[a-z_0-9]+"
    r"|(sys|linux|netinet|arpa|bits)/[a-z_0-9]+\.h"
    r"|(cxxabi|dirent|dlfcn|errno|fcntl|ftw|glob|grp|limits|link|malloc|math|poll|pthread|pwd|sched|signal|spawn|stdarg|stddef"
    r"|stdint|stdio|stdlib|string|strings|syslog|termios|time|unistd|wordexp)\.h"
)

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def below(path, folder):
    return folder == "" or path == folder or path.startswith(folder + "/")


def layer_of(path):
    matches = [folder for folder in MAY_INCLUDE if below(path, folder)]
    return max(matches, key=len, default=None)


def own_target(including, name):
    """The project's file behind an #include, as a path from the root; None when it is none of ours."""
    for base in ("", "kernels/include/"):
        if Path(base + name).is_file():
            return base + name
    sibling = str(PurePosixPath(including).parent / name)
    return sibling if Path(sibling).is_file() else None


def problem_with(including, quote, name):
    target = own_target(including, name)
    if target is not None:
        here, there = layer_of(including), layer_of(target)
        if here is None or there is None or here == there:
            return None
        if (here, there) in REFUSED:
            return f"{here} never includes {there}"
        allowed = MAY_INCLUDE[here]
        if here != there and not any(below(there, folder) for folder in allowed) and not below(there, here):
            return f"{here} may include only {', '.join(allowed) or 'itself'}"
        return None
    if quote == '"':
        return "no such file in the project"
    homes = [folders for prefix, folders in HOMES.items() if name.startswith(prefix)]
    if homes:
        folders = homes[0]
        if not any(below(including, folder) for folder in folders):
            return f"its home is {', '.join(folders)}"
        return None
    if not SYSTEM.fullmatch(name):
        return "unknown library: give it a home in scripts/check_layers.py"
    return None


def sources():
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", "*.cpp", "*.hpp", "*.h", "*.cu", "*.hip"],
        check=True, capture_output=True, text=True,
    ).stdout.split("\n")
    # Candidates are data: what they include is their own affair.
    return [name for name in listed if name and Path(name).is_file() and not below(name, "kernelbench/samples")]


def main():
    failures = 0
    files = sources()
    for path in files:
        for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            problem = problem_with(path, *match.groups())
            if problem:
                print(f"{path}:{number}: includes {match.group(2)}: {problem}")
                failures += 1
    print(f"layers: {len(files)} files, {failures} wrong includes")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
