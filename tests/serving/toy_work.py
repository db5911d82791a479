"""Work for a pool under test: quick to start, and as bad as work can be."""

import os
import signal
import time
from typing import Any

from causewise.errors import InputError, UnclearError
from causewise.parallel import OnProgress as Tell


def prepare() -> None:
    pass


def echo(settings: dict[str, Any], content: bytes, tell: Tell) -> Any:
    return settings, content, os.getpid()


def sleep(settings: dict[str, Any], content: bytes, tell: Tell) -> None:
    time.sleep(settings["seconds"])


def steps(settings: dict[str, Any], content: bytes, tell: Tell) -> None:
    for k in range(settings["of"] + 1):
        tell("walking", k, settings["of"])
    time.sleep(60)


def die(settings: dict[str, Any], content: bytes, tell: Tell) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def eat(settings: dict[str, Any], content: bytes, tell: Tell) -> int:
    return len(bytearray(settings["bytes"]))


def fail(settings: dict[str, Any], content: bytes, tell: Tell) -> None:
    raise RuntimeError("the secret of /home/somebody")


def refuse(settings: dict[str, Any], content: bytes, tell: Tell) -> None:
    raise InputError("Got nothing; expected something.")


def unclear(settings: dict[str, Any], content: bytes, tell: Tell) -> None:
    raise UnclearError("Got 1.234; expected one meaning.", ("--decimal", "."), ("--decimal", ","), ("--no-header",))


WORK = {each.__name__: each for each in (echo, sleep, steps, die, eat, fail, refuse, unclear)}
