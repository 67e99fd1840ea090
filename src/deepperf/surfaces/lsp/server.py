"""The language server: what the editor tells, and what it is told.

The editor is answered by one thread, and all checking done by another, one check at a time: an
edit interrupts what is being checked, and is checked itself once no other follows for a moment.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import queue
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from deepperf import __version__
from deepperf.check.run import Interrupted
from deepperf.config.load import values_of
from deepperf.config.options import Options, WrongUse
from deepperf.surfaces.lsp.findings import FIX_ALL, actions_for, fix_all, hover_of
from deepperf.surfaces.lsp.projects import Desk, Opened, Projects, Shown, Told
from deepperf.surfaces.lsp.texts import Document

PAUSE = 0.15
"""Seconds without an edit after which is checked what was typed."""
WATCHED = "**/{*.py,*.ipynb,*.toml,requirements*.txt,setup.cfg,.gitignore}"
_NOTEBOOKS = types.NotebookDocumentSyncOptions(
    notebook_selector=[
        types.NotebookDocumentFilterWithNotebook(
            notebook="jupyter-notebook", cells=[types.NotebookCellLanguage(language="python")]
        )
    ]
)
_ACTIONS = types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix, FIX_ALL])


class Session:
    """What is open, what was said of it, and the check that is on its way."""

    def __init__(self, server: LanguageServer) -> None:
        self.server = server
        self.opened: dict[str, Opened] = {}  # by whole path, the one edited last at the end
        self.shown: dict[str, Shown] = {}
        self.projects = Projects(lambda options: options)
        self._on_disk: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._stop = threading.Event()
        self._checking = ThreadPoolExecutor(1, "deepperf")
        self._next: asyncio.Task[None] | None = None
        self._said: set[str] = set()

    def put(self, given: Opened) -> None:
        """A file was opened or edited."""
        self.opened.pop(given.path, None)
        self.opened[given.path] = given
        self.check_soon()

    def close(self, path: str) -> None:
        """A file was closed: nothing is said of it any more."""
        self.opened.pop(path, None)
        shown = self.shown.pop(path, None)
        for document in shown.documents if shown else ():
            self._publish(document.uri, (), None)
        self.check_soon()

    def touch(self, path: str) -> None:
        """Others changed a file."""
        self._on_disk.put(path)
        self.check_soon()

    def check_soon(self) -> None:
        self._stop.set()
        if self._next is not None:
            self._next.cancel()
        self._next = asyncio.get_running_loop().create_task(self._check())

    async def settled(self) -> None:
        """Wait until what is open was checked."""
        while self._next is not None and not self._next.done():
            await asyncio.wait((self._next,))

    async def _check(self) -> None:
        await asyncio.sleep(PAUSE)
        loop = asyncio.get_running_loop()
        self._stop = stop = threading.Event()
        workspace = self.server.workspace
        uris = [*workspace.folders] or [workspace.root_uri or ""]
        folders = (to_fs_path(uri) for uri in uris)
        files = tuple(reversed(self.opened.values()))
        desk = Desk(files, tuple(filter(None, folders)), workspace.position_codec)

        def pause() -> None:
            if stop.is_set():
                raise Interrupted

        def work() -> None:
            try:
                self.projects.touch(self._changed())
                for path, shown in self.projects.answers(desk, pause):
                    loop.call_soon_threadsafe(self._show, path, shown)
                    pause()
            except Interrupted:
                return
            except Exception as error:  # noqa: BLE001 - the editor goes on
                loop.call_soon_threadsafe(self.say, f"internal error: {error!r}")

        await loop.run_in_executor(self._checking, work)

    def _changed(self) -> Iterator[str]:
        while not self._on_disk.empty():
            yield self._on_disk.get()

    def _show(self, path: str, shown: Shown) -> None:
        if path not in self.opened:
            return
        self.shown[path] = shown
        for uri, told in shown.told.items():
            self._publish(uri, told, shown.version)
        if shown.problem:
            self.say(shown.problem)
        for failure in shown.failures:
            if failure.internal:
                self.say(f"{failure.location}: {failure.message}")

    def _publish(self, uri: str, told: tuple[Told, ...], version: int | None) -> None:
        diagnostics = [one.diagnostic for one in told]
        self.server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri, diagnostics, version)
        )

    def say(self, message: str) -> None:
        """Tell the user once that something is wrong."""
        if message not in self._said:
            self._said.add(message)
            self.server.window_show_message(
                types.ShowMessageParams(types.MessageType.Warning, f"deepperf: {message}")
            )

    def at(self, uri: str, place: types.Range) -> Iterator[tuple[Told, Document, Shown]]:
        """What was said of a range of a document, as long as its text is the one meant."""
        current = self.server.workspace.get_text_document(uri).source
        for shown in self.shown.values():
            document = next((one for one in shown.documents if one.uri == uri), None)
            if document is not None and document.text.text == current:
                for told in shown.told.get(uri, ()):
                    if _meet(told.diagnostic.range, place):
                        yield told, document, shown


def _meet(one: types.Range, other: types.Range) -> bool:
    return one.start <= other.end and other.start <= one.end


def serve() -> None:
    """Talk to the editor over standard input and output until it hangs up.

    What else would be printed goes to standard error: it would break the protocol.
    """
    gc.enable()
    with os.fdopen(os.dup(1), "wb") as out:
        os.dup2(2, 1)
        language_server().start_io(stdout=out)


def language_server() -> LanguageServer:
    """A server that has heard nothing yet."""
    server = LanguageServer("deepperf", __version__, notebook_document_sync=_NOTEBOOKS)
    session = Session(server)

    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        given = params.initialization_options
        settings = given.get("settings") if isinstance(given, Mapping) else None
        try:
            values = settings_of(settings) if isinstance(settings, Mapping) else {}
        except WrongUse as error:
            asyncio.get_running_loop().call_soon(session.say, str(error))
            return
        session.projects = Projects(lambda options: overridden(options, values))

    @server.feature(types.INITIALIZED)
    async def initialized(_: types.InitializedParams) -> None:
        workspace = server.client_capabilities.workspace
        watching = workspace.did_change_watched_files if workspace else None
        if watching is None or not watching.dynamic_registration:
            return
        watchers = [types.FileSystemWatcher(glob_pattern=WATCHED)]
        files = types.Registration(
            "deepperf-files",
            types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
            types.DidChangeWatchedFilesRegistrationOptions(watchers),
        )
        with contextlib.suppress(JsonRpcException):
            await server.client_register_capability_async(types.RegistrationParams([files]))

    _follow_texts(server, session)
    _follow_notebooks(server, session)
    _answer(server, session)
    return server


def settings_of(given: Mapping[str, object]) -> dict[str, object]:
    """Options from the settings that an editor hands over. Raises `WrongUse`."""
    values = values_of(given, "the editor's settings")
    if "level" in values:
        values.setdefault("per_file_level", {})
    return values


def overridden(options: Options, values: Mapping[str, object]) -> Options:
    """The settings of a project with those of the editor on top."""
    return replace(options, **values)  # type: ignore[arg-type]


def _follow_texts(server: LanguageServer, session: Session) -> None:
    def put(uri: str) -> None:
        path = to_fs_path(uri)
        document = server.workspace.get_text_document(uri)
        if path is not None and uri.startswith("file:"):
            session.put(Opened(path, ((uri, document.source),), document.version))

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        put(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        put(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        session.close(to_fs_path(params.text_document.uri) or "")

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def touched(params: types.DidChangeWatchedFilesParams) -> None:
        for change in params.changes:
            path = to_fs_path(change.uri)
            if path is not None and path not in session.opened:
                session.touch(path)


def _follow_notebooks(server: LanguageServer, session: Session) -> None:
    def put(uri: str) -> None:
        path = to_fs_path(uri)
        notebook = server.workspace.get_notebook_document(notebook_uri=uri)
        if path is None or notebook is None:
            return
        cells = [
            cell.document
            for cell in notebook.cells
            if cell.kind is types.NotebookCellKind.Code
            and cell.document in server.workspace.text_documents
        ]
        texts = ((one, server.workspace.get_text_document(one).source) for one in cells)
        session.put(Opened(path, tuple(texts)))

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenNotebookDocumentParams) -> None:
        put(params.notebook_document.uri)

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeNotebookDocumentParams) -> None:
        put(params.notebook_document.uri)

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseNotebookDocumentParams) -> None:
        session.close(to_fs_path(params.notebook_document.uri) or "")


def _answer(server: LanguageServer, session: Session) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        await session.settled()
        place = types.Range(params.position, params.position)
        found = [told for told, *_ in session.at(params.text_document.uri, place)]
        if not found:
            return None
        text = hover_of(told.finding for told in found)
        content = types.MarkupContent(types.MarkupKind.Markdown, text)
        return types.Hover(content, found[0].diagnostic.range)

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, _ACTIONS)
    async def actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        await session.settled()
        found: list[types.CodeAction] = []
        only = params.context.only
        for told, document, shown in session.at(params.text_document.uri, params.range):
            if not only or types.CodeActionKind.QuickFix in only:
                documents = shown.documents
                found += actions_for(told.finding, told.diagnostic, document, documents)
        every = [kind for kind in only or () if f"{FIX_ALL}.".startswith(f"{kind}.")]
        for shown in session.shown.values() if every else ():
            if any(document.uri == params.text_document.uri for document in shown.documents):
                findings = (one.finding for told in shown.told.values() for one in told)
                action = fix_all(findings, shown.documents)
                found += [action] if action else []
        return found
