"""`referee accounts`: who may log in to the pages of a journal.

Belongs here: asking for a password and showing one that was made. Does not belong here: how accounts are kept
(`referee.web.accounts`). A password is never taken from the command line, where every user of the machine could read
it.
"""

from __future__ import annotations

import argparse
import getpass
import json
import sys
from pathlib import Path

from referee.errors import InputError
from referee.web.accounts import ROLES, Accounts, Role, new_password


def configure(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the command takes."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    add = actions.add_parser("add", help="a new account; its password is made and shown once")
    add.add_argument("name", metavar="NAME")
    add.add_argument("--role", choices=tuple(ROLES), help="(viewer; head for the first account)")
    password = actions.add_parser("password", help="another password for an account; it is made and shown once")
    password.add_argument("name", metavar="NAME")
    for action in (add, password):
        action.add_argument("--typed", action="store_true", help="ask for the password instead of making one")
    actions.add_parser("remove", help="an account is no more").add_argument("name", metavar="NAME")
    actions.add_parser("list", help="all accounts and their roles").add_argument("--json", action="store_true")
    for action in actions.choices.values():
        action.add_argument("--journal", required=True, type=Path, metavar="DIR", help="the journal's folder")


def run(arguments: argparse.Namespace) -> int:
    """Do what is asked; 0 when it is done."""
    folder: Path = arguments.journal
    if not folder.is_dir():
        raise InputError(f"--journal: {folder} is no folder, expected the journal's")
    accounts = Accounts(folder)
    match arguments.action:
        case "add":
            role = ROLES[arguments.role] if arguments.role else Role.VIEWER if accounts.exist() else Role.HEAD
            password = _password(arguments.typed)
            accounts.add(arguments.name, role, password)
            print(f"{arguments.name} may now log in as {role.word}.")
            _show(password, arguments.typed)
        case "password":
            password = _password(arguments.typed)
            accounts.set_password(arguments.name, password)
            print(f"{arguments.name} has a new password and is logged out everywhere.")
            _show(password, arguments.typed)
        case "remove":
            accounts.remove(arguments.name)
            print(f"{arguments.name} can no longer log in.")
        case _:
            for account in accounts.all():
                said = {"name": account.name, "role": account.role.word}
                print(
                    json.dumps(said, ensure_ascii=False) if arguments.json else f"{account.role.word:9} {account.name}"
                )
    return 0


def _password(typed: bool) -> str:
    if not typed:
        return new_password()
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\n")
    first = getpass.getpass("Password: ")
    if getpass.getpass("Again: ") != first:
        raise InputError("password: expected the same twice")
    return first


def _show(password: str, typed: bool) -> None:
    if not typed:
        print(f"Password, shown this once: {password}")
