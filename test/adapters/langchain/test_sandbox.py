"""LangChain's own tests of a sandbox, over the bridge beside this file."""

import base64
import json
import os
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from deepagents.backends.protocol import (
    ExecuteResponse,
    FileDownloadResponse,
    FileUploadResponse,
)
from deepagents.backends.sandbox import BaseSandbox
from langchain_tests.integration_tests import SandboxIntegrationTests

BRIDGE = Path(__file__).with_name("bridge.mjs")


class BridgedSandbox(BaseSandbox):
    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [os.environ["SBX_NODE"], str(BRIDGE)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._lock = threading.Lock()
        self._id = self._ask(call="id")

    def _ask(self, **request: object) -> object:
        with self._lock:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
            answer = json.loads(self._process.stdout.readline())
        if isinstance(answer, dict) and "fault" in answer:
            raise RuntimeError(answer["fault"])
        return answer

    @property
    def id(self) -> str:
        return self._id

    def execute(self, command: str, *, timeout: int | None = None) -> ExecuteResponse:
        answer = self._ask(call="execute", command=command)
        return ExecuteResponse(answer["output"], answer["exitCode"], answer["truncated"])

    def upload_files(self, files: list[tuple[str, bytes]]) -> list[FileUploadResponse]:
        sent = [(path, base64.b64encode(content).decode()) for path, content in files]
        answers = self._ask(call="upload", files=sent)
        return [FileUploadResponse(path=it["path"], error=it["error"]) for it in answers]

    def download_files(self, paths: list[str]) -> list[FileDownloadResponse]:
        return [
            FileDownloadResponse(
                path=it["path"],
                content=None if it["content"] is None else base64.b64decode(it["content"]),
                error=it["error"],
            )
            for it in self._ask(call="download", paths=paths)
        ]

    def close(self) -> None:
        self._process.stdin.close()
        self._process.wait(timeout=30)


class TestSbx(SandboxIntegrationTests):
    @pytest.fixture(scope="class")
    def sandbox(self) -> Iterator[BridgedSandbox]:
        backend = BridgedSandbox()
        yield backend
        backend.close()
