"""Stand-ins for what this machine lacks: NVIDIA's management library, and a torch with cards."""

from types import SimpleNamespace
from typing import Any


class NVMLError(Exception):
    """The base of the library's errors."""


class NVMLError_LibraryNotFound(NVMLError):
    """No driver."""


class NVMLError_NotSupported(NVMLError):
    """The card does not tell."""


class Nvml:
    """A management library that knows some cards; each is a dictionary of facts."""

    NVMLError = NVMLError

    def __init__(self, *cards: dict[str, Any], fails: Exception | None = None) -> None:
        self.cards = list(cards)
        self.fails = fails

    def nvmlInit(self) -> None:
        if self.fails:
            raise self.fails

    def nvmlDeviceGetCount(self) -> int:
        return len(self.cards)

    def nvmlDeviceGetHandleByIndex(self, index: int) -> dict[str, Any]:
        return self.cards[index]

    def nvmlDeviceGetHandleByUUID(self, uuid: str) -> dict[str, Any]:
        return next(card for card in self.cards if card["uuid"] == uuid)

    def nvmlDeviceGetMemoryInfo(self, card: dict[str, Any]) -> Any:
        total, used = card.get("total", 16 << 30), card.get("used", 0)
        return SimpleNamespace(total=total, used=used, free=total - used)

    def nvmlDeviceGetPciInfo(self, card: dict[str, Any]) -> Any:
        return SimpleNamespace(busId=card["bus"])

    def nvmlDeviceGetMaxMigDeviceCount(self, card: dict[str, Any]) -> int:
        return 7

    def nvmlDeviceGetMigDeviceHandleByIndex(self, card: dict[str, Any], index: int) -> Any:
        if index >= len(card["slices"]):
            raise NVMLError_NotSupported
        return card["slices"][index]

    def __getattr__(self, name: str) -> Any:
        fact = name.removeprefix("nvmlDeviceGet").removeprefix("nvmlSystemGet").lower()

        def ask(card: Any, *_: Any) -> Any:
            if isinstance(card, int):
                return f"process-{card}".encode()
            names = {"name": "name", "uuid": "uuid"}
            if names.get(fact, fact) not in card:
                raise NVMLError_NotSupported(fact)
            return card[names.get(fact, fact)]

        return ask


class Torch:
    """A torch whose accelerator API lists some cards of one kind."""

    def __init__(self, kind: str, *cards: Any) -> None:
        module = SimpleNamespace(
            get_device_properties=lambda index: cards[index], device_count=lambda: len(cards)
        )
        self.cuda = module
        self.get_device_module = lambda name: module
        self.accelerator = SimpleNamespace(
            is_available=lambda: bool(cards),
            current_accelerator=lambda: SimpleNamespace(type=kind),
            device_count=lambda: len(cards),
            get_memory_info=lambda index: (
                cards[index].total_memory - 5,
                cards[index].total_memory,
            ),
        )
