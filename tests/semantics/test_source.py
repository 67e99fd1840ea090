"""Bytes to text and back."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepperf.records import Failure, Role
from deepperf.semantics.text.source import (
    LARGEST_BYTES,
    Source,
    read_source,
    role_of,
    write_back,
)


def read(data: bytes) -> Source:
    source = read_source("model.py", data)
    assert isinstance(source, Source), source
    return source


@pytest.mark.parametrize(
    ("bom", "encoding"),
    [
        (b"", "utf-8"),
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
    ],
)
def test_a_byte_order_mark_is_left_out_of_the_text_and_written_back(
    bom: bytes, encoding: str
) -> None:
    data = bom + "größe = '漢'\n".encode(encoding)
    source = read(data)
    assert source.text == "größe = '漢'\n"
    assert write_back(source, source.text) == data


def test_the_coding_comment_names_the_encoding() -> None:
    data = "# -*- coding: cp1251 -*-\ns = 'Привет'\n".encode("cp1251")
    source = read(data)
    assert "Привет" in source.text
    assert write_back(source, source.text) == data


def test_the_coding_comment_may_stand_on_the_second_line_but_not_behind_code() -> None:
    assert read(b"#!/usr/bin/python\n# coding=latin-1\nx = '\xe4'\n").text.endswith("'ä'\n")
    assert read("import os\n# coding=latin-1\nx = 'ä'\n".encode()).encoding == "utf-8"


@pytest.mark.parametrize("name", ["no-such-codec", "rot13", "utf-16", "hex", "cp037", "undefined"])
def test_a_coding_comment_that_cannot_be_true_is_not_believed(name: str) -> None:
    data = f"# coding: {name}\nx = 'ä'\n".encode()
    assert read(data).text == data.decode()


def test_undecodable_bytes_lose_nothing_and_move_nothing() -> None:
    data = b"x = 'caf\xe9'; y = 1\n"
    source = read(data)
    assert source.text.index("y") == data.index(b"y")
    assert write_back(source, source.text.replace("y", "z")) == data.replace(b"y", b"z")


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_newlines_stay_as_they_are(newline: str) -> None:
    data = f"a = 1{newline}b = 2{newline}".encode()
    source = read(data)
    assert source.newline == newline
    assert write_back(source, source.text) == data


def test_form_feeds_and_stray_null_bytes_are_text() -> None:
    assert read(b"\x0cimport os\nx = 1\0\n").text == "\x0cimport os\nx = 1\0\n"


def test_binary_data_is_refused_in_one_line() -> None:
    refused = read_source("pkg/model.py", bytes(range(256)) * 20 + b"\0" * 4000)
    assert isinstance(refused, Failure)
    assert refused.location.path == "pkg/model.py"
    assert "binary" in refused.message
    assert "\n" not in refused.message


def test_a_huge_file_is_refused() -> None:
    refused = read_source("table.py", b" " * (LARGEST_BYTES + 1))
    assert isinstance(refused, Failure)
    assert "MiB" in refused.message


@given(st.binary())
def test_reading_never_raises_and_always_goes_back(data: bytes) -> None:
    found = read_source("any.py", data)
    if isinstance(found, Source):
        assert write_back(found, found.text) == data


@given(
    st.sampled_from([b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf", b"# coding: utf-7\n"]), st.binary()
)
def test_a_mark_in_front_of_anything_goes_back_too(mark: bytes, data: bytes) -> None:
    found = read_source("any.py", mark + data)
    if isinstance(found, Source):
        assert write_back(found, found.text) == mark + data


@pytest.mark.parametrize(
    ("path", "role"),
    [
        ("tests/model.py", Role.TEST),
        ("pkg/Tests/deep/model.py", Role.TEST),
        ("pkg/test_model.py", Role.TEST),
        ("pkg\\model_test.py", Role.TEST),
        ("conftest.py", Role.TEST),
        ("examples/tests/train.py", Role.TEST),
        ("examples/train.py", Role.EXAMPLE),
        ("docs/tutorials/a.ipynb", Role.EXAMPLE),
        ("docs_new/guides/a.ipynb", Role.EXAMPLE),
        ("examples-torch/train.py", Role.EXAMPLE),
        ("doc_classifier/train.py", Role.SOURCE),
        ("latest/model.py", Role.SOURCE),
        ("contest.py", Role.SOURCE),
        ("pkg/example_parser.py", Role.SOURCE),
        ("attest/testify.py", Role.SOURCE),
        ("test.py", Role.SOURCE),
        ("benchmarks/train.py", Role.SOURCE),
    ],
)
def test_the_role_is_judged_by_whole_path_parts(path: str, role: Role) -> None:
    assert role_of(path) is role
