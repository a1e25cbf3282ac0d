import json
import os

from requests_oauth2client import OAuth2Client, PrivateKeyJwt

issuer = os.environ.get("ISSUER", "http://localhost:8080")
with open(os.environ.get("KEY_FILE", "private-key.jwk")) as file:
    key = json.load(file)

client = OAuth2Client.from_discovery_endpoint(
    issuer=issuer,
    auth=PrivateKeyJwt(os.environ["CLIENT_ID"], key, alg="ES256", aud=issuer),
    # Allows http: only on your own machine.
    testing=issuer.startswith("http:"),
)
token = client.client_credentials(scope="read")
print(json.dumps(dict(client.introspect_token(token.access_token))))
