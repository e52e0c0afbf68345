// SPDX-License-Identifier: MIT
// The look of pages, one column on a phone, and their script. A page works without a server: it sorts its tables, and shows the text of the
// place under the pointer or chosen by arrow keys.
#include "report/page.hpp"

namespace cli {

std::string page_style() {
  return page_colors() + drawing_rules() +
         R"css(:root { --soft: #f3f5f8; --link: #0b57a4; --on: #ffe08a; --warn: #fff4d6; --warn-rule: #c98a00; }
@media (prefers-color-scheme: dark) {
  :root { --soft: #1b222b; --link: #8ec3ff; --on: #5c4a00; --warn: #33290d; --warn-rule: #e0aa2e; }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0 auto; max-width: 64rem; padding: 1rem clamp(0.75rem, 3vw, 2rem) 4rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", Arial, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0.5rem 0; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 0.75rem; padding-top: 0.5rem; border-top: 1px solid var(--rule); }
h3 { font-size: 1rem; margin: 1rem 0 0.25rem; }
a { color: var(--link); }
nav { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; }
nav a { padding: 0.25rem 0; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
dl { display: grid; grid-template-columns: minmax(8rem, max-content) 1fr; gap: 0.25rem 1rem; margin: 0.75rem 0; }
dt { color: var(--faint); }
dd { margin: 0; }
@media (max-width: 30rem) { dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: 0.5rem; } }
pre { background: var(--soft); border: 1px solid var(--rule); border-radius: 6px; padding: 0.75rem; margin: 0.25rem 0 1rem;
  white-space: pre-wrap; }
pre span { display: inline-block; max-width: 100%; }
code { font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: 0.9rem; }
.warning { background: var(--warn); border-left: 4px solid var(--warn-rule); padding: 0.5rem 1rem; margin: 1rem 0; }
.warning h3 { margin-top: 0.25rem; }
.warning ul { margin: 0.25rem 0; padding-left: 1.2rem; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; margin: 0; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: 0 2rem; }
figure { margin: 1rem 0; min-width: 0; }
figure.chart { max-width: 35rem; }
figure.map { max-width: 42rem; }
figure svg { display: block; width: 100%; height: auto; }
figcaption { font-weight: 600; margin-bottom: 0.25rem; }
.readout { min-height: 3em; margin: 0.25rem 0; font-size: 0.9rem; color: var(--faint); }
.here { fill: none; stroke: var(--ink); stroke-width: 2; }
.pair.on { fill: var(--s5); stroke: var(--ink); stroke-width: 2; }
[data-map] { cursor: crosshair; touch-action: manipulation; }
table[data-map] { cursor: auto; }
.scroll { overflow: auto; max-height: 32rem; border: 1px solid var(--rule); border-radius: 6px; margin: 0.75rem 0; }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem; font-variant-numeric: tabular-nums; overflow-wrap: normal; }
caption { text-align: left; padding: 0.5rem; color: var(--faint); }
caption span { display: inline-block; position: sticky; left: 0.5rem; max-width: min(58rem, calc(100vw - 4rem)); }
th, td { padding: 0.2rem 0.6rem; text-align: left; border-top: 1px solid var(--rule); white-space: nowrap; }
td.n { text-align: right; }
thead th { position: sticky; top: 0; background: var(--soft); padding: 0; }
th button { font: inherit; font-weight: 600; color: inherit; background: none; border: 0; padding: 0.4rem 0.6rem;
  width: 100%; text-align: left;
  cursor: pointer; }
th.n button { text-align: right; }
th button:focus-visible { outline-offset: -3px; }
th button::after { content: " \2195"; content: " \2195" / ""; color: var(--faint); font-weight: 400; }
th[aria-sort="ascending"] button::after { content: " \2191"; content: " \2191" / ""; }
th[aria-sort="descending"] button::after { content: " \2193"; content: " \2193" / ""; }
tr.on td { background: var(--on); }
details { margin: 0.5rem 0; }
summary { cursor: pointer; padding: 0.25rem 0; }
@media print { .scroll { max-height: none; } nav, .readout { display: none; } }
)css";
}

const char *page_script() {
  return R"js("use strict";
(() => {
  const say = (text) => { document.getElementById("said").textContent = text; };

  // Sorted by the column of the button: numbers as numbers, empty cells at the end.
  const sortBy = (table, column) => {
    const heads = [...table.tHead.rows[0].cells];
    const up = heads[column].getAttribute("aria-sort") !== "ascending";
    const body = table.tBodies[0];
    const keys = [...body.rows].map((row) => {
      const cell = row.cells[column];
      const text = cell.firstElementChild ? cell.firstElementChild.value : cell.textContent;
      const number = Number(text.replace(/^(-?)inf$/, "$1Infinity"));
      return { row, text, number };
    });
    const numbers = keys.every((key) => key.text === "" || !Number.isNaN(key.number));
    keys.sort((a, b) => {
      if (a.text === "" || b.text === "") return (a.text === "") - (b.text === "");
      const order = numbers ? Math.sign(a.number - b.number) || 0 : a.text.localeCompare(b.text);
      return up ? order : -order;
    });
    body.append(...keys.map((key) => key.row));
    heads.forEach((head, k) => head.setAttribute("aria-sort", k === column ? (up ? "ascending" : "descending") : "none"));
    say("Sorted by " + heads[column].textContent + ", " + (up ? "ascending" : "descending"));
  };
  document.querySelectorAll("table.sortable").forEach((table) => {
    table.querySelectorAll("th button").forEach((button, column) => button.addEventListener("click", () => sortBy(table, column)));
  });

  // The text of a cell: of a contact map the two sites, of other maps what the page has for it.
  const textAt = (data, block, x, y) => {
    if (!data.names) return ((data.cells[block] || [])[y] || [])[x] || "";
    const [i, j] = x < y ? [x, y] : [y, x];
    if (!data.names[i] || !data.names[j] || i === j) return "";
    const score = data.scores.length > 0 ? data.scores[i][j - i - 1] : null;
    return data.names[i] + " and " + data.names[j] + (score === null ? "" : ": score " + score);
  };

  // Arrow keys move over the cells of a map whose blocks follow one another from left to right.
  const moves = { ArrowRight: [1, 0], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowUp: [0, -1] };
  const walk = (areas, show) => {
    const columns = (block) => Number(areas[block].dataset.columns);
    const frame = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    frame.setAttribute("class", "here");
    let block = 0, x = -1, y = 0;
    return (event) => {
      if (!(event.key in moves)) return;
      event.preventDefault();
      const [right, down] = x < 0 ? [1, 0] : moves[event.key];
      x += right;
      y = Math.min(Math.max(y + down, 0), Number(areas[block].dataset.rows) - 1);
      if (x >= columns(block) && block + 1 < areas.length) [block, x] = [block + 1, 0];
      else if (x < 0 && block > 0) [block, x] = [block - 1, columns(block - 1) - 1];
      x = Math.min(Math.max(x, 0), columns(block) - 1);
      const box = areas[block].getBBox(), width = box.width / columns(block), height = box.height / Number(areas[block].dataset.rows);
      const place = { x: box.x + x * width, y: box.y + y * height, width, height };
      Object.entries(place).forEach(([name, value]) => frame.setAttribute(name, value));
      areas[block].after(frame);
      show(block, x, y);
    };
  };

  // A map has its data as JSON, and a line of text below it. Of contacts, marks and the rows of a table are the same pairs.
  const connect = (figure) => {
    const readout = figure.querySelector(".readout");
    const data = JSON.parse(figure.querySelector("script[type='application/json']").textContent);
    const pairs = data.pairs || [];
    const shown = [...document.querySelectorAll("table[data-map='" + figure.id + "'] tbody tr"), ...figure.querySelectorAll(".pair")];
    let chosen = -1;
    const choose = (k, aloud) => {
      if (k !== chosen) shown.forEach((element) => element.classList.toggle("on", Number(element.dataset.pair) === k));
      chosen = k;
      if (k < 0) return;
      readout.textContent = pairs[k][2];
      if (aloud) say(pairs[k][2]);
    };
    const follow = (area, block) => (event) => {
      const box = area.getBoundingClientRect();
      const x = Math.floor((event.clientX - box.left) / box.width * Number(area.dataset.columns));
      const y = Math.floor((event.clientY - box.top) / box.height * Number(area.dataset.rows));
      if (x < 0 || y < 0 || x >= Number(area.dataset.columns) || y >= Number(area.dataset.rows)) return;
      const [i, j] = x < y ? [x, y] : [y, x];
      choose(pairs.findIndex((pair) => pair[0] === i && pair[1] === j), false);
      if (chosen < 0) readout.textContent = textAt(data, block, x, y);
    };
    figure.querySelectorAll(".area").forEach((area, block) => {
      area.closest("svg").addEventListener("pointermove", follow(area, block));
      area.closest("svg").addEventListener("pointerdown", follow(area, block));
    });
    shown.filter((element) => element.tagName === "TR").forEach((row) =>
      row.addEventListener("pointerenter", () => choose(Number(row.dataset.pair), false)));
    const keys = figure.querySelector("[tabindex]");
    if (keys && pairs.length > 0) keys.addEventListener("keydown", (event) => {
      if (!(event.key in moves)) return;
      event.preventDefault();
      choose((chosen + moves[event.key][0] + moves[event.key][1] + pairs.length) % pairs.length, true);
    });
    else if (keys && data.cells) keys.addEventListener("keydown", walk([...figure.querySelectorAll(".area")], (block, x, y) => {
      readout.textContent = textAt(data, block, x, y);
      say(readout.textContent);
    }));
  };
  document.querySelectorAll("figure.map[id]").forEach(connect);
})();
)js";
}

}  // namespace cli
