"""The view, bare and for signed-in users; the second is for the site's own middleware."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from tests.load.bare.models import Entry, Thing


@csrf_exempt
def count_up_by_token(request: HttpRequest, pk: int) -> HttpResponse:
    """Find out whose token it is and count the request, as the API does; then as `count_up`."""
    from gemserver.api.askers import establish

    establish(request)
    return count_up(request, pk)


@require_POST
def count_up(request: HttpRequest, pk: int) -> HttpResponse:
    """Lock one row, insert one, update one."""
    with transaction.atomic():
        thing = Thing.objects.select_for_update().get(pk=pk)
        thing.count += 1
        text = request.POST.get("text", "")[:500]
        Entry.objects.create(thing=thing, number=thing.count, text=text, created_at=timezone.now())
        thing.save(update_fields=["count"])
    return HttpResponse(str(thing.count), content_type="text/plain")


def healthz(request: HttpRequest) -> HttpResponse:
    """Answer once a worker has come up."""
    return HttpResponse("fine")


urlpatterns = [
    path("healthz", healthz),
    path("bare/<int:pk>/", count_up),
    path("by-token/<int:pk>/", count_up_by_token),
    path("signed-in/<int:pk>/", login_required(count_up)),
]
