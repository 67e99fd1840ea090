"""Listens to a framework in windows: as long as there is processor time for it, then not."""

from __future__ import annotations

import atexit
import functools
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType

from deepperf.dynamic.recording.cost import Toll, reading
from deepperf.dynamic.recording.forking import THREADS, after_fork
from deepperf.dynamic.recording.interruption import Interruption
from deepperf.dynamic.recording.tape import Tape

CHECKED_EVERY = 64
"""Things heard between two looks at the budget."""
PAUSE = 0.25
"""Seconds between two looks whether there is budget again."""
RETRY = 0.005
"""Seconds after which closing is tried again: the program may be within what listens."""
SLOWER = 1.5
"""How many times as long each next try comes after, up to a `PAUSE`: each is an interruption."""
AT_ONCE = 100
"""Times that closing is tried between two instructions and the next two."""
RESERVE = 0.004
"""Seconds that have to be granted for a window to open: a shorter one would see no whole step, and
to open and to close one costs as well."""
NOTE_EVERY = 8
"""Pauses between two times that what was heard is noted, in case the program is killed."""
NAME = "windows"


class Windows:
    """Opens and closes what listens, in the main thread, between two of its instructions.

    `open_one` and `close_one` are given the frame that they interrupt, and say whether they could:
    the framework may be about to use what they would take away. Hearing is taken to cost
    `per_timed` seconds for each that is timed of it: the framework takes another way to what it
    does, and the program finds less of itself in the processor's caches.
    """

    def __init__(
        self,
        tape: Tape,
        name: str,
        per_timed: float,
        open_one: Callable[[FrameType | None], bool],
        close_one: Callable[[FrameType | None], bool],
        note: Callable[[], None],
    ) -> None:
        self.is_open = False
        self.is_over = False
        self._tape = tape
        self._name = name
        self._per_timed = per_timed
        self._open_one, self._close_one, self._note = open_one, close_one, note
        self._heard = 0
        self._toll = Toll()
        self._charged = 0.0
        self._is_enough = False
        self._tries = 0
        self._is_told = True
        self._thread = _thread_of(tape)
        self._turn = Interruption(self._open_or_close)

    def begin(self) -> None:
        """Open the first window, and go on from there; only the main thread is listened to."""
        if threading.current_thread() is not threading.main_thread() or not self._tape.active:
            return
        self._open(None)
        atexit.register(lambda: self._tape.guarded(self._name, self._note))
        after_fork(self.stop)
        self._thread.join(self)

    def hears(self) -> float:
        """Something is being heard: what is to be given to `heard` once it was."""
        return self._toll.begin()

    def heard(self, begin: float) -> None:
        """It was; told by what listens. `begin` is as `hears` gave it, later by what the program
        itself did since."""
        if begin:
            self._toll.end(begin)
        self._heard += 1
        if self._heard % CHECKED_EVERY == 0:
            self._pay()

    def measured(self, work: Callable[[], None]) -> None:
        """Do what has a cost of its own, and charge that as it is."""
        begin = time.thread_time()
        try:
            work()
        finally:
            took = time.thread_time() - begin + reading()
            self._tape.budget.charge(self._per_timed * took)
            self._heard += 1
            self._pay()

    def is_enough(self) -> bool:
        """Whether what is told now is heard no more, though the window is not yet closed."""
        if not self._tape.active:
            self._end()
        return self.is_over or self._is_enough

    def stop(self) -> None:
        """Never listen again."""
        self.is_over = True
        if self.is_open:
            self._close(sys._getframe(1))

    def has_budget(self, reserve: float = 0.0) -> bool:
        """Whether a window may be open, or opened where a reserve is left for it."""
        return self._tape.active and not self.is_over and self._tape.budget.is_left(reserve)

    def see_to(self) -> None:
        """Have a window opened if it may be, or closed if it has to be; asked by the thread of all
        windows."""
        if self.is_open and not self.has_budget():
            self._is_enough = True
        if not self.is_open and self._is_told and self.has_budget(RESERVE):
            self._turn.ask()
            return
        pause = RETRY
        while self._is_to_close() and pause < PAUSE:
            self._turn.ask()
            time.sleep(pause)
            pause *= SLOWER
        if not (self.is_open or self._is_told):
            self._is_told = True
            self.tell()

    def _is_to_close(self) -> bool:
        return self.is_open and (self.is_over or self._is_enough)

    def tell(self) -> None:
        """Note what was heard so far."""
        self._tape.uncounted(self._name, self._note)

    def _end(self) -> None:
        if not self._is_enough:
            self._is_enough = True
            # From another thread it would come late: what goes on until then is slowed down, too.
            self._tries = AT_ONCE
            self._turn.ask()

    def _pay(self) -> None:
        """Charge what hearing has cost since this was last done."""
        cost = self._per_timed * self._toll.seconds
        self._tape.budget.charge(cost - self._charged)
        self._charged = cost
        if not self.has_budget():
            self._end()

    def _open(self, frame: FrameType | None) -> None:
        self._is_enough = False
        self.is_open = bool(self._tape.guarded(self._name, lambda: self._open_one(frame)))

    def _close(self, frame: FrameType | None) -> None:
        if self._tape.guarded(self._name, lambda: self._close_one(frame)):
            self._pay()
            self.is_open = self._is_told = False

    def _open_or_close(self, frame: FrameType) -> None:
        if self._is_to_close():
            self._close(frame)
            self._tries -= 1
            if self.is_open and self._tries > 0:
                # Within what listens it cannot be done: at the next chance then.
                self._turn.ask()
            else:
                self._thread.wake()
        elif not self.is_open and self.has_budget(RESERVE):
            self._open(frame)


class _Thread:
    """Has the windows of a tape opened and closed."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._all: list[Windows] = []
        self._is_asked = threading.Event()
        self._thread: threading.Thread | None = None

    def join(self, windows: Windows) -> None:
        """See to one more; once all before it are over, or in a forked child, nobody does."""
        self._all.append(windows)
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._run, name=f"{THREADS} {NAME}", daemon=True)
            self._thread.start()

    def wake(self) -> None:
        """Some window has heard enough."""
        self._is_asked.set()

    def _run(self) -> None:
        pauses = 0
        while any(one.is_open or not one.is_over for one in self._all):
            is_asked = self._is_asked.wait(PAUSE)
            self._is_asked.clear()
            pauses += not is_asked
            self._tape.guarded(NAME, self._look)
            if not is_asked and pauses % NOTE_EVERY == 0:
                self._tape.guarded(NAME, self._tell)

    def _look(self) -> None:
        for one in self._all:
            one.see_to()

    def _tell(self) -> None:
        for one in self._all:
            one.tell()


@functools.lru_cache(maxsize=1)
def _thread_of(tape: Tape) -> _Thread:
    return _Thread(tape)
