// The second part of the script of all pages: lets the range of iterations of a run change. Times are
// BigInt where they are summed, so that sums are those of the program to the nanosecond.

// Iterations. Columns hold a number each; sums before an iteration are BigInt.
const kParts = ["tensor_core_kernels", "other_kernels", "memory", "data_loader", "io", "cpu"];
const inflate = async (id) => {
  const text = find(id).textContent.trim();
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
};
class Iterations {
  constructor(facts, planes) {
    Object.assign(this, facts);
    const n = this.count = facts.iterations;
    this.gpus = BigInt(facts.gpus);
    this.of = {};
    facts.columns.forEach((name, column) => {
      const view = new DataView(new ArrayBuffer(8 * n));
      for (let plane = 0; plane < 8; ++plane) {
        const first = (8 * column + plane) * n;
        for (let i = 0; i < n; ++i) view.setUint8(8 * i + plane, planes[first + i]);
      }
      const values = this.of[name] = new BigInt64Array(n);
      for (let i = 0; i < n; ++i) values[i] = view.getBigInt64(8 * i, true);
    });
    const start = this.start = new BigInt64Array(n);
    const {gap, duration: durations} = this.of;
    for (let i = 0; i < n; ++i) {
      start[i] = i === 0 ? BigInt(facts.start) : start[i - 1] + durations[i - 1] + gap[i];
    }
    this.durations = Float64Array.from(durations, Number);
    this.sums = {};
    for (const [name, values] of Object.entries(this.of)) {
      const sums = this.sums[name] = new BigInt64Array(n + 1);
      for (let i = 0; i < n; ++i) sums[i + 1] = sums[i] + values[i];
    }
  }
  sum(name, {first, last}) { return this.sums[name][last + 1] - this.sums[name][first]; }
  // A database stores I/O for one range only; for others it is a part of the rest.
  knowsIo({first, last}) {
    if (this.recorded.io) return true;
    return this.io_range !== null && first === this.io_range[0] && last === this.io_range[1];
  }
  // Sums over a range and all GPUs by category, with exposed communication out of the kernels.
  parts(range, one = (name) => this.sum(name, range)) {
    const ns = {};
    for (const name of kParts) ns[name] = one(name);
    if (!this.knowsIo(range)) ns.io = 0n;
    ns.other = one("duration") * this.gpus - kParts.reduce((sum, name) => sum + ns[name], 0n);
    if (!this.communicates) return ns;
    const exposed = one("communication_exposed");
    const ofOther = exposed < ns.other_kernels ? exposed : ns.other_kernels;
    ns.other_kernels -= ofOther;
    ns.tensor_core_kernels -= exposed - ofOther;
    ns.communication = exposed;
    return ns;
  }
}
// 100 * part / whole, as the program divides.
const shareOf = (part, whole) => (whole === 0n ? 0 : 100 * Number(part) / Number(whole));
const inNs = (value) => `${count(value)} ns`;
const rounded = (value) => BigInt(Math.round(value));
const inPercent = (value) => `${fixed(value, 6)}%`;

// What follows the range: key figures, parts of the mean iteration, communication.
class Figures {
  constructor(data) {
    this.data = data;
    this.bar = find("part_bar").querySelector("svg");
    this.box = this.bar.querySelector("rect");
    // About the range of the page, whatever is chosen.
    this.own = `${count(data.range[0])}–${count(data.range[1])}`;
    this.kept = ["largest_savings", "tensor_core_efficiency"].map((id) => find(`f_${id}`))
        .map((figure) => figure.querySelector(".note")).map((note) => [note, note.textContent]);
    this.marks = [...document.querySelectorAll("main > section")]
        .filter(({id}) => !["summary", "iterations", "breakdown", "machine", "quality",
                            "definitions"].includes(id))
        .map((section) => {
          const mark = make("span", {class: "range", hidden: "", text: `iterations ${this.own}`});
          section.querySelector("h2").append(mark);
          return mark;
        });
  }
  set(id, value, full, note) {
    const figure = find(`f_${id}`);
    if (!figure) return;
    const number = figure.querySelector("b");
    number.textContent = value;
    if (full) number.title = full;
    if (note !== undefined) figure.querySelector(".note").textContent = note;
  }
  show(range) {
    const data = this.data, {first, last} = range, n = last - first + 1, many = BigInt(n);
    const isOwn = first === data.range[0] && last === data.range[1];
    for (const [note, text] of this.kept) {
      note.textContent = isOwn ? text : `${text} · iterations ${this.own}`;
    }
    for (const mark of this.marks) mark.hidden = isOwn;
    const whole = data.sum("duration", range), all = whole * data.gpus, parts = many * data.gpus;
    const wall = data.start[last] + data.of.duration[last] - data.start[first];
    const sorted = data.durations.slice(first, last + 1).sort();
    const median = sorted[Math.max(Math.ceil(0.5 * n), 1) - 1];
    const average = Number(wall) / n, mean = Number(whole) / n;
    let squares = 0;
    for (let i = first; i <= last; ++i) squares += (data.durations[i] - mean) ** 2;
    const deviation = Math.sqrt(squares / n);
    this.set("median_iteration", duration(median),
             n === 1 ? inNs(median) : `${inNs(median)} · average ${inNs(rounded(average))} · σ ${
                 inNs(rounded(deviation))}`,
             n === 1 ? "one iteration only" : `average ${duration(average)} · σ ${duration(deviation)}`);
    if (data.has_gpu) {
      const busy = data.sum("tensor_core_kernels", range) + data.sum("other_kernels", range);
      const share = shareOf(busy, all), launches = data.sum("kernels", range);
      this.set("gpu_utilization", percent(share), inPercent(share));
      this.set("kernel_launches", count(launches), "",
               `${count(Math.round(Number(launches) / n))} per iteration${
                   data.gpus > 1n ? ", all GPUs" : ""}`);
    }
    this.set("wall_time", duration(wall), inNs(wall), `iterations ${count(first)}–${count(last)}`);
    this.set("profiled_iterations", count(n));
    if (data.communicates) {
      const time = data.sum("communication", range), exposed = data.sum("communication_exposed", range);
      const overlapped = duration((time - exposed) / parts), mean = duration(exposed / parts);
      this.set("communication_exposed", mean, inNs(exposed / parts),
               `${percent(shareOf(exposed, all))} of the iteration · ${overlapped} overlapped`);
      find("communication").textContent =
          `Communication ${duration(time / parts)} (${percent(shareOf(time, all))}): ${mean} exposed, ${
          overlapped} overlapped by other kernels.`;
    }
    this.showParts(range, data.parts(range), {whole, all, parts, many});
    find("now").textContent = `Iterations ${count(first)}–${count(last)} · median ${duration(median)}`;
  }
  showParts(range, ns, {whole, all, parts, many}) {
    const data = this.data, rows = [...find("parts").querySelectorAll("tbody tr")];
    let left = whole / many, x = 0;
    const boxes = [];
    Object.keys(ns).sort((a, b) => this.place(rows, a) - this.place(rows, b)).forEach((id) => {
      const row = rows[this.place(rows, id)];
      const isKnown = id === "io" ? data.knowsIo(range)
          : id === "communication" || id === "other" || data.recorded[id];
      const mean = id === "other" ? left : isKnown ? ns[id] / parts : 0n;
      left -= mean;
      const cells = [...row.children].slice(1);
      if (isKnown) {
        const share = shareOf(ns[id], all), sum = ns[id] / data.gpus;
        [["mean", duration(mean), inNs(mean)], ["share", percent(share), inPercent(share)],
         ["sum", duration(sum), inNs(sum)]].forEach(([part, text, title], i) => {
          cells[i].replaceChildren(make("span", {"data-part": part, title, text}));
        });
      } else {
        cells.forEach((cell, i) => { cell.textContent = i === 0 ? "not recorded" : ""; });
      }
      const width = all === 0n ? 0 : 1000 * Number(ns[id]) / Number(all);
      if (width >= 0.5 && this.box) {
        const box = this.box.cloneNode(true);
        box.setAttribute("x", x);
        box.setAttribute("width", width);
        box.setAttribute("class", `tone_${id}`);
        const tip = box.querySelector("title");
        if (tip) tip.textContent =
            `${row.children[0].textContent}: ${duration(mean)} · ${percent(shareOf(ns[id], all))}`;
        boxes.push(box);
        if (["other_kernels", "memory", "io", "other"].includes(id)) {
          const hatch = box.cloneNode(false);
          hatch.setAttribute("class", "hatched");
          boxes.push(hatch);
        }
      }
      x += width;
    });
    this.bar.replaceChildren(...boxes);
  }
  place(rows, id) {
    return rows.findIndex((row) => row.querySelector(`.swatch.tone_${id}`));
  }
}

// The table of iterations: its rows are those of the range.
class IterationTable extends DataTable {
  constructor(data, iterations) {
    super(data);
    this.iterations = iterations;
  }
  fill() { this.all = []; }
  show(range) {
    this.range = range;
    this.all = Array.from({length: range.last - range.first + 1}, (_, i) => range.first + i);
    this.draw();
  }
  // The number of a row is that of its iteration.
  value(row, column) {
    const {of, start, gpus, recorded} = this.iterations;
    const perGpu = (name) => of[name][row] / gpus;
    const knowsIo = this.iterations.knowsIo(this.range);
    switch (this.data.columns[column].id) {
      case "iter_value": return row;
      case "duration": return of.duration[row];
      case "start_time": return start[row];
      case "total_kernel_count": return of.kernels[row];
      case "using_tc_kernel_count": return of.tensor_core_kernel_count[row];
      case "tc_duration": return perGpu("tensor_core_kernels");
      case "non_tc_duration": return perGpu("other_kernels");
      case "memory_duration": return recorded.memory ? perGpu("memory") : null;
      case "dataloader_duration": return recorded.data_loader ? perGpu("data_loader") : null;
      case "io_duration": return knowsIo ? perGpu("io") : null;
      case "cpu_duration": return recorded.cpu ? perGpu("cpu") : null;
      case "other_duration": return kParts.reduce(
          (rest, name) => rest - (name === "io" && !knowsIo ? 0n : perGpu(name)), of.duration[row]);
      default: return null;
    }
  }
}

// The chart of iterations: the longest one of each pixel column, with two handles for the range.
const kLeft = 58, kBottom = 22, kTop = 10;
class Chart {
  constructor(data, change) {
    this.data = data;
    this.change = change;
    this.view = {first: 0, last: data.count};
    this.range = {first: data.range[0], last: data.range[1]};
    this.canvas = make("canvas", {"aria-hidden": "true"});
    this.handles = ["first", "last"].map((side) => make("div", {
      class: "handle", role: "slider", tabindex: "0", "aria-label": `${
          side === "first" ? "First" : "Last"} iteration of the range`,
      onkeydown: (event) => this.pressKey(event, side)}));
    this.tip = make("div", {class: "tip", hidden: ""});
    this.plot = make("div", {class: "plot"}, this.canvas, ...this.handles, this.tip);
    const box = find("iteration_chart");
    box.querySelector("svg").setAttribute("hidden", "");
    box.querySelector("svg").classList.add("print_only");
    box.append(this.plot);
    this.plot.addEventListener("pointerdown", (event) => this.press(event));
    this.plot.addEventListener("pointermove", (event) => this.hover(event));
    this.plot.addEventListener("pointerleave", () => { this.tip.hidden = true; });
    this.plot.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.shiftKey) return;  // The page scrolls.
      event.preventDefault();
      this.zoom(event.deltaY < 0 ? 0.8 : 1.25, this.iterationAt(event));
    }, {passive: false});
    this.plot.addEventListener("dblclick", () => this.zoomTo(0, data.count));
    const redraw = () => this.draw();
    if ("ResizeObserver" in window) new ResizeObserver(redraw).observe(this.plot);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  }
  width() { return this.plot.clientWidth - kLeft; }
  xOf(iteration) {
    return kLeft + this.width() * (iteration - this.view.first) / (this.view.last - this.view.first);
  }
  iterationAt(event) {
    const x = event.clientX - this.plot.getBoundingClientRect().left - kLeft;
    const at = this.view.first + x / this.width() * (this.view.last - this.view.first);
    return Math.min(Math.max(Math.floor(at), 0), this.data.count - 1);
  }
  zoom(factor, at = (this.view.first + this.view.last) / 2) {
    this.zoomTo(at + 0.5 - (at + 0.5 - this.view.first) * factor,
                at + 0.5 + (this.view.last - at - 0.5) * factor);
  }
  zoomTo(first, last) {
    const size = Math.min(Math.max(last - first, 4), this.data.count);
    const from = Math.min(Math.max(first, 0), this.data.count - size);
    this.view = {first: from, last: from + size};
    this.draw();
  }
  press(event) {
    if (event.button !== 0) return;
    const handle = this.handles.indexOf(event.target);
    const from = this.iterationAt(event), anchor = handle === 0 ? this.range.last
        : handle === 1 ? this.range.first : from;
    const startX = event.clientX;
    let isDrag = handle >= 0;
    const move = (moved) => {
      isDrag = isDrag || Math.abs(moved.clientX - startX) > 4;
      if (!isDrag) return;
      const at = this.iterationAt(moved);
      this.change({first: Math.min(anchor, at), last: Math.max(anchor, at)});
    };
    const end = () => {
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", end);
      removeEventListener("pointercancel", end);
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", end);
    addEventListener("pointercancel", end);
    if (handle >= 0) this.handles[handle].focus();
    event.preventDefault();
  }
  pressKey(event, side) {
    const page = Math.max(1, Math.round((this.view.last - this.view.first) / 10));
    const steps = {ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -page,
                   PageUp: page, Home: -this.data.count, End: this.data.count};
    if (!(event.key in steps)) return;
    event.preventDefault();
    const range = {...this.range}, last = this.data.count - 1;
    range[side] = Math.min(Math.max(range[side] + steps[event.key], 0), last);
    if (range.first > range.last) range[side] = this.range[side === "first" ? "last" : "first"];
    this.change(range);
  }
  hover(event) {
    if (event.target.classList.contains("handle") || event.buttons !== 0) return;
    const longest = this.longestIn(event), {of, gpus} = this.data;
    const parts = this.data.parts(this.range, (name) => of[name][longest]);
    const lines = Object.entries(parts).filter(([, ns]) => ns > 0n)
        .map(([id, ns]) => `${this.labels.get(id)}  ${duration(ns / gpus)}`);
    this.tip.textContent =
        [`Iteration ${count(longest)}  ${duration(of.duration[longest])}`, ...lines].join("\n");
    this.tip.hidden = false;
    const x = event.clientX - this.plot.getBoundingClientRect().left;
    this.tip.style.left = `${Math.min(x + 14, this.plot.clientWidth - this.tip.offsetWidth)}px`;
    this.tip.style.top = "14px";
  }
  longestIn(event) {
    const x = event.clientX - this.plot.getBoundingClientRect().left - kLeft;
    const [first, last] = this.column(Math.floor(x));
    return this.longest(first, last);
  }
  // Iterations [first, last) of a pixel column.
  column(x) {
    const size = (this.view.last - this.view.first) / this.width();
    const first = Math.floor(this.view.first + x * size), last = Math.ceil(this.view.first + (x + 1) * size);
    const from = Math.min(Math.max(first, 0), this.data.count - 1);
    return [from, Math.min(Math.max(last, from + 1), this.data.count)];
  }
  longest(first, last) {
    let longest = first;
    for (let i = first + 1; i < last; ++i) {
      if (this.data.durations[i] > this.data.durations[longest]) longest = i;
    }
    return longest;
  }
  topNs() {
    const visible = this.data.durations.slice(Math.floor(this.view.first), Math.ceil(this.view.last)).sort();
    const longest = visible[visible.length - 1], usual = visible[Math.floor((visible.length - 1) * 0.9)];
    return longest > 3 * usual && usual > 0 ? 1.6 * usual : longest;
  }
  draw() {
    const scale = window.devicePixelRatio || 1, {clientWidth, clientHeight} = this.plot;
    if (clientWidth === 0) return;
    this.canvas.width = Math.round(clientWidth * scale);
    this.canvas.height = Math.round(clientHeight * scale);
    const context = this.canvas.getContext("2d");
    context.scale(scale, scale);
    const style = getComputedStyle(root), color = (name) => style.getPropertyValue(`--${name}`).trim();
    const bottom = clientHeight - kBottom, top = this.topNs();
    let unit = durationUnits.length - 2;
    while (unit > 0 && durationUnits[unit][0] > top) --unit;
    const [unitNs, unitName] = durationUnits[unit];
    const power = 10 ** Math.floor(Math.log10(top / unitNs / 4));
    const step = [1, 2, 2.5, 5, 10].find((factor) => factor * power >= top / unitNs / 4 * (1 - 1e-9)) * power;
    const topNs = Math.ceil(top / unitNs / step - 1e-9) * step * unitNs, perNs = (bottom - kTop) / topNs;
    context.font = `11px ${getComputedStyle(document.body).fontFamily}`;
    context.fillStyle = color("dim");
    context.textAlign = "right";
    for (let value = 0; value * unitNs <= topNs * 1.001; value += step) {
      const y = Math.round(bottom - value * unitNs * perNs) + 0.5;
      context.strokeStyle = color("line");
      context.beginPath();
      context.moveTo(kLeft, y);
      context.lineTo(clientWidth, y);
      context.stroke();
      context.fillText(value === 0 ? "0" : `${Number(value.toPrecision(4))} ${unitName}`, kLeft - 8, y + 4);
    }
    this.drawBars(context, color, bottom, topNs, perNs);
    this.drawNumbers(context, color, clientHeight);
    this.handles.forEach((handle, i) => {
      const x = this.xOf(i === 0 ? this.range.first : this.range.last + 1);
      handle.style.left = `${x}px`;
      handle.hidden = x < kLeft - 1 || x > clientWidth + 1;
      const value = i === 0 ? this.range.first : this.range.last;
      handle.setAttribute("aria-valuemin", 0);
      handle.setAttribute("aria-valuemax", this.data.count - 1);
      handle.setAttribute("aria-valuenow", value);
      handle.setAttribute("aria-valuetext", `Iteration ${count(value)}`);
    });
  }
  drawBars(context, color, bottom, topNs, perNs) {
    const perBar = this.width() / (this.view.last - this.view.first);
    const gap = perBar > 6 ? 1 : 0, gpus = Number(this.data.gpus), {of} = this.data;
    const bars = [];
    if (perBar >= 1) {
      for (let i = Math.floor(this.view.first); i < Math.ceil(this.view.last); ++i) {
        bars.push([i, this.xOf(i), perBar - gap]);
      }
    } else {
      for (let x = 0; x < this.width(); ++x) bars.push([this.longest(...this.column(x)), kLeft + x, 1]);
    }
    const ids = [...this.labels.keys()];
    const tones = new Map(ids.map((id) => [id, color(id)]));
    for (const [i, x, width] of bars) {
      if (x + width < kLeft) continue;
      const parts = this.data.parts(this.range, (name) => of[name][i]);
      const isInside = i >= this.range.first && i <= this.range.last;
      context.globalAlpha = isInside ? 1 : 0.35;
      let reached = 0;
      for (const id of ids) {
        const ns = Number(parts[id] || 0n) / gpus, from = Math.min(reached, topNs);
        reached += ns;
        const height = (Math.min(reached, topNs) - from) * perNs;
        if (height <= 0) continue;
        context.fillStyle = tones.get(id);
        context.fillRect(Math.max(x, kLeft), bottom - from * perNs - height, width, height);
      }
      if (reached > topNs * 1.0001) {
        context.fillStyle = color("attention");
        context.beginPath();
        context.moveTo(x + width / 2, 2);
        context.lineTo(x + width / 2 + 4, 8);
        context.lineTo(x + width / 2 - 4, 8);
        context.fill();
      }
    }
    context.globalAlpha = 1;
  }
  drawNumbers(context, color, height) {
    const size = this.view.last - this.view.first, least = size / Math.max(2, this.width() / 90);
    const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
    const step = Math.max(1, [1, 2, 5, 10].find((factor) => factor * power >= least) * power);
    context.textAlign = "center";
    context.fillStyle = color("dim");
    for (let i = Math.ceil(this.view.first / step) * step; i < this.view.last; i += step) {
      const x = this.xOf(i + 0.5);
      if (x > kLeft + 8 && x < this.plot.clientWidth - 8) context.fillText(count(i), x, height - 6);
    }
  }
}

const showRun = async () => {
  const facts = read("data_run");
  if (!facts || !find("data_iterations") || !find("iteration_chart") ||
      !("DecompressionStream" in window)) {
    return null;
  }
  const data = new Iterations(facts, await inflate("data_iterations"));
  const figures = new Figures(data), own = {first: facts.range[0], last: facts.range[1]};
  const fields = ["first", "last"].map((side) => make("input", {
    type: "number", min: 0, max: data.count - 1, "aria-label": `${
        side === "first" ? "First" : "Last"} iteration`,
    onchange: () => {
      const value = Math.min(Math.max(Math.round(Number(fields[side === "first" ? 0 : 1].value)), 0),
                             data.count - 1);
      const range = {...chart.range, [side]: value};
      if (range.first > range.last) range[side === "first" ? "last" : "first"] = value;
      set(range);
    }}));
  const stale = make("p", {class: "note stale", hidden: ""});
  const table = new IterationTable(read("data_tables").tables.find(({id}) => id === "iterations_profiled"),
                                   data);
  let waiting = 0;
  const set = (range, isFromState = false) => {
    if (!isFromState && range.first === chart.range.first && range.last === chart.range.last) return;
    chart.range = range;
    figures.show(range);
    fields[0].value = range.first;
    fields[1].value = range.last;
    const isOwn = range.first === own.first && range.last === own.last;
    stale.hidden = isOwn;
    root.classList.toggle("other_range", !isOwn);
    if (!isFromState) writeState("range", isOwn ? null : `${range.first}:${range.last}`);
    chart.draw();
    if (isFromState) return void (table.box && table.show(range));
    clearTimeout(waiting);
    waiting = setTimeout(() => table.box && table.show(range), 150);
  };
  const chart = new Chart(data, set);
  chart.labels = new Map([...find("parts").querySelectorAll("tbody tr")].map((row) => [
    [...row.querySelector(".swatch").classList].find((name) => name.startsWith("tone_")).slice(5),
    row.children[0].textContent]));
  stale.textContent = `Key figures, breakdown and this section follow the range. All else is about iterations ${
      count(own.first)}–${count(own.last)}.`;
  const button = (text, action) => make("button", {type: "button", text, onclick: action});
  const ranges = [button(`${count(own.first)}–${count(own.last)}`, () => set(own)),
                  button("All", () => set({first: 0, last: data.count - 1}))];
  if (data.steady) {
    ranges.push(button("Steady state", () => set({first: data.steady[0], last: data.steady[1]})));
  }
  const zooms = [button("+", () => chart.zoom(0.5)), button("−", () => chart.zoom(2)),
                 button("Range", () => {
                   const padding = (chart.range.last - chart.range.first + 1) * 0.1 + 1;
                   chart.zoomTo(chart.range.first - padding, chart.range.last + 1 + padding);
                 }),
                 button("Whole run", () => chart.zoomTo(0, data.count))];
  zooms[0].setAttribute("aria-label", "Zoom in");
  zooms[1].setAttribute("aria-label", "Zoom out");
  find("iteration_panel").prepend(make("div", {class: "controls"},
      make("label", {}, "Iterations ", fields[0]), make("label", {}, "to ", fields[1]), ...ranges,
      make("span", {class: "spread"}, "Zoom "), ...zooms));
  find("iteration_panel").append(stale);
  for (const note of find("iteration_panel").querySelectorAll(".bars_note")) note.hidden = true;
  find("now").hidden = false;
  if (table.box) tables.push(table);
  return () => {
    const text = /^(\d+)(?::(\d+))?$/.exec(state.get("range") || "");
    const at = (value) => Math.min(Number(value), data.count - 1);
    const range = text ? {first: at(text[1]), last: at(text[2] || text[1])} : own;
    set(range.first <= range.last ? range : own, true);
  };
};

addEventListener("beforeprint", () => tables.forEach((table) => table.print(true)));
addEventListener("afterprint", () => tables.forEach((table) => table.print(false)));

const start = async () => {
  const started = performance.now();
  const showRange = await showRun();
  for (const data of (read("data_tables") || {tables: []}).tables) {
    if (data.id !== "iterations_profiled") addTable(new DataTable(data));
  }
  const apply = () => {
    readState();
    if (showRange) showRange();
    for (const table of tables) table.readState();
  };
  apply();
  addEventListener("hashchange", () => {
    if (location.hash === "" || location.hash.includes("=")) apply();
  });
  root.dataset.milliseconds = Math.round(performance.now() - started);
  root.dataset.ready = "1";
};
start();
