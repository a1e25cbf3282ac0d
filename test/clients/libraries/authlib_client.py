"""Authlib as its users use it. Settings come as JSON in the argument; see program-dialogue.ts.

Not authlib.py: it would be imported in place of the library.
"""

import json
import sys

import requests
from authlib.common.security import generate_token
from authlib.integrations.base_client import OAuthError
from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2.rfc8414 import get_well_known_url

settings = json.loads(sys.argv[1])
server = requests.get(get_well_known_url(settings["issuer"], external=True)).json()


def session_of(client, method="client_secret_basic", **options):
    return OAuth2Session(
        client["client_id"],
        client["client_secret"],
        token_endpoint_auth_method=method,
        revocation_endpoint_auth_method=method,
        token_endpoint=server["token_endpoint"],
        **options,
    )


def introspect(session, token):
    endpoint = server["introspection_endpoint"]
    return session.introspect_token(endpoint, token=token, token_type_hint="access_token").json()


def code_flow():
    session = session_of(
        settings["client"],
        scope="read",
        redirect_uri=settings["redirect_uri"],
        code_challenge_method="S256",
    )
    verifier = generate_token(48)
    address, state = session.create_authorization_url(
        server["authorization_endpoint"], state=settings["state"], code_verifier=verifier
    )
    print(address, flush=True)
    token = session.fetch_token(
        authorization_response=sys.stdin.readline().strip(), state=state, code_verifier=verifier
    )
    active = introspect(session, token["access_token"])
    refreshed = session.refresh_token(server["token_endpoint"])
    revocation = session.revoke_token(
        server["revocation_endpoint"], token=refreshed["refresh_token"], token_type_hint="refresh_token"
    )
    return {
        "token": token,
        "active": active,
        "refreshed": refreshed,
        "revocation": revocation.status_code,
        "inactive": introspect(session, refreshed["access_token"]),
    }


def client_credentials(client, method):
    try:
        token = session_of(client, method, scope="read write").fetch_token(grant_type="client_credentials")
        return token["scope"]
    except OAuthError as error:
        return error.error


code = code_flow()
credentials = [client_credentials(case["client"], case["method"]) for case in settings["cases"]]
print(json.dumps({"code": code, "credentials": credentials}))
