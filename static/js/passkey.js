// Makes a passkey, or signs in with one; the form is shown where the browser can.
"use strict";
(() => {
  const form = document.getElementById("passkey");
  if (!form || !window.isSecureContext || !window.PublicKeyCredential) return;
  if (location.hostname !== form.dataset.host) return;
  const failed = document.getElementById("passkey-failed");
  const { credential } = form.elements;
  document.getElementById("passkey-unable").hidden = true;
  form.hidden = false;

  const toBytes = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (sign) => sign.charCodeAt(0));
  const toText = (buffer) =>
    btoa(String.fromCharCode(...new Uint8Array(buffer))).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  const withBytes = (keys) => keys?.map((key) => ({ ...key, id: toBytes(key.id) }));
  const PARTS = ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"];

  const ask = (options) => {
    const publicKey = { ...options, challenge: toBytes(options.challenge) };
    if (!options.user) return navigator.credentials.get({ publicKey: { ...publicKey, allowCredentials: [] } });
    publicKey.user = { ...options.user, id: toBytes(options.user.id) };
    publicKey.excludeCredentials = withBytes(options.excludeCredentials);
    return navigator.credentials.create({ publicKey });
  };
  const write = ({ rawId, response }) => {
    const given = PARTS.filter((part) => response[part]).map((part) => [part, toText(response[part])]);
    const id = toText(rawId);
    return JSON.stringify({ id, rawId: id, type: "public-key", response: Object.fromEntries(given) });
  };
  const fail = (words) => {
    failed.textContent = words;
    failed.hidden = false;
  };

  window.addEventListener("pageshow", () => (credential.value = ""));
  form.addEventListener("submit", async (event) => {
    if (credential.value) return;
    event.preventDefault();
    failed.hidden = true;
    try {
      const answer = await fetch(form.action, {
        method: "POST",
        headers: { Accept: "application/json" },
        body: new FormData(form),
      });
      if (answer.redirected || answer.status === 403) return location.reload(); // signed out, or too long ago
      const options = await answer.json();
      if (options.refusal) return fail(options.refusal);
      credential.value = write(await ask(options.publicKey));
      form.requestSubmit();
    } catch (error) {
      fail(error.name === "InvalidStateError" ? failed.dataset.known : failed.dataset.failed);
    }
  });
})();
