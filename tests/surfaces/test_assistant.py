"""The tools for assistants, asked by the client that comes with the protocol's own library."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from deepperf.surfaces.assistant import MOST_CHARACTERS, assistant_server, bounded

SLOW = """\
import tensorflow as tf


def train(batches):
    for batch in batches:
        tf.function(lambda x: x + 1)(batch)
"""
PROGRAM = "total = 0\nfor number in range(2_000_000):\n    total += number\n"


def asked(tool: str, **arguments: Any) -> Any:
    """What a tool answers, as the structure that it promises."""

    async def ask() -> Any:
        async with Client(assistant_server()) as client:
            answer = await client.call_tool(tool, arguments)
            assert not answer.is_error, answer.content
            return answer.structured_content

    return asyncio.run(ask())


def test_every_tool_says_what_it_takes_and_gives() -> None:
    async def listed() -> Any:
        async with Client(assistant_server()) as client:
            return (await client.list_tools()).tools

    tools = {tool.name: tool for tool in asyncio.run(listed())}
    assert set(tools) == {"check", "compare", "prove", "report", "rule", "run"}
    assert all(tool.description and tool.output_schema for tool in tools.values())


def test_a_finding_has_its_place_its_evidence_and_what_to_write(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(SLOW, encoding="utf-8")
    (tmp_path / "deepperf.toml").write_text("", encoding="utf-8")
    answer = asked("check", paths=[str(tmp_path)])
    (found,) = answer["findings"]
    assert (found["rule"], found["place"]["line"], found["place"]["column"]) == (
        "compiled-per-call",
        6,
        9,
    )
    assert "graphs traced" in found["measured"]
    assert found["instead"]
    assert answer["left_out"] == 0
    assert asked("check", paths=[str(tmp_path)], limit=0)["left_out"] == 1


def test_a_rule_is_explained() -> None:
    assert "## Why it is slow" in asked("rule", name="serial-map")["text"]


def test_what_is_asked_wrongly_is_answered_with_the_reason() -> None:
    async def ask() -> list[Any]:
        async with Client(assistant_server()) as client:
            return [
                await client.call_tool("rule", {"name": "serial-mpa"}),
                await client.call_tool("check", {"paths": ["nowhere.py"]}),
                await client.call_tool("report", {"recording": "nowhere.dperf"}),
                await client.call_tool("run", {"command": ["x.py"], "folder": "nowhere"}),
            ]

    answers = asyncio.run(ask())
    assert all(answer.is_error for answer in answers)
    expected = (
        "serial-map",
        "nowhere.py: no such file",
        "nowhere.dperf: cannot be read",
        "nowhere",
    )
    for answer, reason in zip(answers, expected, strict=True):
        assert reason in answer.content[0].text


def test_a_program_is_run_kept_and_compared(tmp_path: Path) -> None:
    (tmp_path / "count.py").write_text(PROGRAM, encoding="utf-8")
    kept = str(tmp_path / "run.dperf")
    ran = asked("run", command=["count.py"], folder=str(tmp_path), record=kept)
    assert ran["exit_code"] == 0, ran["printed"]
    assert ran["report"]["run"]["ended"] == "exit"
    assert asked("report", recording=kept)["report"]["run"] == ran["report"]["run"]
    rows = asked("compare", before=kept, after=kept)["report"]["rows"]
    assert rows
    assert all(row["change"] == 0 for row in rows)


def test_an_answer_is_never_long() -> None:
    told = bounded({"findings": [{"message": "m" * 200, "line": n} for n in range(5_000)]})
    assert len(json.dumps(told)) < 2 * MOST_CHARACTERS
    assert told["left_out"]["findings"] > 4_000
    assert told["findings"][0]["line"] == 0


@pytest.mark.parametrize("size", [10, 10_000_000])
def test_what_is_long_in_itself_is_cut(size: int) -> None:
    assert len(json.dumps(bounded({"text": "t" * size}))) <= MOST_CHARACTERS + 100


def test_the_verb_speaks_the_protocol() -> None:
    from mcp import StdioServerParameters
    from mcp.client.stdio import stdio_client

    async def ask() -> Any:
        server = StdioServerParameters(
            command=sys.executable, args=["-m", "deepperf", "mcp"], env={**os.environ}
        )
        async with Client(stdio_client(server)) as client:
            return (await client.list_tools()).tools

    assert len(asyncio.run(ask())) == 6
