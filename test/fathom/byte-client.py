"""A WebSocket client of its own: standard library only, every byte of every frame sent alone, every byte read alone.

Usage: byte-client.py HOST PORT [whole|fragments|pings] < messages
Sends each line of stdin as a message, masked. Prints the upgrade's status line and headers, then each message that comes, a
line each, until as many executions as were sent have ended, and finally the close code.
"""
import base64
import hashlib
import json
import os
import socket
import struct
import sys

TEXT, CONTINUATION, CLOSE, PING, PONG = 1, 0, 8, 9, 10


def frame(opcode, payload, fin=True):
    mask = os.urandom(4)
    size = len(payload)
    head = bytes([(0x80 if fin else 0) | opcode])
    if size < 126:
        head += bytes([0x80 | size])
    elif size < 65536:
        head += bytes([0x80 | 126]) + struct.pack(">H", size)
    else:
        head += bytes([0x80 | 127]) + struct.pack(">Q", size)
    return head + mask + bytes(byte ^ mask[at % 4] for at, byte in enumerate(payload))


def frames(text, style):
    payload = text.encode()
    if style == "whole":
        return frame(TEXT, payload)
    pieces = [payload[at : at + 7] for at in range(0, len(payload), 7)]
    out = b""
    for at, piece in enumerate(pieces):
        out += frame(CONTINUATION if at else TEXT, piece, at == len(pieces) - 1)
        if style == "pings" and at % 10 == 0:
            out += frame(PING, b"between")
    return out


class Client:
    def __init__(self, host, port):
        self.socket = socket.create_connection((host, port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, data):
        for at in range(len(data)):
            self.socket.sendall(data[at : at + 1])

    def read(self, count):
        data = b""
        while len(data) < count:
            byte = self.socket.recv(1)
            if not byte:
                raise EOFError
            data += byte
        return data

    def upgrade(self):
        key = base64.b64encode(os.urandom(16)).decode()
        self.send(
            (
                "GET /ws HTTP/1.1\r\nHost: test\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\nX-Protocol-Version: 1\r\n\r\n"
            ).encode()
        )
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += self.read(1)
        wanted = base64.b64encode(hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest())
        assert wanted in head, head
        return head.decode()

    def frame(self):
        first, second = self.read(2)
        assert not second & 0x80, "a server's frames are not masked"
        assert not first & 0x70, "no extension was agreed on"
        size = second & 0x7F
        if size == 126:
            (size,) = struct.unpack(">H", self.read(2))
        elif size == 127:
            (size,) = struct.unpack(">Q", self.read(8))
        return first & 0x0F, bool(first & 0x80), self.read(size)


def main():
    host, port, style = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    client = Client(host, port)
    print(json.dumps(client.upgrade()))
    lines = [line for line in sys.stdin.read().split("\n") if line]
    for line in lines:
        client.send(frames(line, style))
    left = sum('"execute"' in line for line in lines)
    text = b""
    while left > 0:
        opcode, fin, payload = client.frame()
        if opcode == PONG:
            assert payload == b"between"
            continue
        if opcode == PING:
            client.send(frame(PONG, payload))
            continue
        assert opcode in (TEXT, CONTINUATION), opcode
        text += payload
        if not fin:
            continue
        message = json.loads(text.decode("utf-8", "strict"))
        text = b""
        print(json.dumps(message))
        left -= message["type"] == "result"
    client.send(frame(CLOSE, struct.pack(">H", 1000)))
    while True:
        opcode, _, payload = client.frame()
        if opcode == CLOSE:
            print(json.dumps({"close": struct.unpack(">H", payload[:2])[0]}))
            return


main()
