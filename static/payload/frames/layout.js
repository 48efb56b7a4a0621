// Where a PDF's pages lie, in CSS pixels. The page and the frame inside it both reckon with this, so that they agree.
export const GAP = 12;

export function layout(sizes, scale, turn, room) {
  const turned = sizes.map(([w, h]) => (turn % 2 ? [h, w] : [w, h]).map((side) => Math.max(1, Math.floor(side * scale))));
  const width = Math.max(room, 2 * GAP + Math.max(...turned.map(([w]) => w)));
  let top = GAP;
  const pages = turned.map(([w, h]) => {
    const page = { left: Math.floor((width - w) / 2), top, width: w, height: h };
    top += h + GAP;
    return page;
  });
  return { width, height: top, pages };
}

export function fit(sizes, turn, room) {
  const widest = Math.max(...sizes.map(([w, h]) => (turn % 2 ? h : w)));
  return Math.min(2, Math.max(0.1, (room - 2 * GAP) / widest));
}
