"""Look for known vulnerabilities in the versions of constraints.txt, with pip-audit.

The exit status is 1 if there is a finding, or a version that the advisory service did not answer for. With `--or-skip`,
missing answers are only reported: a machine may not reach the service.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

CONSTRAINTS = Path(__file__).parents[1] / "constraints.txt"


def ask() -> tuple[list[dict[str, Any]], str]:
    """Return what pip-audit says of each version, and its last line on stderr."""
    command = [sys.executable, "-m", "pip_audit", "--format", "json", "--progress-spinner", "off"]
    command += ["--disable-pip", "--no-deps", "--requirement", str(CONSTRAINTS)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    last_line = (done.stderr.strip().splitlines() or [""])[-1]
    return (json.loads(done.stdout)["dependencies"] if done.stdout.strip() else []), last_line


def judge(report: list[dict[str, Any]], last_line: str, *, or_skip: bool) -> int:
    """Print the findings, and return the exit status."""
    findings = [(entry, finding) for entry in report for finding in entry.get("vulns", ())]
    for entry, finding in findings:
        fixed = ", ".join(finding["fix_versions"]) or "no version"
        print(f"{entry['name']} {entry['version']}: {finding['id']}, fixed in {fixed}")
    n_answers = sum("vulns" in entry for entry in report)
    if not report or n_answers < len(report):
        reason = f"the advisory service answered for {n_answers} of {len(report)} versions"
        print(f"{'skipped' if or_skip else 'failed'}: {reason if report else last_line}")
        return int(bool(findings) or not or_skip)
    print(f"{len(findings)} known vulnerabilities in {n_answers} versions")
    return int(bool(findings))


if __name__ == "__main__":
    sys.exit(judge(*ask(), or_skip="--or-skip" in sys.argv[1:]))
