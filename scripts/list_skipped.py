#!/usr/bin/env python3
"""list_skipped.py RESULTS.xml: names the tests that ctest skipped, by reason.

On a CI machine (CI=true) nothing that scripts/setup installs may be missing: such a skip is a failure.
"""

import os
import re
import sys
import xml.etree.ElementTree as ElementTree
from collections import defaultdict


def reason_of(case):
    """GoogleTest prints "file:line: Skipped", then the reason."""
    lines = (case.findtext("system-out") or "").splitlines()
    for number, line in enumerate(lines[:-1]):
        if re.search(r":\d+: Skipped$", line):
            return lines[number + 1].strip() or "no reason given"
    return "no reason given"


def main():
    skipped = defaultdict(list)
    for case in ElementTree.parse(sys.argv[1]).getroot().iter("testcase"):
        if case.get("status") == "notrun" or case.find("skipped") is not None:
            skipped[reason_of(case)].append(case.get("name"))
    failed = False
    for reason, names in sorted(skipped.items()):
        print(f"Skipped: {reason} ({len(names)} tests)")
        print("".join(f"  {name}\n" for name in sorted(names)), end="")
        if os.environ.get("CI") == "true" and re.search(r"missing.*(scripts/setup|apt-get install)", reason):
            print("  … which is a failure here: CI=true, and scripts/setup installs it")
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
