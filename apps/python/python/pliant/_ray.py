"""The runs of a sweep as tasks of a Ray cluster. Ray is imported only here, and only when an address is given."""

from __future__ import annotations

import importlib
import importlib.util
import os
import socket
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator
from typing import Any, Optional
from urllib.parse import urlsplit

from . import _pliant
from ._sweep import ATTEMPTS, _failed
from ._worker import run_text
from .errors import InputError

PATIENCE = 20.0
"""Seconds that a cluster has to answer."""


class _Cluster:
    """Ray, connected."""

    def __init__(self, ray: Any, jobs: Optional[int], threads: int, is_ours: bool) -> None:
        self.ray, self.threads, self.is_ours = ray, threads, is_ours
        cores = int(ray.cluster_resources().get("CPU", 1))
        # Some more than can run at a time, so that no core waits for the next.
        self.under_way = jobs or max(2, 2 * cores // threads)

    def __enter__(self) -> _Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        if self.is_ours:
            self.ray.shutdown()

    def run(self, plan: _pliant._Sweep, waiting: deque[int]) -> Iterator[str]:
        # A worker that is killed takes its run with it; Ray starts that again elsewhere.
        task = self.ray.remote(num_cpus=self.threads, max_retries=ATTEMPTS, retry_exceptions=False)(run_text)
        running: dict[Any, int] = {}
        while waiting or running:
            while waiting and len(running) < self.under_way:
                number = waiting.popleft()
                running[task.remote(number, plan.text(number), self.threads)] = number
            ready, _ = self.ray.wait(list(running), num_returns=1)
            for reference in ready:
                number = running.pop(reference)
                try:
                    yield str(self.ray.get(reference))
                except self.ray.exceptions.RayError as error:
                    yield _failed(number, f"{type(error).__name__}: {error}")


def connected(address: str, jobs: Optional[int], threads: int) -> _Cluster:
    """Connects; an ``InputError`` if there is no Ray, or no cluster that answers."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        ray = importlib.import_module("ray")
    except ImportError as error:
        raise InputError(f"address: needs Ray, which is not installed: pip install ray ({error})") from error
    if ray.is_initialized():
        return _Cluster(ray, jobs, threads, is_ours=False)
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
    if address == "local":
        cores = max(threads, jobs * threads) if jobs else None
        ray.init("local", num_cpus=cores, include_dashboard=False, object_store_memory=10**8, **quiet)
        return _Cluster(ray, jobs, threads, is_ours=True)
    _must_answer(address)
    try:
        ray.init(address, **quiet)
    except Exception as error:
        raise InputError(f"address: {address}: {error}") from error
    return _Cluster(ray, jobs, threads, is_ours=True)


def _must_answer(address: str) -> None:
    """Asks from another process first: a client that does not get its answer may wait for minutes, or end its process."""
    end = time.monotonic() + PATIENCE
    silent = f"address: {address}: no Ray cluster answers there"
    if address != "auto":
        place = urlsplit(address if "://" in address else f"//{address}")
        try:
            host, port = place.hostname, place.port or (10001 if place.scheme == "ray" else 6379)
        except ValueError as error:
            raise InputError(f"address: {address}: {error}; write for example ray://head:10001") from error
        if not host:
            raise InputError(f'address: {address!r} is none; write "auto", "local", or for example "ray://head:10001"')
        if place.scheme == "ray" and importlib.util.find_spec("grpc") is None:
            raise InputError(f"address: {address}: Ray's client is not installed: pip install 'ray[client]'")
        try:
            socket.create_connection((host, port), timeout=PATIENCE / 4).close()
        except OSError as error:
            raise InputError(f"{silent} ({error})") from error
    code = "import sys, ray; ray.init(sys.argv[1], log_to_driver=False); ray.cluster_resources()"
    child = subprocess.Popen(
        [sys.executable, "-c", code, address], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    try:
        _, words = child.communicate(timeout=max(1.0, end - time.monotonic()))
    except subprocess.TimeoutExpired:
        child.kill()
        child.communicate()
        raise InputError(f"{silent} within {PATIENCE:.0f} s") from None
    if child.returncode != 0:
        last = (words.strip().splitlines() or ["it says nothing"])[-1]
        raise InputError(f"{silent} ({last})")
