"""The question before a process is ended: how, or not at all."""

from __future__ import annotations

import signal
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from placewise.cli.top.snapshot import ProcessLine


class EndQuestion(ModalScreen[signal.Signals | None]):
    """Asks about one process; gives the signal to send, or None."""

    CSS = """
    EndQuestion { align: center middle; }
    #question { width: 70; max-width: 95%; height: auto; padding: 1 2; border: round $error; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y,t", "answer('SIGTERM')", "Ask it to end"),
        Binding("i", "answer('SIGINT')", "Interrupt"),
        # Not the key that asked: held down, it would answer itself.
        Binding("9", "answer('SIGKILL')", "Kill"),
        Binding("n,escape,q", "leave", "Leave it"),
    ]

    def __init__(self, line: ProcessLine) -> None:
        super().__init__()
        self._line = line

    def compose(self) -> ComposeResult:
        """Make the box."""
        line = self._line
        with Vertical(id="question"):
            yield Static(
                f"End pid {line.pid} of {line.user}?\n{line.command[:200]}\n\n"
                "y  ask it to end (SIGTERM)\n"
                "i  interrupt it, as Ctrl-C does (SIGINT)\n"
                "9  kill it; it saves nothing (SIGKILL)\n"
                "n  leave it alone",
                markup=False,
            )

    def action_answer(self, name: str) -> None:
        """Give the chosen signal."""
        self.dismiss(signal.Signals[name])

    def action_leave(self) -> None:
        """Send nothing."""
        self.dismiss(None)
