"""A match's result as JSON, CSV, table and picture."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import sys

import pytest
from rich.console import Console

from hotpot_envs.arena import Estimate, run


@pytest.fixture(scope="module")
def result():
    made = run("boil_over", ["random"] * 3, 4, options={"rounds": 1}, seed=9)
    named = dataclasses.replace(made.bots[1], name='[red]$x, "y"_é', num_illegal=3)
    return dataclasses.replace(made, bots=[made.bots[0], named, made.bots[2]])


def shown(result, width):
    console = Console(width=width, file=io.StringIO(), color_system=None)
    console.print(result.rich_table())
    return console.file.getvalue()


def test_the_json_has_the_agreed_keys_and_no_others(result):
    data = json.loads(result.to_json())
    assert list(data) == ["game", "options", "seed", "deals", "games", "bots"]
    assert data["game"] == "boil_over"
    assert data["options"] == {"num_players": 3, "limit": 20, "rounds": 1}
    assert (data["seed"], data["deals"], data["games"]) == (9, 4, 12)
    figures = ["win_share", "mean_rank", "mean_score", "rating"]
    for seat, bot in enumerate(data["bots"]):
        assert list(bot) == ["seat", "name", *figures]
        assert (bot["seat"], bot["name"]) == (seat, result.bots[seat].name)
        for figure in figures:
            assert bot[figure] == dataclasses.asdict(getattr(result.bots[seat], figure))
            assert bot[figure]["low"] <= bot[figure]["mean"] <= bot[figure]["high"]


def test_the_csv_holds_the_same_figures(result):
    rows = list(csv.DictReader(io.StringIO(result.to_csv())))
    assert len(rows) == 3
    for row, bot in zip(rows, result.bots, strict=True):
        assert (int(row["seat"]), row["name"], int(row["illegal"])) == (
            bot.seat,
            bot.name,
            bot.num_illegal,
        )
        for figure in ("win_share", "mean_rank", "mean_score", "rating"):
            estimate = getattr(bot, figure)
            found = [float(row[figure + end]) for end in ("", "_low", "_high")]
            assert found == [estimate.mean, estimate.low, estimate.high]


def test_the_table_fits_a_terminal_and_takes_names_as_they_are(result):
    narrow = shown(result, 80)
    assert max(map(len, narrow.splitlines())) <= 80
    assert f"{result.bots[2].rating.mean:.0f} ± " in narrow
    text = shown(result, 120)
    assert "Boil Over: 4 deals × 3 rotations = 12 games" in text
    assert '[red]$x, "y"_é' in text
    assert "fewer are better" in " ".join(text.split())
    assert f"{result.bots[0].win_share.mean:.3f} ± " in text
    assert "stopped" not in text
    cut = dataclasses.replace(result, num_truncated=2)
    assert "2 games were stopped." in shown(cut, 200)


def test_figures_without_an_interval_are_shown_and_written_alone(result, tmp_path):
    open_end = Estimate(0.5, None, None)
    bots = [dataclasses.replace(bot, mean_score=open_end, rating=open_end) for bot in result.bots]
    one = dataclasses.replace(result, bots=bots)
    assert json.loads(one.to_json())["bots"][0]["rating"]["low"] is None
    assert next(csv.DictReader(io.StringIO(one.to_csv())))["rating_low"] == ""
    assert " 0.50 │" in shown(one, 100)
    one.plot(tmp_path / "one.png")
    assert (tmp_path / "one.png").stat().st_size > 5000


def test_the_plot_is_a_png_and_the_same_each_time(result, tmp_path):
    pytest.importorskip("matplotlib")
    from PIL import Image

    result.plot(tmp_path / "a.png")
    result.plot(str(tmp_path / "b.png"))
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()
    with Image.open(tmp_path / "a.png") as image:
        assert image.format == "PNG"
        assert image.width > 1000
        assert len(image.convert("RGB").getcolors(2**20)) > 10
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.png", "b.png"]


def test_a_plot_elsewhere_than_in_a_png_is_refused(result, tmp_path):
    with pytest.raises(ValueError, match=r"allowed is a path that ends in \.png"):
        result.plot(tmp_path / "a.jpg")
    with pytest.raises(OSError, match=r"No such file or directory: .*a\.png"):
        result.plot(tmp_path / "missing" / "a.png")
    assert not list(tmp_path.iterdir())


def test_without_matplotlib_the_extra_is_named(result, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"pip install 'hotpot-envs\[render\]'"):
        result.plot(tmp_path / "a.png")
    assert not list(tmp_path.iterdir())
