"""Options that are whole tables (packs): written out, read strictly, left out when default."""

import dataclasses

import pytest

from hotpot_envs.core import Option, get_game
from hotpot_envs.records import check_record, record_games, replay

OWN = {"cards": {"soup": 3}}


@dataclasses.dataclass(frozen=True)
class Pack(Option):
    """A table, given as it is or by the name of a file."""

    @property
    def allowed(self):
        return "a pack"

    def convert(self, value):
        if value == "file.toml":
            return {"cards": {"soup": 4}}
        if not isinstance(value, dict) or set(value) != {"cards"}:
            raise self._refuse(value)
        return value

    def from_record(self, value):
        if not isinstance(value, dict):
            raise self._refuse(value)
        return self.convert(value)


@pytest.fixture
def game(monkeypatch):
    plain = get_game("boil_over")
    pack = Pack("pack", "the cards", OWN, omittable=True)
    made = dataclasses.replace(plain, options=(*plain.options, pack))
    monkeypatch.setattr(replay, "get_game", lambda name: made)
    return made


def test_a_pack_is_written_out_whole(game):
    options = {"num_players": 3, "rounds": 1}
    (own,) = record_games(game, 1, options=options, seed=0)
    assert own["options"]["pack"] == OWN
    (other,) = record_games(game, 1, options={**options, "pack": "file.toml"}, seed=0)
    assert other["options"]["pack"] == {"cards": {"soup": 4}}
    for record in (own, other):
        assert check_record(record) is None
        assert list(record["options"]) == ["num_players", "limit", "rounds", "pack"]


def test_only_a_pack_may_be_left_out_and_only_its_contents_stand_there(game):
    (record,) = record_games(game, 1, options={"num_players": 3, "rounds": 1}, seed=0)
    for value in ("file.toml", None, {}, {"cards": {}, "more": 1}, [OWN]):
        wrong = {**record, "options": {**record["options"], "pack": value}}
        assert check_record(wrong).where == -1
    del record["options"]["pack"]
    assert check_record(record) is None
    del record["options"]["limit"]
    assert check_record(record).text.startswith('no "limit" in the options')
