// SPDX-License-Identifier: MIT
// The page works without a server: it sorts its tables, and shows the text of the place under the pointer or chosen by arrow keys.
#include "report/page.hpp"

namespace cli {

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
