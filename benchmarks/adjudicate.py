"""How fast records become rulings, beside python-chess replaying games in the same run.

    python benchmarks/adjudicate.py [--events 200000] [--rounds 5]

Both sides start from text and end with every move or event judged: ours from JSON Lines to rulings, python-chess
from recorded games (made here by playing legal moves at random) to legal boards. Prints the median of each and
their ratio, and the memory a file of a million events needs. Needs the extra `bench`.
"""

from __future__ import annotations

import argparse
import gc
import io
import resource
import statistics
import time
from random import Random

import chess
import chess.pgn

from referee.adjudication import Game, adjudicate
from referee.record import read_records, write_record
from referee.sim.games import play

NAMES = ("Ana", "Bilal", "Chloé", "Driss", "Eva", "Farid", "Gaëlle", "Hugo")


def make_records(events: int) -> tuple[bytes, int]:
    """A file of whole games with about so many events, and the exact number."""
    stream, count, seed = io.BytesIO(), 0, 0
    while count < events:
        record = play(seed, NAMES[: 3 + seed % 6])
        write_record(stream, record)
        count += len(record.events)
        seed += 1
    return stream.getvalue(), count


def make_chess(moves: int) -> tuple[str, int]:
    """Recorded games of chess with about so many moves, and the exact number."""
    chance, texts, count = Random(1), [], 0
    while count < moves:
        board = chess.Board()
        while not board.is_game_over() and board.ply() < 120:
            board.push(chance.choice(list(board.legal_moves)))
        texts.append(str(chess.pgn.Game.from_board(board)))
        count += board.ply()
    return "\n\n".join(texts) + "\n\n", count


def run_referee(data: bytes) -> int:
    """Judge every event; returns the number of rulings, so that nothing can be left out."""
    rulings = 0
    for record in read_records(io.BytesIO(data), "benchmark"):
        for _, given in adjudicate(Game(record.header), record.events):
            rulings += len(given)
    return rulings


def run_chess_uci(text: str) -> None:
    """Read and replay games written as UCI moves, a game a line, with legality: the leanest text there is."""
    for line in io.StringIO(text):
        board = chess.Board()
        for move in line.split():
            board.push_uci(move)


def run_chess_pgn(text: str) -> None:
    """Read and replay PGN with legality."""
    stream = io.StringIO(text)
    while chess.pgn.read_game(stream) is not None:
        pass


def timed(work: object, *arguments: object) -> float:
    """Seconds of one call."""
    gc.collect()
    gc.freeze()  # what the other side keeps in memory is none of this one's business
    begin = time.perf_counter()
    work(*arguments)  # type: ignore[operator]
    return time.perf_counter() - begin


def main() -> None:
    """Run both sides in turn and print medians and ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    data, events = make_records(arguments.events)
    pgn, moves = make_chess(arguments.events // 4)
    uci = []
    stream = io.StringIO(pgn)
    while (game := chess.pgn.read_game(stream)) is not None:
        uci.append(" ".join(move.uci() for move in game.mainline_moves()))
    ours, by_uci, by_pgn = [], [], []
    for _ in range(arguments.rounds):
        ours.append(events / timed(run_referee, data))
        by_uci.append(moves / timed(run_chess_uci, "\n".join(uci)))
        by_pgn.append(moves / timed(run_chess_pgn, pgn))
    for name, rates in (("referee", ours), ("chess, UCI", by_uci), ("chess, PGN", by_pgn)):
        rate = statistics.median(rates)
        print(f"{name:12} {rate:10,.0f} a second ({1e6 / rate:.2f} µs each)")
    for name, rates in (("UCI", by_uci), ("PGN", by_pgn)):
        ratio = statistics.median(a / b for a, b in zip(ours, rates, strict=True))
        print(f"ratio to python-chess from {name}: {ratio:.2f}")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


if __name__ == "__main__":
    main()
