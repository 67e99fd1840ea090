"""Listens to a framework in windows: as long as there is processor time for it, then not."""

from __future__ import annotations

import atexit
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType

from deepperf.dynamic.recording.forking import THREADS, after_fork
from deepperf.dynamic.recording.interruption import Interruption
from deepperf.dynamic.recording.tape import Tape

CHECKED_EVERY = 64
"""Things heard between two looks at the budget."""
PAUSE = 0.25
"""Seconds between two looks whether there is budget again."""
RETRY = 0.005
"""Seconds after which closing is tried again: the program may be within what listens."""
NOTE_EVERY = 8
"""Pauses between two times that what was heard is noted, in case the program is killed."""


class Windows:
    """Opens and closes what listens, in the main thread, between two of its instructions.

    `open_one` and `close_one` are given the frame that they interrupt, and say whether they could:
    the framework may be about to use what they would take away. Hearing of one thing is taken to
    cost `each` seconds: measuring it would cost as much again.
    """

    def __init__(
        self,
        tape: Tape,
        name: str,
        each: float,
        open_one: Callable[[FrameType | None], bool],
        close_one: Callable[[FrameType | None], bool],
        note: Callable[[], None],
    ) -> None:
        self.is_open = False
        self._tape = tape
        self._name = name
        self._each = each
        self._open_one, self._close_one, self._note = open_one, close_one, note
        self._heard = 0
        self._is_over = False
        self._enough = threading.Event()
        self._turn = Interruption(self._open_or_close)

    def begin(self) -> None:
        """Open the first window, and go on from there; only the main thread is listened to."""
        if threading.current_thread() is not threading.main_thread() or not self._tape.active:
            return
        self._open(None)
        atexit.register(lambda: self._tape.guarded(self._name, self._note))
        after_fork(self.stop)
        threading.Thread(target=self._wake, name=f"{THREADS} {self._name}", daemon=True).start()

    def heard(self) -> None:
        """Count one more; told by what listens."""
        self._heard += 1
        self._tape.budget.charge(self._each)
        if self._heard % CHECKED_EVERY == 0 and not self._has_budget():
            self._enough.set()

    def is_enough(self) -> bool:
        """Whether what is told now is heard no more, though the window is not yet closed."""
        if not self._tape.active:
            self._enough.set()
        return self._is_over or self._enough.is_set()

    def stop(self) -> None:
        """Never listen again."""
        self._is_over = True
        if self.is_open:
            self._close(sys._getframe(1))

    def _has_budget(self) -> bool:
        return self._tape.active and not self._is_over and self._tape.budget.is_left()

    def _open(self, frame: FrameType | None) -> None:
        self.is_open = bool(self._tape.guarded(self._name, lambda: self._open_one(frame)))

    def _close(self, frame: FrameType | None) -> None:
        if self._tape.guarded(self._name, lambda: self._close_one(frame)):
            self.is_open = False
            self._enough.clear()

    def _open_or_close(self, frame: FrameType) -> None:
        if self.is_open and (self._is_over or self._enough.is_set()):
            self._close(frame)
        elif not self.is_open and self._has_budget():
            self._open(frame)

    def _wake(self) -> None:
        turn = 0
        while self.is_open or not self._is_over:
            if self._enough.wait(PAUSE) or self._is_over:
                while self.is_open:
                    self._turn.ask()
                    time.sleep(RETRY)
                self._enough.clear()
                self._tape.guarded(self._name, self._note)
            elif self.is_open and not self._has_budget():
                self._enough.set()
            elif not self.is_open and self._has_budget():
                self._turn.ask()
            turn += 1
            if turn % NOTE_EVERY == 0:
                self._tape.guarded(self._name, self._note)
