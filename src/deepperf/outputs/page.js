"use strict";
const list = document.getElementById("findings");
const items = [...list.children];
const tool = (name) => document.getElementById(name);

function show() {
  const words = tool("words").value.toLowerCase().split(/\s+/).filter(Boolean);
  const rule = tool("rule").value, level = tool("level").value, path = tool("path").value;
  let count = 0;
  for (const item of items) {
    const text = item.textContent.toLowerCase();
    item.hidden = !(
      (!rule || item.dataset.rule === rule) &&
      (!level || item.dataset.level === level) &&
      (!path || item.dataset.path === path) &&
      words.every((word) => text.includes(word))
    );
    count += !item.hidden;
  }
  tool("count").textContent = count === items.length ? "" : `${count} of ${items.length} shown`;
}

function sort() {
  const key = tool("order").value;
  const sorted = [...items];
  if (key === "path") {
    sorted.sort((a, b) => (a.dataset.path < b.dataset.path ? -1 : a.dataset.path > b.dataset.path ? 1 : a.dataset.line - b.dataset.line));
  } else if (key === "rule") {
    sorted.sort((a, b) => (a.dataset.rule < b.dataset.rule ? -1 : a.dataset.rule > b.dataset.rule ? 1 : 0));
  }
  list.append(...sorted);
}

for (const name of ["rule", "level", "path"]) tool(name).addEventListener("change", show);
tool("words").addEventListener("input", show);
tool("order").addEventListener("change", sort);
tool("tools").hidden = false;
show();
