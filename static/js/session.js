// Who has been signed out, and signs in again in another tab, goes on with the open page: its forms get a new token.
"use strict";
const session = (() => {
  const notice = () => document.getElementById("signed-out");
  const isOut = () => notice() !== null && !notice().hidden;
  // Reads the page again for its token; false, and the notice is shown, if the reader is still signed out.
  const renew = async () => {
    const answer = await fetch(location.href).catch(() => null);
    if (!answer || !notice()) return false;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    notice().hidden = page.querySelector("#signed-out") !== null;
    if (isOut()) return false;
    const token = page.querySelector("input[name=csrfmiddlewaretoken]").value;
    for (const field of document.querySelectorAll("input[name=csrfmiddlewaretoken]")) field.value = token;
    return true;
  };
  const resent = new WeakMap();
  const sendAgain = async (form, submitter) => {
    if (!(await renew()) || resent.get(form) > Date.now() - 5000) return;
    resent.set(form, Date.now());
    form.requestSubmit(submitter);
  };
  const isLost = (xhr) =>
    notice() !== null &&
    (xhr?.status === 403 || (Boolean(xhr?.responseURL) && new URL(xhr.responseURL).pathname === notice().dataset.signIn));

  news.subscribe("turns", (codes) => {
    if (!notice()) return;
    if (codes === null) notice().hidden = false;
    else if (isOut()) renew();
  });
  document.addEventListener(
    "submit",
    (event) => {
      if (!isOut() || event.target.method !== "post") return;
      event.preventDefault();
      event.stopImmediatePropagation();
      sendAgain(event.target, event.submitter);
    },
    true,
  );
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { xhr, requestConfig } = event.detail;
    if (!isLost(xhr)) return;
    event.detail.shouldSwap = false;
    sendAgain(requestConfig.elt, requestConfig.triggeringEvent?.submitter);
  });
  return {
    // True if the answer says no more than that the reader has been signed out, or was meanwhile; this module sees to it.
    isLost,
  };
})();
