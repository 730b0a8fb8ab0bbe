"""The network: sb3-contrib's results, actions drawn fairly, observations standardised."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.running_mean_std import RunningMeanStd

from hotpot_envs.adapters.sb3_policy import CardGameExtractor, CardGamePolicy
from hotpot_envs.adapters.sb3_vec import CardGameVecEnv

SPACE = spaces.Box(0.0, 1.0, (4,), np.float32)
# Ordinary, nearly always 0, nearly constant, constant.
OBSERVATIONS = np.zeros((1000, 4), np.float32)
OBSERVATIONS[::2, 0] = 0.5
OBSERVATIONS[::100, 1] = 1.0
OBSERVATIONS[:, 2] = 0.3 + 0.01 * (np.arange(1000) % 2)
OBSERVATIONS[:, 3] = 0.75


def fitted(**kwargs) -> CardGameExtractor:
    extractor = CardGameExtractor(SPACE, **kwargs)
    statistics = RunningMeanStd(shape=(4,))
    statistics.update(OBSERVATIONS)
    extractor.fit(statistics)
    return extractor


def test_before_it_is_fitted_observations_pass_as_they_are():
    extractor = CardGameExtractor(SPACE)
    assert extractor.features_dim == 4
    assert (extractor(torch.as_tensor(OBSERVATIONS)).numpy() == OBSERVATIONS).all()


def test_entries_have_mean_0_and_deviation_1_unless_they_hardly_change():
    features = fitted()(torch.as_tensor(OBSERVATIONS)).numpy()
    assert features.mean(axis=0) == pytest.approx([0, 0, 0, 0], abs=1e-3)
    assert features.std(axis=0) == pytest.approx([1, 1, 0.005 / 0.02, 0], abs=1e-3)
    elsewhere = fitted()(torch.full((1, 4), 9.0)).numpy()
    assert elsewhere[0, 3] == 0  # what never changed is not looked at


def test_shared_layers_follow():
    extractor = fitted(sizes=[8, 3], activation_fn=torch.nn.Tanh)
    assert extractor.features_dim == 3
    standardised = torch.as_tensor(fitted()(torch.as_tensor(OBSERVATIONS)))
    assert torch.equal(extractor(torch.as_tensor(OBSERVATIONS)), extractor.trunk(standardised))
    assert [type(layer).__name__ for layer in extractor.trunk] == ["Linear", "Tanh"] * 2


def test_the_standard_is_saved_with_the_model_and_does_not_learn(tmp_path):
    env = CardGameVecEnv("boil_over", 4, seed=0)
    model = MaskablePPO(
        "MlpPolicy",
        env,
        n_steps=8,
        batch_size=32,
        n_epochs=1,
        policy_kwargs={"features_extractor_class": CardGameExtractor},
    )
    statistics = RunningMeanStd(shape=env.observation_space.shape)
    statistics.update(env.reset())
    model.policy.features_extractor.fit(statistics)
    model.learn(64)
    model.save(tmp_path / "model.zip")
    kept = MaskablePPO.load(tmp_path / "model.zip").policy.features_extractor
    assert kept.gain.any()
    standard = kept.gain.numpy() * statistics.mean + kept.shift.numpy()
    assert standard == pytest.approx(np.zeros(len(standard)), abs=1e-5)


def policies(**kwargs):
    """sb3-contrib's policy and ours with the same weights, and a batch to play on."""
    env = CardGameVecEnv("boil_over", 64, seed=0)
    arguments = env.observation_space, env.action_space, lambda _: 1e-3
    torch.manual_seed(0)
    theirs = MaskableActorCriticPolicy(*arguments, **kwargs)
    with torch.no_grad():
        for parameter in theirs.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.1)
    ours = CardGamePolicy(*arguments, **kwargs)
    ours.load_state_dict(theirs.state_dict())
    observations = torch.as_tensor(env.reset())
    return theirs, ours, observations, env.action_masks()


KWARGS = [
    {},
    {"share_features_extractor": False},
    {
        "features_extractor_class": CardGameExtractor,
        "features_extractor_kwargs": {"sizes": [32]},
        "net_arch": [],
    },
]


@pytest.mark.parametrize("kwargs", KWARGS)
@pytest.mark.parametrize("masked", [True, False])
def test_results_and_gradients_are_sb3_contribs(kwargs, masked):
    theirs, ours, observations, masks = policies(**kwargs)
    masks = masks if masked else None
    greedy = [policy(observations, True, masks) for policy in (theirs, ours)]
    actions = greedy[0][0]
    assert torch.equal(actions, greedy[1][0])
    for expected, found in zip(*greedy, strict=True):
        assert found.shape == expected.shape
        torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-5)
    if masked:
        masks = torch.as_tensor(masks)
    results = [policy.evaluate_actions(observations, actions, masks) for policy in (theirs, ours)]
    for expected, found in zip(*results, strict=True):
        torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-5)
    for values, log_prob, entropy in results:
        (values.square().mean() + log_prob.mean() - 0.1 * entropy.mean()).backward()
    for (name, expected), found in zip(theirs.named_parameters(), ours.parameters(), strict=True):
        torch.testing.assert_close(found.grad, expected.grad, msg=name, atol=1e-5, rtol=1e-4)


def test_actions_are_drawn_by_their_probabilities():
    _, ours, observations, masks = policies()
    row, rows = observations[:1], 20_000
    mask = np.repeat(masks[:1], rows, axis=0)
    actions, _, log_probs = ours(row.expand(rows, -1), action_masks=mask)
    expected = np.zeros(masks.shape[1])
    expected[actions.numpy()] = log_probs.detach().exp().numpy()
    assert expected.sum() == pytest.approx(1, abs=1e-3)
    assert set(np.flatnonzero(expected)) == set(np.flatnonzero(masks[0]))
    shares = np.bincount(actions.numpy(), minlength=len(expected)) / rows
    # Five standard deviations.
    assert (np.abs(shares - expected) <= 5 * np.sqrt(expected * (1 - expected) / rows)).all()


def test_no_illegal_action_is_drawn_however_unlikely_the_legal_ones_are():
    _, ours, observations, _ = policies()
    with torch.no_grad():
        ours.action_net.weight.zero_()
        ours.action_net.bias.copy_(torch.linspace(-80, 80, 54))
    masks = np.zeros((64, 54), np.bool_)
    masks[:, [3, 20, 21]] = True
    for _ in range(50):
        actions, _, log_probs = ours(observations, action_masks=masks)
        assert masks[np.arange(64), actions.numpy()].all()
        assert torch.isfinite(log_probs).all()


@pytest.mark.parametrize("sizes", [{"sizes": [32, 14]}, {}])
def test_tied_weights_stay_tied_in_training(sizes):
    env = CardGameVecEnv("boil_over", 64, seed=0)
    model = MaskablePPO(
        CardGamePolicy,
        env,
        n_steps=16,
        batch_size=64,
        n_epochs=2,
        learning_rate=1e-2,
        seed=0,
        policy_kwargs={
            "features_extractor_class": CardGameExtractor,
            "features_extractor_kwargs": sizes,
            "net_arch": [] if sizes else [20, 12],
        },
    )
    statistics = RunningMeanStd(shape=env.observation_space.shape)
    statistics.update(env.reset())
    model.policy.features_extractor.fit(statistics)
    symmetries = env.engine.game.symmetries
    model.policy.tie_weights(symmetries)
    before = model.policy.action_net.weight.detach().clone()
    for _ in range(2):
        observations, masks = model.env.reset(), env.action_masks()
        for order in symmetries:
            renamed = observations[:, order.observations], masks[:, order.actions]
            values, log_probs = [], []
            for seen, legal in ((observations, masks), renamed):
                with torch.no_grad():
                    result = model.policy._evaluate(torch.as_tensor(seen), legal)
                log_probs.append(result[0].numpy())
                values.append(result[1].numpy())
            np.testing.assert_allclose(values[1], values[0], atol=1e-4)
            expected = log_probs[0][:, order.actions]
            np.testing.assert_allclose(log_probs[1], expected, atol=1e-4, rtol=1e-4)
        model.learn(1024)
    assert not torch.equal(model.policy.action_net.weight, before)
    assert log_probs[0][masks].std() > 0.1


def test_a_layer_must_have_a_unit_for_each_renaming():
    env = CardGameVecEnv("boil_over", 4)
    model = MaskablePPO(CardGamePolicy, env, policy_kwargs={"net_arch": [5]})
    with pytest.raises(ValueError, match="5 units: with this game's 6 symmetries allowed is 6"):
        model.policy.tie_weights(env.engine.game.symmetries)


def test_a_game_without_symmetries_is_left_as_it_is():
    _, ours, _, _ = policies()
    before = {name: tensor.clone() for name, tensor in ours.state_dict().items()}
    ours.tie_weights(())
    assert all(torch.equal(tensor, before[name]) for name, tensor in ours.state_dict().items())
