// The graph of what ran, each op in the colour of the device that ran it; scopes open and close.
class GraphView {
  constructor(model, onShowOp) {
    this.model = model;
    this.onShowOp = onShowOp;
    const { root, leaves } = buildTree(model);
    this.root = root;
    this.leaves = leaves;
    this.open = new Set([root]);
    this.current = null;
    this.cy = null;
    this.ids = new Map(); // scope → id
    byId("graph-up").onclick = () => { this.open = new Set([this.root]); this.openFirst(); this.current = null; this.draw(); };
    byId("graph-fit").onclick = () => this.cy.fit(undefined, 24);
    byId("outline").onkeydown = (event) => this.key(event);
    this.openFirst();
  }

  // Begin with enough boxes to see something.
  openFirst() {
    let scopes = [this.root];
    while (scopes.length) {
      const several = scopes.flatMap((scope) => scope.children);
      if (this.visibleCount() > 12 || several.length > 40) return;
      const next = several.filter((scope) => !scope.isLeaf && scope.children.length <= 10).slice(0, 3);
      if (scopes[0] === this.root && this.root.children.length > 6) return;
      for (const scope of next) this.open.add(scope);
      scopes = next;
    }
  }

  visibleCount() { return this.visible().length; }

  id(scope) {
    if (!this.ids.has(scope)) this.ids.set(scope, `s${this.ids.size}`);
    return this.ids.get(scope);
  }

  visible() {
    const result = [];
    const walk = (scope) => {
      for (const child of scope.children) {
        result.push(child);
        if (this.open.has(child)) walk(child);
      }
    };
    walk(this.root);
    return result;
  }

  // The box that stands for an op now: itself, or the outermost closed scope around it.
  standIn(leaf, known) {
    let result = leaf;
    for (let scope = leaf.parent; scope && scope !== this.root; scope = scope.parent) if (!this.open.has(scope)) result = scope;
    known.set(leaf, result);
    return result;
  }

  edges() {
    const known = new Map(), sums = new Map();
    const box = (node) => { const leaf = this.leaves[node]; return leaf && (known.get(leaf) || this.standIn(leaf, known)); };
    this.model.nodes.sources.forEach((sources, node) => {
      for (const source of sources) {
        const from = box(source), to = box(node);
        if (!from || !to || from === to) continue;
        const key = `${this.id(from)}>${this.id(to)}`;
        sums.set(key, (sums.get(key) || 0) + 1);
      }
    });
    return sums;
  }

  elements() {
    const scopes = this.visible(), nodes = scopes.map((scope) => this.element(scope));
    const edges = [...this.edges()].map(([key, weight]) => {
      const [source, target] = key.split(">");
      return { data: { id: key, source, target, weight: Math.min(1 + Math.log2(weight), 5) } };
    });
    return [...nodes, ...edges];
  }

  element(scope) {
    const isOpen = this.open.has(scope), parent = scope.parent === this.root ? undefined : this.id(scope.parent);
    const shares = [...scope.devices].sort((a, b) => a[0] - b[0]);
    const colours = shares.map(([device]) => theme.device(this.model, device));
    const stops = [], at = [];
    let sum = 0;
    shares.forEach(([, ops], place) => {
      stops.push(colours[place], colours[place]);
      at.push((100 * sum) / scope.ops, (100 * (sum += ops)) / scope.ops);
    });
    const name = scope.name.length > 34 ? `${scope.name.slice(0, 16)}…${scope.name.slice(-16)}` : scope.name;
    const label = scope.isLeaf ? name : isOpen ? name : `${name}  ⊞ ${format.count(scope.ops)}`;
    const isFallen = scope.isLeaf && this.model.nodes.fell[scope.node];
    return { data: { id: this.id(scope), parent, label, width: Math.max(label.length * 6.6 + 18, 40), stops: stops.join(" "), at: at.map((value) => `${value}%`).join(" "), colour: colours[0] },
      scope, classes: [isOpen ? "open" : scope.isLeaf ? "op" : "scope", isFallen ? "fallen" : "", this.model.nodes.state[scope.node] ? "state" : ""].join(" ") };
  }

  // What the search found, with all scopes around it. The layout stays.
  searched() {
    this.matched = new Set();
    for (const node of this.model.matches || []) {
      for (let scope = this.leaves[node]; scope && !this.matched.has(scope); scope = scope.parent) this.matched.add(scope);
    }
    this.cy?.batch(() => this.cy.nodes().forEach((box) => {
      const isMatch = this.matched.has(this.scopes.get(box.id()));
      box.toggleClass("match", isMatch);
      box.toggleClass("dim", Boolean(this.model.matches) && !isMatch);
    }));
  }

  style() {
    const colours = theme.colours;
    return [
      { selector: "node", style: { label: "data(label)", "font-size": 11, color: colours.onColour, "text-valign": "center", "text-halign": "center", shape: "round-rectangle", width: "data(width)", height: 24, "border-width": 0, "min-zoomed-font-size": 4 } },
      { selector: "node.op", style: { "background-color": "data(colour)" } },
      { selector: "node.state", style: { shape: "barrel" } },
      { selector: "node.scope", style: { height: 32, "font-weight": "bold", "background-fill": "linear-gradient", "background-gradient-direction": "to-right", "background-gradient-stop-colors": "data(stops)", "background-gradient-stop-positions": "data(at)", "border-width": 1, "border-color": colours.text, "border-opacity": 0.35 } },
      { selector: "node.open", style: { "background-color": colours.soft, "background-opacity": 0.09, "border-width": 1, "border-color": colours.soft, "border-opacity": 0.5, color: colours.text, "font-weight": "bold", "text-valign": "top", "text-margin-y": -2, padding: 14 } },
      { selector: "node.fallen", style: { "border-width": 3, "border-color": colours.bad } },
      { selector: "node.dim", style: { opacity: 0.3 } },
      { selector: "node.match", style: { "border-width": 3, "border-color": colours.text, "border-opacity": 1 } },
      { selector: "node.current", style: { "border-width": 3, "border-color": colours.text, "border-opacity": 1 } },
      { selector: "edge", style: { width: "data(weight)", "line-color": colours.soft, opacity: 0.55, "target-arrow-shape": "triangle", "target-arrow-color": colours.soft, "arrow-scale": 0.8, "curve-style": "bezier" } },
    ];
  }

  draw() {
    const elements = this.elements();
    this.cy?.destroy();
    this.cy = vendor.cytoscape({ container: byId("graph"), elements, style: this.style(), minZoom: 0.05, maxZoom: 3, boxSelectionEnabled: false,
      layout: { name: "dagre", rankDir: "TB", nodeSep: 12, rankSep: 26, edgeSep: 6, ranker: elements.length > 250 ? "longest-path" : "network-simplex", fit: true, padding: 24, animate: false } });
    this.scopes = new Map(elements.filter((one) => one.scope).map((one) => [one.data.id, one.scope]));
    this.cy.on("tap", "node", (event) => this.choose(this.scopes.get(event.target.id())));
    this.cy.on("dbltap", "node", (event) => this.toggle(this.scopes.get(event.target.id())));
    this.focus(this.current);
    byId("graph-count").textContent = `${format.plural([...this.scopes.values()].filter((scope) => !this.open.has(scope)).length, "box")} of ${format.count(this.root.ops)} ops`.replace("boxs", "boxes");
    byId("graph-legend").replaceChildren(...[...this.root.devices.keys()].sort((a, b) => a - b).map((device) =>
      element("li", {}, element("i", { style: `background:${theme.device(this.model, device)}` }), `${this.model.deviceLabel(device)} (${format.count(this.root.devices.get(device))})`)));
    this.drawOutline();
    this.searched();
    this.mark();
  }

  // Boxes stay large enough to be read: then the one that was chosen is in the middle.
  focus(scope) {
    if (scope && this.open.has(scope)) this.cy.fit(this.cy.getElementById(this.id(scope)), 40);
    if (this.cy.zoom() > 1.4) { this.cy.zoom(1.4); this.cy.center(scope ? this.cy.getElementById(this.id(scope)) : undefined); }
    if (this.cy.zoom() >= 0.45) return;
    this.cy.zoom(0.45);
    this.cy.center(scope ? this.cy.getElementById(this.id(scope)) : undefined);
  }

  drawOutline() {
    const rows = this.visible().map((scope) => {
      const arrow = scope.isLeaf ? "" : this.open.has(scope) ? "▾ " : "▸ ";
      const swatch = element("i", { class: "swatch", style: `background:${theme.device(this.model, [...scope.devices.keys()][0])}` });
      return element("li", { role: "treeitem", "aria-level": scope.depth, "aria-expanded": scope.isLeaf ? null : String(this.open.has(scope)), "aria-selected": String(scope === this.current), style: `--depth:${scope.depth - 1}`, title: scope.path,
        onclick: () => this.choose(scope), ondblclick: () => this.toggle(scope) },
        arrow, scope.isLeaf ? swatch : "", scope.name, scope.isLeaf ? "" : element("small", {}, ` ${format.count(scope.ops)}`));
    });
    byId("outline").replaceChildren(...rows);
  }

  key(event) {
    const list = this.visible(), place = list.indexOf(this.current), scope = this.current;
    if (event.key === "ArrowDown") this.choose(list[Math.min(place + 1, list.length - 1)]);
    else if (event.key === "ArrowUp") this.choose(list[Math.max(place - 1, 0)]);
    else if (event.key === "ArrowRight" && scope && !scope.isLeaf && !this.open.has(scope)) this.toggle(scope);
    else if (event.key === "ArrowLeft" && scope && this.open.has(scope)) this.toggle(scope);
    else if (event.key === "ArrowLeft" && scope && scope.parent !== this.root) this.choose(scope.parent);
    else if ((event.key === "Enter" || event.key === " ") && scope) this.toggle(scope);
    else return;
    event.preventDefault();
  }

  choose(scope) {
    if (!scope) return;
    this.current = scope;
    this.mark();
    const place = this.visible().indexOf(scope), rows = byId("outline").children;
    for (let index = 0; index < rows.length; index++) rows[index].setAttribute("aria-selected", String(index === place));
    rows[place]?.scrollIntoView({ block: "nearest" });
    byId("graph-details").replaceChildren(...this.describe(scope));
  }

  mark() {
    if (!this.cy) return;
    this.cy.nodes().removeClass("current");
    if (this.current) this.cy.getElementById(this.id(this.current)).addClass("current");
    else byId("graph-details").replaceChildren(element("h2", {}, "Graph"), element("p", {}, "What ran, in the colours of the devices that ran it. Double-click a scope to open or close it; the list on the left takes the arrow keys."));
  }

  describe(scope) {
    if (scope.isLeaf) {
      const first = this.model.ops.node.indexOf(scope.node);
      const button = first >= 0 ? element("p", {}, element("button", { type: "button", onclick: () => this.onShowOp(first) }, "Show on the timeline")) : null;
      return [...details.node(this.model, scope.node), details.facts([["runs", String(this.model.nodes.count[scope.node])], ["time", format.time(this.model.nodes.total[scope.node])]]), button].filter(Boolean);
    }
    const devices = [...scope.devices].sort((a, b) => b[1] - a[1]).map(([device, ops]) => element("div", {},
      element("i", { class: "swatch", style: `background:${theme.device(this.model, device)}` }), `${this.model.deviceLabel(device)}: ${format.plural(ops, "op")}`));
    return [element("h2", {}, scope.name), element("p", { class: "mono" }, scope.isGroup ? "" : scope.path),
      details.facts([["ops", format.count(scope.ops)], ["time", format.time(scope.time)], ["ran on", devices]]),
      element("p", {}, element("button", { type: "button", onclick: () => this.toggle(scope) }, this.open.has(scope) ? "Close" : "Open"))];
  }

  toggle(scope) {
    if (!scope || scope.isLeaf) return;
    if (this.open.has(scope)) this.open.delete(scope); else this.open.add(scope);
    this.current = scope;
    this.draw();
    this.choose(scope);
  }

  // Open all scopes around an op and go to it.
  reveal(node) {
    const leaf = this.leaves[node];
    if (!leaf) return;
    for (let scope = leaf.parent; scope; scope = scope.parent) this.open.add(scope);
    this.draw();
    this.choose(leaf);
    this.cy.zoom(1);
    this.cy.center(this.cy.getElementById(this.id(leaf)));
  }

  resize() { this.cy?.resize(); }
  dispose() { this.cy?.destroy(); this.cy = null; }
}
