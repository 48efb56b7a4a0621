// The review screen: the lease's clock and the sign of life, drafts, keys, and a submit that survives a cut connection.
// Without it every button still works. htmx swaps #clock, #draft-state and #left, never the form.
import { tabs } from "./tabs.js";

const $ = (id) => document.getElementById(id);
const desk = $("desk"), form = $("decide"), submit = $("go"), note = $("note");
const BEAT = 20, LOOK = 30, KEEP_MS = 1000;
const typing = (element) => element?.matches?.("textarea, select, input:not([type=radio], [type=checkbox], [type=submit], [type=button])") || element?.isContentEditable;
const say = (text) => { if ($("said").textContent !== text) $("said").textContent = text; };
const minutes = (s) => s >= 3600 ? `${Math.floor(s / 3600)} h ${String(Math.floor(s % 3600 / 60)).padStart(2, "0")} min` : `${Math.floor(s / 60)}:${String(s % 60).padStart(2, "0")}`;

// --- The clock counts down what the server said was left; the machine's own time of day is never asked. ---
let read, readAt, whole = 1, lastBeat = performance.now(), offline = false;
function readClock(at) {
  read = Number($("clock").dataset.left), readAt = at, whole = Math.max(whole, read, Number($("clock").dataset.of));
}
const left = () => Math.max(0, Math.ceil(read - (performance.now() - readAt) / 1000));
const lost = () => ["lapsed", "lost"].includes($("clock").dataset.state);
function showClock() {
  const clock = $("clock"), time = clock.querySelector("[data-time]"), seconds = left();
  clock.classList.toggle("short", !lost() && seconds <= 60);
  clock.classList.toggle("offline", offline);
  if (!time) return;
  time.textContent = minutes(seconds);
  clock.querySelector(".arc").setAttribute("stroke-dashoffset", String(100 - 100 * Math.min(1, seconds / whole)));
  if (seconds === 60) say("One minute left");
  if (seconds === 0 && performance.now() - lastBeat > 2000) beat();   // the server says who has it now
}

function told() {
  if (!lost()) return;
  say($("clock").querySelector(".clock-words").textContent);
  if ($("clock").dataset.state === "lost" && $("banner")) $("banner").hidden = true;   // what it says no longer holds
}

// --- A sign of life: what counts is the person's last input, not that the tab is open. ---
let lastInput = performance.now(), asked = false;
const idle = () => Math.floor((performance.now() - lastInput) / 1000);
const title = document.title;
const here = () => { if (!asked) lastInput = performance.now(); };   // once asked, only the answer counts
function answered() {
  asked = false, document.title = title, here(), beat();
}
function askStill() {
  asked = true, document.title = `Still there? · ${title}`;
  for (const other of document.querySelectorAll("dialog[open]")) other.close();
  $("still").showModal();
}
const beat = () => $("beat").dispatchEvent(new Event("beat"));
$("beat").addEventListener("beat", () => { lastBeat = performance.now(), $("beat").elements.idle_seconds.value = idle(); }, true);
for (const kind of ["pointerdown", "pointermove", "keydown", "wheel", "touchstart", "input"]) addEventListener(kind, here, { passive: true, capture: true });
addEventListener("scroll", here, { passive: true, capture: true });
addEventListener("blur", () => { if (document.activeElement?.tagName === "IFRAME") here(); });
$("still").addEventListener("close", answered);

// --- Drafts: a second after the last keystroke, and when the page is hidden. What could not be kept stays in this tab. ---
const slot = `claimcheck:draft:${desk.dataset.assignment}`;
let dirty = false, out = false, keepTimer, keptAt = null;
const typed = () => [...new FormData(form)].filter(([name]) => ["choice", "grade", "reason_code", "note"].includes(name));
const stash = () => { try { sessionStorage.setItem(slot, JSON.stringify(typed())); } catch { /* no room: the server's copy remains */ } };
const unstash = () => sessionStorage.removeItem(slot);
function changed() {
  dirty = true, keptAt = null;
  if (out) stash(); else $("draft-state").textContent = "…", clearTimeout(keepTimer), keepTimer = setTimeout(keep, KEEP_MS);
  check();
}
function keep() {
  if (!dirty || sending || out) return;
  dirty = false, $("keep").dispatchEvent(new Event("keep"));
}
function leave() {
  if (!dirty || sending) return;
  stash();
  if (navigator.sendBeacon($("keep").getAttribute("hx-post"), new URLSearchParams(new FormData(form)))) dirty = false;
}
function notKept(words) {
  dirty = true, stash(), $("draft-state").textContent = words;
}
function showDraft() {
  const kept = $("draft-state").dataset.kept;
  if (keptAt === null || kept === undefined || dirty) return;
  const s = Math.floor(Number(kept) + (performance.now() - keptAt) / 1000);
  $("draft-state").textContent = s < 2 ? "Draft kept" : `Draft kept ${s < 60 ? `${s} s` : `${Math.floor(s / 60)} min`} ago`;
}
function restore() {
  let kept;
  try { kept = JSON.parse(sessionStorage.getItem(slot)); } catch { return; }
  if (!Array.isArray(kept)) return;
  for (const input of form.querySelectorAll("[name=choice], [name=reason_code]")) input.checked = kept.some(([n, v]) => n === input.name && v === input.value);
  for (const [name, value] of kept) if (["note", "grade"].includes(name)) form.elements[name].value = value;
  changed();
}

// --- What may be submitted, and which reasons fit the choice. ---
const chosen = () => [...form.querySelectorAll("[name=choice]:checked")].map((input) => input.value);
function fitReasons() {
  const verdict = chosen().find((v) => v.startsWith("verdict:"))?.slice(8) ?? (chosen().length || form.elements.grade?.value ? "answer" : null);
  const wanted = ($("find-reason")?.value ?? "").trim().toLowerCase();
  let number = 0;
  for (const reason of form.querySelectorAll(".reason")) {
    const fits = !verdict || reason.dataset.of.split(" ").includes(verdict), input = reason.querySelector("input");
    input.disabled = !fits;
    if (!fits) input.checked = false;
    reason.hidden = !fits || (wanted !== "" && !reason.textContent.toLowerCase().includes(wanted));
    if (!fits) continue;
    number += 1;
    const key = number <= 9 ? String(number) : "";
    reason.dataset.key = key;
    let mark = reason.querySelector("kbd");
    if (!mark) mark = reason.appendChild(document.createElement("kbd")), mark.setAttribute("aria-hidden", "true");
    mark.textContent = key, mark.hidden = !key;
  }
}
const count = (n, least, most) => n > most ? `${n - most} too many` : n ? `${least - n} more to choose` : "Nothing chosen yet";
function wants() {
  const some = chosen(), answers = some.filter((v) => v.startsWith("answer:")).length, least = Number(form.dataset.least), most = Number(form.dataset.most);
  const verdict = some.some((v) => v.startsWith("verdict:")), number = form.elements.grade;
  if (!verdict && number) { if (!number.value || !number.validity.valid) return `Give ${number.min} to ${number.max}`; }
  else if (!verdict && (answers < least || answers > most)) return form.querySelector("[type=checkbox]") ? count(answers, least, most) : "Choose one";
  else if (!verdict && !form.querySelector("[type=checkbox]") && !some.length) return "Choose one";
  if (!form.querySelector("[name=reason_code]:checked")) return "Choose a reason";
  return note.required && !note.value.trim() ? "Say why, in the note" : "";
}
function check() {
  fitReasons();
  const missing = wants();
  submit.disabled = sending || missing !== "";
  if (!sending) $("wants").textContent = missing;
}
form.addEventListener("change", (event) => {
  const { value, type, checked } = event.target;
  if (event.target.name === "choice" && type === "checkbox" && checked)   // an answer and "escalate" shut each other out
    for (const other of form.querySelectorAll("[name=choice]:checked")) if (other.value.startsWith("verdict:") !== value.startsWith("verdict:")) other.checked = false;
  if (!typing(event.target)) changed();   // a text field tells by its input event
});
form.addEventListener("input", (event) => event.target.id === "find-reason" ? fitReasons() : typing(event.target) && changed());

// --- Submitting: the same POST is sent until it is answered; the server gives the same receipt for it. ---
let sending = false, tryNow = () => {};
const pause = (s) => new Promise((resolve) => { tryNow = resolve, setTimeout(resolve, s * 1000); });
function sendPlainly() {
  const then = Object.assign(document.createElement("input"), { type: "hidden", name: "then", value: "next" });
  form.append(then), unstash(), form.submit();
}
async function send(event) {
  event.preventDefault();
  if (sending) return;
  if (wants() !== "") return check();
  sending = true, clearTimeout(keepTimer), stash(), check();
  form.querySelector(".fields").inert = true, $("wants").textContent = "Sending…";
  const body = new URLSearchParams([...new FormData(form), ["then", "next"]]);
  for (let wait = 1; ; wait = Math.min(2 * wait, 16)) {
    let answer = null;
    try { answer = await fetch(form.action, { method: "POST", body, headers: { "HX-Request": "true" }, signal: AbortSignal.timeout(15000) }); } catch { /* cut, or too slow */ }
    if (answer?.headers.get("HX-Redirect") && answer.status === 204) return unstash(), location.assign(answer.headers.get("HX-Redirect"));
    if (answer?.status === 401) return sending = false, signedOut(), check(), form.querySelector(".fields").inert = false;
    if (answer && answer.status < 500) return sendPlainly();   // refused: the page that says why
    $("wants").textContent = `${navigator.onLine && answer ? "No answer" : "No connection"}. Nothing is lost; it is sent again.`;
    say($("wants").textContent);
    await pause(wait);
  }
}
form.addEventListener("submit", (event) => { if (!event.submitter?.hasAttribute("formaction")) send(event); });

// --- Signed out, offline: said, and tried again. ---
function signedOut() {
  out = true, stash();
  const link = Object.assign(document.createElement("a"), { href: `/login?next=${location.pathname}`, textContent: "Sign in again" });
  $("draft-state").replaceChildren("You are signed out. What you typed is kept in this tab. ", link);
}
document.addEventListener("htmx:before:response", (event) => {
  const { response, sourceElement } = event.detail.ctx;
  if (response.status === 401) return event.preventDefault(), signedOut();
  out = false;
  if (sourceElement.id === "beat") offline = response.status >= 500, response.status >= 500 && event.preventDefault();
  if (sourceElement.id === "keep" && response.status >= 400) event.preventDefault(), notKept("Draft not kept yet: trying again"), keepTimer = setTimeout(keep, 5000);
});
document.addEventListener("htmx:error", (event) => {
  const id = event.detail.ctx?.sourceElement.id;
  if (id === "beat") offline = true, say("Offline: trying again"), showClock();
  if (id === "keep") notKept("Offline: the draft is kept in this tab");
});
document.addEventListener("htmx:after:swap", (event) => {
  const id = event.detail.ctx.sourceElement.id;
  if (id === "beat") readClock(performance.now()), showClock(), told();
  if (id === "keep") keptAt = performance.now(), dirty || unstash();
});
const again = () => { tryNow(), beat(), dirty && keep(); };
addEventListener("online", again);
addEventListener("pagehide", leave);
addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });   // back: ask the server, replay nothing
document.addEventListener("visibilitychange", () => document.hidden ? leave() : again());

// --- Keys: letters, digits and ? are pressed by desk.js, while no text field has the focus; here stands what submits. ---
function firstReason() {
  const found = form.querySelector(".reason:not([hidden]) input");
  if (found) $("find-reason").value = "", found.checked = true, changed(), found.focus();
}
function inField(event) {
  if (event.key !== "Enter" && event.key !== "Escape") return;
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target.form === form) event.preventDefault(), submit.disabled || form.requestSubmit(submit);
  else if (event.target.id === "find-reason") event.preventDefault(), event.key === "Enter" ? firstReason() : (event.target.value = "", fitReasons(), event.target.blur());
}
document.addEventListener("keydown", (event) => {
  if (event.isComposing || document.querySelector("dialog[open]")) return;
  if (typing(event.target)) return inField(event);
  if (event.key === "Enter" && !event.target.closest?.("a, button, summary") && !document.querySelector(".way[open]")) event.preventDefault(), submit.disabled || form.requestSubmit(submit);
});
for (const way of document.querySelectorAll(".way")) way.addEventListener("toggle", () => way.open && way.querySelector("textarea, button").focus());

// --- Once a second. ---
function tick() {
  const now = performance.now();
  showClock(), showDraft();
  if (!lost() && idle() > Number(desk.dataset.idle) && !asked) askStill();
  if (asked) $("still-left").textContent = minutes(left());
  if (now - lastBeat > (offline ? 5 : BEAT) * 1000 && $("clock").dataset.state !== "lost") beat(), dirty && offline && keep();
  if (!document.hidden && now - lastLook > LOOK * 1000) lastLook = now, $("left")?.dispatchEvent(new Event("look"));
}
let lastLook = performance.now();
readClock(performance.getEntriesByType("navigation")[0]?.responseStart ?? performance.now());
if ($("draft-state").dataset.kept !== undefined) keptAt = performance.now();
if ($("find-reason")) $("find-reason").hidden = false;
tabs();
form.querySelector(".reason-list").style.minHeight = `${form.querySelector(".reason-list").offsetHeight}px`;   // it may shrink, the page must not
restore(), check(), showClock();
setInterval(tick, 1000);
