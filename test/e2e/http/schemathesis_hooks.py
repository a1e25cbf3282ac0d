"""What Schemathesis does as an administrator: it comes with a fresh access token, and leaves the client alone that gets those."""

import os

import requests
import schemathesis

client_id = os.environ["CLIENT_ID"]


@schemathesis.auth(refresh_interval=1)
class AccessToken:
    def get(self, case, context):
        answer = requests.post(
            os.environ["TOKEN_ENDPOINT"],
            data={"grant_type": "client_credentials"},
            auth=(client_id, os.environ["CLIENT_SECRET"]),
            timeout=10,
        )
        answer.raise_for_status()
        return answer.json()["access_token"]

    def set(self, case, data, context):
        case.headers["Authorization"] = f"Bearer {data}"


@schemathesis.hook
def filter_case(context, case):
    return client_id not in str((case.path_parameters, case.body))
