"""The language server, spoken to over standard input and output as editors do."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

SLOW = """\
import tensorflow as tf


def train(batches):
    for batch in batches:
        step = tf.function(lambda x: x + 1)
        step(batch)


def load(paths):
    files = tf.data.Dataset.from_tensor_slices(paths)
    return files.interleave(tf.data.TFRecordDataset, cycle_length=4)
"""
BOTH = [("compiled-per-call", 6), ("serial-map", 12)]
SERVER = ClientServerConfig(server_command=[sys.executable, "-m", "deepperf", "lsp"])
pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_lsp.fixture(  # type: ignore[untyped-decorator]
    config=SERVER, scope="module", loop_scope="module"
)
async def editor(
    lsp_client: LanguageClient, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[None]:
    @lsp_client.feature(types.CLIENT_REGISTER_CAPABILITY)  # type: ignore[untyped-decorator]
    def register(_: types.RegistrationParams) -> None:
        pass

    folder = tmp_path_factory.getbasetemp()
    await lsp_client.initialize_session(
        types.InitializeParams(
            capabilities=client_capabilities("visual-studio-code"),
            workspace_folders=[types.WorkspaceFolder(uri=folder.as_uri(), name="all")],
            initialization_options={"settings": {"level": "note"}},
        )
    )
    yield
    await lsp_client.shutdown_session()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder that is a project of its own."""
    (tmp_path / "deepperf.toml").write_text("", encoding="utf-8")
    return tmp_path


def open_file(editor: LanguageClient, path: Path, text: str) -> str:
    uri = path.as_uri()
    item = types.TextDocumentItem(uri=uri, language_id="python", version=1, text=text)
    editor.text_document_did_open(types.DidOpenTextDocumentParams(text_document=item))
    return uri


def change(editor: LanguageClient, uri: str, text: str) -> None:
    editor.text_document_did_change(
        types.DidChangeTextDocumentParams(
            types.VersionedTextDocumentIdentifier(version=2, uri=uri),
            [types.TextDocumentContentChangeWholeDocument(text=text)],
        )
    )


async def told(editor: LanguageClient, uri: str) -> list[tuple[str, int]]:
    """The rules and lines (from 1) of what is next told of a document."""
    editor.diagnostics.pop(uri, None)
    while uri not in editor.diagnostics:
        await asyncio.wait_for(
            editor.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS), 30
        )
    return [(str(one.code), one.range.start.line + 1) for one in editor.diagnostics[uri]]


async def told_in_order(editor: LanguageClient, uris: list[str]) -> list[str]:
    """Documents, in the order in which something is next told of them."""
    for uri in uris:
        editor.diagnostics.pop(uri, None)
    for _ in range(600):
        if {*uris} <= {*editor.diagnostics}:
            break
        await asyncio.sleep(0.05)
    return [uri for uri in editor.diagnostics if uri in uris]


def at(line: int, text: str, word: str) -> types.Position:
    """The place of a word in a line (from 1), in UTF-16 units."""
    before = text.splitlines()[line - 1].partition(word)[0]
    return types.Position(line - 1, len(before.encode("utf-16-le")) // 2)


def applied(text: str, edits: list[types.TextEdit]) -> str:
    """The text after edits, as an editor that counts in UTF-16 makes them."""
    lines = text.splitlines(keepends=True)
    starts = [len("".join(lines[:number]).encode("utf-16-le")) for number in range(len(lines) + 1)]
    data = text.encode("utf-16-le")
    for edit in sorted(edits, key=lambda e: (e.range.start.line, e.range.start.character))[::-1]:
        first, last = (
            starts[place.line] + 2 * place.character for place in (edit.range.start, edit.range.end)
        )
        data = data[:first] + edit.new_text.encode("utf-16-le") + data[last:]
    return data.decode("utf-16-le")


async def offered(
    editor: LanguageClient, uri: str, place: types.Position, *only: str
) -> dict[str, types.CodeAction]:
    answer = await editor.text_document_code_action_async(
        types.CodeActionParams(
            types.TextDocumentIdentifier(uri),
            types.Range(place, place),
            types.CodeActionContext(diagnostics=[], only=[*only] or None),
        )
    )
    return {one.title: one for one in answer or () if isinstance(one, types.CodeAction)}


def edits_of(action: types.CodeAction, uri: str) -> list[types.TextEdit]:
    assert action.edit is not None
    assert action.edit.changes is not None
    return [*action.edit.changes[uri]]


async def test_what_is_typed_is_checked_before_it_is_saved(
    editor: LanguageClient, project: Path
) -> None:
    path = project / "train.py"
    path.write_text("x = 1\n", encoding="utf-8")
    uri = open_file(editor, path, SLOW)
    assert await told(editor, uri) == BOTH

    change(editor, uri, SLOW.replace("tf.function(lambda x: x + 1)", "len"))
    assert await told(editor, uri) == [("serial-map", 12)]
    editor.text_document_did_close(
        types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri))
    )
    assert await told(editor, uri) == []


async def test_the_hover_says_why_it_is_slow_and_what_was_measured(
    editor: LanguageClient, project: Path
) -> None:
    uri = open_file(editor, project / "train.py", SLOW)
    hover = await editor.text_document_hover_async(
        types.HoverParams(types.TextDocumentIdentifier(uri), at(6, SLOW, "function"))
    )
    assert hover is not None
    assert isinstance(hover.contents, types.MarkupContent)
    assert "**compiled-per-call**" in hover.contents.value
    assert "graphs traced instead of 1" in hover.contents.value


async def test_a_fix_and_a_comment_are_offered_where_the_editor_counts_them(
    editor: LanguageClient, project: Path
) -> None:
    text = SLOW.replace("return files", 'return "🙂" and files')
    uri = open_file(editor, project / "train.py", text)
    actions = await offered(editor, uri, at(12, text, "files.inter"))
    fixed = next(one for title, one in actions.items() if not title.startswith("Ignore"))
    assert fixed.is_preferred
    assert "num_parallel_calls=tf.data.AUTOTUNE" in applied(text, edits_of(fixed, uri))
    silent = applied(text, edits_of(actions["Ignore serial-map here"], uri))
    assert silent.endswith("cycle_length=4)  # deepperf: ignore[serial-map]\n")

    (every,) = (await offered(editor, uri, at(1, text, "import"), "source.fixAll")).values()
    assert applied(text, edits_of(every, uri)) == applied(text, edits_of(fixed, uri))
    change(editor, uri, silent)
    assert await told(editor, uri) == [("compiled-per-call", 6)]


async def test_an_edit_is_told_of_the_files_that_rest_on_it(
    editor: LanguageClient, project: Path
) -> None:
    slow = "import tensorflow as tf\n\n\ndef made():\n    return tf.function(lambda x: x + 1)\n"
    quick = "def made():\n    return len\n"
    user = "from steps import made\n\nfor batch in batches():\n    made()(batch)\n"
    steps = project / "steps.py"
    steps.write_text(quick, encoding="utf-8")
    (project / "train.py").write_text(user, encoding="utf-8")
    uri = open_file(editor, steps, quick)
    assert await told(editor, uri) == []
    open_file(editor, project / "train.py", user)
    change(editor, uri, slow)
    assert ("compiled-per-call", 5) in await told(editor, uri)
    (found,) = editor.diagnostics[uri]
    assert found.related_information is not None
    assert {one.location.uri for one in found.related_information} == {
        (project / "train.py").as_uri()
    }


async def test_the_edited_file_is_answered_for_before_those_that_rest_on_it(
    editor: LanguageClient, project: Path
) -> None:
    steps, train = project / "steps.py", project / "train.py"
    steps.write_text("def made():\n    return len\n", encoding="utf-8")
    train.write_text("from steps import made\n\nmade()(1)\n", encoding="utf-8")
    uris = [open_file(editor, path, path.read_text("utf-8")) for path in (steps, train)]
    order = [(await told_in_order(editor, uris))[0]]
    for edited in uris:
        change(editor, edited, SLOW)
        order.append((await told_in_order(editor, uris))[0])
    assert order == [uris[1], *uris]  # the one that was opened last is answered first, too


async def test_files_and_settings_that_others_change_count(
    editor: LanguageClient, project: Path
) -> None:
    uri = open_file(editor, project / "train.py", SLOW)
    assert await told(editor, uri) == BOTH
    settings = project / "deepperf.toml"
    settings.write_text('ignore = ["serial-map"]\n', encoding="utf-8")
    event = types.FileEvent(settings.as_uri(), types.FileChangeType.Changed)
    editor.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))
    assert await told(editor, uri) == [("compiled-per-call", 6)]


async def test_the_cells_of_a_notebook_are_one_program(
    editor: LanguageClient, project: Path
) -> None:
    path = project / "train.ipynb"
    texts = ("import tensorflow as tf\n", SLOW.partition("\n\n\n")[2])
    uris = [f"vscode-notebook-cell:{path}#{number}" for number in range(2)]
    cells = [types.NotebookCell(types.NotebookCellKind.Code, uri) for uri in uris]
    editor.notebook_document_did_open(
        types.DidOpenNotebookDocumentParams(
            types.NotebookDocument(path.as_uri(), "jupyter-notebook", 1, cells),
            [
                types.TextDocumentItem(uri=uri, language_id="python", version=1, text=text)
                for uri, text in zip(uris, texts, strict=True)
            ],
        )
    )
    assert await told(editor, uris[1]) == [("compiled-per-call", 3), ("serial-map", 9)]
    actions = await offered(editor, uris[1], at(9, texts[1], "files.inter"))
    assert "num_parallel_calls" in applied(
        texts[1], edits_of(next(iter(actions.values())), uris[1])
    )


async def test_a_fix_that_may_change_results_says_so_and_is_not_made_with_all_others(
    editor: LanguageClient, project: Path
) -> None:
    uri = open_file(editor, project / "train.py", SLOW)
    actions = await offered(editor, uri, at(6, SLOW, "function"))
    (unsafe,) = (one for title, one in actions.items() if title.endswith("(may change results)"))
    assert not unsafe.is_preferred
    assert applied(SLOW, edits_of(unsafe, uri)) != SLOW
    (every,) = (await offered(editor, uri, at(1, SLOW, "import"), "source.fixAll")).values()
    assert "    for batch in batches:\n        step = " in applied(SLOW, edits_of(every, uri))
    assert await offered(editor, uri, at(1, SLOW, "import"), "source") == {every.title: every}
    assert await offered(editor, uri, at(1, SLOW, "import"), "source.fixAll.other") == {}


async def test_a_fix_with_a_guard_rail_is_offered_beside_the_plain_one(
    editor: LanguageClient, project: Path
) -> None:
    text = "import torch\n\n\n@torch.compile\ndef twice(x):\n    print(x)\n    return x * 2\n"
    uri = open_file(editor, project / "printing.py", text)
    actions = await offered(editor, uri, at(6, text, "print"))
    plain, guarded = (one for title, one in actions.items() if not title.startswith("Ignore"))
    assert "@torch.compile\n" in applied(text, edits_of(plain, uri))
    assert "@torch.compile(fullgraph=True)\n" in applied(text, edits_of(guarded, uri))


async def test_of_quick_edits_the_last_is_told(editor: LanguageClient, project: Path) -> None:
    uri = open_file(editor, project / "train.py", SLOW)
    for number in range(20):
        change(editor, uri, f"# {number}\n{SLOW}")
    change(editor, uri, "x = 1\n")
    assert await told(editor, uri) == []


async def test_a_request_that_is_cancelled_is_not_answered(
    editor: LanguageClient, project: Path
) -> None:
    uri = open_file(editor, project / "train.py", SLOW)
    asked = types.HoverParams(types.TextDocumentIdentifier(uri), at(6, SLOW, "function"))
    send = editor.protocol.send_request_async
    waiting = asyncio.ensure_future(
        send("textDocument/hover", asked, msg_id="first")  # type: ignore[no-untyped-call]
    )
    await asyncio.sleep(0)
    editor.cancel_request(types.CancelParams(id="first"))
    with pytest.raises(JsonRpcException) as refused:
        await asyncio.wait_for(waiting, 30)
    assert refused.value.code == types.LSPErrorCodes.RequestCancelled
    assert await editor.text_document_hover_async(asked) is not None
