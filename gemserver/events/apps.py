from django.apps import AppConfig


class EventsConfig(AppConfig):
    name = "gemserver.events"
    verbose_name = "events"
