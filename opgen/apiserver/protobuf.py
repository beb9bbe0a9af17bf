"""A Status in Kubernetes' protobuf envelope, for clients that accept nothing else: they are told so in it."""

from __future__ import annotations

from typing import Final

from opgen.apiserver.status import StatusError

__all__ = ["encode_status", "MEDIA_TYPE"]

MEDIA_TYPE: Final = "application/vnd.kubernetes.protobuf"
_MAGIC: Final = b"k8s\x00"


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def _field(number: int, data: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def encode_status(error: StatusError) -> bytes:
    """Return the Status of `error`, without its details."""
    status = b"".join(
        (
            _field(1, _field(1, b"") + _field(2, b"") + _field(3, b"")),  # ListMeta
            _field(2, b"Failure"),
            _field(3, error.message.encode()),
            _field(4, error.reason.encode()),
            _varint(6 << 3) + _varint(error.code),
        )
    )
    envelope = b"".join(
        (
            _field(1, _field(1, b"v1") + _field(2, b"Status")),
            _field(2, status),
            _field(3, b""),
            _field(4, b""),
        )
    )
    return _MAGIC + envelope
