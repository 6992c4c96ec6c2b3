// Shares an address as the device does it; where it cannot, copies it. What stands there instead is hidden meanwhile.
"use strict";
{
  const showInstead = ({ dataset }, isShown) => {
    if (dataset.instead) document.getElementById(dataset.instead).hidden = !isShown;
  };
  const offer = (area) => {
    for (const button of area.querySelectorAll("button[data-share]")) {
      button.hidden = !navigator.share && !navigator.clipboard;
      showInstead(button, button.hidden);
    }
  };
  offer(document);
  document.addEventListener("htmx:load", (event) => offer(event.target.parentElement ?? document));
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("button[data-share]");
    if (!button) return;
    const { share: url, title, copied } = button.dataset;
    if (navigator.share) {
      await navigator.share({ title, url }).catch(() => null); // changed their mind
      return;
    }
    const isCopied = await navigator.clipboard.writeText(url).then(() => true, () => false);
    if (isCopied) button.textContent = copied;
    else showInstead(button, true);
  });
}
