// The script of all pages (src/report/page), before run.js: sorts and searches tables, and shows
// definitions. Texts reach the page by textContent alone.
"use strict";
const root = document.documentElement;
const find = (id) => document.getElementById(id);
const make = (tag, properties = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.className = value;
    else if (name === "text") element.textContent = value;
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
};
const read = (id) => {
  const element = find(id);
  return element ? JSON.parse(element.textContent) : null;
};

// Numbers as src/base/units.cpp has them: half to even where a decimal lies exactly between two.
const fixed = (value, decimals) => {
  const scaled = value * 10 ** decimals;
  const isTie = Number.isInteger(value * 2 ** (decimals + 1)) && Math.abs(scaled % 1) === 0.5;
  if (!isTie) return value.toFixed(decimals);
  return (2 * Math.round(scaled / 2) / 10 ** decimals).toFixed(decimals);
};
const threeDigits = (value) => {
  const size = Math.abs(value);
  return fixed(value, size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
};
const inUnit = (value, units) => {
  let i = 0;
  while (i + 1 < units.length &&
         Number(threeDigits(Math.abs(value) / units[i][0])) * units[i][0] >= units[i + 1][0]) ++i;
  const whole = i === 0 && Number.isInteger(value);
  return `${whole ? value.toFixed(0) : threeDigits(value / units[i][0])} ${units[i][1]}`;
};
const durationUnits = [[1, "ns"], [1e3, "µs"], [1e6, "ms"], [1e9, "s"], [60e9, "min"],
                       [3600e9, "h"], [86400e9, "days"]];
const byteUnits = [[1, "B"], [2 ** 10, "KiB"], [2 ** 20, "MiB"], [2 ** 30, "GiB"], [2 ** 40, "TiB"]];
const rateUnits = [[1, "B/s"], [1e3, "kB/s"], [1e6, "MB/s"], [1e9, "GB/s"], [1e12, "TB/s"]];
const flopUnits = [[1, "FLOP"], [1e3, "kFLOP"], [1e6, "MFLOP"], [1e9, "GFLOP"], [1e12, "TFLOP"]];
const duration = (ns) => (Number(ns) === 0 ? "0" : inUnit(Number(ns), durationUnits));
const count = (value) => String(value).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
const counted = (value, nouns) => `${count(value)} ${value === 1 ? nouns.slice(0, -1) : nouns}`;
const signed = (value, text) => {
  if (Number(value) === 0) return text;
  if (text.startsWith("< ")) return value > 0 ? text : `> −${text.slice(2)}`;
  if (text.startsWith("> ")) return `> ${value > 0 ? "+" : "−"}${text.slice(2)}`;
  return `${value < 0 ? "−" : "+"}${text}`;
};
const percent = (value) => {
  if (value === 0) return "0%";
  if (value < 0) return signed(value, percent(-value));
  if (value === 100) return "100%";
  if (value < 0.05) return "< 0.1%";
  if (value >= 99.95 && value < 100) return "> 99.9%";
  return `${fixed(value, 1)}%`;
};
const inFull = (value) => {
  if (typeof value !== "number" || Number.isInteger(value)) return count(value);
  const text = fixed(value, 6).replace(/0+$/, "");
  return text.endsWith(".") ? `${text}0` : text;
};
const magnitudeText = (value, column) => {
  switch (column.unit) {
    case "ns": return duration(value);
    case "bytes": return inUnit(Number(value), byteUnits);
    case "bytes/s": return inUnit(Number(value), rateUnits);
    case "FLOP": return inUnit(Number(value), flopUnits);
    case "%": return percent(Number(value));
    case "count": return column.kind === "integer" ? count(value) : fixed(value, 1);
    default: return column.kind === "integer" ? String(value) : fixed(value, 1);
  }
};
const absolute = (value) => (value < 0 ? -value : value);
const numberText = (value, column) => {
  const text = magnitudeText(absolute(value), column);
  return value < 0 || column.id.startsWith("difference") ? signed(value, text) : text;
};
const fullText = (value, column) => {
  let text = inFull(value);
  if (column.kind === "real" && Number.isInteger(value)) text = fixed(value, 1);
  if (column.unit === "%") return `${text}%`;
  return column.unit && column.unit !== "count" ? `${text} ${column.unit}` : text;
};
const isNumber = (column) => column.kind === "integer" || column.kind === "real";

// The state: words of dlview --state after the "#", as "range=10:20,sort.op_nodes=gpu_time:desc".
const state = new Map();
const readState = () => {
  state.clear();
  const hash = location.hash.slice(1);
  if (!hash.includes("=")) return;
  for (const part of hash.split(",")) {
    const equals = part.indexOf("=");
    try {
      if (equals > 0) state.set(part.slice(0, equals), decodeURIComponent(part.slice(equals + 1)));
    } catch { /* Not a state: the page shows what it shows without. */ }
  }
};
const encoded = (text) => encodeURIComponent(text).replace(/%2F/g, "/").replace(/%3A/g, ":");
const writeState = (name, value) => {
  if (value === null) state.delete(name);
  else state.set(name, value);
  const hash = [...state].map(([key, text]) => `${key}=${encoded(text)}`).join(",");
  try {
    history.replaceState(null, "", `#${hash}`);
  } catch { /* A browser that does not let files do so: no link to the view. */ }
};

// Definitions, of a number that was clicked.
let asked = null, answer = null;
const closeDefinition = () => {
  if (!answer) return;
  answer.remove();
  answer = null;
  if (asked && asked.isConnected) asked.focus();
};
const showDefinition = (metric, value, from) => {
  const source = find(`m_${metric}`);
  if (!source) return false;
  closeDefinition();
  asked = from;
  const close = make("button", {class: "close", type: "button", "aria-label": "Close", text: "✕",
                                onclick: closeDefinition});
  answer = make("aside", {class: "definition", role: "dialog", "aria-label": "Definition"}, close,
                make("h3", {text: source.querySelector("dt").textContent}));
  if (value) answer.append(make("p", {class: "value", text: value}));
  for (const child of source.querySelector("dd").children) answer.append(child.cloneNode(true));
  document.body.append(answer);
  close.focus();
  return true;
};
document.addEventListener("click", (event) => {
  const place = event.target.closest(".figures > div, #parts tbody tr");
  const link = event.target.closest("a.metric") || (place && place.querySelector("a.metric"));
  if (link) {
    const value = place && (place.querySelector("b") || event.target);
    const text = value && value !== link ? value.title || value.textContent : "";
    if (showDefinition(link.hash.slice(3), text, link)) event.preventDefault();
    return;
  }
  const cell = event.target.closest("td[data-metric]");
  if (cell && String(getSelection()) === "") {
    showDefinition(cell.dataset.metric, cell.title || cell.textContent, cell);
  }
  const name = event.target.closest(".name");
  if (name && String(getSelection()) === "") name.classList.toggle("open");
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") closeDefinition();
});

// Tables. A table has all its rows in the data; the first stand in the HTML.
const kShown = 15, kPrinted = 25;
// Texts that would be cut to the same three lines: others begin with as many characters.
const kAlikeCharacters = 80;
const alikeIn = (texts) => {
  const beginning = (text) => [...text].slice(0, kAlikeCharacters).join("");
  const uses = new Map();
  for (const text of texts) uses.set(beginning(text), (uses.get(beginning(text)) || 0) + 1);
  return new Set(texts.filter((text) => uses.get(beginning(text)) > 1 &&
                                        text.length > kAlikeCharacters));
};

class DataTable {
  constructor(data) {
    this.data = data;
    this.box = find(`t_${data.id}`);
    if (!this.box) return;
    this.sort = data.sorted === null ? null : {column: data.sorted, descends: true};
    this.alike = alikeIn(this.data.texts);
    this.search = "";
    this.showsAll = false;
    this.body = this.box.querySelector("tbody");
    this.heads = [...this.box.querySelectorAll("thead th")];
    this.count = this.box.querySelector(".count");
    this.titles = this.heads.map((head) => head.textContent);
    this.buttons = this.titles.map((text, i) => make("button", {type: "button", text,
                                                                onclick: () => this.sortBy(i)}));
    this.heads.forEach((head, i) => head.replaceChildren(this.buttons[i]));
    this.input = make("input", {type: "search", placeholder: "Search", "aria-label":
                                `Search ${this.box.querySelector(".title").textContent}`,
                                oninput: () => this.searchFor(this.input.value)});
    this.more = make("button", {type: "button", onclick: () => {
      this.showsAll = !this.showsAll;
      this.draw();
    }});
    this.box.querySelector(".head").append(
        make("span", {class: "tools"}, this.input, this.more));
    this.fill();
  }
  // The rows before sorting and searching.
  fill() {
    this.all = Array.from({length: this.data.rows}, (_, row) => row);
  }
  value(row, column) { return this.data.cells[column][row]; }
  // As it is shown.
  text(row, column) {
    const value = this.value(row, column), declared = this.data.columns[column];
    if (value === null) return "–";
    if (declared.kind === "flag") return value ? "yes" : "no";
    return isNumber(declared) ? numberText(this.number(value), declared) : this.data.texts[value];
  }
  number(value) { return typeof value === "string" ? BigInt(value) : value; }
  sortBy(column) {
    const descends = this.sort && this.sort.column === column
        ? !this.sort.descends : isNumber(this.data.columns[column]);
    this.sort = {column, descends};
    writeState(`sort.${this.data.id}`,
               `${this.data.columns[column].id}:${descends ? "desc" : "asc"}`);
    this.draw();
  }
  searchFor(text) {
    this.search = text;
    writeState(`search.${this.data.id}`, text === "" ? null : text);
    this.draw();
  }
  readState() {
    const sort = /^([^:,]+)(?::(asc|desc))?$/.exec(state.get(`sort.${this.data.id}`) || "");
    const column = sort ? this.data.columns.findIndex(({id}) => id === sort[1]) : -1;
    const search = state.get(`search.${this.data.id}`) || "";
    if (column >= 0) this.sort = {column, descends: sort[2] === "desc"};
    if (column < 0 && search === this.search) return;
    this.search = this.input.value = search;
    this.draw();
  }
  rows() {
    const words = this.search.toLowerCase().split(/\s+/).filter((word) => word !== "");
    const rows = words.length === 0 ? [...this.all] : this.all.filter((row) => {
      const texts = this.data.columns.map((_, column) => this.text(row, column).toLowerCase());
      return words.every((word) => texts.some((text) => text.includes(word)));
    });
    if (!this.sort) return rows;
    const {column, descends} = this.sort;
    const isText = ["text", "word"].includes(this.data.columns[column].kind);
    const key = (row) => {
      const value = this.value(row, column);
      if (value === null) return null;
      return isText ? this.data.texts[value] : this.number(value);
    };
    const keys = new Map(rows.map((row) => [row, key(row)]));
    return rows.sort((a, b) => {
      const x = keys.get(a), y = keys.get(b);
      if (x === null || y === null) return (x === null) - (y === null) || a - b;
      const order = x < y ? -1 : x > y ? 1 : 0;
      return (descends ? -order : order) || a - b;
    });
  }
  cell(row, column) {
    const declared = this.data.columns[column], value = this.value(row, column);
    const text = this.text(row, column);
    const cell = make(column === 0 ? "th" : "td");
    if (column === 0) cell.scope = "row";
    if (value === null) {
      cell.className = isNumber(declared) ? "n m" : "m";
      cell.title = "not recorded";
      cell.textContent = text;
    } else if (isNumber(declared)) {
      cell.className = "n";
      cell.textContent = text;
      const full = fullText(this.number(value), declared);
      if (full !== text) cell.title = full;
      if (declared.metric) cell.dataset.metric = declared.metric;
    } else if (declared.kind === "text") {
      cell.className = this.alike.has(text) ? "name open" : "name";
      cell.append(make("div", {text}));
    } else {
      cell.className = "w";
      cell.textContent = text;
    }
    return cell;
  }
  // Buttons in headers that repeat on each page would be blank.
  print(isBegin) {
    this.heads.forEach((head, i) => head.replaceChildren(isBegin ? this.titles[i] : this.buttons[i]));
    this.draw(isBegin ? kPrinted : kShown);
  }
  draw(most = kShown) {
    const rows = this.rows(), shown = this.showsAll ? rows : rows.slice(0, most);
    this.body.replaceChildren(...shown.map((row) => make("tr", {},
        ...this.data.columns.map((_, column) => this.cell(row, column)))));
    if (rows.length === 0) {
      const text = this.search ? "No row matches the search." : "No rows.";
      this.body.append(make("tr", {}, make("td", {class: "m", text,
                                                  colspan: this.data.columns.length})));
    }
    this.heads.forEach((head, i) => {
      if (this.sort && this.sort.column === i) {
        head.setAttribute("aria-sort", this.sort.descends ? "descending" : "ascending");
      } else {
        head.removeAttribute("aria-sort");
      }
    });
    const all = counted(this.all.length, "rows");
    const matching = rows.length < this.all.length ? `${count(rows.length)} of ${all}` : all;
    if (this.count) {
      this.count.textContent = shown.length < rows.length
          ? `${shown.length} of ${matching}` : matching;
    }
    this.input.hidden = this.all.length <= kShown && this.search === "";
    this.more.hidden = rows.length <= kShown;
    this.more.textContent = this.showsAll ? `Show ${kShown}` : `Show all ${count(rows.length)}`;
  }
}
const tables = [];
const addTable = (table) => {
  if (!table.box) return;
  tables.push(table);
  table.draw();
};

// The section on screen, in the navigation.
const links = new Map([...document.querySelectorAll(".sections a")]
    .map((link) => [link.hash.slice(1), link]));
if ("IntersectionObserver" in window) {
  const visible = new Set();
  const observer = new IntersectionObserver((entries) => {
    for (const {target, isIntersecting} of entries) {
      if (isIntersecting) visible.add(target.id);
      else visible.delete(target.id);
    }
    const current = [...links.keys()].find((id) => visible.has(id));
    for (const [id, link] of links) {
      if (id === current) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }, {rootMargin: "-60px 0px -60% 0px"});
  for (const section of document.querySelectorAll("main > section")) observer.observe(section);
}
