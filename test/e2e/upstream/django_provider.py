"""An OpenID provider of Django OAuth Toolkit, which tells the groups of its users. Its settings come as JSON in the argument.

POST /control changes what it has: {"client": [redirect URIs]}, {"user": name}, {"leave": name} or {"rotate": true}.
"""

import json
import sys
from wsgiref.simple_server import make_server

import django
from django.conf import settings
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application
from django.http import JsonResponse
from django.urls import include, path
from jwcrypto.jwk import JWK

chosen = json.loads(sys.argv[1])


def new_key():
    key = JWK.generate(kty="RSA", size=2048)
    return key.export_to_pem(private_key=True, password=None).decode()


login_page = """<!doctype html><title>Log in</title><form method="post" action="{{ request.get_full_path }}">
{% csrf_token %}{{ form }}<button>Log in</button></form>"""

settings.configure(
    SECRET_KEY="a secret of the tests",
    ALLOWED_HOSTS=["*"],
    ROOT_URLCONF=__name__,
    USE_TZ=True,
    LOGIN_URL="/login",
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
    INSTALLED_APPS=[
        "django.contrib.auth",
        "django.contrib.contenttypes",
        "django.contrib.sessions",
        "oauth2_provider",
    ],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
    ],
    TEMPLATES=[
        {
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "OPTIONS": {
                "context_processors": ["django.template.context_processors.request"],
                "loaders": [("django.template.loaders.locmem.Loader", {"registration/login.html": login_page})],
            },
        }
    ],
    OAUTH2_PROVIDER={
        "OIDC_ENABLED": True,
        "OIDC_RSA_PRIVATE_KEY": new_key(),
        "OAUTH2_VALIDATOR_CLASS": __name__ + ".Validator",
        "SCOPES": {"openid": "OpenID", "profile": "Name", "email": "Address", "groups": "Groups"},
    },
)
django.setup()
call_command("migrate", verbosity=0)

from django.contrib.auth.models import Group, User  # noqa: E402, after the settings
from django.contrib.auth.views import LoginView  # noqa: E402
from oauth2_provider.models import Application  # noqa: E402
from oauth2_provider.oauth2_validators import OAuth2Validator  # noqa: E402
from oauth2_provider.settings import oauth2_settings  # noqa: E402


class Validator(OAuth2Validator):
    oidc_claim_scope = None

    def get_additional_claims(self, request):
        user = request.user
        return {
            "name": user.get_full_name(),
            "preferred_username": user.username,
            "email": user.email,
            "email_verified": True,
            "groups": [group.name for group in user.groups.all()],
        }


def control(request):
    wanted = json.loads(request.body)
    if "client" in wanted:
        application, _ = Application.objects.get_or_create(
            client_id=chosen["client_id"],
            defaults={
                "client_secret": chosen["client_secret"],
                "client_type": Application.CLIENT_CONFIDENTIAL,
                "authorization_grant_type": Application.GRANT_AUTHORIZATION_CODE,
                "algorithm": Application.RS256_ALGORITHM,
                "skip_authorization": True,
            },
        )
        Application.objects.filter(pk=application.pk).update(redirect_uris=" ".join(wanted["client"]))
    if "user" in wanted:
        name = wanted["user"]
        user = User.objects.create_user(
            name, f"{name}@acme.example", chosen["password"], first_name="Ann", last_name="Example"
        )
        user.groups.add(Group.objects.get_or_create(name="dev")[0])
    if "leave" in wanted:
        User.objects.get(username=wanted["leave"]).groups.clear()
    if "rotate" in wanted:
        oauth2_settings.OIDC_RSA_PRIVATE_KEY = new_key()
    return JsonResponse({})


urlpatterns = [
    path("control", control),
    path("login", LoginView.as_view()),
    path("o/", include("oauth2_provider.urls", namespace="oauth2_provider")),
]
make_server("127.0.0.1", chosen["port"], get_wsgi_application()).serve_forever()
