"""The result of a match as data, table, file and picture."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table
from rich.text import Text

from hotpot_envs.core import Game
from hotpot_envs.core.files import write_file

__all__ = ["Estimate", "Result", "Standing"]

_FIGURES = ("win_share", "mean_rank", "mean_score", "rating")


@dataclasses.dataclass(frozen=True)
class Estimate:
    """A figure with its 95% interval.

    Attributes:
        mean: the estimate.
        low: the interval's lower end; ``None``: there is none.
        high: the interval's upper end; ``None``: there is none.
    """

    mean: float
    low: float | None
    high: float | None


@dataclasses.dataclass(frozen=True)
class Standing:
    """How one bot of a match stands.

    Attributes:
        seat: its place in the list of bots; it played every seat of the table.
        name: its name.
        win_share: the part of the games it won, from 0 to 1, a shared win in parts.
        mean_rank: 1 is the best.
        mean_score: in the game's points.
        rating: on Elo's scale, 0 the average of the match.
        num_illegal: games that its illegal action ended.
    """

    seat: int
    name: str
    win_share: Estimate
    mean_rank: Estimate
    mean_score: Estimate
    rating: Estimate
    num_illegal: int


@dataclasses.dataclass(frozen=True, eq=False)
class Result:
    """The result of a match of E bots.

    Attributes:
        game: the game.
        options: every option with its value.
        seed: the match's seed.
        deals: how many deals were played.
        games: how many games: deals times rotations.
        bots: one for each bot named, in that order.
        num_truncated: games that were stopped.
        num_decisions: actions in all games.
        win_share: float64 ``[deals, E]``, a deal's mean over its rotations: for paired
            comparisons of two matches with the same seed.
        rank: likewise.
        score: likewise.
    """

    game: Game
    options: dict[str, Any]
    seed: int
    deals: int
    games: int
    bots: list[Standing]
    num_truncated: int
    num_decisions: int
    win_share: np.ndarray = dataclasses.field(repr=False)
    rank: np.ndarray = dataclasses.field(repr=False)
    score: np.ndarray = dataclasses.field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return what ``to_json`` writes."""
        kept = ("seat", "name", *_FIGURES)
        bots = [dataclasses.asdict(bot) for bot in self.bots]
        return {
            "game": self.game.name,
            "options": self.options,
            "seed": int(self.seed),
            "deals": int(self.deals),
            "games": self.games,
            "bots": [{key: bot[key] for key in kept} for bot in bots],
        }

    def to_json(self) -> str:
        """Return the result as JSON text.

        ``{"game", "options", "seed", "deals", "games", "bots": [{"seat", "name", "win_share":
        {"mean", "low", "high"}, "mean_rank": {…}, "mean_score": {…}, "rating": {…}}]}``; ``null``
        where an interval has no end.
        """
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    def to_csv(self) -> str:
        """Return the table as CSV text, a line a bot, empty where an interval has no end."""
        file = io.StringIO()
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(
            ["seat", "name"]
            + [f"{figure}{end}" for figure in _FIGURES for end in ("", "_low", "_high")]
            + ["illegal"]
        )
        for bot in self.bots:
            values = [
                value for figure in _FIGURES for value in dataclasses.astuple(getattr(bot, figure))
            ]
            writer.writerow([bot.seat, bot.name, *values, bot.num_illegal])
        return file.getvalue()

    def rich_table(self) -> Table:
        """Return the table for ``rich.print``."""
        points = self.game.score_name
        better = "more" if self.game.score_sign > 0 else "fewer"
        table = Table(
            title=f"{self.game.title}: {self.deals:,} deals × {len(self.bots)} rotations "
            f"= {self.games:,} games",
            caption=f"± half of the 95% interval over deals. Rank: 1 is the best. Score: {points}, "
            f"{better} are better. Rating: Plackett–Luce on Elo's scale. Seed {self.seed}"
            + (f"; {self.num_truncated:,} games were stopped." if self.num_truncated else "."),
            caption_justify="left",
        )
        table.add_column("bot", overflow="fold")
        for heading in ("win share", "rank", "score", "rating", "illegal"):
            table.add_column(heading, justify="right", no_wrap=True)
        for bot in self.bots:
            table.add_row(
                Text(bot.name),
                _cell(bot.win_share, ".3f"),
                _cell(bot.mean_rank, ".2f"),
                _cell(bot.mean_score, ".2f"),
                _cell(bot.rating, ".0f"),
                f"{bot.num_illegal:,}",
            )
        return table

    def plot(self, path: str | os.PathLike[str]) -> None:
        """Write a PNG: win share, rank, score and rating with their intervals.

        Raises:
            ImportError: without matplotlib, which the extra ``render`` brings.
            ValueError: for a path that does not end in ``.png``.
            OSError: where it cannot be written; nothing is left there.
        """
        path = Path(path)
        if path.suffix.lower() != ".png":
            raise ValueError(f"plot {str(path)!r}: allowed is a path that ends in .png")
        try:
            from matplotlib.figure import Figure
        except ImportError:
            raise ImportError(
                "a plot needs matplotlib: pip install 'hotpot-envs[render]'"
            ) from None
        n = len(self.bots)
        figure = Figure(figsize=(12, 1.6 + 0.4 * n), layout="constrained")
        panels = figure.subplots(1, 4, sharey=True)
        level = {"win_share": 1 / n, "mean_rank": (n + 1) / 2, "rating": 0.0}
        labels = ["win share", "mean rank", f"mean score ({self.game.score_name})", "rating"]
        for axes, name, label in zip(panels, _FIGURES, labels, strict=True):
            _draw(axes, [getattr(bot, name) for bot in self.bots], level.get(name))
            axes.set_xlabel(label)
        panels[0].set_yticks(range(n), [bot.name for bot in self.bots], parse_math=False)
        panels[0].invert_yaxis()
        figure.suptitle(
            f"{self.game.title}: {self.games:,} games, 95% intervals over {self.deals:,} deals"
        )
        picture = io.BytesIO()
        figure.savefig(picture, format="png", dpi=120)
        write_file(path, picture.getvalue())


def _cell(estimate: Estimate, form: str) -> str:
    if estimate.low is None or estimate.high is None:
        return f"{estimate.mean:{form}}"
    return f"{estimate.mean:{form}} ± {(estimate.high - estimate.low) / 2:{form}}"


def _draw(axes: Any, estimates: list[Estimate], level: float | None) -> None:
    """Draw a point and its interval a bot, and a line where all would stand if they were equal."""
    if level is not None:
        axes.axvline(level, color="0.6", linestyle="--", linewidth=1)
    for place, estimate in enumerate(estimates):
        if estimate.low is not None and estimate.high is not None:
            axes.plot([estimate.low, estimate.high], [place, place], color="C0", linewidth=2)
        axes.plot([estimate.mean], [place], "o", color="C0", markersize=6)
    axes.grid(axis="x", alpha=0.3)
    axes.margins(y=0.5 / len(estimates))
