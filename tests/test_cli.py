"""The command line as a whole."""

import importlib

from referee.cli import COMMANDS


def test_every_command_in_the_list_has_a_module_that_can_configure_and_run() -> None:
    for _, module, _ in COMMANDS:
        loaded = importlib.import_module(module)
        assert callable(loaded.configure)
        assert callable(loaded.run)
