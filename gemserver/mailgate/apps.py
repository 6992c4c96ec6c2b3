from django.apps import AppConfig


class MailgateConfig(AppConfig):
    name = "gemserver.mailgate"
    verbose_name = "mail gateway"

    def ready(self) -> None:
        """Listen to Anymail, which tells of mail by signals alone; the only ones that this project listens to."""
        from anymail import signals

        from gemserver.mailgate import delivery_reports
        from gemserver.mailgate.receivers import webhooks

        signals.inbound.connect(webhooks.store_event, dispatch_uid="gemserver")
        signals.tracking.connect(delivery_reports.note_event, dispatch_uid="gemserver")
