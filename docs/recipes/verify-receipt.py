# Verifies a receipt of a confirmation, with the passkey's own signature. apt install python3-jwt python3-cryptography, then:
# ACCOUNTS_URL=https://accounts.example.com AUDIENCE=https://api.example.com python3 verify-receipt.py < receipt.txt
# RP_ID is the host of ACCOUNTS_URL unless PASSKEY_RP_ID was set. JWKS_URL is ACCOUNTS_URL/auth/jwks unless it is set.
# PIN_KEY is the thumbprint that an earlier run printed for this user: another passkey is then refused.
import base64
import hashlib
import json
import os
import sys
import urllib.request
from urllib.parse import urlsplit

import jwt
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec, padding
from cryptography.hazmat.primitives.hashes import SHA256

ACCOUNTS_URL = os.environ["ACCOUNTS_URL"].removesuffix("/")
AUDIENCE = os.environ["AUDIENCE"]
ORIGINS = os.environ.get("ORIGINS", ACCOUNTS_URL).split(",")
RP_ID = os.environ.get("RP_ID") or urlsplit(ACCOUNTS_URL).hostname
JWKS_URL = os.environ.get("JWKS_URL") or f"{ACCOUNTS_URL}/auth/jwks"
PIN_KEY = os.environ.get("PIN_KEY")


class Refused(Exception):
    pass


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def canonical(value):
    """RFC 8785, for text, whole numbers, true, false, null, lists and objects."""
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(canonical(name) + ":" + canonical(value[name]) for name in names) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, float):
        raise Refused("a number is not whole")
    return json.dumps(value, ensure_ascii=False)


def read_claims(receipt):
    header = jwt.get_unverified_header(receipt)
    if header.get("typ") != "confirmation+jwt":
        raise Refused("not a receipt")
    with urllib.request.urlopen(JWKS_URL, timeout=3) as response:
        keys = {key["kid"]: key for key in json.load(response)["keys"] if key.get("alg") == "ES256"}
    if header.get("kid") not in keys:
        raise Refused("unknown signing key")
    required = ["iss", "sub", "aud", "jti", "sid", "iat", "exp", "nonce", "authorization_details", "txn_hash"]
    return jwt.decode(
        receipt,
        jwt.PyJWK(keys[header["kid"]]).key,
        algorithms=["ES256"],
        audience=AUDIENCE,
        issuer=ACCOUNTS_URL,
        options={"require": required},
    )


def challenge_of(claims):
    signed = {name: claims[name] for name in ["authorization_details", "sub", "sid", "nonce", "exp"]}
    return encode(hashlib.sha256(b"floorpass-tx-v1\0" + canonical(signed).encode()).digest())


def verify_signature(jwk, signature, data):
    key = jwt.PyJWK(jwk).key
    if jwk["alg"] == "ES256":
        key.verify(signature, data, ec.ECDSA(SHA256()))
    elif jwk["alg"] == "EdDSA":
        key.verify(signature, data)
    elif jwk["alg"] == "RS256":
        key.verify(signature, data, padding.PKCS1v15(), SHA256())
    else:
        raise Refused("unknown algorithm of the passkey")


def thumbprint(jwk):
    """RFC 7638."""
    return encode(hashlib.sha256(canonical({n: jwk[n] for n in jwk if n in ("crv", "e", "kty", "n", "x", "y")}).encode()).digest())


def verify(receipt):
    claims = read_claims(receipt)
    assertion = claims.get("assertion")
    if not assertion:
        raise Refused("no passkey approved it")
    challenge = challenge_of(claims)
    client_data = decode(assertion["clientDataJSON"])
    client = json.loads(client_data)
    data = decode(assertion["authenticatorData"])
    if claims["txn_hash"] != challenge or client.get("challenge") != challenge:
        raise Refused("the passkey signed another transaction")
    if client.get("type") != "webauthn.get" or client.get("crossOrigin"):
        raise Refused("made in a frame, or for another purpose")
    if client.get("origin") not in ORIGINS:
        raise Refused("signed on another site")
    if data[:32] != hashlib.sha256(RP_ID.encode()).digest():
        raise Refused("signed for another relying party")
    if data[32] & 0x05 != 0x05:
        raise Refused("the passkey did not verify its user")
    verify_signature(assertion["publicKey"], decode(assertion["signature"]), data + hashlib.sha256(client_data).digest())
    key = thumbprint(assertion["publicKey"])
    if PIN_KEY and key != PIN_KEY:
        raise Refused("signed by another passkey than the pinned one")
    return f"accepted {claims['jti']} of {claims['sub']} by {key}"


try:
    print(verify(sys.stdin.read().strip()))
except (Refused, InvalidSignature, jwt.PyJWTError, ValueError, KeyError, TypeError, IndexError) as error:
    print(f"refused: {str(error) or type(error).__name__}")
    sys.exit(1)
except OSError as error:
    print(f"not verified, because {JWKS_URL} does not answer: {error}")
    sys.exit(2)
