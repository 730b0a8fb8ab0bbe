"""The games as environments of other frameworks, a module a framework.

* ``aec``: PettingZoo, every seat an agent, one at a time.
* ``gym_env`` and ``gym_vector``: Gymnasium, one learner against bots, one game or a batch.
* ``check_vector``: does a vector environment do what single ones do, byte for byte?

Importing this package loads none of them.
"""
