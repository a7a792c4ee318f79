"""How a program that uses all cards scales, from its forecasts on several numbers of them."""

from __future__ import annotations

from collections.abc import Sequence

from placewise.forecast.forecast import Forecast, ScalingForecast

CARD_COUNTS = (1, 2, 4, 8)


def measured_scaling(forecasts: Sequence[Forecast]) -> tuple[ScalingForecast, ...]:
    """Return how a program that uses all cards scales, from its forecasts on 1, 2, … cards.

    Numbers of cards on which no step was completed have no row.
    """
    rows = [one for one in forecasts if one.steps and one.step_seconds]
    if not rows:
        return ()
    rows.sort(key=lambda one: len(one.devices))
    first = rows[0]
    rate = first.samples_per_second or 1 / first.step_seconds
    result = []
    for row in rows:
        cards = len(row.devices)
        speed = row.samples_per_second or 1 / row.step_seconds
        efficiency = speed / (rate * cards / len(first.devices))
        result.append(
            ScalingForecast(cards, row.step_seconds, row.samples_per_second, efficiency, row.fits)
        )
    return tuple(result)
