"""Keys: the Ed25519 pairs that sign receipts, and the sealing of each secret that the database keeps."""

import contextlib
import dataclasses
import hashlib
import os
from collections.abc import Iterator

from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

_SEAL_FORMAT = b"\x01"
_NONCE_BYTES = 12


class BadKey(ValueError):
    """The file is not an Ed25519 public key in PEM form."""


class Unsealable(ValueError):
    """The sealed value was made with another SECRET_KEY or for another purpose, or it was changed."""


@dataclasses.dataclass(frozen=True)
class KeyPair:
    """A signing key: `private` is the 32-byte seed, to be kept sealed; `public_pem` is for everybody."""

    key_id: str
    public_pem: str
    private: bytes = dataclasses.field(repr=False)


def new_key_pair() -> KeyPair:
    """A fresh Ed25519 pair."""
    private = os.urandom(32)
    pem = public_pem(private)
    return KeyPair(key_id(pem), pem, private)


def public_pem(private: bytes) -> str:
    """The public half of a 32-byte seed, as PEM."""
    public = Ed25519PrivateKey.from_private_bytes(private).public_key()
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    return public.public_bytes(serialization.Encoding.PEM, form).decode()


def key_id(pem: str | bytes) -> str:
    """The key's short fingerprint: the first 16 hex digits of the SHA-256 of the raw public key; BadKey."""
    raw = _public(pem).public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
    return hashlib.sha256(raw).hexdigest()[:16]


def sign(private: bytes, message: bytes) -> bytes:
    """The 64-byte Ed25519 signature; the same message and key give the same bytes."""
    return Ed25519PrivateKey.from_private_bytes(private).sign(message)


def is_signed(pem: str | bytes, message: bytes, signature: bytes) -> bool:
    """Whether the key's owner signed exactly this message; BadKey."""
    public = _public(pem)
    try:
        public.verify(signature, message)
    except InvalidSignature:
        return False
    return True


def _public(pem: str | bytes) -> Ed25519PublicKey:
    try:
        key = serialization.load_pem_public_key(pem.encode() if isinstance(pem, str) else pem)
    except ValueError:
        raise BadKey("this is not a public key in PEM form (-----BEGIN PUBLIC KEY-----)") from None
    if not isinstance(key, Ed25519PublicKey):
        raise BadKey("this public key is not an Ed25519 one")
    return key


def seal(secret_key: str, context: str, plain: bytes) -> bytes:
    """Encrypt to keep, by the first line of `secret_key`; `context` says whose secret it is ("webhook of project 7") and must be given again."""
    nonce = os.urandom(_NONCE_BYTES)
    return _SEAL_FORMAT + nonce + next(_ciphers(secret_key)).encrypt(nonce, plain, context.encode())


def unseal(secret_key: str, context: str, sealed: bytes) -> bytes:
    """The plain bytes again, by whichever line of `secret_key` sealed them; Unsealable."""
    nonce, box = sealed[1 : 1 + _NONCE_BYTES], sealed[1 + _NONCE_BYTES :]
    for cipher in _ciphers(secret_key) if secret_key and sealed.startswith(_SEAL_FORMAT) else ():
        with contextlib.suppress(InvalidTag, ValueError):
            return cipher.decrypt(nonce, box, context.encode())
    raise Unsealable(f"{context}: sealed with another SECRET_KEY or for something else")


def _ciphers(secret_key: str) -> Iterator[AESGCM]:
    """One for each line: the key in force, then the former ones, which only open."""
    if not secret_key:
        raise ValueError("SECRET_KEY is empty")
    for line in secret_key.split("\n"):
        yield AESGCM(HKDF(hashes.SHA256(), 32, salt=None, info=b"claimcheck seal 1").derive(line.encode()))
