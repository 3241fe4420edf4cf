#!/bin/sh
# Signs a request by RFC 9421 with OpenSSL: sign-request.sh <Ed25519 key file> <key id> <method> <url> <body>
set -eu
digest="sha-256=:$(printf %s "$5" | openssl dgst -sha256 -binary | base64):"
created=$(date +%s)
parameters="(\"@method\" \"@target-uri\" \"content-digest\");created=$created;expires=$((created + 5));nonce=\"$(openssl rand -hex 16)\";keyid=\"$2\""
base=$(mktemp)
trap 'rm -f "$base"' EXIT
printf '"@method": %s\n"@target-uri": %s\n"content-digest": %s\n"@signature-params": %s' "$3" "$4" "$digest" "$parameters" >"$base"
signature=$(openssl pkeyutl -sign -inkey "$1" -rawin -in "$base" | base64 -w0)
printf 'content-digest: %s\nsignature-input: sig1=%s\nsignature: sig1=:%s:\n' "$digest" "$parameters" "$signature"
