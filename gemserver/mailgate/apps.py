from django.apps import AppConfig


class MailgateConfig(AppConfig):
    name = "gemserver.mailgate"
    verbose_name = "mail gateway"

    def ready(self) -> None:
        """Connect Anymail's signals, the only way it reports mail; the project uses no others."""
        from anymail import signals

        from gemserver.mailgate import delivery_reports
        from gemserver.mailgate.receivers import webhooks

        signals.inbound.connect(webhooks.store_event, dispatch_uid="gemserver")
        signals.tracking.connect(delivery_reports.note_event, dispatch_uid="gemserver")
