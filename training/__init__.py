"""Training by self-play, and what goes with it; run from a checkout.

* ``python -m training.train GAME`` trains an agent.
* ``python -m training.evaluate MODEL`` measures it against bots.
* ``python -m training.enjoy MODEL`` shows it playing.
* ``python -m training.plot RUN …`` draws learning curves.
"""
