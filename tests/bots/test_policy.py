"""Policy files, and the NumPy network against torch's."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import save, save_file

from hotpot_envs.bots import Policy, Table, make_bot
from hotpot_envs.bots import policy as module
from hotpot_envs.core import Engine, get_game

GAME = get_game("boil_over")
D, A = GAME.observations.size, GAME.actions.size


def tensors(trunk=(), pi=(16, 8), vf=(12,), seed=0, scale=0.5):
    rng = np.random.default_rng(seed)
    made = {}

    def add(name, out, width):
        made[f"{name}.weight"] = rng.normal(size=(out, width), scale=scale).astype(np.float32)
        made[f"{name}.bias"] = rng.normal(size=out, scale=scale).astype(np.float32)

    shared = D
    for i, size in enumerate(trunk):
        add(f"trunk.{i}", size, shared)
        shared = size
    for part, sizes, head, outputs in (("pi", pi, "action", A), ("vf", vf, "value", 1)):
        width = shared
        for i, size in enumerate(sizes):
            add(f"{part}.{i}", size, width)
            width = size
        add(head, outputs, width)
    return made


def shown(num_games=40):
    engine = Engine("boil_over", num_games)
    engine.reset(seeds=3)
    buffers = engine.buffers()
    numbers = np.zeros((num_games, engine.num_players), np.int64)
    engine.play(numbers, engine.generators(1), buffers, max_moves=20)
    engine.observe(buffers)
    return engine, buffers


@pytest.mark.parametrize("activation", ["tanh", "relu"])
@pytest.mark.parametrize(
    "sizes", [{}, {"trunk": (20, 9), "pi": (), "vf": ()}, {"trunk": (7,), "pi": (5,), "vf": (6, 4)}]
)
def test_a_policy_comes_back_from_its_file(tmp_path, sizes, activation):
    options = {"num_players": 3, "limit": 19, "rounds": 4}
    policy = Policy(GAME, tensors(**sizes), activation=activation, options=options)
    path = tmp_path / "policy.safetensors"
    policy.save(path)
    again = Policy.load(path)
    assert again.game is GAME
    assert (again.activation, again.options, again.layers) == (activation, options, policy.layers)
    _, buffers = shown()
    assert (again.logits(buffers.observations) == policy.logits(buffers.observations)).all()
    assert (again.values(buffers.observations) == policy.values(buffers.observations)).all()
    assert [item.name for item in tmp_path.iterdir()] == ["policy.safetensors"]


def test_equal_policies_give_equal_bytes_in_every_process(tmp_path):
    path = tmp_path / "policy.safetensors"
    Policy(GAME, tensors()).save(path)
    first = path.read_bytes()
    code = (
        "import sys; from hotpot_envs.bots import Policy; "
        "Policy.load(sys.argv[1]).save(sys.argv[1]); "
        "assert 'torch' not in sys.modules"
    )
    for _ in range(2):
        subprocess.run([sys.executable, "-c", code, str(path)], check=True)
        assert path.read_bytes() == first


@pytest.mark.parametrize("standardized", [False, True])
@pytest.mark.parametrize(
    ("activation", "net_arch", "trunk"),
    [
        ("tanh", None, []),
        ("relu", {"pi": [32, 16], "vf": [24]}, []),
        ("relu", {"pi": [], "vf": [8]}, []),
        ("relu", {"pi": [], "vf": []}, [32, 16]),
        ("tanh", [12], [20]),
    ],
)
def test_numpy_computes_what_sb3_does(activation, net_arch, trunk, standardized):
    torch = pytest.importorskip("torch")
    from gymnasium import spaces
    from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
    from stable_baselines3.common.running_mean_std import RunningMeanStd

    from hotpot_envs.adapters.sb3_policy import CardGameExtractor

    function = {"tanh": torch.nn.Tanh, "relu": torch.nn.ReLU}[activation]
    extra = {
        "features_extractor_class": CardGameExtractor,
        "features_extractor_kwargs": {"sizes": trunk, "activation_fn": function},
    }
    torch.manual_seed(0)
    theirs = MaskableActorCriticPolicy(
        spaces.Box(0, 1, (D,), np.float32),
        spaces.Discrete(A),
        lambda _: 0.0,
        net_arch=net_arch,
        activation_fn=function,
        **(extra if trunk or standardized else {}),
    )
    if standardized:
        statistics = RunningMeanStd(shape=(D,))
        statistics.update(GAME.observations.scale(shown()[1].observations))
        theirs.features_extractor.fit(statistics)
    with torch.no_grad():
        for parameter in theirs.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.3)
    ours = Policy.from_sb3(GAME, theirs.state_dict(), activation=activation)
    assert ours.layers["trunk"] == trunk

    _, buffers = shown()
    scaled = torch.as_tensor(GAME.observations.scale(buffers.observations))
    masks = buffers.action_masks
    with torch.no_grad():
        distribution = theirs.get_distribution(scaled, action_masks=masks)
        probabilities = distribution.distribution.probs.numpy()
        values = theirs.predict_values(scaled)[:, 0].numpy()
        greedy = distribution.get_actions(deterministic=True).numpy()
    off = 1e-4 if standardized else 1e-5  # of sums of large numbers that cancel
    np.testing.assert_allclose(
        ours.probabilities(buffers.observations, masks), probabilities, atol=off
    )
    np.testing.assert_allclose(ours.values(buffers.observations), values, atol=off)
    assert (ours.act(buffers.observations, masks) == greedy).all()


def test_sb3_layers_of_another_kind_are_refused():
    with pytest.raises(ValueError, match="'log_std' is no layer of an MlpPolicy"):
        Policy.from_sb3(GAME, {"log_std": np.zeros(3)})


def test_the_forward_pass_by_hand():
    made = {
        "pi.0.weight": np.zeros((1, D), np.float32),
        "pi.0.bias": np.array([-2.0], np.float32),
        "action.weight": np.ones((A, 1), np.float32),
        "action.bias": np.arange(A, dtype=np.float32),
        "value.weight": np.zeros((1, D), np.float32),
        "value.bias": np.array([0.25], np.float32),
    }
    made["pi.0.weight"][0, GAME.observations.start("limit")] = 4  # a limit of 20 of 40 counts 2
    made["value.weight"][0, GAME.observations.start("num_players")] = 3  # 4 of 6 count 2
    _, buffers = shown(3)
    relu = Policy(GAME, made, activation="relu")
    np.testing.assert_allclose(relu.logits(buffers.observations), [np.arange(A)] * 3, atol=1e-6)
    np.testing.assert_allclose(relu.values(buffers.observations), [2.25] * 3, rtol=1e-6)


def test_draws_follow_the_probabilities_and_the_generators():
    policy = Policy(GAME, tensors())
    _, buffers = shown(1)
    count = 20_000
    observations = np.repeat(buffers.observations, count, axis=0)
    masks = np.repeat(buffers.action_masks, count, axis=0)
    generators = np.random.default_rng(0).integers(2**63, size=count).astype(np.uint64)
    again = generators.copy()
    actions = policy.act(observations, masks, generators)
    assert masks[0, actions].all()
    expected = policy.probabilities(buffers.observations, buffers.action_masks)[0]
    assert expected.sum() == pytest.approx(1)
    assert not expected[buffers.action_masks[0] == 0].any()
    found = np.bincount(actions, minlength=A) / count
    assert np.abs(found - expected).max() < 0.015
    assert (policy.act(observations, masks, again) == actions).all()
    assert (again == generators).all()
    greedy = policy.act(observations[:1], masks[:1])
    assert greedy == expected.argmax()


@given(
    seed=st.integers(0, 2**32),
    scale=st.sampled_from([0.0, 1e-3, 1.0, 1e6, 1e30]),
    sample=st.booleans(),
)
def test_a_policy_never_chooses_an_illegal_action(seed, scale, sample):
    rng = np.random.default_rng(seed)
    made = {
        name: (rng.normal(size=value.shape) * scale).astype(np.float32)
        for name, value in tensors(pi=(4,), vf=()).items()
    }
    policy = Policy(GAME, made, activation="relu")
    masks = (rng.random((50, A)) < rng.random((50, 1))).astype(np.int8)
    observations = rng.integers(GAME.observations.low, GAME.observations.high, (50, D), np.int16)
    generators = rng.integers(2**63, size=50).astype(np.uint64) if sample else None
    actions = policy.act(observations, masks, generators)
    some = masks.any(axis=1)
    assert masks[some, actions[some]].all()
    assert (actions[~some] == -1).all()


def test_a_draw_at_the_very_end_is_legal(monkeypatch):
    policy = Policy(GAME, tensors())
    engine, buffers = shown()
    monkeypatch.setattr(module, "uniforms", lambda generators: np.ones(len(generators)))
    actions = policy.act(buffers.observations, buffers.action_masks, engine.generators(0))
    assert buffers.action_masks[np.arange(40), actions].all()


def test_a_policy_plays_as_a_bot_with_any_number_of_players(tmp_path):
    path = tmp_path / "policy.safetensors"
    Policy(GAME, tensors(), options={"num_players": 4}).save(path)
    for num_players in (3, 6):
        engine = Engine("boil_over", 8, options={"num_players": num_players})
        engine.reset(seeds=0)
        bots = [make_bot(path, GAME), make_bot(f"{path}@sample", GAME), make_bot(tmp_path, GAME)]
        assert [bot.name for bot in bots] == [str(path), f"{path}@sample", str(tmp_path)]
        assert [bot.sample for bot in bots] == [False, True, False]
        table = Table(engine, (bots * 2)[:num_players], engine.generators(0))
        table.advance(engine.buffers())
        assert engine.over.all()
        assert not table.num_illegal.any()


def written(tmp_path, change_facts=None, change_tensors=None):
    """Write a good policy's file with changes that ``save`` would not make."""
    path = tmp_path / "policy.safetensors"
    Policy(GAME, tensors()).save(path)
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    facts = json.loads(data[8 : 8 + length])["__metadata__"] | (change_facts or {})
    facts = {key: value for key, value in facts.items() if value is not None}
    kept = tensors() | (change_tensors or {})
    save_file({key: value for key, value in kept.items() if value is not None}, path, facts)
    return path


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({"format": "2"}, "it has format '2', this version reads '1'"),
        ({"format": None}, "no policy of hotpot_envs"),
        ({"activation": None}, "its metadata lack 'activation'"),
        ({"activation": "gelu"}, "activation='gelu': allowed is 'tanh' or 'relu'"),
        (
            {"game": "poker", "id": "hotpot_envs/Poker-v0"},
            "it was trained for hotpot_envs/Poker-v0",
        ),
        ({"id": "hotpot_envs/BoilOver-v9"}, "trained for hotpot_envs/BoilOver-v9, this is"),
        ({"observations": "0" * 16}, "with other observations of Boil Over"),
        ({"actions": "0" * 16}, "with other actions of Boil Over"),
        ({"options": "[1]"}, "its options are '\\[1\\]': allowed is a JSON object"),
        ({"options": "{"}, "its options are '{': allowed is a JSON object"),
        ({"layers": '{"pi": [3]}'}, "its layers are"),
    ],
)
def test_foreign_metadata_are_refused(tmp_path, facts, message):
    path = written(tmp_path, facts)
    with pytest.raises(ValueError, match=message):
        Policy.load(path)
    with pytest.raises(ValueError, match=r"policy\.safetensors' cannot be played: "):
        make_bot(path, GAME)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"action.bias": None}, "needs the tensor 'action.bias', which is missing"),
        ({"pi.0.weight": None}, "needs the tensor 'pi.0.weight', which is missing"),
        ({"extra": np.zeros(3, np.float32)}, "'extra' is no layer"),
        ({"value.bias": np.zeros(1)}, "its tensor 'value.bias' is F64, allowed is F32"),
        ({"value.bias": np.array([np.nan], np.float32)}, "'value.bias' holds numbers that are not"),
        ({"pi.0.weight": np.zeros((16, 3), np.float32)}, r"in 'pi', a weight of shape \(16, 3\)"),
        ({"pi.1.bias": np.zeros((8, 1), np.float32)}, r"with a bias of shape \(8, 1\)"),
        (
            {"action.weight": np.zeros((3, 8), np.float32), "action.bias": np.zeros(3, np.float32)},
            "the head 'action' has 3 outputs: Boil Over needs 54",
        ),
    ],
)
def test_tensors_that_do_not_fit_are_refused(tmp_path, change, message):
    with pytest.raises(ValueError, match=message):
        Policy.load(written(tmp_path, change_tensors=change))


def test_another_game_is_refused(tmp_path):
    other = dataclasses.replace(GAME, name="other", title="Other")
    with pytest.raises(ValueError, match="it was trained for hotpot_envs/BoilOver-v0, not for"):
        Policy.load(written(tmp_path), other)


def test_what_is_no_safetensors_file_is_refused(tmp_path):
    path = tmp_path / "policy.safetensors"
    with pytest.raises(FileNotFoundError, match="there is no policy file"):
        Policy.load(path)
    for content in (b"", b"12345678", b"\xff" * 100, b'{"a": 1}', save({"a": np.zeros(2)})):
        path.write_bytes(content)
        with pytest.raises(ValueError, match="cannot be played: it"):
            Policy.load(path)
    with pytest.raises(ValueError, match="cannot be played: it"):
        Policy.load(tmp_path)


@given(data=st.data())
def test_a_damaged_file_is_refused_or_read_never_a_crash(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("damaged") / "policy.safetensors"
    Policy(GAME, tensors(pi=(2,), vf=())).save(path)
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, min(len(content), 2000) - 1))
        content[place] = data.draw(st.integers(0, 255))
    path.write_bytes(content[: data.draw(st.integers(0, len(content)))])
    try:
        policy = Policy.load(path)
    except ValueError as error:
        found = str(error)
    else:
        found = f"cannot be played: not true, it is for {policy.game.title}"
    assert "cannot be played: " in found


def test_an_unwritable_place_leaves_nothing(tmp_path):
    with pytest.raises(OSError, match=r"No such file or directory: .*missing/policy\.safetensors"):
        Policy(GAME, tensors()).save(tmp_path / "missing" / "policy.safetensors")
    with pytest.raises(OSError, match="Is a directory"):
        Policy(GAME, tensors()).save(tmp_path)
    assert not list(tmp_path.iterdir())
