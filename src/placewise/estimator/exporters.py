"""Exporters: which models `train_and_evaluate` exports."""

from __future__ import annotations

import os
import shutil
from typing import Any


class Exporter:
    """Exports a model after an evaluation: override `name` and `export`."""

    @property
    def name(self) -> str:
        """The name, which is the folder's too."""
        raise NotImplementedError

    def export(
        self,
        estimator: Any,
        export_path: Any,
        checkpoint_path: Any,
        eval_result: Any,
        is_the_final_export: bool,
    ) -> Any:
        """Export the model if it is to be; return the folder, or None."""
        raise NotImplementedError


class _Saves(Exporter):
    def __init__(
        self,
        name: str,
        serving_input_receiver_fn: Any,
        assets_extra: Any = None,
        as_text: bool = False,
    ) -> None:
        self._name, self._receiver_fn = name, serving_input_receiver_fn
        self._assets_extra, self._as_text = assets_extra, as_text

    @property
    def name(self) -> str:
        """The name, which is the folder's too."""
        return self._name

    def _export(self, estimator: Any, export_path: Any, checkpoint_path: Any) -> Any:
        return estimator.export_saved_model(
            export_path,
            self._receiver_fn,
            assets_extra=self._assets_extra,
            as_text=self._as_text,
            checkpoint_path=checkpoint_path,
        )


class FinalExporter(_Saves):
    """Exports the model that training ends with."""

    def export(
        self,
        estimator: Any,
        export_path: Any,
        checkpoint_path: Any,
        eval_result: Any,
        is_the_final_export: bool,
    ) -> Any:
        """Export the model if training ended."""
        if not is_the_final_export:
            return None
        return self._export(estimator, export_path, checkpoint_path)


class LatestExporter(_Saves):
    """Exports the model after each evaluation, and keeps the last few."""

    def __init__(
        self,
        name: str,
        serving_input_receiver_fn: Any,
        assets_extra: Any = None,
        as_text: bool = False,
        exports_to_keep: int | None = 5,
    ) -> None:
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text)
        _check_count(exports_to_keep)
        self._kept = exports_to_keep

    def export(
        self,
        estimator: Any,
        export_path: Any,
        checkpoint_path: Any,
        eval_result: Any,
        is_the_final_export: bool,
    ) -> Any:
        """Export the model, and delete exports that are too old."""
        made = self._export(estimator, export_path, checkpoint_path)
        keep_newest(export_path, self._kept)
        return made


def _check_count(count: int | None) -> None:
    if count is not None and count <= 0:
        raise ValueError("`exports_to_keep`, if provided, must be a positive number.")


def keep_newest(folder: Any, count: int | None) -> None:
    """Delete exports of a folder but the newest."""
    if count is None or not os.path.isdir(folder):
        return
    stamps = sorted((name for name in os.listdir(folder) if name.isdigit()), key=int)
    for name in stamps[:-count]:
        shutil.rmtree(os.path.join(folder, name), ignore_errors=True)


def _loss_smaller(best_eval_result: Any, current_eval_result: Any) -> bool:
    """Return whether the loss of an evaluation is below the best so far."""
    for found in (best_eval_result, current_eval_result):
        if not found or "loss" not in found:
            raise ValueError("evaluation result cannot be empty or no loss is found in it.")
    return bool(best_eval_result["loss"] > current_eval_result["loss"])


class BestExporter(_Saves):
    """Exports the model each time it is better than before."""

    def __init__(
        self,
        name: str = "best_exporter",
        serving_input_receiver_fn: Any = None,
        event_file_pattern: str = "eval/*.tfevents.*",
        compare_fn: Any = _loss_smaller,
        assets_extra: Any = None,
        as_text: bool = False,
        exports_to_keep: int | None = 5,
    ) -> None:
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text)
        if compare_fn is None:
            raise ValueError("`compare_fn` must not be None.")
        _check_count(exports_to_keep)
        self._compare, self._kept, self._best = compare_fn, exports_to_keep, None

    def export(
        self,
        estimator: Any,
        export_path: Any,
        checkpoint_path: Any,
        eval_result: Any,
        is_the_final_export: bool,
    ) -> Any:
        """Export the model if it is the best so far."""
        if self._best is not None and not self._compare(
            best_eval_result=self._best, current_eval_result=eval_result
        ):
            return None
        self._best = eval_result
        made = self._export(estimator, export_path, checkpoint_path)
        keep_newest(export_path, self._kept)
        return made
