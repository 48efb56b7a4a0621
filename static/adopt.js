// An adjudicator takes a look's answer over: a click on its card, or on a chip where the form has no button for the answer, fills the form in.
const form = document.getElementById("decide"), note = document.getElementById("note");

const said = (card) => JSON.parse(card.querySelector("button").dataset.adopts);

function adopt(values, reason) {
  for (const input of form.querySelectorAll("[name=choice]")) input.checked = values.includes(input.value);
  const grade = form.elements.grade;
  if (grade) grade.value = values.find((value) => value.startsWith("answer:"))?.slice(7) ?? "";
  form.querySelector("[name=choice]")?.dispatchEvent(new Event("change", { bubbles: true }));
  grade?.dispatchEvent(new Event("input", { bubbles: true }));
  const fits = [...form.querySelectorAll("[name=reason_code]")].find((input) => input.value === reason && !input.disabled);
  if (fits) fits.checked = true, fits.dispatchEvent(new Event("change", { bubbles: true }));
  for (const card of document.querySelectorAll(".judged")) card.classList.toggle("adopted", JSON.stringify(said(card)) === JSON.stringify(values));
  note.focus();
}
for (const card of document.querySelectorAll(".judged"))
  card.addEventListener("click", () => {
    if (getSelection().isCollapsed) adopt(said(card), card.querySelector("button").dataset.reason);
  });
for (const chip of form.querySelectorAll("[data-adopts]")) chip.addEventListener("click", () => adopt(JSON.parse(chip.dataset.adopts)));
