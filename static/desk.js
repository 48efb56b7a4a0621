// What every page shares: keys, the go-to and help dialogs, relative times, notices, the theme. Without it every page still works.
(() => {
  "use strict";
  const CHORD_MS = 900;
  const all = (selector) => [...document.querySelectorAll(selector)];
  const typing = (element) => Boolean(element?.closest?.("textarea, select, [contenteditable], input:not([type=radio], [type=checkbox], [type=submit], [type=button])"));
  const visible = (element) => element.checkVisibility?.() ?? element.offsetParent !== null;

  // --- Keys: an element with data-key="a", "g p" or "ctrl+k" is pressed by it, while no text field has the focus. ---
  let typed = "", clear;
  const sheet = () => document.querySelector("details.way[open]");   // an open sheet has the keys to itself
  const keyed = () => all("[data-key]").filter((e) => e.dataset.key && !e.disabled && !e.closest("[inert]") && (e.dataset.opens || visible(e) && (sheet()?.contains(e) ?? true)));
  const name = (event) => (event.ctrlKey || event.metaKey ? "ctrl+" : "") + (event.key.length === 1 ? event.key.toLowerCase() : event.key);
  function pressed(event) {
    if (event.defaultPrevented || event.isComposing || event.altKey || event.repeat || document.querySelector("dialog[open]")) return;
    if (typing(event.target)) return inField(event);
    const key = name(event), sequence = typed ? `${typed} ${key}` : key;
    const found = keyed(), hit = found.find((e) => e.dataset.key === sequence) ?? found.find((e) => e.dataset.key === key);
    typed = found.some((e) => e.dataset.key.startsWith(`${sequence} `)) ? sequence : "";
    clearTimeout(clear), clear = setTimeout(() => { typed = ""; }, CHORD_MS);
    if (hit) event.preventDefault(), press(hit);
  }
  function press(element) {
    if (typing(element)) return element.focus();
    const input = element.matches("label") ? element.control ?? element : element;
    input.click(), input !== element && input.focus();
  }
  function inField(event) {
    if (event.key === "Escape") event.target.blur();
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target.form) event.preventDefault(), event.target.form.requestSubmit();
    const key = name(event);
    if (key.startsWith("ctrl+")) { const hit = keyed().find((e) => e.dataset.key === key); if (hit) event.preventDefault(), press(hit); }
  }
  document.addEventListener("keydown", pressed);

  // --- Dialogs: data-opens names one; a page may bring its own #keys. ---
  function open(id) {
    const dialog = document.getElementById(id) ?? document.getElementById(`page-${id}`);
    if (dialog?.id === "page-keys") list(dialog.querySelector("[data-keys-list]"));
    dialog?.showModal(), dialog?.querySelector("input")?.select();
    return dialog;
  }
  function list(into) {
    into.replaceChildren(...keyed().flatMap((element) => {
      const dt = document.createElement("dt"), dd = document.createElement("dd");
      for (const key of element.dataset.key.split(/[ +]/)) dt.append(Object.assign(document.createElement("kbd"), { textContent: key.length === 1 ? key.toUpperCase() : key }), " ");
      dd.textContent = element.dataset.label ?? element.innerText.replace(/\s+/g, " ").trim(), dd.dir = "auto";
      return [dt, dd];
    }));
  }
  document.addEventListener("click", (event) => {
    const opener = event.target.closest?.("[data-opens]");
    if (opener && !event.ctrlKey && !event.metaKey && !event.shiftKey && open(opener.dataset.opens)) event.preventDefault();
    for (const menu of all("details:is(.menu, .way)[open]")) if (!menu.contains(event.target)) menu.open = false;
    if (event.target.closest?.(".notice .close")) event.target.closest(".notice").remove();
    if (event.target.matches?.("dialog")) event.target.close();   // its backdrop
  });
  document.addEventListener("keydown", (event) => {
    const menu = event.key === "Escape" && (document.activeElement?.closest("details[open]") ?? sheet());
    if (menu) menu.open = false, menu.querySelector("summary").focus();
  });

  // --- Times: "12 min ago", with the reader's own clock as the title. ---
  const words = new Intl.RelativeTimeFormat("en-GB", { numeric: "auto", style: "short" });
  const STEPS = [[60, 1, "second"], [3600, 60, "minute"], [86400, 3600, "hour"], [Infinity, 86400, "day"]];
  function tell() {
    for (const time of all("time[data-ago]")) {
      const at = new Date(time.dateTime), seconds = (at - Date.now()) / 1000;
      const [, unit, word] = STEPS.find(([limit]) => Math.abs(seconds) < limit);
      const text = Math.abs(seconds) < 45 ? "just now" : words.format(Math.round(seconds / unit), word);
      if (time.textContent !== text) time.textContent = text;
      if (!time.title) time.title = at.toLocaleString();
    }
  }

  // --- Notices: what htmx could not do is said in #flash; nothing that was typed is touched. ---
  function say(text) {
    const notice = Object.assign(document.createElement("p"), { className: "notice bad", textContent: text });
    document.getElementById("flash")?.replaceChildren(notice), closable();
  }
  function closable() {
    for (const notice of all("#flash .notice:not(:has(.close))"))
      notice.append(Object.assign(document.createElement("button"), { className: "link close", type: "button", textContent: "×", ariaLabel: "Dismiss" }));
  }
  document.addEventListener("htmx:error", (event) => {
    if (event.detail.ctx && !event.detail.ctx.sourceElement?.closest("[data-quiet]")) say("The desk does not answer. What you typed is still here; try again in a moment.");
  });
  document.addEventListener("htmx:after:swap", () => { tell(), closable(); });

  // --- Theme: shown at once, kept by the server in a cookie. ---
  for (const form of all("form.themes")) form.addEventListener("submit", (event) => {
    event.preventDefault();
    const theme = event.submitter.value, root = document.documentElement;
    if (theme === "auto") delete root.dataset.theme; else root.dataset.theme = theme;
    for (const button of form.querySelectorAll("button")) button.ariaPressed = String(button === event.submitter);
    fetch(form.action, { method: "POST", body: new URLSearchParams({ theme }), headers: { "HX-Request": "true" } }).catch(() => {});
  });

  for (const element of all(".needs-script")) element.hidden = false;
  const nav = document.querySelector(".bar nav"), current = nav?.querySelector("[aria-current]");
  if (current) nav.scrollLeft = current.offsetLeft - nav.offsetLeft - (nav.clientWidth - current.offsetWidth) / 2;
  tell(), closable(), setInterval(tell, 30000);
  // What is read anew while somebody looks: a region with data-poll asks by its own hx-get. One in which somebody has opened, focused, typed or marked something, or that says
  // what came of a form (data-kept), is left alone but for its data-live parts, which hold no field; also by an answer that was on its way already.
  const marked = (region) => { const chosen = getSelection(); return !chosen.isCollapsed && chosen.rangeCount && region.contains(chosen.getRangeAt(0).startContainer); };
  const changed = (field) => field.matches("[type=radio], [type=checkbox]") ? field.checked !== field.defaultChecked : field.defaultValue !== undefined && field.value !== field.defaultValue;
  const inUse = (region) => region.querySelector("details[open], [data-kept]") || region.contains(document.activeElement) || marked(region) || [...region.querySelectorAll("input, textarea")].some(changed);
  function swapLive(region, text) {
    const fresh = new DOMParser().parseFromString(text, "text/html");
    if (!fresh.getElementById(region.id)) return;
    for (const part of region.querySelectorAll("[data-live]")) {
      const now = fresh.getElementById(part.id);
      if (!now) part.textContent = part.dataset.live;   // it is not on the list any more
      else if (!part.contains(document.activeElement) && !marked(part)) part.replaceWith(now);
    }
    tell();
  }
  setInterval(() => { if (!document.hidden) for (const region of all("[data-poll]")) if (!inUse(region) || region.querySelector("[data-live]")) region.dispatchEvent(new Event("look")); }, 20000);
  document.addEventListener("htmx:before:swap", (event) => {
    const { sourceElement: region, text } = event.detail.ctx ?? {};
    if (region?.matches?.("[data-poll]") && inUse(region)) event.preventDefault(), swapLive(region, text ?? "");
  });
})();
