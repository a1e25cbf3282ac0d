"""Authlib and PyJWT as their users use them. Settings come as JSON in the argument; see program-dialogue.ts."""

import json
import sys
from urllib.parse import parse_qsl, urlsplit

import jwt
from authlib.common.errors import AuthlibBaseError
from authlib.integrations.base_client import BaseApp, OAuth2Mixin, OpenIDMixin
from authlib.integrations.requests_client import OAuth2Session

settings = json.loads(sys.argv[1])


class App(OAuth2Mixin, OpenIDMixin, BaseApp):
    """What Authlib's integrations for web frameworks are made of."""

    client_cls = OAuth2Session


app = App(
    framework=None,
    **settings["client"],
    server_metadata_url=settings["issuer"] + "/.well-known/openid-configuration",
    client_kwargs={"scope": "openid profile email", "code_challenge_method": "S256"},
)


def log_in():
    request = app.create_authorization_url(settings["redirect_uri"])
    print(request["url"], flush=True)
    answer = dict(parse_qsl(urlsplit(sys.stdin.readline().strip()).query))
    assert answer["state"] == request["state"]
    token = app.fetch_access_token(
        settings["redirect_uri"], code=answer["code"], code_verifier=request["code_verifier"]
    )
    claims = app.parse_id_token(token, nonce=request["nonce"])
    try:
        app.parse_id_token(token, nonce="another")
        forged = "accepted"
    except AuthlibBaseError as error:
        forged = error.error
    return token, {"claims": claims, "another_nonce": forged, "userinfo": app.userinfo(token=token)}


def verify(access_token, **expected):
    """PyJWT as in a resource server: with the published keys, and without a request for each token."""
    key = keys.get_signing_key_from_jwt(access_token).key
    try:
        return jwt.decode(access_token, key, algorithms=["ES256"], **expected)
    except jwt.InvalidTokenError as error:
        return type(error).__name__


token, login = log_in()
issuer = settings["issuer"]
keys = jwt.PyJWKClient(app.load_server_metadata()["jwks_uri"])
access_token = token["access_token"]
offline = {
    "claims": verify(access_token, audience=issuer, issuer=issuer),
    "another_audience": verify(access_token, audience="https://api.example", issuer=issuer),
    "another_issuer": verify(access_token, audience=issuer, issuer="https://other.example"),
}
print(json.dumps({**login, "offline": offline, "access_token": access_token}))
