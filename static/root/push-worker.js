// Shows what the server pushes, and opens the page that it is about. It fetches nothing and keeps nothing.
"use strict";
self.addEventListener("push", (event) => {
  const told = event.data ? event.data.json() : {};
  const { title = "Gem server", body = "", tag, path = "/" } = told;
  const shown = { body, tag, data: { path }, icon: "/static/icons/icon-192.png" };
  event.waitUntil(self.registration.showNotification(title, shown));
});
self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const page = new URL(event.notification.data.path, self.location.origin);
  if (page.origin !== self.location.origin) return;
  const open = async () => {
    const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
    const there = windows.find((each) => each.url === page.href);
    return there ? there.focus() : self.clients.openWindow(page.href);
  };
  event.waitUntil(open());
});
