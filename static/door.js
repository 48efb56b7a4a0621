// The pages around the review screen: tabs of a payload, copying a note, and the line of what is left.
import { tabs } from "./tabs.js";

tabs();
for (const button of document.querySelectorAll("[data-copies]"))
  button.addEventListener("click", async () => {
    const field = document.getElementById(button.dataset.copies);
    try { await navigator.clipboard.writeText(field.value); } catch { field.select(), document.execCommand("copy"); }
    button.textContent = "Copied";
  });
setInterval(() => document.hidden || document.getElementById("left")?.dispatchEvent(new Event("look")), 15000);
