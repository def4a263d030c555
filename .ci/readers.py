"""Reads racelint's reports with other people's schemas, runs its hook under pre-commit and the steps of its action."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import tomllib
import urllib.parse
import xml.etree.ElementTree

import jsonschema
import xmlschema
import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent
BINARY, SARIF, JUNIT = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
SHOP = ROOT / "fixtures/projects/ticket-shop"
SMALL = ROOT / "fixtures/fs-check-then-use"

RACY = """\
use std::sync::atomic::{AtomicU64, Ordering};

static HITS: AtomicU64 = AtomicU64::new(0);

pub fn hit() {
    let hits = HITS.load(Ordering::SeqCst);
    HITS.store(hits + 1, Ordering::SeqCst);
}
"""
CLEAN = RACY.replace(
    "let hits = HITS.load(Ordering::SeqCst);\n    HITS.store(hits + 1, Ordering::SeqCst)", "HITS.fetch_add(1, Ordering::SeqCst)"
)

# The fields that GitLab documents for a code quality report.
GITLAB = {
    "type": "array",
    "minItems": 1,
    "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "properties": {
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "required": ["path", "lines"],
                "properties": {"path": {"not": {"pattern": r"^(/|\./)"}}, "lines": {"required": ["begin"]}},
            },
        },
    },
}

checks = 0


def holds(truth, what):
    """Counts a check, and ends the run where it does not hold."""
    global checks
    if not truth:
        sys.exit(f"readers: {what}")
    checks += 1


def run(arguments, folder, environment=None):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "GITHUB_"))}
    return subprocess.run(
        [str(argument) for argument in arguments], cwd=folder, env=kept | (environment or {}), capture_output=True, text=True
    )


def report(folder, form, *more):
    done = run([BINARY, "check", "--format", form, "--fail-on", "never", *more], folder)
    holds(done.returncode == 0, f"{form} of {folder}: {done.stderr}")
    return done.stdout


def sarif(folder, *more):
    log = json.loads(report(folder, "sarif", *more))
    schema = json.loads(SARIF.read_text())
    holds(schema["title"].startswith("Static Analysis Results Format (SARIF) Version 2.1.0"), "this is no schema of SARIF")
    validator = jsonschema.Draft7Validator(schema)
    errors = [f"{error.json_path}: {error.message}" for error in validator.iter_errors(log)]
    holds(not errors, f"SARIF of {folder}: {errors[:5]}")
    [only] = log["runs"]
    rules = only["tool"]["driver"]["rules"]
    holds(only["results"], f"SARIF of {folder} has no results")
    for result in only["results"]:
        holds(rules[result["ruleIndex"]]["id"] == result["ruleId"], f"another rule stands at the index of {result['ruleId']}")
        for location in result["locations"] + result.get("relatedLocations", []):
            artifact = location["physicalLocation"]["artifactLocation"]
            path = ROOT / urllib.parse.unquote(artifact["uri"])
            lines = path.read_bytes().count(b"\n") + 1
            holds(location["physicalLocation"]["region"]["endLine"] <= lines, f"{path} has no such line")


def junit(folder, *more):
    text = report(folder, "junit", *more)
    errors = [f"{error.path}: {error.reason}" for error in xmlschema.XMLSchema(JUNIT).iter_errors(xml.etree.ElementTree.fromstring(text))]
    holds(not errors, f"JUnit of {folder}: {errors[:5]}")
    holds("<testcase" in text, f"JUnit of {folder} has no cases")


def gitlab(folder, *more):
    issues = json.loads(report(folder, "gitlab", *more))
    jsonschema.validate(issues, GITLAB)
    prints = [issue["fingerprint"] for issue in issues]
    holds(len(prints) == len(set(prints)), f"GitLab takes findings of one fingerprint for one, in {folder}")


def configuration():
    schema = json.loads(run([BINARY, "config-schema"], ROOT).stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    template = (ROOT / "src/cli/init/racelint.toml").read_text()
    settings = "\n".join(line.removeprefix("#: ") for line in template.splitlines() if line.startswith("#: "))
    for text in [settings, (ROOT / "racelint.toml").read_text()]:
        jsonschema.validate(tomllib.loads(text), schema)
    wrong = jsonschema.Draft202012Validator(schema).is_valid({"selct": []})
    holds(not wrong, "the schema of the configuration lets an unknown key pass")


def package(folder, text):
    (folder / "src").mkdir(parents=True, exist_ok=True)
    (folder / "Cargo.toml").write_text('[package]\nname = "depot"\nedition = "2024"\n')
    (folder / "src/lib.rs").write_text(text)


def git(folder, *arguments):
    name = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    return run(["git", *name, *arguments], folder)


def hook(scratch):
    """A racy commit is blocked, a clean one passes; once as `try-repo`, once as an installed hook."""
    git(scratch, "init", "--quiet")
    package(scratch, RACY)
    git(scratch, "add", ".")
    done = run(["pre-commit", "try-repo", ROOT, "racelint", "--verbose"], scratch)
    told = done.stdout + done.stderr
    holds(done.returncode == 1 and "src/lib.rs:7" in told and "atomic-load-then-store" in told, f"try-repo: {told}")

    # What `init` writes, with this checkout in the place of the published one.
    holds(run([BINARY, "init", "--pre-commit"], scratch).returncode == 0, "init --pre-commit")
    written = scratch / ".pre-commit-config.yaml"
    config = yaml.safe_load(written.read_text())
    head = git(ROOT, "rev-parse", "HEAD").stdout.strip()
    config["repos"][0] |= {"repo": str(ROOT), "rev": head}
    written.write_text(yaml.safe_dump(config))
    holds(run(["pre-commit", "install"], scratch).returncode == 0, "pre-commit install")
    git(scratch, "add", ".")
    blocked = git(scratch, "commit", "--message", "racy")
    told = blocked.stdout + blocked.stderr
    holds(blocked.returncode != 0 and "atomic-load-then-store" in told, f"a racy commit was not blocked: {told}")
    package(scratch, CLEAN)
    git(scratch, "add", ".")
    passed = git(scratch, "commit", "--message", "clean")
    told = passed.stdout + passed.stderr
    holds(passed.returncode == 0 and "Passed" in told, f"a clean commit was blocked: {told}")


def action(scratch):
    """The steps of action.yml that are scripts, run as a runner would."""
    steps = yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"]
    scripts = {step["name"]: step["run"] for step in steps if "run" in step}
    package(scratch, RACY)
    temporary = scratch / "temp dir"
    (temporary / "racelint/bin").mkdir(parents=True)
    shutil.copy(BINARY, temporary / "racelint/bin/racelint")
    inputs = {"PATHS": "src", "FORMAT": "github", "OUTPUT": "", "ARGS": "--pedantic --jobs 1"}
    environment = {f"RACELINT_{name}": value for name, value in inputs.items()}
    environment |= {"RUNNER_TEMP": str(temporary), "GITHUB_STEP_SUMMARY": str(scratch / "page.md")}
    shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c"]
    done = run([*shell, scripts["Write SARIF"]], scratch, environment)
    holds(done.returncode == 0, f"the action's SARIF: {done.stderr}")
    holds(json.loads((temporary / "racelint.sarif").read_text())["runs"][0]["results"], "the action's SARIF is empty")
    done = run([*shell, scripts["Check"]], scratch, environment)
    holds(done.returncode == 1 and done.stdout.startswith("::error file=src/lib.rs,line=7,"), f"the action's check: {done}")
    holds("atomic-load-then-store" in (scratch / "page.md").read_text(), "the action writes no page")


def main():
    for folder, more in [(SHOP, []), (SMALL, ["--no-config", "--pedantic"])]:
        for form in (sarif, junit, gitlab):
            form(folder, *more)
    configuration()
    for trial in (action, hook):
        with tempfile.TemporaryDirectory() as scratch:
            trial(pathlib.Path(scratch))
    print(f"readers: {checks} checks passed")


main()
