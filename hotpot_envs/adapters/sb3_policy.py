"""The network for stable-baselines3: a policy class and what stands before its heads."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Sequence

import numpy as np
import torch as th
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.running_mean_std import RunningMeanStd
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

from hotpot_envs.core.game import Symmetry

__all__ = ["CardGameExtractor", "CardGamePolicy"]

# An entry that is hardly ever anything but one value is not blown up further than this.
_MIN_DEVIATION = 0.02
# The logit of an illegal action, as sb3-contrib has it.
_ILLEGAL = -1e8


class CardGamePolicy(MaskableActorCriticPolicy):
    """sb3-contrib's ``MlpPolicy`` for discrete actions, computed with less around it.

    Same layers, same arguments, same results but for the last bits; actions are drawn by other
    random numbers. sb3-contrib makes two objects of torch's ``Categorical`` of each batch, with a
    ``logsumexp`` of their own, and draws by ``torch.multinomial``; together that is a third of the
    time of a run. Here it is one ``log_softmax`` and one search in the cumulated probabilities.
    """

    def _evaluate(
        self, observations: th.Tensor, action_masks: np.ndarray | th.Tensor | None
    ) -> tuple[th.Tensor, th.Tensor]:
        """Return logarithms of the actions' probabilities, ``[B, A]``, and values, ``[B, 1]``."""
        features = self.extract_features(observations)
        if self.share_features_extractor:
            latent_pi, latent_vf = self.mlp_extractor(features)
        else:
            latent_pi = self.mlp_extractor.forward_actor(features[0])
            latent_vf = self.mlp_extractor.forward_critic(features[1])
        logits = self.action_net(latent_pi)
        if action_masks is not None:
            legal = th.as_tensor(action_masks, dtype=th.bool, device=logits.device)
            logits = logits.where(legal.reshape(logits.shape), _ILLEGAL)
        return logits.log_softmax(dim=1), self.value_net(latent_vf)

    def forward(
        self,
        obs: th.Tensor,
        deterministic: bool = False,
        action_masks: np.ndarray | None = None,
    ) -> tuple[th.Tensor, th.Tensor, th.Tensor]:
        """Return actions ``[B]``, values ``[B, 1]``, and the actions' log-probabilities ``[B]``."""
        log_probs, values = self._evaluate(obs, action_masks)
        if deterministic:
            actions = log_probs.argmax(dim=1)
        else:
            # What is drawn is below the sum of all, as that is 1 but for rounding, and strictly
            # above it stands no illegal action first: its step is 0 high.
            sums = log_probs.exp().cumsum(dim=1)
            drawn = th.rand(len(sums), 1, device=sums.device) * sums[:, -1:]
            actions = (sums <= drawn).sum(dim=1)
        log_prob = log_probs.gather(1, actions[:, None])[:, 0]
        return actions, values, log_prob

    def evaluate_actions(
        self,
        obs: th.Tensor,
        actions: th.Tensor,
        action_masks: th.Tensor | None = None,
    ) -> tuple[th.Tensor, th.Tensor, th.Tensor]:
        """Return values ``[B, 1]``, the actions' log-probabilities and the entropy, ``[B]``."""
        log_probs, values = self._evaluate(obs, action_masks)
        log_prob = log_probs.gather(1, actions.long().reshape(-1, 1))[:, 0]
        entropy = -(log_probs.exp() * log_probs).sum(dim=1)
        return values, log_prob, entropy

    def tie_weights(self, symmetries: Sequence[Symmetry]) -> None:
        """Make the network treat alike what a game's symmetries exchange, now and in training.

        Renaming what it sees then renames what it does: what was learnt of hearts is known of
        clubs. Each hidden layer's units stand for the renamings in turn (the regular
        representation), and each weight is kept equal to those that a renaming puts in its place:
        gradients are averaged over them. Layers, file formats and cost stay as they are. Source:
        Cohen and Welling, 'Group equivariant convolutional networks', 2016.

        It is to be called again for a model that is loaded to learn on.

        Raises:
            ValueError: for a hidden layer with fewer units than there are renamings.
        """
        group = _close(symmetries)
        if not group:
            return
        places = {tuple(views): index for index, (views, _) in enumerate(group)}
        table = [[places[tuple(first[then])] for then, _ in group] for first, _ in group]

        def units(size: int) -> list[np.ndarray]:
            """Return each renaming's order of a hidden layer; what is left over stays in place."""
            each = size // len(group)
            if not each:
                raise ValueError(
                    f"a layer of {size} units: with this game's {len(group)} symmetries allowed is "
                    f"{len(group)} or more"
                )
            blocks = np.arange(each * len(group)).reshape(len(group), each)
            rest = np.arange(blocks.size, size)
            return [np.concatenate([blocks[row].ravel(), rest]) for row in table]

        def on_device(orders: Iterable[np.ndarray]) -> list[th.Tensor]:
            return [th.as_tensor(order, device=self.device) for order in orders]

        def tie(layer: nn.Module, inputs: list[np.ndarray], outputs: list[np.ndarray]) -> None:
            assert isinstance(layer, nn.Linear)
            rows, columns = on_device(outputs), on_device(inputs)
            for parameter, axes in ((layer.weight, (rows, columns)), (layer.bias, (rows,))):
                mean = functools.partial(_mean_over, axes)
                with th.no_grad():  # the mean of n random weights is so much smaller than they
                    parameter.copy_(mean(parameter) * len(group) ** 0.5)
                parameter.register_hook(mean)  # type: ignore[no-untyped-call]  # torch's

        def chain(layers: nn.Module, inputs: list[np.ndarray]) -> list[np.ndarray]:
            for layer in layers.children():
                if isinstance(layer, nn.Linear):
                    outputs = units(layer.out_features)
                    tie(layer, inputs, outputs)
                    inputs = outputs
            return inputs

        views = [order for order, _ in group]
        extractor = self.features_extractor
        if isinstance(extractor, CardGameExtractor):
            for statistic in (extractor.gain, extractor.shift):
                statistic.copy_(_mean_over((on_device(views),), statistic))
            views = chain(extractor.trunk, views)
        latent_pi = chain(self.mlp_extractor.policy_net, views)
        latent_vf = chain(self.mlp_extractor.value_net, views)
        tie(self.action_net, latent_pi, [actions for _, actions in group])
        tie(self.value_net, latent_vf, [np.zeros(1, np.int64)] * len(group))


def _mean_over(axes: Sequence[Sequence[th.Tensor]], values: th.Tensor) -> th.Tensor:
    """Return the mean over renamings of a tensor, given each renaming's order of every axis."""
    parts = []
    for orders in zip(*axes, strict=True):
        part = values
        for axis, order in enumerate(orders):
            part = part.index_select(axis, order)
        parts.append(part)
    return th.stack(parts).mean(dim=0)


def _close(symmetries: Sequence[Symmetry]) -> list[Symmetry]:
    """Return all renamings that come of some, done one after another; the first changes nothing."""
    if not symmetries:
        return []
    unchanged = Symmetry(*(np.arange(len(order)) for order in symmetries[0]))
    group = {tuple(unchanged.observations): unchanged}
    waiting = [unchanged]
    while waiting:
        first = waiting.pop()
        for then in symmetries:
            both = Symmetry(first.observations[then.observations], first.actions[then.actions])
            if tuple(both.observations) not in group:
                group[tuple(both.observations)] = both
                waiting.append(both)
    return list(group.values())


class CardGameExtractor(BaseFeaturesExtractor):
    """A features extractor that standardises observations, with layers that the heads share.

    Most entries of a card game's observation are nearly always 0, and those that counting needs
    use a small part of their bounds. Brought to mean 0 and deviation 1, they are learnt from
    several times as fast. ``VecNormalize`` does so by statistics that go on changing; here they are
    fitted once, so that a policy of any time is a function of the observation alone, and
    ``Policy.from_sb3`` can put them into its first layer's weights. Until ``fit`` is called,
    observations are passed on as they are.

    Since stable-baselines3 1.8, ``net_arch`` cannot share layers any more; ``sizes`` can::

        policy_kwargs = {
            "features_extractor_class": CardGameExtractor,
            "features_extractor_kwargs": {"sizes": [128, 128]},
            "net_arch": [],
        }
        model = MaskablePPO("MlpPolicy", env, policy_kwargs=policy_kwargs)
        model.policy.features_extractor.fit(statistics)

    Args:
        observation_space: a flat Box of D entries.
        sizes: the shared layers' sizes; without any, the features are the D entries.
        activation_fn: what follows each of them.

    Attributes:
        gain: what observations are multiplied by, float32 ``[D]``.
        shift: what is added then, float32 ``[D]``.
    """

    gain: th.Tensor
    shift: th.Tensor

    def __init__(
        self,
        observation_space: spaces.Box,
        sizes: Sequence[int] = (),
        activation_fn: type[nn.Module] = nn.ReLU,
    ) -> None:
        widths = [observation_space.shape[0], *sizes]
        super().__init__(observation_space, widths[-1])
        self.register_buffer("gain", th.ones(widths[0]))
        self.register_buffer("shift", th.zeros(widths[0]))
        layers: list[nn.Module] = []
        for inputs, outputs in itertools.pairwise(widths):
            layers += [nn.Linear(inputs, outputs), activation_fn()]
        self.trunk = nn.Sequential(*layers)

    def fit(self, observations: RunningMeanStd) -> None:
        """Standardise by the statistics of observations: mean and variance, ``[D]`` each.

        An entry that never changed is not looked at any more.
        """
        deviation = np.sqrt(observations.var)
        gain = np.where(deviation > 1e-3, 1 / np.maximum(deviation, _MIN_DEVIATION), 0.0)
        self.gain.copy_(th.as_tensor(gain))
        self.shift.copy_(th.as_tensor(-observations.mean * gain))

    def forward(self, observations: th.Tensor) -> th.Tensor:
        """Return the features, float32 ``[B, sizes[-1]]``."""
        features: th.Tensor = self.trunk(th.addcmul(self.shift, observations, self.gain))
        return features
