// The zone of the browser, for the one hidden field of the form that asks for it.
"use strict";
const field = document.querySelector("input[name=time_zone][type=hidden]");
if (field) field.value = Intl.DateTimeFormat().resolvedOptions().timeZone || "";
