// Draws a PDF on canvases, inside a frame that has no origin, no cookie and no way out. The page that embeds it
// sends the bytes and how to show them; it gets back sizes and nothing else. No links, forms or attachments exist here.
import { layout } from "./layout.js";

const MOST_PAGES = 300, MOST_PIXELS = 16_000_000, KEPT = 12;
const { library, worker, resources } = document.body.dataset;
const home = new URL(import.meta.url).origin;
const tell = (message) => parent.postMessage({ claimcheck: "pdf", ...message }, home);
const absolute = (path) => new URL(path, home).href;

const boxes = [], drawn = new Map(), tasks = new Map();
let pdf = null, view = { scale: 1, turn: 0 }, wanted = new Set();

const seen = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) wanted[isIntersecting ? "add" : "delete"](Number(target.dataset.number));
  drawWanted();
});

async function open(bytes) {
  const pdfjs = await import(library);
  await import(worker);   // sets what PDF.js calls its main-thread worker: a real one cannot start without an origin
  const task = pdfjs.getDocument({
    data: new Uint8Array(bytes),
    isEvalSupported: false, enableXfa: false, disableWorkerRendering: true, useWasm: false, useWorkerFetch: false,
    cMapUrl: absolute(`${resources}cmaps/`), standardFontDataUrl: absolute(`${resources}standard_fonts/`), wasmUrl: absolute(`${resources}wasm/`),
    maxImageSize: 80_000_000, verbosity: 0,
  });
  task.onPassword = () => { tell({ type: "failed", reason: "locked" }), task.destroy(); };
  pdf = await task.promise;
  const sizes = [];
  for (let number = 1; number <= Math.min(pdf.numPages, MOST_PAGES); number++) sizes.push(await sizeOf(number));
  for (const [index] of sizes.entries()) boxes.push(box(index + 1));
  tell({ type: "pages", sizes, total: pdf.numPages });
}

async function sizeOf(number) {
  const { width, height } = (await pdf.getPage(number)).getViewport({ scale: 4 / 3 });   // a point is 4/3 CSS pixels
  return [width, height];
}

function box(number) {
  const element = document.createElement("div");
  element.className = "page", element.dataset.number = number;
  document.body.append(element), seen.observe(element);
  return element;
}

function show({ sizes, scale, turn, room }) {
  view = { scale, turn };
  const { pages } = layout(sizes, scale, turn, room);
  boxes.forEach((element, index) => {
    for (const side of ["left", "top", "width", "height"]) element.style[side] = `${pages[index][side]}px`;
  });
  drawWanted();
}

function drawWanted() {
  for (const number of wanted) draw(number);
  for (const number of drawn.keys()) if (drawn.size > KEPT && !wanted.has(number)) forget(number);
}

function forget(number) {
  drawn.delete(number), tasks.get(number)?.cancel();
  boxes[number - 1].replaceChildren();
}

async function draw(number) {
  const as = `${view.scale} ${view.turn}`, element = boxes[number - 1];
  if (!element || drawn.get(number) === as) return;
  drawn.set(number, as), tasks.get(number)?.cancel();
  try {
    const page = await pdf.getPage(number);
    const canvas = await paint(number, page, element.clientWidth);
    if (drawn.get(number) !== as) return;
    element.classList.remove("blank"), element.replaceChildren(canvas), tell({ type: "drawn", page: number });
  } catch (error) {
    if (error?.name === "RenderingCancelledException") return;
    element.classList.add("blank"), tell({ type: "blank", page: number });
  }
}

async function paint(number, page, width) {
  const rotation = (page.rotate + 90 * view.turn) % 360, one = page.getViewport({ scale: 1, rotation });
  const sharp = Math.min((width * devicePixelRatio) / one.width, Math.sqrt(MOST_PIXELS / (one.width * one.height)));
  const viewport = page.getViewport({ scale: sharp, rotation });
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.floor(viewport.width)), canvas.height = Math.max(1, Math.floor(viewport.height));
  const task = page.render({ canvas, viewport, background: "#fff" });
  tasks.set(number, task);
  await task.promise;
  return canvas;
}

addEventListener("message", ({ source, origin, data }) => {
  if (source !== parent || origin !== home || data?.claimcheck !== "pdf") return;
  if (data.type === "hello") tell({ type: "ready" });
  if (data.type === "show" && pdf) show(data);
  if (data.type === "open" && !pdf) open(data.bytes).catch((error) => tell({ type: "failed", reason: error?.name === "PasswordException" ? "locked" : "damaged" }));
});
tell({ type: "ready" });
