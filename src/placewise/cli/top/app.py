"""The live view of `placewise top`, in textual: two tables, a filter, and a question before ending.

Frames are read in a thread, so that a driver which takes its time holds up no key.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import DataTable, Footer, Input, Static
from textual.worker import WorkerState

from placewise.cli.sizes import NONE
from placewise.cli.top.cells import (
    CARD_FIGURES,
    CARD_HEADINGS,
    PROCESS_FIGURES,
    PROCESS_HEADINGS,
    card_cells,
    head_text,
    process_cells,
)
from placewise.cli.top.ending import refusal, send
from placewise.cli.top.ordering import SORTS, as_tree, filtered, ordered
from placewise.cli.top.question import EndQuestion
from placewise.cli.top.snapshot import ProcessLine, Snapshot
from placewise.monitor.processes import with_ancestors

_EVENT_SECONDS = 30.0  # how long the death of a program stays on the screen
# Columns a narrow terminal does without, the least needed first.
_CARD_SPARE = ("bus id", "power", "leased by", "temp")
_PROCESS_SPARE = ("time", "steps", "user")
_LEAST_WIDTH = 24  # of the last column


class TopApp(App[None]):
    """Cards above, processes below; the keys are in the last line."""

    CSS = """
    #head { height: 1; background: $primary; color: $text; }
    #state { height: 1; color: $text-muted; margin-top: 1; }
    #cards { height: auto; max-height: 45%; }
    #processes { height: 1fr; }
    #remarks { height: auto; max-height: 6; color: $warning; }
    #filter { display: none; height: 1; border: none; }
    DataTable { scrollbar-size-vertical: 1; scrollbar-size-horizontal: 1; }
    """
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q,ctrl+c", "quit", "Quit", priority=False),
        Binding("s", "sort", "Sort"),
        Binding("r", "reverse", "Reverse"),
        # First of all, so that keys which come in one go with it find the filter open.
        Binding("slash", "filter", "Filter", key_display="/", priority=True),
        Binding("t", "tree", "Tree"),
        Binding("k", "end", "End process"),
        Binding("space", "pause", "Pause", show=False),
    ]

    def __init__(
        self, take: Callable[[], Snapshot], interval_seconds: float, first: Snapshot
    ) -> None:
        super().__init__()
        self._take = take
        self._interval = interval_seconds
        self._snapshot = first
        self._sort, self._is_reversed = "gpu", False
        self._is_tree, self._is_paused = False, False
        self._is_reading = False  # a driver may take longer than the interval
        self._filter = ""
        self._lines: list[ProcessLine] = []
        self._events: dict[str, float] = {}  # event → when it was told

    def compose(self) -> ComposeResult:
        """Make the widgets, from the top down."""
        yield Static(id="head", markup=False)
        cards: DataTable[Text] = DataTable(id="cards", cursor_type="none", zebra_stripes=True)
        cards.can_focus = False
        yield cards
        yield Static(id="state", markup=False)
        yield DataTable(id="processes", cursor_type="row")
        yield Static(id="remarks", markup=False)
        yield Input(placeholder="words, gpu:0, user:name", id="filter", compact=True)
        yield Footer(compact=True)

    def on_mount(self) -> None:
        """Show the first frame, and begin to read others."""
        self.set_focus(self.query_one("#processes"))
        self._note_events()
        self._show()
        self.set_interval(self._interval, self._read)

    def on_resize(self) -> None:
        """Choose the columns anew."""
        self._show()

    # Reading.

    def _read(self) -> None:
        if not (self._is_paused or self._is_reading):
            self._is_reading = True
            self.run_worker(self._take, thread=True, group="reading")

    def on_worker_state_changed(self, event: Any) -> None:
        """Show a frame that was read."""
        if event.worker.group == "reading" and event.state is WorkerState.SUCCESS:
            self._is_reading = False
            self._snapshot = event.worker.result
            self._note_events()
            self._show()

    def _note_events(self) -> None:
        """Keep events for a while: the death of a program is told in one frame only."""
        now = self._snapshot.frame.time
        kept = {event: told for event, told in self._events.items() if now - told < _EVENT_SECONDS}
        self._events = kept | dict.fromkeys(self._snapshot.events, now)

    # Showing.

    def _show(self) -> None:
        if not self.query("#remarks"):
            return  # a terminal says its size before there is anything to lay out
        snapshot = self._snapshot
        self.query_one("#head", Static).update(head_text(snapshot))
        rows = [card_cells(line) for line in snapshot.cards]
        cards: DataTable[Text] = self.query_one("#cards", DataTable)
        cards.display = bool(rows)
        _fill(cards, CARD_HEADINGS, rows, CARD_FIGURES, _CARD_SPARE, self.size.width)
        self._show_processes()
        notes = [f"GPU {c.label}: {c.reading.note}" for c in snapshot.cards if c.reading.note]
        self.query_one("#remarks", Static).update(
            "\n".join([*snapshot.remarks, *self._events, *notes])
        )

    def _show_processes(self) -> None:
        snapshot = self._snapshot
        lines = filtered(snapshot.processes, self._filter)
        lines = ordered(lines, self._sort, self._is_reversed)
        if self._is_tree:
            lines = as_tree(lines, with_ancestors(snapshot.frame.facts))
        table: DataTable[Text] = self.query_one("#processes", DataTable)
        chosen = self._chosen()
        self._lines = lines
        rows = [process_cells(line) for line in lines]
        _fill(table, PROCESS_HEADINGS, rows, PROCESS_FIGURES, _PROCESS_SPARE, self.size.width)
        for place, line in enumerate(lines):
            if chosen is not None and line.pid == chosen.pid:
                table.move_cursor(row=place, animate=False)
        self.query_one("#state", Static).update(self._state_text())

    def _state_text(self) -> str:
        """Return how many processes are shown, and how they were chosen."""
        count, total = len(self._lines), len(self._snapshot.processes)
        shown = f"{count} process{'es' if count != 1 else ''}"
        if self._filter:
            shown += f" of {total} with {self._filter!r}"
        shown += f", by {self._sort}{', reversed' if self._is_reversed else ''}"
        shown += ", as a tree" if self._is_tree else ""
        return shown + (", paused" if self._is_paused else "")

    def _chosen(self) -> ProcessLine | None:
        place = self.query_one("#processes", DataTable).cursor_row
        return self._lines[place] if 0 <= place < len(self._lines) else None

    # Keys.

    def action_sort(self) -> None:
        """Sort by the next column."""
        names = list(SORTS)
        self._sort = names[(names.index(self._sort) + 1) % len(names)]
        self._show_processes()

    def action_reverse(self) -> None:
        """Turn the order round."""
        self._is_reversed = not self._is_reversed
        self._show_processes()

    def action_tree(self) -> None:
        """Show processes under those that started them, or not."""
        self._is_tree = not self._is_tree
        self._show_processes()

    def action_pause(self) -> None:
        """Read no frames until the key is pressed again."""
        self._is_paused = not self._is_paused
        self._show_processes()

    def action_filter(self) -> None:
        """Ask for the words that lines must have."""
        field = self.query_one("#filter", Input)
        field.display = True
        self.set_focus(field)  # at once: what is typed next goes into it

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave keys to the filter or the question while one of these is open."""
        if action != "filter":
            return True
        return len(self.screen_stack) == 1 and not self.query_one("#filter").has_focus

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter while the user types."""
        self._filter = event.value
        self._show_processes()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go back to the processes."""
        self._leave_filter()

    def on_key(self, event: Any) -> None:
        """Let Escape end the filter."""
        field = self.query_one("#filter", Input)
        if event.key == "escape" and field.has_focus:
            field.value = ""
            self._leave_filter()

    def _leave_filter(self) -> None:
        field = self.query_one("#filter", Input)
        field.display = bool(field.value)
        self.set_focus(self.query_one("#processes"))

    def action_end(self) -> None:
        """Ask whether to end the chosen process, and how; or say why not."""
        line = self._chosen()
        if line is None:
            self.notify("there is no process to end", severity="warning")
            return
        reason = refusal(line)
        if reason is not None:
            self.notify(reason, severity="error", markup=False)
            return

        def answered(number: Any) -> None:
            if number is not None:
                self.notify(send(line, number), markup=False)
                self._read()

        self.push_screen(EndQuestion(line), answered)


def _fill(
    table: DataTable[Text],
    headings: tuple[str, ...],
    rows: list[tuple[str, ...]],
    figures: frozenset[str],
    spare: tuple[str, ...],
    width: int,
) -> None:
    """Put rows into a table, with as many columns as the terminal has room for."""
    kept = [
        place
        for place in range(len(headings))
        if place == 0 or not rows or any(row[place] != NONE for row in rows)
    ]
    for name in spare:
        if not _is_wide(headings, rows, kept, width):
            break
        kept = [place for place in kept if headings[place] != name]
    scrolled = table.scroll_y
    table.clear(columns=True)
    for place, columns in zip(kept, _widths(headings, rows, kept, width), strict=True):
        label = _cell(headings[place], headings[place] in figures)
        table.add_column(label, width=columns)
    for row in rows:
        table.add_row(*(_cell(row[place], headings[place] in figures) for place in kept))
    table.scroll_y = scrolled


def _widths(
    headings: tuple[str, ...], rows: list[tuple[str, ...]], kept: list[int], width: int
) -> list[int]:
    """Return the width of each column; the last gets what is left."""
    widths = [max(len(row[place]) for row in (headings, *rows)) for place in kept]
    rest = width - sum(2 + size for size in widths[:-1]) - 3
    return [*widths[:-1], max(min(widths[-1], rest), _LEAST_WIDTH // 2)]


def _is_wide(
    headings: tuple[str, ...], rows: list[tuple[str, ...]], kept: list[int], width: int
) -> bool:
    """Return whether columns need more room than there is, the last one cut to what can be read."""
    *others, last = (max(len(row[place]) for row in (headings, *rows)) for place in kept)
    return sum(2 + size for size in others) + min(last, _LEAST_WIDTH) + 3 > width


def _cell(text: str, is_figure: bool) -> Text:
    return Text(text, justify="right" if is_figure else "left", no_wrap=True, overflow="ellipsis")
