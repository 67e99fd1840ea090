"""`deepperf completion`, tried in the shells themselves."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from deepperf.cli.completion import SHELLS
from deepperf.cli.main import main

ASKED = {
    "bash": "source {script}; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); "
    '_shtab_deepperf; printf "%s\\n" "${{COMPREPLY[@]}}"',
    "fish": "source {script}; complete -C '{words}'",
}


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("completion")
    for shell in SHELLS:
        with pytest.MonkeyPatch.context() as patch, (folder / shell).open("w") as out:
            patch.setattr("sys.stdout", out)
            assert main(["completion", shell]) == 0
    return folder


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("deepperf comp", {"compare", "completion"}),
        ("deepperf check --stat", {"--statistics"}),
        ("deepperf rule serial-m", {"serial-map"}),
        ("deepperf check --select traci", {"tracing"}),
        ("deepperf report run.d", {"run.dperf"}),
    ],
)
@pytest.mark.parametrize("shell", ["bash", "fish"])
def test_a_shell_completes_commands_options_rules_and_files(
    scripts: Path, shell: str, words: str, expected: set[str], tmp_path: Path
) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    (tmp_path / "run.dperf").touch()
    command = ASKED[shell].format(script=scripts / shell, words=words)
    done = subprocess.run(
        [shell, "-c", command], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert {line.partition("\t")[0] for line in done.stdout.splitlines()} == expected


def test_the_script_for_zsh_is_read_by_zsh(scripts: Path) -> None:
    if shutil.which("zsh") is None:
        pytest.skip("zsh is not installed")
    assert subprocess.run(["zsh", "-n", str(scripts / "zsh")]).returncode == 0


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_knows_every_rule_and_option(scripts: Path, shell: str) -> None:
    text = (scripts / shell).read_text(encoding="utf-8")
    assert "serial-map" in text
    assert "framework-version" in text
