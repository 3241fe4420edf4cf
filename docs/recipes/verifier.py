# A backend that believes access tokens. apt install python3-jwt python3-cryptography, then:
# ACCOUNTS_URL=https://accounts.example.com AUDIENCE=https://api.example.com python3 verifier.py
import json
import os
import re
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import jwt

ACCOUNTS_URL = os.environ["ACCOUNTS_URL"]
AUDIENCE = os.environ["AUDIENCE"]
if not ACCOUNTS_URL or not AUDIENCE:
    raise SystemExit("Set ACCOUNTS_URL and AUDIENCE.")

ROUTES = {
    "GET /orders": {"scope": "order:read"},
    "POST /orders": {"scope": "order:place", "max_age": 3600},
    "GET /withdrawals": {"scope": "withdrawal:read", "acr": "aal2"},
    "POST /withdrawals": {"scope": "withdrawal:create", "acr": "aal2", "max_age": 300},
}


class KeysUnavailable(Exception):
    pass


class Keys:
    """The key set, kept for five minutes. Unknown key ids fetch it again at most every 30 seconds."""

    def __init__(self):
        self.lock = threading.Lock()
        self.keys, self.stale_at, self.next_fetch = {}, 0, 0

    def find(self, kid):
        if kid in self.keys and time.monotonic() < self.stale_at:
            return self.keys[kid]
        with self.lock:
            now = time.monotonic()
            if now >= self.next_fetch and (kid not in self.keys or now >= self.stale_at):
                self.next_fetch = now + 1
                self.keys = self.fetch()
                self.stale_at, self.next_fetch = now + 300, now + 30
            if now >= self.stale_at:
                raise KeysUnavailable()
            return self.keys.get(kid)

    def fetch(self):
        try:
            with urllib.request.urlopen(f"{ACCOUNTS_URL}/auth/jwks", timeout=3) as response:
                keys = json.load(response)["keys"]
            return {key["kid"]: jwt.PyJWK(key).key for key in keys if key.get("alg") == "ES256"}
        except Exception as error:
            raise KeysUnavailable() from error


keys = Keys()


def verify(token):
    header = jwt.get_unverified_header(token)
    key = keys.find(header.get("kid"))
    if key is None or header.get("typ") != "at+jwt":
        raise jwt.InvalidTokenError("unknown key or type")
    required = {"require": ["iss", "aud", "exp", "sub", "auth_time", "acr", "scope"]}
    return jwt.decode(token, key, algorithms=["ES256"], issuer=ACCOUNTS_URL, audience=AUDIENCE, leeway=5, options=required)


def find_refusal(claims, scope, acr="", max_age=None):
    """RFC 9470: the challenge says what the person must prove."""
    if scope not in claims["scope"].split(" "):
        return 403, "INSUFFICIENT_SCOPE", f'Bearer error="insufficient_scope", scope="{scope}"'
    is_strong = claims["acr"] >= acr
    # A proof more than a minute in the future counts as too old: the clock was set back.
    if is_strong and (max_age is None or -60 <= time.time() - claims["auth_time"] <= max_age):
        return None
    challenge = f'Bearer error="insufficient_user_authentication", acr_values="{claims["acr"] if is_strong else acr}"'
    if max_age is not None:
        challenge += f', max_age="{max_age}"'
    return 401, "INSUFFICIENT_USER_AUTHENTICATION", challenge


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, body, challenge=None):
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        if challenge:
            self.send_header("www-authenticate", challenge)
        self.end_headers()
        self.wfile.write(content)

    def refuse(self, status, code, challenge=None):
        self.answer(status, {"code": code}, challenge)

    def handle_call(self):
        required = ROUTES.get(f"{self.command} {self.path.split('?')[0]}")
        if required is None:
            return self.refuse(404, "NOT_FOUND")
        bearer = re.fullmatch(r"Bearer (\S+)", self.headers.get("authorization", ""), re.IGNORECASE)
        if bearer is None:
            return self.refuse(401, "UNAUTHORIZED", "Bearer")
        try:
            claims = verify(bearer[1])
        except KeysUnavailable:
            return self.refuse(503, "SERVICE_UNAVAILABLE")
        except (jwt.InvalidTokenError, RecursionError):
            return self.refuse(401, "UNAUTHORIZED", 'Bearer error="invalid_token"')
        refusal = find_refusal(claims, **required)
        if refusal:
            return self.refuse(*refusal)
        self.answer(200, {"user": claims["sub"], "org": claims.get("org"), "role": claims.get("role")})

    do_GET = do_POST = handle_call

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8080"))), Handler).serve_forever()
