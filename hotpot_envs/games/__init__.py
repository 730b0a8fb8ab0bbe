"""The games, a folder each with the same files. Add one: ``docs/adding_a_game.md``."""
