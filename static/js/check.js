// Works fingerprints out again in this browser and says whether they fit; the page explains how to do it by hand.
"use strict";
const sha256 = async (text) =>
  [...new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
const say = async (output, text) => {
  const fits = (await sha256(text)) === output.dataset.sha256;
  output.textContent = fits ? output.dataset.fits : output.dataset.fails;
  output.className = fits ? "fits" : "fails";
};
// Without HTTPS a browser has no crypto.subtle.
if (globalThis.crypto?.subtle) {
  const check = (area) => {
    for (const output of area.querySelectorAll("output[data-text]")) say(output, output.dataset.text);
  };
  check(document);
  document.addEventListener("htmx:load", (event) => check(event.target)); // a part of the page that has come anew
  for (const field of document.querySelectorAll("input[data-check]")) {
    field.closest("[hidden]")?.removeAttribute("hidden");
    const output = document.getElementById(field.dataset.check);
    field.addEventListener("input", () => {
      if (field.value.trim()) say(output, field.value.trim());
      else output.textContent = "";
    });
  }
}
