"""Signing keys and the sealing of secrets."""

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from claimcheck.proof import signing

SECRET = "a secret key of some thirty-two characters"


def test_it_signs_for_one_message_and_one_key() -> None:
    key, other = signing.new_key_pair(), signing.new_key_pair()
    signature = signing.sign(key.private, b"message")
    assert signature == signing.sign(key.private, b"message")
    assert signing.is_signed(key.public_pem, b"message", signature)
    assert not signing.is_signed(key.public_pem, b"massage", signature)
    assert not signing.is_signed(other.public_pem, b"message", signature)
    assert not signing.is_signed(key.public_pem, b"message", b"")


def test_it_names_a_key_by_its_public_half() -> None:
    key = signing.new_key_pair()
    assert key.key_id == signing.key_id(key.public_pem) == signing.key_id(signing.public_pem(key.private).encode())
    assert len(key.key_id) == 16 and key.key_id != signing.new_key_pair().key_id
    assert key.private.hex() not in repr(key) and repr(key.private) not in repr(key)


@pytest.mark.parametrize("pem", ["", "x", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"])
def test_it_refuses_what_is_no_public_key(pem: str) -> None:
    with pytest.raises(signing.BadKey):
        signing.key_id(pem)


def test_it_refuses_a_key_of_another_kind() -> None:
    key = ec.generate_private_key(ec.SECP256R1()).public_key()
    pem = key.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    with pytest.raises(signing.BadKey, match="Ed25519"):
        signing.is_signed(pem, b"message", b"")


def test_it_opens_a_sealed_secret_only_in_its_own_context() -> None:
    sealed = signing.seal(SECRET, "webhook of project 7", b"whsec_x")
    assert signing.unseal(SECRET, "webhook of project 7", sealed) == b"whsec_x"
    assert sealed != signing.seal(SECRET, "webhook of project 7", b"whsec_x") and b"whsec" not in sealed
    for key, context, box in [
        (SECRET + "!", "webhook of project 7", sealed),
        (SECRET, "webhook of project 8", sealed),
        (SECRET, "webhook of project 7", sealed[:-1] + bytes([sealed[-1] ^ 1])),
        (SECRET, "webhook of project 7", b"\x02" + sealed[1:]),
        (SECRET, "webhook of project 7", b""),
        (SECRET, "webhook of project 7", sealed[:14]),
    ]:
        with pytest.raises(signing.Unsealable):
            signing.unseal(key, context, box)


def test_it_needs_a_secret_key() -> None:
    with pytest.raises(ValueError, match="SECRET_KEY"):
        signing.seal("", "x", b"y")
