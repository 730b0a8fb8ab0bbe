"""The games as environments of other frameworks, a module a framework.

* ``aec``: PettingZoo, every seat an agent, one at a time.
* ``gym_env`` and ``gym_vector``: Gymnasium, one learner against bots, one game or a batch.
* ``sb3_vec``, ``sb3_buffer`` and ``sb3_policy``: stable-baselines3: a ``VecEnv``, the rollout
  buffer that credits each seat with its own decisions, and the network.
* ``check_vector``: does a vector environment do what single ones do, byte for byte?

Importing this package loads none of them.
"""
