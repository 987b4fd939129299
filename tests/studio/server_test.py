#!/usr/bin/env python3
"""Who the studio's server lets in, and that nothing it is sent ends it: server_test.py SESTINA"""

import base64
import json
import os
import pathlib
import re
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import unittest

PROGRAM = None
MODEL = """\
sestina: 1
parameters: {l: 0.8}   # m
gravity: [0, -9.81, 0]
bodies: [{name: rod, mass: 1, center_of_mass: [0, -l, 0]}]
joints: [{name: hip, type: revolute, parent: ground.origin, child: rod.origin, axis: [0, 0, 1], q: 1}]
"""


class Socket:
    """A WebSocket by hand, so that it can break the rules."""

    def __init__(self, port, token, origin=None, path="/socket"):
        self.stream = socket.create_connection(("127.0.0.1", port), timeout=20)
        key = base64.b64encode(os.urandom(16)).decode()
        origin = f"http://127.0.0.1:{port}" if origin is None else origin
        lines = [f"GET {path}?token={token} HTTP/1.1", f"Host: 127.0.0.1:{port}", "Upgrade: websocket", "Connection: Upgrade",
                 f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13", f"Origin: {origin}"]
        self.stream.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        self.rest = b""
        while b"\r\n\r\n" not in self.rest:
            data = self.stream.recv(65536)
            if not data:
                break
            self.rest += data
        head, _, self.rest = self.rest.partition(b"\r\n\r\n")
        self.status = int(head.split()[1])

    def send(self, payload, opcode=1, length=None):
        payload = payload.encode() if isinstance(payload, str) else payload
        size = len(payload) if length is None else length
        head = bytes([0x80 | opcode])
        if size < 126:
            head += bytes([0x80 | size])
        elif size < 65536:
            head += bytes([0x80 | 126]) + struct.pack(">H", size)
        else:
            head += bytes([0x80 | 127]) + struct.pack(">Q", size)
        mask = os.urandom(4)
        self.stream.sendall(head + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(payload)))

    def _read(self, count):
        while len(self.rest) < count:
            data = self.stream.recv(1 << 20)
            if not data:
                raise EOFError
            self.rest += data
        taken, self.rest = self.rest[:count], self.rest[count:]
        return taken

    def receive(self):
        """A message, which may come in several frames: text or bytes."""
        is_text, whole = None, b""
        while True:
            first, payload = self._frame()
            is_text = first & 15 == 1 if is_text is None else is_text
            whole += payload
            if first & 0x80:
                return whole.decode() if is_text else whole

    def _frame(self):
        first, second = self._read(2)
        size = second & 127
        if size == 126:
            (size,) = struct.unpack(">H", self._read(2))
        elif size == 127:
            (size,) = struct.unpack(">Q", self._read(8))
        return first, self._read(size)

    def wait_for(self, kind):
        while True:
            message = self.receive()
            if isinstance(message, str) and json.loads(message)["type"] == kind:
                return json.loads(message)

    def close(self):
        self.stream.close()

    def __del__(self):
        self.close()


class ServerTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="sestina-studio-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name, "models")
        self.folder.mkdir()
        (self.folder.parent / "secret.csv").write_text("t,secret\n0,1\n1,2\n")
        self.model = self.folder / "pendulum.yaml"
        self.model.write_text(MODEL)
        self.server = subprocess.Popen([PROGRAM, "studio", str(self.model), "--no-browser"], stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.end)
        ready, _, _ = select.select([self.server.stdout], [], [], 30)
        self.assertTrue(ready, "the studio tells no address")
        line = self.server.stdout.readline()
        found = re.match(r"http://127\.0\.0\.1:(\d+)/\?token=([0-9a-f]{32})$", line)
        self.assertTrue(found, line)
        self.port, self.token = int(found.group(1)), found.group(2)

    def end(self):
        if self.server.poll() is None:
            self.server.send_signal(signal.SIGINT)
            self.assertEqual(self.server.wait(timeout=20), 0)
        self.server.stdout.close()

    def ask(self, request):
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as stream:
            stream.sendall(request)
            answer = b""
            while data := stream.recv(1 << 20):
                answer += data
        return answer

    def get(self, target, host=None, extra=""):
        host = f"127.0.0.1:{self.port}" if host is None else host
        answer = self.ask(f"GET {target} HTTP/1.1\r\nHost: {host}\r\n{extra}\r\n".encode())
        return int(answer.split()[1])

    def is_alive(self):
        self.assertIsNone(self.server.poll())
        self.assertEqual(self.get(f"/?token={self.token}"), 200)

    def test_serves_the_page_to_who_knows_the_token_alone(self):
        self.assertEqual(self.get(f"/?token={self.token}"), 200)
        for target in ("/", "/?token=", f"/?token={self.token[:-1]}", f"/?token={self.token}0", f"/?Token={self.token}",
                       "/?token=" + "0" * 32):
            self.assertEqual(self.get(target), 403, target)

    def test_refuses_other_hosts_and_origins(self):
        target = f"/?token={self.token}"
        for host in ("evil.example", f"evil.example:{self.port}", "127.0.0.1", "127.0.0.1:1", ""):
            self.assertEqual(self.get(target, host), 403, host)
        self.assertEqual(self.get(target, f"localhost:{self.port}"), 200)
        self.assertEqual(self.get(target, extra="Origin: http://evil.example\r\n"), 403)
        for origin in ("http://evil.example", "null", "", f"https://127.0.0.1:{self.port}", "http://127.0.0.1"):
            self.assertEqual(Socket(self.port, self.token, origin).status, 403, origin)
        self.assertEqual(Socket(self.port, "0" * 32).status, 403)
        self.assertEqual(Socket(self.port, self.token, path="/other").status, 404)
        self.assertEqual(Socket(self.port, self.token).status, 101)

    def test_listens_on_the_loopback_address_alone(self):
        listening = pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]
        own = [line.split()[1] for line in listening if line.split()[1].endswith(f":{self.port:04X}") and line.split()[3] == "0A"]
        self.assertEqual(own, [f"0100007F:{self.port:04X}"])

    def test_serves_no_file_and_no_other_method(self):
        token = f"?token={self.token}"
        for path in ("/etc/passwd", "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/pendulum.yaml", "/socket"):
            self.assertEqual(self.get(path + token), 404, path)
        for method in ("POST", "PUT", "DELETE"):
            answer = self.ask(f"{method} /{token} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n\r\n".encode())
            self.assertEqual(answer.split()[1], b"405", method)
        self.is_alive()

    def test_outlives_requests_that_are_none(self):
        for request in (b"\r\n\r\n", b"GET\r\n\r\n", b"\0" * 100, b"GET / HTTP/9.9\r\n\r\n", os.urandom(2000) + b"\r\n\r\n",
                        b"GET / HTTP/1.1\r\nHost: " + b"a" * 100_000 + b"\r\n\r\n",
                        f"GET /?token={self.token} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nContent-Length: 5\r\n\r\nabcde".encode()):
            try:
                self.assertNotIn(b" 200 ", self.ask(request).split(b"\r\n")[0])
            except ConnectionResetError:
                pass  # refused before all of it was sent
        self.is_alive()

    def test_outlives_messages_that_break_the_rules(self):
        for break_rules in (lambda s: s.send("{"), lambda s: s.send(b"\xff\xfe", opcode=1), lambda s: s.send(b"\1\2", opcode=2),
                            lambda s: s.send("", opcode=11), lambda s: s.send("x", length=2**40), lambda s: s.send("x", length=9 << 20),
                            lambda s: s.send("[" * 5000), lambda s: s.send('{"type":"text","text":"' + "[" * 100_000 + '"}'),
                            lambda s: s.stream.sendall(os.urandom(500)), lambda s: s.send(b"\x03\xe8", opcode=8)):
            client = Socket(self.port, self.token)
            self.assertEqual(client.status, 101)
            try:
                break_rules(client)
            except (BrokenPipeError, ConnectionResetError):
                pass
            client.close()
            self.is_alive()

    def test_edits_saves_and_keeps_comments(self):
        client = Socket(self.port, self.token)
        self.assertEqual(client.wait_for("document")["faults"], [])
        client.send(json.dumps({"type": "set", "path": "parameters.l", "value": "0.5"}))
        self.assertEqual(client.wait_for("document")["undo"], 1)
        self.assertIn("l: 0.5", (self.folder / ".pendulum.yaml.studio").read_text())
        client.send(json.dumps({"type": "save"}))
        client.wait_for("saved")
        self.assertEqual(self.model.read_text(), MODEL.replace("0.8", "0.5"))
        self.assertFalse((self.folder / ".pendulum.yaml.studio").exists())

    def test_reads_and_writes_nothing_outside_of_the_folder(self):
        client = Socket(self.port, self.token)
        client.wait_for("document")
        for file in ("../secret.csv", str(self.folder.parent / "secret.csv")):
            forces = f"forces: [{{name: f, type: joint_force, joint: hip, value: {{table: {file}, columns: secret}}}}]\n"
            client.send(json.dumps({"type": "text", "text": MODEL + forces}))
            faults = client.wait_for("document")["faults"]
            self.assertEqual(len(faults), 1)
            self.assertIn("outside of the folder", faults[0]["text"])
        client.send(json.dumps({"type": "save"}))
        self.assertIn("outside of the folder", client.wait_for("error")["text"])
        client.send(json.dumps({"type": "text", "text": MODEL}))
        before = sorted(os.listdir(self.folder.parent))
        client.send(json.dumps({"type": "save", "name": "../evil", "file": "/tmp/evil", "path": "../evil"}))
        client.wait_for("saved")  # the model's own file
        self.assertEqual(sorted(os.listdir(self.folder.parent)), before)

    def test_offers_work_again_that_a_kill_interrupted(self):
        client = Socket(self.port, self.token)
        client.wait_for("document")
        client.send(json.dumps({"type": "set", "path": "parameters.l", "value": "0.25"}))
        client.wait_for("document")
        self.server.kill()
        self.server.wait()
        self.server.stdout.close()
        client.close()
        self.assertEqual(self.model.read_text(), MODEL)
        self.server = subprocess.Popen([PROGRAM, "studio", str(self.model), "--no-browser"], stdout=subprocess.PIPE, text=True)
        found = re.match(r"http://127\.0\.0\.1:(\d+)/\?token=([0-9a-f]{32})$", self.server.stdout.readline())
        client = Socket(int(found.group(1)), found.group(2))
        self.assertTrue(client.wait_for("document")["recovered"])
        client.send(json.dumps({"type": "recover", "take": True}))
        self.assertIn("l: 0.25", client.wait_for("document")["text"])


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    if b"no-browser" not in subprocess.run([PROGRAM, "studio", "--help"], stdout=subprocess.PIPE, check=True).stdout:
        sys.exit(77)
    unittest.main()
