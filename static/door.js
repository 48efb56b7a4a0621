// The pages around the review screen: tabs of a payload, copying a note, and the line of what is left.
import { tabs } from "./tabs.js";

tabs();
for (const button of document.querySelectorAll("[data-copies]"))
  button.addEventListener("click", async () => {
    const field = document.getElementById(button.dataset.copies);
    try { await navigator.clipboard.writeText(field.value); } catch { field.select(), document.execCommand("copy"); }
    button.textContent = "Copied";
  });
// A page that is left sends its draft too late for the page that follows: the tab's own copy fills in.
const typed = document.getElementById("typed");
const kept = JSON.parse((typed && sessionStorage.getItem(typed.dataset.slot)) ?? "[]").find(([name]) => name === "note")?.[1];
if (kept?.trim()) document.getElementById("kept-note").value = kept, typed.hidden = false, document.getElementById("not-submitted")?.removeAttribute("hidden");
setInterval(() => document.hidden || document.getElementById("left")?.dispatchEvent(new Event("look")), 15000);
