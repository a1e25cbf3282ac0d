import os
from urllib.parse import urlencode, urljoin

from authlib.common.errors import AuthlibBaseError
from authlib.integrations.flask_client import OAuth, OAuthError
from flask import Flask, redirect, session
from markupsafe import escape

client_id = os.environ["CLIENT_ID"]
issuer = os.environ.get("ISSUER", "http://localhost:8080")
home = os.environ.get("HOME_PAGE", "http://localhost:3000/")

app = Flask(__name__)
# Signs the cookie in which the session is. Its user can read it.
app.secret_key = os.environ["SESSION_SECRET"]
app.config.update(SESSION_COOKIE_SAMESITE="Lax", SESSION_COOKIE_SECURE=home.startswith("https:"))

# Reads the endpoints and the keys of the server when it needs them.
gatehouse = OAuth(app).register(
    "gatehouse",
    client_id=client_id,
    client_secret=os.environ["CLIENT_SECRET"],
    server_metadata_url=f"{issuer}/.well-known/openid-configuration",
    client_kwargs={"scope": "openid profile", "code_challenge_method": "S256"},
)


@app.get("/")
def show_home():
    user = session.get("user")
    if user is None:
        return '<p>Nobody is logged in.</p><p><a href="/login">Log in</a></p>'
    greeting = f"<p>Hello {escape(user['name'])}!</p>"
    return f'{greeting}<form method="post" action="/logout"><button>Log out</button></form>'


@app.get("/login")
def log_in():
    # The session keeps the state, the nonce and the code verifier.
    return gatehouse.authorize_redirect(urljoin(home, "/callback"))


@app.get("/callback")
def finish_login():
    # Verifies the state, redeems the code, and verifies the ID token and its nonce.
    token = gatehouse.authorize_access_token()
    claims = gatehouse.userinfo(token=token)
    if claims["sub"] != token["userinfo"]["sub"]:
        raise OAuthError("invalid_token", "userinfo is about another user")
    # A new session: nothing of the one from before the login is kept.
    session.clear()
    session["user"] = {"sub": claims["sub"], "name": claims.get("name") or claims["preferred_username"]}
    session["id_token"] = token["id_token"]
    return redirect("/")


# With POST, which browsers send without the cookie when it comes from another site (SameSite).
@app.post("/logout")
def log_out():
    parameters = {"client_id": client_id, "post_logout_redirect_uri": home}
    if "id_token" in session:
        parameters["id_token_hint"] = session["id_token"]
    session.clear()
    address = gatehouse.load_server_metadata()["end_session_endpoint"]
    return redirect(f"{address}?{urlencode(parameters)}", 303)


@app.errorhandler(AuthlibBaseError)
def say_that_login_failed(error):
    app.logger.warning("The login failed: %s", error)
    return f'<p>The login failed: {escape(error.error)}.</p><p><a href="/">Back</a></p>', 400


if __name__ == "__main__":
    app.run(port=int(os.environ.get("PORT", 3000)))
