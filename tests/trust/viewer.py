"""Clients of the viewer that do not read, say nothing, or say nonsense: it keeps its memory bounded and serves the page at once."""

import random
import re
import socket
import time

from common import BINARY, LONG, must, start, suite

# a page is served within this many seconds, and the program may grow by this much, MB
SOON = 2.0
GROWTH = 64


class Viewer:
    def __enter__(self):
        self.child = start([BINARY, "view", "spring-net", "--no-open", "--port", "0"])
        line = self.child.stdout.readline().decode()
        found = re.search(r"http://([\d.]+):(\d+)/(\w+)/", line)
        must(found, f"no address: {line}")
        self.place, self.token = (found[1], int(found[2])), found[3]
        self.host = f"{found[1]}:{found[2]}"
        return self

    def __exit__(self, *_):
        self.child.kill()
        said = self.child.communicate()[1].decode(errors="replace")
        must("panicked" not in said, said)

    def megabytes(self):
        with open(f"/proc/{self.child.pid}/status") as status:
            return int(re.search(r"VmRSS:\s+(\d+)", status.read())[1]) / 1024

    def connect(self):
        return socket.create_connection(self.place, timeout=5)

    def ask(self, head):
        """Sends the head of a request; returns the status."""
        with self.connect() as client:
            client.sendall(head.encode())
            return int((client.recv(4096) or b"x 0").split()[1])

    def page(self):
        """The status of the page, and the seconds until it came."""
        begun = time.monotonic()
        status = self.ask(f"GET /{self.token}/ HTTP/1.1\r\nHost: {self.host}\r\n\r\n")
        return status, time.monotonic() - begun

    def socket(self):
        """A page's socket; where too many are open, it waits until those that were closed have ended."""
        begun = time.monotonic()
        while time.monotonic() - begun < SOON:
            client = self.connect()
            status = self.upgrade(client)
            if status == b"HTTP/1.1 101":
                return client
            client.close()
            must(status == b"HTTP/1.1 503", f"the page may not open its socket: {status}")
            time.sleep(0.01)
        must(False, f"the page may not open its socket within {SOON} s")

    def upgrade(self, client):
        key = "dGhlIHNhbXBsZSBub25jZQ=="
        client.sendall((f"GET /{self.token}/live HTTP/1.1\r\nHost: {self.host}\r\nOrigin: http://{self.host}\r\n"
                        f"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                        f"Sec-WebSocket-Key: {key}\r\n\r\n").encode())
        return client.recv(12)


def frame(kind, data):
    """A masked frame, its mask zero."""
    must(len(data) < 126, "a short frame")
    return bytes([0x80 | kind, 0x80 | len(data), 0, 0, 0, 0]) + data


def pings(viewer, megabytes):
    """Sends pings and reads nothing, until the connection is ended."""
    many = frame(9, b"p" * 125) * 512
    sent, before = 0, viewer.megabytes()
    with viewer.socket() as client:
        try:
            while sent < megabytes << 20:
                client.sendall(many)
                sent += len(many)
        except OSError:
            pass
        grown = viewer.megabytes() - before
    must(sent < megabytes << 20, f"{sent >> 20} MB of pings were taken")
    must(grown < GROWTH, f"{grown:.0f} MB more after pings")
    return sent


def silent(viewer, count):
    """Connections that say nothing, or not the token; returns the longest time until a page was served."""
    held, longest = [], 0
    for number in range(count):
        client = viewer.connect()
        if number % 2:
            client.sendall(random.choice([b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"G", b"\0" * 100]))
        held.append(client)
        if number % 25 == 24:
            status, seconds = viewer.page()
            must(status == 200, f"status {status} beside {len(held)} silent connections")
            must(seconds < SOON, f"{seconds:.1f} s beside {len(held)} silent connections")
            longest = max(longest, seconds)
    for client in held:
        client.close()
    return longest


def nonsense(viewer, count):
    """Heads and frames of random bytes."""
    for _ in range(count):
        with viewer.connect() as client:
            client.sendall(random.randbytes(random.randrange(1, 400)) + b"\r\n\r\n")
        with viewer.socket() as client:
            frames = [random.choice([b"", b"{", b'{"type":"set"}', random.randbytes(20)]) for _ in range(4)]
            try:
                for data in frames:
                    client.sendall(random.choice([frame(random.randrange(16), data), random.randbytes(8)]))
            except OSError:
                pass  # ended after an earlier one
    return count


def body():
    with Viewer() as viewer:
        rounds = 20 if LONG else 2
        taken = max(pings(viewer, 128) for _ in range(rounds))
        longest = silent(viewer, 500 if LONG else 50)
        count = nonsense(viewer, 400 if LONG else 20)
        status, seconds = viewer.page()
        must(status == 200 and seconds < SOON, f"status {status} after {seconds:.1f} s at the end")
        size = viewer.megabytes()
    return (f"{rounds} floods of pings ended after {taken >> 20} MB at most, a page beside silent connections in "
            f"{1000 * longest:.0f} ms, {count} rounds of nonsense, {size:.0f} MB at the end")


suite("viewer", body)
