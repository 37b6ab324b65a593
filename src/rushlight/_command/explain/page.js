"use strict";
// A line's `data-to` names the lines that it became. Pointing at a line marks all that it became,
// and all that it came from; a click brings the first of these in every column into view.
const down = new Map();
const up = new Map();
for (const line of document.querySelectorAll("[data-to]")) {
  down.set(line.id, line.dataset.to.split(" "));
  for (const name of down.get(line.id)) {
    up.set(name, [...(up.get(name) || []), line.id]);
  }
}
for (const name of [...down.keys(), ...up.keys()]) {
  document.getElementById(name).classList.add("linked");
}

function reached(start, links, found) {
  const waiting = [start];
  while (waiting.length) {
    const name = waiting.pop();
    if (!found.has(name)) {
      found.add(name);
      waiting.push(...(links.get(name) || []));
    }
  }
  return found;
}

function related(name) {
  return new Set([...reached(name, down, new Set()), ...reached(name, up, new Set())]);
}

let marked = [];

function mark(line) {
  for (const other of marked) other.classList.remove("hit", "here");
  marked = line ? [...related(line.id)].map((name) => document.getElementById(name)) : [];
  for (const other of marked) other.classList.add(other === line ? "here" : "hit");
}

function show(line) {
  for (const column of document.querySelectorAll(".lines")) {
    const first = column.querySelector(".hit");
    if (first && !column.contains(line)) {
      column.scrollTop = first.offsetTop - column.offsetTop - column.clientHeight / 3;
    }
  }
}

const lineOf = (event) => event.target.closest(".linked");
document.querySelector("main").addEventListener("mouseover", (event) => mark(lineOf(event)));
document.querySelector("main").addEventListener("mouseleave", () => mark(null));
document.querySelector("main").addEventListener("click", (event) => {
  const line = lineOf(event);
  if (line) {
    mark(line);
    show(line);
  }
});
