"""Hooks, the Action, the GitLab component and the Docker file, with the programs that read them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
SLOW = "x = 1  # deepperf: ignore[no-such-rule]\n"
"""A note with a place that is known, whatever rules are installed."""

yaml = pytest.importorskip("yaml")


def program(name: str) -> str:
    found = shutil.which(
        name, path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    )
    return found or pytest.skip(f"{name} is not installed")


def run(*command: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with a finding, a clean file, and deepperf on the path of what runs there."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "deepperf.toml").write_text('level = "note"\n', encoding="utf-8")
    (folder / "train.py").write_text(SLOW, encoding="utf-8")
    (folder / "clean.py").write_text("x = 1\n", encoding="utf-8")
    program_file = tmp_path / "bin" / "deepperf"
    program_file.parent.mkdir()
    program_file.write_text(f'#!/bin/sh\nexec {sys.executable} -m deepperf "$@"\n')
    program_file.chmod(0o755)
    return folder


def act(project: Path, **inputs: str) -> tuple[subprocess.CompletedProcess[str], str]:
    """Run the Action's script with its inputs, and tell what it put out."""
    defaults = {
        name.upper().replace("-", "_"): str(one["default"])
        for name, one in manifest("action.yml")["inputs"].items()
    }
    outputs = project.parent / "outputs"
    outputs.write_text("")
    done = run(
        program("bash"),
        str(ROOT / "action" / "check.sh"),
        folder=project,
        PATH=f"{project.parent / 'bin'}{os.pathsep}{os.environ['PATH']}",
        GITHUB_OUTPUT=str(outputs),
        **{**defaults, **inputs},
    )
    return done, outputs.read_text()


def manifest(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def test_the_action_annotates_and_leaves_sarif(project: Path) -> None:
    done, outputs = act(project)

    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("::notice file=train.py,line=1,")
    assert outputs == "sarif=deepperf.sarif\n"
    document = json.loads((project / "deepperf.sarif").read_text())
    assert len(document["runs"][0]["results"]) == 1


def test_the_action_takes_paths_and_arguments_a_line_each(project: Path) -> None:
    (project / "a b").mkdir()
    (project / "train.py").rename(project / "a b" / "train.py")
    done, _ = act(project, PATHS="clean.py\na b\n", ARGUMENTS="--level\nwarning\n")
    assert (done.returncode, done.stdout) == (
        0,
        "Nothing found in 2 files; 1 hidden note: show with --level note.\n",
    )
    assert act(project, FAIL_ON="warning")[0].returncode == 0


def test_the_action_says_what_is_wrong_and_leaves_no_empty_file(project: Path) -> None:
    done, outputs = act(project, PATHS="nowhere")

    assert (done.returncode, outputs) == (2, "")
    assert "nowhere: no such file" in done.stderr
    assert not (project / "deepperf.sarif").exists()


def test_every_input_of_the_action_is_used() -> None:
    action = manifest("action.yml")
    text = json.dumps(action["runs"])

    assert [name for name in action["inputs"] if f"inputs.{name}" not in text] == []
    assert "${{" not in "".join(step.get("run", "") for step in action["runs"]["steps"])


@pytest.mark.parametrize("name", ["pre-commit", "prek"])
def test_the_hook_runs_on_staged_files(project: Path, name: str) -> None:
    runner, git = program(name), program("git")
    (hook, _) = manifest(".pre-commit-hooks.yaml")
    # What is installed already runs, so that the test needs no network.
    entry = f"{project.parent / 'bin' / 'deepperf'} {hook['entry'].partition(' ')[2]}"
    local = {**hook, "language": "system", "entry": entry}
    config = {"repos": [{"repo": "local", "hooks": [local]}]}
    (project / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config))
    home = str(project.parent / "home")
    run(git, "init", "--quiet", folder=project)
    run(git, "add", "clean.py", ".pre-commit-config.yaml", folder=project)
    clean = run(runner, "run", folder=project, PRE_COMMIT_HOME=home, PREK_HOME=home)
    assert clean.returncode == 0, clean.stdout + clean.stderr

    run(git, "add", "train.py", folder=project)
    found = run(runner, "run", folder=project, PRE_COMMIT_HOME=home, PREK_HOME=home)
    assert found.returncode == 1
    assert "train.py:1:8: note unused-suppression" in found.stdout
    assert "1 finding in 1 of 2 files" in found.stdout


def test_the_manifest_of_hooks_is_valid() -> None:
    for name in ("pre-commit", "prek"):
        done = run(program(name), "validate-manifest", ".pre-commit-hooks.yaml", folder=ROOT)
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_action_and_the_gitlab_component_are_as_their_schemas_say(tmp_path: Path) -> None:
    checker = program("check-jsonschema")
    # What GitLab does with a component: the inputs are put in, and what follows the head is read.
    head, body = (ROOT / "templates" / "deepperf.yml").read_text().split("\n---\n")
    inputs = yaml.safe_load(head)["spec"]["inputs"]
    job = tmp_path / "job.yml"
    job.write_text(re.sub(r"\$\[\[ inputs\.([\w-]+) \]\]", lambda m: inputs[m[1]]["default"], body))
    for schema, path, *more in (
        ("vendor.github-actions", ROOT / "action.yml"),
        ("vendor.gitlab-ci", job, "--data-transform", "gitlab-ci"),
    ):
        done = run(checker, "--builtin-schema", schema, str(path), *more, folder=ROOT)
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_commands_of_the_gitlab_component_work(project: Path) -> None:
    _, body = (ROOT / "templates" / "deepperf.yml").read_text().split("\n---\n")
    (_, command) = yaml.safe_load(body)["deepperf"]["script"]
    command = command.replace("$[[ inputs.paths ]]", ".").replace("$[[ inputs.fail-on ]]", "note")
    path = f"{project.parent / 'bin'}{os.pathsep}{os.environ['PATH']}"
    done = run(program("sh"), "-c", command, folder=project, PATH=path)

    assert done.returncode == 1, done.stderr
    (issue,) = json.loads((project / "gl-code-quality-report.json").read_text())
    assert issue["location"]["path"] == "train.py"
    assert "<testsuites" in (project / "deepperf.xml").read_text()


@pytest.mark.parametrize("command", [("hadolint", "Dockerfile"), ("shellcheck", "action/check.sh")])
def test_linters_have_nothing_to_say(command: tuple[str, str]) -> None:
    done = run(program(command[0]), command[1], folder=ROOT)

    assert done.returncode == 0, done.stdout + done.stderr
