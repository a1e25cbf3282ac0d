import json
import os

import requests
from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2.rfc7523 import PrivateKeyJWT, private_key_jwt_sign
from authlib.oauth2.rfc8414 import get_well_known_url

issuer = os.environ.get("ISSUER", "http://localhost:8080")
with open(os.environ.get("KEY_FILE", "private-key.jwk")) as file:
    key = json.load(file)


class ShortAssertion(PrivateKeyJWT):
    # Those of PrivateKeyJWT itself live for an hour, name the token endpoint, and repeat their jti if they get claims.
    def sign(self, auth, token_endpoint):
        return private_key_jwt_sign(
            auth.client_secret,
            client_id=auth.client_id,
            token_endpoint=issuer,
            alg="ES256",
            header={"kid": key["kid"]},
            expires_in=60,
        )


server = requests.get(get_well_known_url(issuer, external=True)).json()
session = OAuth2Session(
    os.environ["CLIENT_ID"],
    key,
    token_endpoint_auth_method=ShortAssertion(),
    revocation_endpoint_auth_method=ShortAssertion(),
    token_endpoint=server["token_endpoint"],
    scope="read",
)
token = session.fetch_token(grant_type="client_credentials")
answer = session.introspect_token(server["introspection_endpoint"], token=token["access_token"])
print(json.dumps(answer.json()))
