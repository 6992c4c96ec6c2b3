// Offers to fill in an own part of the deal that nobody can guess.
"use strict";
for (const button of document.querySelectorAll("button[data-fill]")) {
  button.hidden = false;
  button.addEventListener("click", () => {
    const bytes = crypto.getRandomValues(new Uint8Array(32));
    document.getElementById(button.dataset.fill).value = [...bytes]
      .map((byte) => byte.toString(16).padStart(2, "0"))
      .join("");
  });
}
