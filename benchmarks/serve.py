"""Many uploads at once: `python benchmarks/serve.py [UPLOADS] [ROWS]`.

The server runs in a process of its own, as `causewise serve` starts it, and is asked from this one over loopback:
UPLOADS (200) tables of ROWS (5000) rows and five columns at the same moment, while the start page is opened again and
again. Printed: how many were answered and refused, how long an upload and the page took, and the peak of memory.
"""

import re
import statistics
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import httpx
import numpy as np
import psutil


def main(uploads: int = 200, rows: int = 5000) -> None:
    """Run it once and print the table."""
    table = np.random.default_rng(0).normal(size=(rows, 5))
    content = b"a,b,c,d,e\n" + "\n".join(",".join(f"{value:.6f}" for value in row) for row in table).encode()
    command = [sys.executable, "-m", "causewise", "serve", "--port", "0", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            found = re.search(r"http://\S+", server.stdout.readline())
            assert found is not None
            _measure(found[0], content, uploads, psutil.Process(server.pid))
        finally:
            server.terminate()


def _measure(address: str, content: bytes, uploads: int, server: psutil.Process) -> None:
    limits = httpx.Limits(max_connections=uploads + 10)
    with httpx.Client(base_url=address, timeout=300, limits=limits, trust_env=False) as client:

        def upload(_: int) -> tuple[int, float]:
            start = time.perf_counter()
            response = client.post("api/tables", files={"file": ("table.csv", content)})
            assert response.status_code == 200 or response.json()["detail"], response.text
            return response.status_code, time.perf_counter() - start

        upload(0)  # the processes have started
        idle = [_page(client) for _ in range(20)]
        pages, peaks = list[float](), Counter[str]()
        with _repeated(lambda: pages.append(_page(client))), _repeated(lambda: _weigh(server, peaks)):
            start = time.perf_counter()
            with ThreadPoolExecutor(uploads) as pool:
                answers = list(pool.map(upload, range(uploads)))
            seconds = time.perf_counter() - start
    codes, times = Counter(code for code, _ in answers), {code: [] for code, _ in answers}
    for code, took in answers:
        times[code].append(took)
    print(f"{uploads} uploads of {len(content) / 1e6:.2f} MB at once, all ended after {seconds:.1f} s\n")
    print("| what | value |\n|---|---:|")
    for code in sorted(codes):
        print(f"| answered with {code} | {codes[code]} |")
        print(f"| median time of these | {statistics.median(times[code]):.2f} s |")
    print(f"| median time of the page, nothing else asked | {1e3 * statistics.median(idle):.0f} ms |")
    print(f"| median time of the page meanwhile ({len(pages)} times) | {1e3 * statistics.median(pages):.0f} ms |")
    print(f"| longest time of the page meanwhile | {1e3 * max(pages):.0f} ms |")
    print(f"| peak memory of the server | {peaks['server'] / 1e6:.0f} MB |")
    print(f"| peak memory of it and its processes | {peaks['all'] / 1e6:.0f} MB |")


def _page(client: httpx.Client) -> float:
    start = time.perf_counter()
    assert client.get("").status_code == 200
    return time.perf_counter() - start


def _weigh(server: psutil.Process, peaks: Counter[str]) -> None:
    own = server.memory_info().rss
    try:
        every = own + sum(child.memory_info().rss for child in server.children(recursive=True))
    except psutil.NoSuchProcess:
        return
    peaks["server"], peaks["all"] = max(peaks["server"], own), max(peaks["all"], every)


class _repeated:
    """Something done every twentieth of a second, in a thread, while a block lasts."""

    def __init__(self, what: Callable[[], object]) -> None:
        self._what, self._over = what, threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *problem: object) -> None:
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._over.is_set():
            self._what()
            self._over.wait(0.05)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
