"""Signs a request by RFC 9421. Reads {key, keyId, method, url, body} as JSON, writes the headers as JSON."""

import base64
import hashlib
import json
import secrets
import sys
import time

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.serialization import load_pem_private_key

order = json.load(sys.stdin)
digest = "sha-256=:" + base64.b64encode(hashlib.sha256(order["body"].encode()).digest()).decode() + ":"
created = int(time.time())
parameters = (
    '("@method" "@target-uri" "content-digest")'
    f';created={created};expires={created + 5};nonce="{secrets.token_urlsafe(16)}";keyid="{order["keyId"]}"'
)
base = "\n".join(
    [
        f'"@method": {order["method"]}',
        f'"@target-uri": {order["url"]}',
        f'"content-digest": {digest}',
        f'"@signature-params": {parameters}',
    ]
).encode()
key = load_pem_private_key(order["key"].encode(), None)
if isinstance(key, ec.EllipticCurvePrivateKey):
    r, s = decode_dss_signature(key.sign(base, ec.ECDSA(hashes.SHA256())))
    signature = r.to_bytes(32, "big") + s.to_bytes(32, "big")
else:
    signature = key.sign(base)
json.dump(
    {
        "content-digest": digest,
        "signature-input": "sig1=" + parameters,
        "signature": "sig1=:" + base64.b64encode(signature).decode() + ":",
    },
    sys.stdout,
)
