"""Checks a delivery by Standard Webhooks, with hmac and python3-cryptography. Reads JSON from standard input, prints the verdicts."""

import base64
import hashlib
import hmac
import json
import sys

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

given = json.load(sys.stdin)
headers = given["headers"]
content = f'{headers["webhook-id"]}.{headers["webhook-timestamp"]}.{given["body"]}'.encode()
secret = base64.b64decode(given["secret"].removeprefix("whsec_"))
public_key = Ed25519PublicKey.from_public_bytes(base64.b64decode(given["publicKey"].removeprefix("whpk_")))
signatures = [signature.split(",") for signature in headers["webhook-signature"].split(" ")]


def check_symmetric(signature):
    return hmac.compare_digest(hmac.new(secret, content, hashlib.sha256).digest(), signature)


def check_public(signature):
    try:
        public_key.verify(signature, content)
        return True
    except InvalidSignature:
        return False


checks = {"v1": check_symmetric, "v1a": check_public}
print(json.dumps({name: [check(base64.b64decode(text)) for kind, text in signatures if kind == name] for name, check in checks.items()}))
