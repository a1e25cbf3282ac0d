"""An API of Django OAuth Toolkit, which introspects access tokens. Its settings come as JSON in the argument."""

import json
import sys
from wsgiref.simple_server import make_server

import django
from django.conf import settings
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application
from django.http import JsonResponse
from django.urls import path

chosen = json.loads(sys.argv[1])


settings.configure(
    ALLOWED_HOSTS=["*"],
    ROOT_URLCONF=__name__,
    USE_TZ=True,
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "oauth2_provider"],
    OAUTH2_PROVIDER=chosen["toolkit"],
)
django.setup()
call_command("migrate", verbosity=0)

from oauth2_provider.decorators import protected_resource  # noqa: E402, after the settings


@protected_resource(scopes=["photos:read"])
def photos(request):
    return JsonResponse({"user": request.resource_owner and request.resource_owner.username})


urlpatterns = [path("photos", photos)]
make_server("127.0.0.1", chosen["port"], get_wsgi_application()).serve_forever()
