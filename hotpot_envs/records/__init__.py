"""Game records: one JSON object a game, which anyone can check without this project's code.

``record_games`` lets bots play and returns their records, ``record_of`` returns that of any game
whose first state and actions are known, ``to_line`` makes a line of a ``.jsonl`` file of it;
``check_record`` and ``check_file`` check, ``Replay`` goes through a record position by position.
The format is described in ``docs/records.md``.
"""

from __future__ import annotations

from hotpot_envs.records.check import Problem, check_file, check_record
from hotpot_envs.records.read import RecordError, parse_record
from hotpot_envs.records.replay import Position, Replay
from hotpot_envs.records.write import record_games, record_of, to_line

__all__ = [
    "Position",
    "Problem",
    "RecordError",
    "Replay",
    "check_file",
    "check_record",
    "parse_record",
    "record_games",
    "record_of",
    "to_line",
]
