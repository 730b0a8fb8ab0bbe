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
import contextlib
import dataclasses
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

import torch as th
from rich.console import Console
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from hotpot_envs.arena import Estimate
from hotpot_envs.bots import make_bot
from hotpot_envs.core import Game, game_names, get_game
from training import folder as folders
from training.config import Config, config_path, describe_hyperparams, load_config
from training.curves import draw_curves
from training.evaluate import print_matches
from training.session import CHECKPOINT, Diverged, Session, Stopped

__all__ = ["main"]

POLICY, FINAL = "policy.safetensors", "final_model.zip"


@dataclasses.dataclass(frozen=True)
class Run:
    """What a run is: where, of what, and how."""

    folder: Path
    args: dict[str, Any]
    config: Config
    game: Game


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
    parser.add_argument("--threads", type=int, help="threads of torch (default: cores)")
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
    lows = {"steps": 1, "threads": 1, "deals": 1, "seed": 0, "checkpoint_minutes": 0}
    for name, low in lows.items():
        value = getattr(arguments, name)
        if value is not None and not value >= low:
            option = name.replace("_", "-")
            raise ValueError(f"--{option} {value}: allowed is {low} or more")
    if arguments.minutes is not None and not 0 < arguments.minutes < float("inf"):
        raise ValueError(f"--minutes {arguments.minutes}: allowed is more than 0")
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


def _begin(arguments: argparse.Namespace) -> Run:
    """Return a run as the command line asks for it."""
    game = get_game(arguments.game)
    options = game.resolve_options(game.parse_options(arguments.option))
    config = load_config(arguments.config or config_path(game), arguments.hyperparams)
    for name in config.pool_bots:
        make_bot(name, game)
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
    return Run(arguments.output or folders.new_folder(game.name), args, config, game)


def _find(folder: Path) -> Run:
    """Return the run that a folder holds."""
    args = folders.read_args(folder)
    game = get_game(args["game"])
    if args.get("id") != game.id:
        raise ValueError(f"{str(folder)!r} is a run of {args.get('id')}: this is {game.id}")
    return Run(folder, args, load_config(folder / folders.CONFIG), game)


def _check_folder(run: Run) -> bool:
    """Return whether the folder holds this very run, begun and not ended.

    Raises:
        ValueError: when it holds another run, or one that is at its end.
    """
    name = str(run.folder)
    if not (run.folder / folders.ARGS).exists():
        return False
    found = _find(run.folder)
    if found.args != run.args or found.config != run.config:
        raise ValueError(
            f"{name!r} holds a run already, which was asked for something else: choose another "
            f"folder, or go on with it by --resume {name}"
        )
    if (run.folder / FINAL).exists():
        raise ValueError(f"{name!r} holds this run already, at its end: choose another folder")
    return True


def main(argv: Sequence[str] | None = None) -> None:
    """Train; leaves with 1 if what was asked failed and 2 for wrong usage."""
    arguments = _parser().parse_args(argv)
    if arguments.help_hyperparams:
        print(describe_hyperparams())
        return
    with contextlib.ExitStack() as stack:
        try:
            _check(arguments)
            if arguments.resume is not None:
                run, begun = _find(arguments.resume), True
            else:
                run, begun = _begin(arguments), False
            stack.enter_context(folders.lock(run.folder))
            begun = begun or _check_folder(run)
        except ValueError as error:
            _fail(error, 2)
        try:
            _train(arguments, run, begun)
        except (ValueError, OSError, Diverged) as error:
            _fail(error, 1)


def _train(arguments: argparse.Namespace, run: Run, begun: bool) -> None:
    folder, args = run.folder, run.args
    threads = arguments.threads or _num_cores()
    th.set_num_threads(threads)
    # NumPy plays the pool. Its own threads and torch's would wait for one another: with both, a
    # run on two cores falls from 15,000 decisions a second to 6,000.
    threadpool_limits(1, user_api="blas")
    if not begun:
        folders.write_args(folder, args, run.config.plain())
    show_bar = arguments.progress or sys.stderr.isatty()
    with tqdm(disable=not show_bar, unit=" decisions", unit_scale=True, smoothing=0.05) as bar:

        def show(done: int, total: int | None) -> None:
            bar.total = total
            bar.update(done - bar.n)

        def tell(done: int, share: Estimate) -> None:
            if show_bar:
                bar.set_postfix_str(f"win share {share.mean:.2f}")
            else:
                print(f"{done:,} decisions: win share {_interval(share)}", flush=True)

        session = Session(
            folder,
            run.game,
            args["options"],
            run.config,
            seed=args["seed"],
            total=args["steps"],
            minutes=args["minutes"],
            checkpoint_minutes=arguments.checkpoint_minutes,
            on_progress=show,
            on_measure=tell,
        )
        done = 0
        if (folder / CHECKPOINT).exists():
            done = session.restore()
            print(f"going on with {folder} from {done:,} decisions", flush=True)
        with _stopping_politely(session):
            try:
                session.run(folders.make_logger(folder, done))
            except Stopped:
                bar.close()
                _export(session, folder)
                print(
                    f"stopped after {session.done:,} decisions; the policy as it is now is "
                    f"{folder / POLICY}\ngo on with: python -m training.train --resume {folder}"
                )
                raise SystemExit(130) from None
            _export(session, folder)
            session.save_zip(FINAL)
    _report(run, arguments.deals)


def _report(run: Run, deals: int) -> None:
    """Play the policy against bots; list what the run left."""
    console = Console()
    try:
        print_matches(console, run.game, run.folder / POLICY, run.args["options"], deals)
    except KeyboardInterrupt:
        console.print(
            "the match was broken off; the training is complete. Play it with: "
            f"python -m training.evaluate {run.folder}"
        )
        raise SystemExit(130) from None
    console.print(f"in {run.folder}:", highlight=False)
    for path in sorted(run.folder.iterdir()):
        if not path.name.startswith("."):
            console.print(
                f"  {path.name}{'/' if path.is_dir() else ''}", highlight=False, markup=False
            )


def _interval(share: Estimate) -> str:
    if share.low is None or share.high is None:
        return f"{share.mean:.2f}"
    return f"{share.mean:.2f} ({share.low:.2f} to {share.high:.2f})"


def _num_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _export(session: Session, folder: Path) -> None:
    session.policy().save(folder / POLICY)
    draw_curves([folder], folder / "learning_curve.png")


@contextlib.contextmanager
def _stopping_politely(session: Session) -> Iterator[None]:
    """At Ctrl-C or SIGTERM stop at the end of the rollout; at the second one, at once."""

    def stop(number: int, frame: object) -> None:
        if session.stop_requested:
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)
        session.stop_requested = True
        print("\nstopping after this rollout …", file=sys.stderr)

    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, stop) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


if __name__ == "__main__":
    main()
