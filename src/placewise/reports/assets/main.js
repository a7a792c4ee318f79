// The page: views, search, keys.
const VIEWS = [["timeline", "Timeline"], ["memory", "Memory"], ["graph", "Graph"], ["placement", "Placement"], ["fallbacks", "Fallbacks"], ["copies", "Copies"], ["steps", "Steps"]];

const page = {
  parts: [], model: null, views: {}, view: "timeline", found: -1,

  start() {
    page.parts = unpack();
    theme.start();
    const list = byId("part");
    page.parts.forEach((part, index) => list.append(element("option", { value: index }, part.machine || part.title)));
    byId("part-label").hidden = page.parts.length < 2;
    list.onchange = () => page.load(Number(list.value));
    page.connect();
    page.load(0);
    theme.listeners.push(page.redraw);
  },

  load(index) {
    for (const view of Object.values(page.views)) view.dispose?.();
    page.views = {};
    page.model = new Model(page.parts[index]);
    page.drawHead();
    page.drawTabs();
    page.show(page.view);
  },

  drawHead() {
    const model = page.model, of = model.nodes;
    byId("title").textContent = model.title;
    byId("subtitle").textContent = model.subtitle || `${model.started} · Python ${model.python} · ${model.host}`;
    byId("subtitle").title = model.command || "";
    byId("error").hidden = !model.error;
    byId("error").textContent = model.error;
    const fell = of.fell.reduce((sum, one) => sum + one, 0);
    const unasked = model.copies.bytes.reduce((sum, bytes, index) => sum + (model.text(model.copies.kind[index]) === "copy" ? bytes : 0), 0);
    const chips = model.chips || [
      [format.time(model.seconds * 1e6), "in all"],
      [format.count(model.groups.reduce((sum, group) => sum + group.count, 0)), "runs and calls"],
      [format.count(of.op.filter((op) => model.text(op)).length), "ops"],
      [format.bytes(unasked), "copied unasked"],
      [format.count(fell), "not where asked", fell > 0],
    ];
    byId("chips").replaceChildren(...chips.map(([value, name, isBad]) => element("li", { class: isBad ? "bad" : null }, element("b", {}, value), element("span", {}, name))));
  },

  drawTabs() {
    const model = page.model;
    const fell = model.nodes.fell.reduce((sum, one) => sum + one, 0);
    const counts = { fallbacks: fell, copies: model.copies.start.length, placement: model.nodes.op.filter((op) => model.text(op)).length };
    byId("tabs").replaceChildren(...VIEWS.map(([id, name]) => element("button", { type: "button", role: "tab", id: `tab-${id}`, "aria-controls": `view-${id}`, "aria-selected": String(id === page.view),
      tabindex: id === page.view ? 0 : -1, class: id === "fallbacks" && fell ? "bad" : null, onclick: () => page.show(id) },
      name, id in counts ? element("small", {}, format.count(counts[id])) : "")));
  },

  // Views are made when they are shown first.
  show(id) {
    page.view = id;
    for (const [other] of VIEWS) {
      byId(`view-${other}`).hidden = other !== id;
      const tab = byId(`tab-${other}`);
      tab.setAttribute("aria-selected", String(other === id));
      tab.tabIndex = other === id ? 0 : -1;
    }
    const key = ["placement", "fallbacks", "copies"].includes(id) ? "tables" : id;
    if (!page.views[key]) page.views[key] = page.make(key);
    else page.views[key].resize?.();
  },

  make(key) {
    const model = page.model;
    if (key === "timeline") return new TimelineView(model);
    if (key === "memory") return new MemoryView(model);
    if (key === "steps") return new StepsView(model, (run) => { page.show("timeline"); page.views.timeline.showRun(run); });
    if (key === "tables") return new TablesView(model);
    const view = new GraphView(model, (op) => { page.show("timeline"); page.views.timeline.reveal(op); });
    view.draw();
    return view;
  },

  redraw() {
    for (const view of Object.values(page.views)) view.draw();
    if (page.views.timeline) page.views.timeline.showDetails();
  },

  search(text) {
    const model = page.model;
    model.search(text);
    page.found = -1;
    byId("matches").textContent = model.matches ? format.count(model.matches.size) : "";
    page.views.timeline?.refresh();
    page.views.tables?.searched();
    page.views.graph?.searched();
  },

  // Enter in the search: on to the next match, on the view that is shown.
  next(direction) {
    const model = page.model;
    if (!model.matches || !model.matches.size) return;
    if (page.view === "graph") {
      const nodes = [...model.matches];
      page.found = (page.found + direction + nodes.length) % nodes.length;
      page.views.graph.reveal(nodes[page.found]);
      return;
    }
    if (page.view !== "timeline") return;
    const ops = model.matchingOps();
    if (!ops.length) return;
    const view = page.views.timeline;
    page.found = page.found < 0
      ? Math.max(ops.findIndex((op) => model.ops.start[op] >= view.window[0]), 0)
      : (page.found + direction + ops.length) % ops.length;
    view.reveal(ops[page.found]);
  },

  connect() {
    const input = byId("search");
    input.addEventListener("input", () => page.search(input.value));
    input.addEventListener("keydown", (event) => { if (event.key === "Enter") page.next(event.shiftKey ? -1 : 1); });
    byId("help").onclick = () => byId("keys").showModal();
    byId("tabs").addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!step) return;
      const place = VIEWS.findIndex(([id]) => id === page.view);
      page.show(VIEWS[(place + step + VIEWS.length) % VIEWS.length][0]);
      byId(`tab-${page.view}`).focus();
    });
    document.addEventListener("keydown", page.key);
    let waiting = 0;
    addEventListener("resize", () => { clearTimeout(waiting); waiting = setTimeout(() => page.views[page.view]?.resize?.(), 80); });
  },

  key(event) {
    if (event.key === "Escape" && !byId("keys").open) { byId("search").value = ""; page.search(""); byId("search").blur(); return; }
    if (event.ctrlKey || event.metaKey || event.altKey || /INPUT|SELECT|TEXTAREA/.test(event.target.tagName)) return;
    if (event.key === "/") { byId("search").focus(); event.preventDefault(); }
    else if (event.key === "?") byId("keys").showModal();
    else if (event.key.toLowerCase() === "t") theme.toggle();
    else if (/^[1-7]$/.test(event.key)) { page.show(VIEWS[Number(event.key) - 1][0]); byId(`tab-${page.view}`).focus(); }
    else if (page.view === "timeline" && event.target !== byId("timeline") && !byId("tabs").contains(event.target)) page.views.timeline.key(event);
  },
};

page.start();
window.placewise = page; // for tests, and for the curious
