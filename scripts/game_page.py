"""A game's page in ``docs/games``, its picture, and its bots' results, from what the game says."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from hotpot_envs.core import Engine, Game

PAGE = """\
<!-- Written by scripts/docs, from hotpot_envs/games/{name}. Change it there. -->

# {title}

![{title}, a position in the middle of a game]({name}.svg)

{introduction}

The whole rules, in numbered clauses, the words of game records and sizes: \
[RULES.md](../../hotpot_envs/games/{name}/RULES.md).

| | |
| --- | --- |
| Players | {low}–{high}; {players} by default |
| PettingZoo (AEC) | `pettingzoo.make("aec", "{id}")`, or `{module}.env()` from `hotpot_envs` |
| Agents | `player_0` to `player_{last}`, by seat, clockwise |
| Gymnasium | `gymnasium.make("hotpot_envs:{id}")`, `gymnasium.make_vec(…, num_envs=1024)` |
| Engine | `hotpot_envs.Engine("{name}", 4096)` |
| Action space | `Discrete({num_actions})` |
| Observation space | `Dict(observation=Box(…, ({num_entries},), int16), \
action_mask=Box(0, 1, ({num_actions},), int8))` |
| Length | at most {max_num_moves} moves, whatever the options |
| Score | {score_name}; {better} are better |
| Bots | {bots} |
| Layouts | observations `{observations}`, actions `{actions}`: what a policy file must fit |

## Usage

```python
import numpy as np
import pettingzoo

import hotpot_envs  # makes the environments known

env = pettingzoo.make("aec", "{id}", num_players={players})
env.reset(seed=7)
generator = np.random.default_rng(7)
for agent in env.agent_iter():
    observation, reward, terminated, truncated, info = env.last()
    if terminated or truncated:
        action = None
    else:
        action = generator.choice(np.flatnonzero(observation["action_mask"]))
    env.step(action)
```

## Options

Every option is a keyword of the environments, and `--option name=value` on the command line.

{options}

## Observation

{num_entries} whole numbers, the same entries for every option. Where the shape counts seats, the \
own seat comes first, then the others clockwise; seats that are not at the table are zeros. A \
field marked *private* shows each seat something else; everything else is on the table for all.

{observation_table}

## Actions

One number for each entry. What is legal stands in `action_mask`; there is a legal action whenever \
a seat is asked.

{action_table}

## Rewards

They add up to 0 over the seats in every mode. `reward=` chooses:

| mode | what a seat is paid |
| --- | --- |
| `win` (default) | at the end: a sole winner 1, the others −1/(n−1) each; a shared win in parts |
| `rank` | at the end: from 1 for the first to −1 for the last in equal steps, ties averaged |
| `score` | at the end: how much better its {score_name} are than the others' average, \
divided by {score_scale:g} |
| `dense` | in all the same as `score`, but paid as it arises, at each change of the standing |

An illegal action ends the game: −1 for who made it, 1/(n−1) for each of the others.

## Bots

{bot_table}

{results}

## Training

```bash
python -m training.train {name} --minutes 10 --output runs/{name}
python -m training.evaluate runs/{name}/policy.safetensors
hotpot arena {name} --bots runs/{name}/policy.safetensors{opponents} --deals 2500
hotpot play {name}
```

Hyperparameters: [configs/maskable_ppo/{name}.yml](../../configs/maskable_ppo/{name}.yml).
"""


def page(game: Game, results: Mapping[str, Any] | None) -> str:
    """Return the Markdown of a game's page; ``results`` is what ``results_of`` once returned."""
    players = game.resolve_options()["num_players"]
    first: Any = game.options[0]
    return PAGE.format(
        name=game.name,
        title=game.title,
        id=game.id,
        module=f"{game.name}_v{game.version}",
        introduction=introduction(game),
        low=first.low,
        high=first.high,
        players=players,
        last=first.high - 1,
        num_actions=game.actions.size,
        num_entries=game.observations.size,
        max_num_moves=f"{game.max_num_moves:,}",
        score_name=game.score_name,
        score_scale=game.score_scale,
        better="more" if game.score_sign > 0 else "fewer",
        bots=", ".join(f"`{name}`" for name in ["random", *game.bots]),
        observations=game.observations.digest,
        actions=game.actions.digest,
        options=option_table(game),
        observation_table=game.observations.table(),
        action_table=game.actions.table(values=False),
        bot_table=bot_table(game),
        results=result_table(game, results),
        opponents=" heuristic" * (players - 1),
    )


def introduction(game: Game) -> str:
    """Return what stands in a game's RULES.md between the title and the first section."""
    text = (game.folder / "RULES.md").read_text(encoding="utf-8")
    return text.partition("\n")[2].partition("\n## ")[0].strip()


def option_table(game: Game) -> str:
    """Return the options as a Markdown table."""
    lines = ["| option | allowed | default | meaning |", "| --- | --- | --- | --- |"]
    for option in game.options:
        default = option.default_text or f"`{option.default}`"
        lines.append(f"| `{option.name}` | {option.allowed} | {default} | {option.meaning} |")
    return "\n".join(lines)


def bot_table(game: Game) -> str:
    """Return the bots, each with the first line of its docstring."""
    lines = ["| bot | what it does |", "| --- | --- |"]
    lines.append("| `random` | Choose uniformly among the legal actions. |")
    for name, bot in game.bots.items():
        words = inspect.getdoc(getattr(bot, "py_func", bot)) or ""
        lines.append(f"| `{name}` | {words.partition(chr(10))[0]} |")
    return "\n".join(lines)


def results_of(game: Game, deals: int = 2500) -> dict[str, Any]:
    """Let the game's bots play a match with the default options, random ones in the other seats."""
    from hotpot_envs import arena

    seats = game.resolve_options()["num_players"]
    names = [*reversed(game.bots), *["random"] * seats][:seats]
    return arena.run(game, names, deals).to_dict()


def result_table(game: Game, results: Mapping[str, Any] | None) -> str:
    """Return a match's results as a Markdown table with the command that gives them."""
    if results is None:
        return "No match of theirs has been played for this page."
    names = " ".join(bot["name"] for bot in results["bots"])
    command = f"hotpot arena {game.name} --bots {names} --deals {results['deals']}"
    if results["seed"]:
        command += f" --seed {results['seed']}"
    lines = [
        f"With the default options, `{command}` gives the following: each of the "
        f"{results['deals']:,} deals played in every rotation of the seats, ± half of the 95% "
        "interval over deals.",
        "",
        f"| bot | win share | mean rank | {game.score_name} |",
        "| --- | --- | --- | --- |",
    ]
    for bot in results["bots"]:
        figures = [
            f"{figure['mean']:.{digits}f} ± {(figure['high'] - figure['low']) / 2:.{digits}f}"
            for figure, digits in (
                (bot["win_share"], 3),
                (bot["mean_rank"], 2),
                (bot["mean_score"], 2),
            )
        ]
        lines.append(f"| `{bot['name']}` | {' | '.join(figures)} |")
    return "\n".join(lines)


def picture(game: Game) -> str:
    """Return the drawing of a position a third of the way through the first round or so."""
    engine = Engine(game)
    engine.reset(seeds=7)
    shape = 1, engine.num_players
    engine.play(np.zeros(shape, np.int64), engine.generators(7), engine.buffers(), max_moves=15)
    return game.svg(engine.config[0], engine.states[0], int(engine.to_move[0])) + "\n"


def pages(game: Game, docs: Path) -> dict[Path, str]:
    """Return the files of a game's page with their texts."""
    folder = docs / "games"
    kept = results_file(game, docs)
    results = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else None
    return {
        folder / f"{game.name}.md": page(game, results),
        folder / f"{game.name}.svg": picture(game),
    }


def results_file(game: Game, docs: Path) -> Path:
    """Return where a game's results are kept."""
    return docs / "games" / "results" / f"{game.name}.json"
