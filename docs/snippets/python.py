# Verifies X-idp-jwt. Usage: ISSUER=https://authentik.example.org/application/o/gatehouse-identity/ AUDIENCE=gatehouse-identity python python.py < token
import json
import os
import sys

import jwt

issuer = os.environ["ISSUER"]
audience = os.environ["AUDIENCE"]
keys = jwt.PyJWKClient(issuer + "jwks/")


def identity_of(token: str) -> dict:
    """The claims; raises when the token is not the gateway's."""
    key = keys.get_signing_key_from_jwt(token)
    required = ["exp", "iss", "aud", "sub"]
    return jwt.decode(
        token, key, algorithms=["RS256"], issuer=issuer, audience=audience, leeway=10, options={"require": required}
    )


claims = identity_of(sys.stdin.read().strip())
print(json.dumps({name: claims[name] for name in ("preferred_username", "groups")}))
