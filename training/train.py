"""Train an agent by self-play with sb3-contrib's MaskablePPO.

    python -m training.train boil_over --minutes 10
    python -m training.train boil_over --steps 2000000 --seed 1 --option num_players=5
    python -m training.train boil_over --hyperparams learning_rate:lin_5e-4 reward:score
    python -m training.train --resume runs/boil_over_1

Every seat's decisions train the one policy. A share of the tables has one learner among bots and
earlier selves. At the end the policy plays against the game's bots.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import torch as th
from rich.console import Console
from tqdm import tqdm

from hotpot_envs.core import Game, game_names, get_game
from training import folder as folders
from training.config import Config, config_path, load_config
from training.curves import draw_curves
from training.evaluate import print_matches
from training.session import CHECKPOINT, Diverged, Session, Stopped

__all__ = ["main"]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m training.train",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("game", nargs="?", help=f"one of {', '.join(game_names())}")
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--minutes", type=float, help="how long to train, in minutes")
    length.add_argument("--steps", type=int, help="how many decisions to train on")
    parser.add_argument("--seed", type=int, help="seed of everything (default: 0)")
    parser.add_argument("--output", type=Path, metavar="DIR", help="default: runs/GAME_NUMBER")
    parser.add_argument("--resume", type=Path, metavar="DIR", help="go on with a run that stopped")
    parser.add_argument(
        "--option", action="append", default=[], metavar="NAME=VALUE", help="an option of the game"
    )
    parser.add_argument("--config", type=Path, help="hyperparameters (default: configs/…/GAME.yml)")
    parser.add_argument(
        "--hyperparams", nargs="+", default=[], metavar="NAME:VALUE", help="change some of them"
    )
    parser.add_argument(
        "--help-hyperparams", action="store_true", help="list the hyperparameters and leave"
    )
    parser.add_argument("--threads", type=int, help="threads of torch and engine (default: cores)")
    parser.add_argument(
        "--deals", type=int, default=500, help="deals of the match at the end (default: 500)"
    )
    parser.add_argument(
        "--checkpoint-minutes", type=float, default=1.0, help="between checkpoints (default: 1)"
    )
    parser.add_argument(
        "-P", "--progress", action="store_true", help="a progress bar also where none is usual"
    )
    return parser


def _fail(message: object, code: int) -> NoReturn:
    """Leave with one line: 1, what was asked failed; 2, wrong usage."""
    print(f"training.train: {message}", file=sys.stderr)
    raise SystemExit(code)


def _check(arguments: argparse.Namespace) -> None:
    for name, low in (("minutes", 0), ("steps", 1), ("threads", 1), ("deals", 1), ("seed", 0)):
        value = getattr(arguments, name)
        if value is not None and not (value > 0 if name == "minutes" else value >= low):
            raise ValueError(
                f"--{name} {value}: allowed is {'more than 0' if not low else f'{low} or more'}"
            )
    if arguments.seed is not None and arguments.seed >= 2**32:
        raise ValueError(f"--seed {arguments.seed}: allowed is less than 2**32")
    if arguments.resume is None and arguments.game is None:
        raise ValueError("name a game, or a run to --resume")
    if arguments.resume is not None:
        given = ("game", "minutes", "steps", "seed", "output", "config")
        if any(getattr(arguments, name) is not None for name in given) or (
            arguments.option or arguments.hyperparams
        ):
            raise ValueError(
                "--resume goes on as the run began: of the others, only --threads, "
                "--deals and --progress go with it"
            )


def _begin(arguments: argparse.Namespace) -> tuple[Path, dict[str, Any], Config, Game]:
    """Return a new run's folder and facts."""
    game = get_game(arguments.game)
    options = game.resolve_options(game.parse_options(arguments.option))
    config = load_config(arguments.config or config_path(game), arguments.hyperparams)
    steps = arguments.steps
    if steps is None and arguments.minutes is None:
        steps = config.n_timesteps
    args = {
        "game": game.name,
        "id": game.id,
        "options": options,
        "seed": arguments.seed if arguments.seed is not None else 0,
        "steps": steps,
        "minutes": arguments.minutes,
    }
    return arguments.output or folders.new_folder(game.name), args, config, game


def _go_on(folder: Path) -> tuple[dict[str, Any], Config, Game]:
    """Return the facts of a run that stopped."""
    args = folders.read_args(folder)
    game = get_game(args["game"])
    if args.get("id") != game.id:
        raise ValueError(f"{str(folder)!r} is a run of {args.get('id')}: this is {game.id}")
    if not (folder / CHECKPOINT).exists():
        raise ValueError(f"{str(folder)!r} has no checkpoint yet: begin it anew")
    return args, load_config(folder / folders.CONFIG), game


def main(argv: Sequence[str] | None = None) -> None:
    """Train; leaves with 1 if what was asked failed and 2 for wrong usage."""
    arguments = _parser().parse_args(argv)
    if arguments.help_hyperparams:
        for field in dataclasses.fields(Config):
            print(f"{field.name}: {field.metadata['meaning']}")
        return
    try:
        _check(arguments)
        if arguments.resume is not None:
            folder = arguments.resume
            args, config, game = _go_on(folder)
        else:
            folder, args, config, game = _begin(arguments)
        lock = folders.lock(folder)
        lock.__enter__()
    except ValueError as error:
        _fail(error, 2)
    try:
        if arguments.resume is None and (folder / folders.ARGS).exists():
            _fail(f"{str(folder)!r} holds a run already: --resume it, or choose another folder", 2)
        _train(arguments, folder, args, config, game)
    except (ValueError, OSError, Diverged) as error:
        _fail(error, 1)
    finally:
        lock.__exit__(None, None, None)


def _train(
    arguments: argparse.Namespace, folder: Path, args: dict[str, Any], config: Config, game: Game
) -> None:
    threads = arguments.threads or len(os.sched_getaffinity(0))
    th.set_num_threads(threads)
    if arguments.resume is None:
        folders.write_args(folder, args, config.plain())
    show_bar = arguments.progress or sys.stderr.isatty()
    with tqdm(disable=not show_bar, unit=" decisions", unit_scale=True, smoothing=0.05) as bar:

        def show(done: int, total: int | None) -> None:
            bar.total = total
            bar.update(done - bar.n)

        session = Session(
            folder,
            game,
            args["options"],
            config,
            seed=args["seed"],
            total=args["steps"],
            minutes=args["minutes"],
            checkpoint_minutes=arguments.checkpoint_minutes,
            num_threads=threads,
            on_progress=show,
        )
        done = 0
        if arguments.resume is not None:
            done = session.restore()
        else:
            session.save()
        _stop_politely(session)
        try:
            session.run(folders.make_logger(folder, done))
        except Stopped:
            bar.close()
            _export(session, folder)
            print(f"stopped; go on with: python -m training.train --resume {folder}")
            raise SystemExit(130) from None
    _export(session, folder)
    session.save_zip("final_model.zip")
    console = Console()
    print_matches(console, game, folder / "policy.safetensors", args["options"], arguments.deals)
    console.print(f"in {folder}:", highlight=False)
    for path in sorted(folder.iterdir()):
        if not path.name.startswith("."):
            console.print(f"  {path.name}", highlight=False)


def _export(session: Session, folder: Path) -> None:
    session.policy().save(folder / "policy.safetensors")
    draw_curves([folder], folder / "learning_curve.png")


def _stop_politely(session: Session) -> None:
    """At Ctrl-C or SIGTERM stop at the end of the rollout; at the second one, at once."""

    def stop(number: int, frame: object) -> None:
        if session.stop_requested:
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)
        session.stop_requested = True
        print("\nstopping after this rollout …", file=sys.stderr)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)


if __name__ == "__main__":
    main()
