"""`tf.io.gfile.GFile`: a file that is opened when it is first read or written."""

from __future__ import annotations

import os
from typing import Any

from placewise.core.errors import InvalidArgumentError, OutOfRangeError, PermissionDeniedError
from placewise.ops.io import paths
from placewise.ops.io.file_system import stat

_MODES = ("r", "w", "a", "r+", "w+", "a+")


class GFile:
    r"""A file to read or write, as text or (with 'b' in the mode) as bytes.

    `name`: the path of the file. Only files of this machine are possible.
    `mode`: 'r', 'w' or 'a', with 'b' for bytes and '+' to read and write. The first write to a file
    opened with 'r+' empties it, as in TensorFlow.

    `read`, `write`, `readline`, `readlines`, `seek`, `tell`, `size` and iteration work as for
    Python's files. The file is opened when it is first used: NotFoundError comes then,
    PermissionDeniedError for a read of a file opened to write.

    >>> with tf.io.gfile.GFile("note.txt", "w") as file:
    ...     file.write("two\nlines\n")
    >>> tf.io.gfile.GFile("note.txt").readlines()
    ['two\n', 'lines\n']
    """

    def __init__(self, name: Any, mode: str = "r") -> None:
        self._given = name
        self._mode = mode
        self._plain = mode.replace("b", "").replace("t", "")
        self._is_binary = "b" in mode
        if self._plain not in _MODES:
            raise InvalidArgumentError(
                None, None, "mode is not 'r' or 'w' or 'a' or 'r+' or 'w+' or 'a+'"
            )
        self._file: Any = None
        self._is_written = False

    @property
    def name(self) -> Any:
        """The path it was made with."""
        return self._given

    @property
    def mode(self) -> str:
        """The mode it was made with."""
        return self._mode

    def _opened(self) -> Any:
        if self._file is None:
            path = paths.local_path(self._given)
            mode = self._plain
            with paths.told(path):
                self._file = open(path, mode[0] + "b" + mode[1:])  # noqa: SIM115
        return self._file

    def _reader(self) -> Any:
        if self._plain[0] != "r" and "+" not in self._plain:
            raise PermissionDeniedError(None, None, "File isn't open for reading")
        if self._file is None and self._plain == "r+":  # only a write makes the file
            path = paths.local_path(self._given)
            with paths.told(path):
                os.stat(path)
        return self._opened()

    def _writer(self) -> Any:
        if self._plain == "r":
            raise PermissionDeniedError(None, None, "File isn't open for writing")
        if self._plain == "r+" and not self._is_written:  # TensorFlow empties the file
            self.close()
            self._plain = "w+"
            file = self._opened()
            self._plain, self._is_written = "r+", True
            return file
        return self._opened()

    def _shown(self, data: bytes) -> Any:
        return data if self._is_binary else data.decode("utf-8")

    def read(self, n: int = -1) -> Any:
        """Return the next `n` bytes, or all that is left."""
        file = self._reader()
        with paths.told(str(self._given)):
            return self._shown(file.read(n))

    def readline(self) -> Any:
        """Return the next line with its end, or an empty string after the last."""
        file = self._reader()
        with paths.told(str(self._given)):
            line: bytes = file.readline()
        # As in TensorFlow, a carriage return before the end is dropped.
        return self._shown(line.replace(b"\r\n", b"\n"))

    def readlines(self) -> list[Any]:
        """Return all lines that are left."""
        return list(self)

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    def next(self) -> Any:
        """Return the next line; StopIteration after the last."""
        return next(self)

    def write(self, file_content: str | bytes) -> None:
        """Write text or bytes at the current place."""
        if isinstance(file_content, str):
            file_content = file_content.encode("utf-8")
        elif not isinstance(file_content, (bytes, bytearray, memoryview)):
            raise TypeError(f"Expected binary or unicode string, got {file_content!r}")
        file = self._writer()
        with paths.told(str(self._given)):
            file.write(file_content)

    def seek(self, offset: int | None = None, whence: int = 0, position: Any = None) -> None:
        """Go to a place, counted from the start (0), from here (1) or from the end (2)."""
        file = self._reader()
        if offset is None and position is None:
            raise TypeError("seek(): offset argument required")
        target = position if offset is None else offset
        if whence not in (0, 1, 2):
            raise InvalidArgumentError(
                None, None, f"Invalid whence argument: {whence}. Valid values are 0, 1, or 2."
            )
        size = self.size()
        place = target + (0, file.tell(), size)[whence]
        if place < 0:
            raise InvalidArgumentError(None, None, f"Seeking to a negative position: {place}")
        if place > size:
            raise OutOfRangeError(None, None, "reached end of file")
        file.seek(place)

    def tell(self) -> int:
        """Return the current place."""
        place: int = self._opened().tell()
        return place

    def size(self) -> int:
        """Return how many bytes the file has."""
        return stat(self._given).length

    def flush(self) -> None:
        """Hand to the system what was written."""
        if self._file is not None and self._file.writable():
            with paths.told(str(self._given)):
                self._file.flush()

    def seekable(self) -> bool:
        """Return True: every file can be gone about in."""
        return True

    def close(self) -> None:
        """Close the file; reading or writing opens it again."""
        if self._file is not None:
            with paths.told(str(self._given)):
                self._file.close()
            self._file = None

    def __enter__(self) -> GFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        file = getattr(self, "_file", None)
        if file is not None:
            file.close()
