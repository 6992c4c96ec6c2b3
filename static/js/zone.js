// The zone of the browser, for the hidden fields that ask for it.
"use strict";
for (const field of document.querySelectorAll("input[name=time_zone][type=hidden]")) {
  field.value = Intl.DateTimeFormat().resolvedOptions().timeZone || "";
}
