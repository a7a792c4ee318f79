// Tables that sort and follow the search: placement, fallbacks, copies.
const ROWS_AT_FIRST = 300;

class Table {
  // columns: [title, cell of a row, value to sort by, class]
  constructor(columns, rows, options = {}) {
    Object.assign(this, { columns, rows, options, sorted: options.sorted ?? -1, isDown: true, most: ROWS_AT_FIRST });
    this.body = element("tbody");
    this.more = element("button", { type: "button", class: "more", onclick: () => { this.most *= 10; this.fill(); } });
    const heads = columns.map(([title, , , kind], index) => element("th", { scope: "col", class: kind === "number" ? "number" : null },
      element("button", { type: "button", onclick: () => this.sortBy(index) }, title)));
    this.head = element("tr", {}, heads);
    this.box = element("div", {}, element("div", { class: "scroll" }, element("table", {}, element("thead", {}, this.head), this.body)), this.more);
    if (this.sorted >= 0) this.sort();
    this.fill();
  }

  sortBy(index) {
    this.isDown = this.sorted === index ? !this.isDown : this.columns[index][3] === "number";
    this.sorted = index;
    this.sort();
    this.fill();
  }

  sort() {
    const value = this.columns[this.sorted][2], sign = this.isDown ? -1 : 1;
    this.rows.sort((a, b) => { const x = value(a), y = value(b); return x < y ? -sign : x > y ? sign : 0; });
    [...this.head.children].forEach((cell, index) => cell.setAttribute("aria-sort", index === this.sorted ? (this.isDown ? "descending" : "ascending") : "none"));
  }

  fill() {
    const rows = this.options.filter ? this.rows.filter(this.options.filter) : this.rows;
    this.body.replaceChildren(...rows.slice(0, this.most).map((row) => element("tr", { class: this.options.isBad?.(row) ? "bad" : null },
      this.columns.map(([, cell, , kind]) => element("td", { class: kind || null }, cell(row))))));
    this.more.hidden = rows.length <= this.most;
    this.more.textContent = `Show more: ${format.count(Math.max(rows.length - this.most, 0))} rows are left`;
  }
}

class TablesView {
  constructor(model, onShowOp) {
    this.model = model;
    this.onShowOp = onShowOp;
    this.tables = [];
    this.draw();
  }

  card(title, small, ...children) {
    return element("div", { class: "card" }, element("h2", {}, title, element("small", {}, small)), ...children);
  }

  table(columns, rows, options) {
    const table = new Table(columns, rows, options);
    this.tables.push(table);
    return table.box;
  }

  device(index) {
    return [element("i", { class: "swatch", style: `background:${theme.device(this.model, index)}` }), this.model.deviceLabel(index)];
  }

  nodeFilter() { return (node) => !this.model.matches || this.model.matches.has(node); }

  draw() {
    this.tables = [];
    const model = this.model, of = model.nodes;
    const nodes = of.name.map((_, node) => node).filter((node) => model.text(of.op[node]));
    this.drawPlacement(nodes, of);
    this.drawFallbacks(nodes, of);
    this.drawCopies();
  }

  drawPlacement(nodes, of) {
    const model = this.model, groups = new Map();
    for (const node of nodes) {
      const asked = details.requested(model.text(of.requested[node])) || "no device";
      const key = [asked, of.device[node], model.text(of.reason[node]).replace(/with [^;]*/g, "with what it is colocated with")].join("\u0000");
      if (!groups.has(key)) groups.set(key, { asked, device: of.device[node], reason: model.text(of.reason[node]), nodes: [], time: 0, fell: false });
      const group = groups.get(key);
      group.nodes.push(node);
      group.time += of.total[node];
      group.fell ||= Boolean(of.fell[node]);
    }
    const summary = this.table([
      ["asked for", (row) => row.asked, (row) => row.asked, "keep"],
      ["ran on", (row) => this.device(row.device), (row) => model.deviceLabel(row.device), "keep"],
      ["ops", (row) => format.count(row.nodes.length), (row) => row.nodes.length, "number"],
      ["time", (row) => format.time(row.time), (row) => row.time, "number"],
      ["because", (row) => (row.nodes.length > 1 ? row.reason.replace(/with \S+$/, "with what it is colocated with") : row.reason), (row) => row.reason],
    ], [...groups.values()], { sorted: 2, isBad: (row) => row.fell });
    const every = this.table([
      ["op", (node) => model.text(of.op[node]), (node) => model.text(of.op[node]), "keep"],
      ["name", (node) => element("span", { class: "mono" }, of.name[node]), (node) => of.name[node]],
      ["asked for", (node) => details.requested(model.text(of.requested[node])) || "–", (node) => model.text(of.requested[node]), "keep"],
      ["ran on", (node) => this.device(of.device[node]), (node) => model.deviceLabel(of.device[node]), "keep"],
      ["because", (node) => model.text(of.reason[node]), (node) => model.text(of.reason[node])],
      ["line", (node) => element("span", { class: "mono" }, format.lastPart(model.text(of.line[node]))), (node) => model.text(of.line[node]), "keep"],
      ["runs", (node) => format.count(of.count[node]), (node) => of.count[node], "number"],
      ["time", (node) => format.time(of.total[node]), (node) => of.total[node], "number"],
    ], nodes.slice(), { sorted: 7, isBad: (node) => of.fell[node], filter: this.nodeFilter() });
    byId("view-placement").replaceChildren(
      this.card("Asked and done", "what the program asked for, and where ops ran", summary),
      this.card("Every op", `${format.count(nodes.length)}; times are those of the runs recorded in detail`, every));
  }

  drawFallbacks(nodes, of) {
    const model = this.model, groups = new Map();
    for (const node of nodes) {
      if (!of.fell[node]) continue;
      const key = [of.op[node], of.reason[node], of.device[node]].join(" ");
      if (!groups.has(key)) groups.set(key, { nodes: [], time: 0, count: 0 });
      const group = groups.get(key);
      group.nodes.push(node);
      group.time += of.total[node];
    }
    const rows = [...groups.values()];
    const table = this.table([
      ["op", (row) => model.text(of.op[row.nodes[0]]), (row) => model.text(of.op[row.nodes[0]]), "keep"],
      ["ops", (row) => format.count(row.nodes.length), (row) => row.nodes.length, "number"],
      ["asked for", (row) => details.requested(model.text(of.requested[row.nodes[0]])) || "no device", (row) => of.requested[row.nodes[0]], "keep"],
      ["ran on", (row) => this.device(of.device[row.nodes[0]]), (row) => of.device[row.nodes[0]], "keep"],
      ["time", (row) => format.time(row.time), (row) => row.time, "number"],
      ["because", (row) => model.text(of.reason[row.nodes[0]]), (row) => of.reason[row.nodes[0]]],
      ["first line", (row) => element("span", { class: "mono" }, model.text(of.line[row.nodes[0]])), (row) => of.line[row.nodes[0]]],
    ], rows, { sorted: 4, isBad: () => true });
    byId("view-fallbacks").replaceChildren(this.card("Not where asked", "ops that ran elsewhere than the program asked, or than a GPU they would prefer",
      rows.length ? table : element("p", { class: "note" }, "None: every op ran where it was asked to.")));
  }

  drawCopies() {
    const model = this.model, of = model.copies, links = new Map(), groups = new Map();
    of.start.forEach((_, index) => {
      const ends = { source: of.source[index], target: of.target[index] };
      add(links, `${ends.source} ${ends.target} ${of.kind[index]}`, ends, index);
      add(groups, [ends.source, ends.target, of.kind[index], of.tensor[index], of.reader[index]].join(" "), ends, index);
    });
    function add(table, key, ends, index) {
      if (!table.has(key)) table.set(key, { ...ends, kind: of.kind[index], tensor: of.tensor[index], reader: of.reader[index], count: 0, bytes: 0, time: 0 });
      const row = table.get(key);
      row.count += 1;
      row.bytes += of.bytes[index];
      row.time += of.length[index];
    }
    const common = [
      ["from", (row) => this.device(row.source), (row) => row.source, "keep"],
      ["to", (row) => this.device(row.target), (row) => row.target, "keep"],
      ["kind", (row) => element("span", { class: `tag${model.text(row.kind) === "copy" ? " bad" : ""}` }, model.text(row.kind)), (row) => model.text(row.kind), "keep"],
      ["copies", (row) => format.count(row.count), (row) => row.count, "number"],
      ["bytes", (row) => format.bytes(row.bytes), (row) => row.bytes, "number"],
      ["time", (row) => format.time(row.time), (row) => row.time, "number"],
    ];
    const byLink = this.table(common, [...links.values()], { sorted: 4 });
    const every = this.table([...common,
      ["tensor", (row) => element("span", { class: "mono" }, model.text(row.tensor)), (row) => model.text(row.tensor)],
      ["for", (row) => element("span", { class: "mono" }, model.text(row.reader)), (row) => model.text(row.reader)],
    ], [...groups.values()], { sorted: 4 });
    const note = element("p", { class: "note" }, "A “copy” was made because an op reads what another device made; feeds, fetches and constants are values of the program itself.");
    byId("view-copies").replaceChildren(...(of.start.length
      ? [this.card("By link", "in the runs recorded in detail", note, byLink), this.card("By tensor", format.count(groups.size), every)]
      : [this.card("Copies", "", element("p", { class: "note" }, "Nothing went from one device to another."))]));
  }

  searched() { for (const table of this.tables) table.fill(); }
}
