import {
  byHttp,
  lines,
  loginPathOf,
  pathOf,
  portOf,
  quoted,
  type Snippet,
  type SnippetValues,
} from './values.ts'

const name = 'Python'

/** A service that asks for a token. */
export const pythonMachine: Snippet = {
  name,
  code: ({ tokenEndpoint, clientId, clientSecret, scope }) => `# pip install authlib requests
from authlib.integrations.requests_client import OAuth2Session

session = OAuth2Session(${quoted(clientId)}, ${quoted(clientSecret)}, scope=${quoted(scope)})
token = session.fetch_token(${quoted(tokenEndpoint)}, grant_type="client_credentials")
print(token["access_token"])`,
}

/** A web app on a server, with Flask. */
export const pythonWeb: Snippet = {
  name,
  when: byHttp,
  code: (values) =>
    lines(
      `# pip install authlib flask requests`,
      `import os`,
      ``,
      !values.openid && `import requests`,
      `from authlib.common.errors import AuthlibBaseError`,
      `from authlib.integrations.flask_client import OAuth`,
      `from flask import Flask`,
      `from markupsafe import escape`,
      ``,
      `app = Flask(__name__)`,
      `# Signs the sessions. Keep it somewhere, or every restart ends them.`,
      `app.secret_key = os.urandom(32)`,
      registration(values),
      ``,
      ``,
      `@app.get(${quoted(loginPathOf(values.redirectUri))})`,
      `def start_login():`,
      `    return gatehouse.authorize_redirect(${quoted(values.redirectUri)})`,
      ``,
      ``,
      `@app.get(${quoted(pathOf(values.redirectUri))})`,
      `def finish_login():`,
      `    token = gatehouse.authorize_access_token()`,
      whoLoggedIn(values),
      `    return f"Hello {escape(name)}!"`,
      ``,
      ``,
      `@app.errorhandler(AuthlibBaseError)`,
      `def say_that_login_failed(error):`,
      `    app.logger.warning("The login failed: %s", error)`,
      `    return "The login failed. Try again.", 400`,
      ``,
      ``,
      `app.run(port=${portOf(values.redirectUri)})`,
    ),
}

function registration({
  openid,
  issuer,
  authorizationEndpoint,
  tokenEndpoint,
  clientId,
  clientSecret,
  scope,
}: SnippetValues): string {
  return lines(
    `gatehouse = OAuth(app).register(`,
    `    "gatehouse",`,
    `    client_id=${quoted(clientId)},`,
    `    client_secret=${quoted(clientSecret)},`,
    openid && `    server_metadata_url=${quoted(`${issuer}/.well-known/openid-configuration`)},`,
    !openid && `    authorize_url=${quoted(authorizationEndpoint)},`,
    !openid && `    access_token_url=${quoted(tokenEndpoint)},`,
    `    client_kwargs={"scope": ${quoted(scope)}, "code_challenge_method": "S256"},`,
    `)`,
  )
}

function whoLoggedIn({ openid, introspectionEndpoint, clientId, clientSecret }: SnippetValues): string {
  return openid
    ? `    user = gatehouse.userinfo(token=token)
    name = user.get("name") or user.get("preferred_username") or user["sub"]`
    : `    answer = requests.post(
        ${quoted(introspectionEndpoint)},
        data={"token": token["access_token"]},
        auth=(${quoted(clientId)}, ${quoted(clientSecret)}),
        timeout=10,
    )
    name = answer.json()["username"]`
}
