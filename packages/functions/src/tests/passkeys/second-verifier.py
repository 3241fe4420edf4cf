"""Judges one registration and one sign-in with python3-fido2. Reads JSON from standard input, prints the verdict."""

import base64
import json
import sys

from fido2.client import ClientData
from fido2.ctap2 import AttestationObject, AttestedCredentialData, AuthenticatorData
from fido2.server import Fido2Server
from fido2.webauthn import PublicKeyCredentialRpEntity


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


ceremony = json.load(sys.stdin)
server = Fido2Server(
    PublicKeyCredentialRpEntity(ceremony["rpId"], "Floorpass"),
    verify_origin=lambda origin: origin == ceremony["origin"],
)


def state(name):
    return {"challenge": ceremony[name]["challenge"], "user_verification": "required"}


try:
    created = ceremony["registration"]["response"]
    registered = server.register_complete(
        state("registration"),
        ClientData(decode(created["clientDataJSON"])),
        AttestationObject(decode(created["attestationObject"])),
    )
    credential = AttestedCredentialData(registered.credential_data)
    signed = ceremony["authentication"]["response"]
    server.authenticate_complete(
        state("authentication"),
        [credential],
        decode(ceremony["authentication"]["id"]),
        ClientData(decode(signed["clientDataJSON"])),
        AuthenticatorData(decode(signed["authenticatorData"])),
        decode(signed["signature"]),
    )
    print("accepted")
except Exception as error:
    print("refused: %s" % (error or type(error).__name__))
