// Shares the address of the page as the device does it; where it cannot, copies it.
"use strict";
{
  const offer = (area) => {
    for (const button of area.querySelectorAll("button[data-share]")) {
      button.hidden = false;
      document.getElementById(button.dataset.instead).hidden = true;
    }
  };
  offer(document);
  document.addEventListener("htmx:load", (event) => offer(event.target.parentElement ?? document));
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("button[data-share]");
    if (!button) return;
    const { share: url, title, copied, instead } = button.dataset;
    if (navigator.share) {
      await navigator.share({ title, url }).catch(() => null); // changed their mind
      return;
    }
    const isCopied = await navigator.clipboard?.writeText(url).then(() => true, () => false);
    if (isCopied) button.textContent = copied;
    else document.getElementById(instead).hidden = false;
  });
}
