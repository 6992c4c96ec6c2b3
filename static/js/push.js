// Subscribes this browser to Web Push, and says which of the listed devices it is.
"use strict";
(() => {
  const form = document.getElementById("push");
  if (!form || !("serviceWorker" in navigator) || !("PushManager" in window) || !("Notification" in window)) return;
  const failed = document.getElementById("push-failed");
  document.getElementById("push-unable").hidden = true;
  form.hidden = false;

  const toBytes = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (sign) => sign.charCodeAt(0));
  const toText = (buffer) =>
    btoa(String.fromCharCode(...new Uint8Array(buffer))).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  const hash = async (text) => {
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
    return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
  };
  const current = async () => (await navigator.serviceWorker.getRegistration("/"))?.pushManager.getSubscription();

  const subscribe = async () => {
    await navigator.serviceWorker.register(form.dataset.worker);
    const registration = await navigator.serviceWorker.ready;
    const before = await registration.pushManager.getSubscription();
    // One that was made under an earlier key of the server is no good.
    if (before && toText(before.options.applicationServerKey) !== form.elements.vapid.value) await before.unsubscribe();
    return registration.pushManager.subscribe({
      userVisibleOnly: true,
      applicationServerKey: toBytes(form.elements.vapid.value),
    });
  };
  const fail = (why) => {
    failed.textContent = failed.dataset[why];
    failed.hidden = false;
  };

  form.addEventListener("submit", async (event) => {
    if (form.elements.endpoint.value) return;
    event.preventDefault();
    failed.hidden = true;
    try {
      if ((await Notification.requestPermission()) !== "granted") return fail("denied");
      const subscription = await subscribe();
      form.elements.endpoint.value = subscription.endpoint;
      form.elements.point.value = toText(subscription.getKey("p256dh"));
      form.elements.auth.value = toText(subscription.getKey("auth"));
      form.requestSubmit();
    } catch {
      fail("failed");
    }
  });

  const findThis = async () => {
    const subscription = await current();
    const row = subscription && document.querySelector(`[data-endpoint="${await hash(subscription.endpoint)}"]`);
    if (!row) return;
    row.querySelector("[data-here]").hidden = false;
    row.querySelector("[name=remove]").addEventListener("click", () => subscription.unsubscribe());
  };
  findThis();
})();
