"""Stand-in for dtspy with the same signatures, checks and results. Sends requests with the standard library."""

import base64
import json
import logging
import urllib.request
import uuid

logger = logging.getLogger("dts")


class JsonResource:
    def __init__(self, descriptor):
        self._descriptor = descriptor
        self.path = descriptor.get("path")

    def to_dict(self):
        return dict(self._descriptor)


class TransferStatus:
    def __init__(self, fields):
        self.id = fields.get("id")
        self.status = fields.get("status")
        self.message = fields.get("message")
        self.num_files = fields.get("num_files")
        self.num_files_transferred = fields.get("num_files_transferred")


class Client:
    def __init__(self, api_key=None, server=None, port=None):
        self._server = server if port is None else f"{server}:{port}"
        self._token = base64.b64encode(f"{api_key}\n".encode()).decode()
        self._send("/")
        self._connected = True

    def search(self, database, orcid, query, status=None, offset=0, limit=None, specific=None):
        if not query:
            raise RuntimeError("search: missing query.")
        body = {"database": database, "orcid": orcid, "query": query}
        optional = {"status": status, "offset": offset, "limit": limit, "specific": specific}
        return self._files("/files", {**body, **{name: value for name, value in optional.items() if value}})

    def fetch_metadata(self, database, orcid, file_ids, offset=0, limit=None):
        if not isinstance(file_ids, list) or not file_ids:
            raise RuntimeError("fetch_metadata: missing or invalid file IDs.")
        return self._files("/files/by-id", {"database": database, "orcid": orcid, "file_ids": file_ids})

    def transfer(self, orcid, file_ids, source, destination, description=None, instructions=None, timeout=None):
        body = {"orcid": orcid, "file_ids": file_ids, "source": source, "destination": destination}
        if description:
            body["description"] = description
        if instructions:
            body["instructions"] = instructions
        answer = self._try("/transfers", body)
        return answer and uuid.UUID(answer["id"])

    def transfer_status(self, id):
        answer = self._try(f"/transfers/{id}")
        return answer and TransferStatus(answer)

    def disconnect(self):
        self._connected = False

    def _files(self, path, body):
        answer = self._try(path, body)
        return [] if answer is None else [JsonResource(one) for one in answer["resources"]]

    def _try(self, path, body=None):
        if not self._connected:
            raise RuntimeError("dts.Client: not connected.")
        try:
            return self._send(f"/api/v1{path}", body)
        except OSError as error:
            logger.error(f"HTTP error occurred: {error}")
            return None

    def _send(self, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        request = urllib.request.Request(f"{self._server}{path}", data, headers)
        with urllib.request.urlopen(request) as response:
            return json.load(response)
