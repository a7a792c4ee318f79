// Tracks of ops, copies and runs over time, and the memory in use below them on the same axis.
class TimelineView {
  constructor(model, onSelect) {
    this.model = model;
    this.onSelect = onSelect;
    this.box = byId("timeline");
    this.chart = vendor.echarts.init(this.box, null, { renderer: "canvas" });
    this.window = this.firstWindow();
    this.selected = null; // an item
    this.shown = []; // the items that are drawn now
    this.chart.on("datazoom", () => this.zoomed());
    this.chart.on("click", (event) => { if (event.data && event.data.item) this.select(event.data.item); });
    this.chart.getZr().on("mouseout", () => this.chart.dispatchAction({ type: "hideTip" }));
    this.connect();
    this.draw();
    this.showDetails();
  }

  // Where to begin: at the last run whose ops were recorded, else everything.
  firstWindow() {
    const runs = this.model.runs;
    let last = -1;
    runs.detailed.forEach((yes, index) => {
      const isLong = last < 0 || runs.group[index] !== runs.group[last] || runs.start[index] > runs.start[last];
      if (yes && isLong && this.hasOps(index)) last = index;
    });
    return last < 0 ? [0, this.model.end] : this.around(runs.start[last], runs.start[last] + runs.length[last]);
  }

  hasOps(index) {
    const group = this.model.groups[this.model.runs.group[index]];
    // A run that only reads a value or two is not what one wants to see first.
    return this.model.groups.every((other) => other.total <= group.total) || group.total > this.model.end / 4;
  }

  around(start, end) {
    const margin = Math.max((end - start) * 0.03, 1);
    return [Math.max(start - margin, 0), Math.min(end + margin, this.model.end)];
  }

  connect() {
    byId("zoom-in").onclick = () => this.zoom(0.5);
    byId("zoom-out").onclick = () => this.zoom(2);
    byId("zoom-all").onclick = () => this.show(0, this.model.end);
    byId("run").onchange = (event) => this.showRun(Number(event.target.value));
    this.box.onkeydown = (event) => this.key(event);
    const list = byId("run");
    list.replaceChildren(element("option", { value: -1 }, "the whole run"));
    this.model.runs.detailed.forEach((yes, index) => {
      if (!yes) return;
      const text = `${details.runLabel(this.model, index)} · ${format.time(this.model.runs.length[index])}`;
      list.append(element("option", { value: index }, text));
    });
    const runs = this.model.runs;
    const begun = runs.start.findIndex((start, index) => runs.detailed[index] && start >= this.window[0] && start <= this.window[1] && this.hasOps(index));
    list.value = String(this.window[1] - this.window[0] >= this.model.end ? -1 : begun);
    byId("legend").replaceChildren();
  }

  key(event) {
    const width = this.window[1] - this.window[0];
    const moves = { ArrowLeft: -0.2, ArrowRight: 0.2, PageUp: -0.9, PageDown: 0.9 };
    if (event.key in moves) this.show(this.window[0] + moves[event.key] * width, this.window[1] + moves[event.key] * width);
    else if (event.key === "+" || event.key === "=") this.zoom(0.5);
    else if (event.key === "-") this.zoom(2);
    else if (event.key === "0") this.show(0, this.model.end);
    else if (event.key === "." || event.key === ",") this.step(event.key === "." ? 1 : -1);
    else return;
    event.preventDefault();
  }

  // The next or previous op in time, of those that a search found if there is one.
  step(direction) {
    if (!this.order) this.order = this.model.ops.start.map((_, index) => index).sort((a, b) => this.model.ops.start[a] - this.model.ops.start[b]);
    const list = this.model.matches ? this.model.matchingOps() : this.order;
    if (!list.length) return;
    const current = this.selected && this.selected.type === "op" ? list.indexOf(this.selected.index) : -1;
    let place = current + direction;
    if (current < 0) place = list.findIndex((index) => this.model.ops.start[index] >= this.window[0]);
    this.reveal(list[Math.min(Math.max(place, 0), list.length - 1)]);
  }

  // Select an op, and move so that it can be seen.
  reveal(index) {
    const item = this.model.opItems[index];
    const width = this.window[1] - this.window[0], length = item.end - item.start;
    this.select(item);
    if (item.start < this.window[0] || item.end > this.window[1] || length < width / 400) {
      const wanted = Math.min(Math.max(length * 40, 50), Math.max(width, length * 2));
      this.show(item.start - wanted / 2, item.start + wanted / 2);
    }
  }

  showRun(index) {
    if (index < 0) this.show(0, this.model.end);
    else this.show(...this.around(this.model.runs.start[index], this.model.runs.start[index] + this.model.runs.length[index]));
  }

  zoom(factor) {
    const middle = (this.window[0] + this.window[1]) / 2, half = ((this.window[1] - this.window[0]) / 2) * factor;
    this.show(middle - half, middle + half);
  }

  show(start, end) {
    const width = Math.min(Math.max(end - start, 2), this.model.end);
    const from = Math.min(Math.max(start, 0), this.model.end - width);
    this.window = [from, from + width];
    this.chart.dispatchAction({ type: "dataZoom", dataZoomIndex: 0, startValue: from, endValue: from + width });
    this.refresh();
  }

  zoomed() {
    const zoom = this.chart.getOption().dataZoom[0];
    const next = [(zoom.start / 100) * this.model.end, (zoom.end / 100) * this.model.end];
    if (Math.abs(next[0] - this.window[0]) + Math.abs(next[1] - this.window[1]) < 1e-3) return;
    this.window = next;
    this.refresh();
  }

  select(item) {
    this.selected = item;
    this.showDetails();
    this.refresh();
    if (this.onSelect) this.onSelect(item);
  }

  showDetails() {
    const hint = [element("h2", {}, "Details"), element("p", {}, "Click an op or a copy. Scroll zooms, dragging pans; ? shows the keys.")];
    if (this.model.notes.length) hint.push(...this.model.notes.map((note) => element("p", {}, note)));
    byId("details").replaceChildren(...(this.selected ? details.of(this.model, this.selected) : hint));
  }

  // The items in the window; what is narrower than a pixel is drawn as one with its neighbours.
  visible() {
    const [from, to] = this.window, pixel = (to - from) / Math.max(this.box.clientWidth - 130, 300);
    const result = [];
    for (const list of this.model.items) {
      let open = null;
      for (let place = this.firstIn(list, from); place < list.length && list[place].start <= to; place++) {
        const item = list[place];
        if (item.end < from) continue;
        const isNarrow = item.end - item.start < pixel * 1.5 && item !== this.selected;
        if (isNarrow && open && item.start - open.end < pixel && item.end - open.start < pixel * 4) {
          if (item.end - item.start > open.longest) { open.longest = item.end - item.start; open.fill = this.fill(item); }
          open.end = Math.max(open.end, item.end);
          open.count += 1;
          open.items.push(item);
        } else {
          const block = { ...item, item, count: 1, items: [item], longest: item.end - item.start, fill: this.fill(item) };
          result.push(block);
          open = isNarrow ? block : null;
        }
      }
    }
    return result;
  }

  // Lanes have no overlaps, but a link may: begin a little early.
  firstIn(list, from) {
    let low = 0, high = list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (list[middle].end < from) low = middle + 1; else high = middle;
    }
    return Math.max(low - 50, 0);
  }

  fill(item) {
    const colours = theme.colours;
    if (item.type === "copy") return colours.copy;
    if (item.type === "run") {
      if (this.model.runs.failed[item.index]) return colours.bad;
      return this.model.runs.detailed[item.index] ? colours.runDetailed : colours.run;
    }
    const node = this.model.opNode(item.index);
    return this.model.nodes.fell[node] ? colours.bad : theme.family(this.model.families[node]);
  }

  isDim(item) {
    if (!this.model.matches) return false;
    if (item.type === "op") return !this.model.matches.has(this.model.opNode(item.index));
    return true;
  }

  label(block) {
    if (block.count > 1) return `${block.count}`;
    if (block.type === "run") return details.runLabel(this.model, block.index);
    if (block.type === "copy") return `${format.bytes(this.model.copies.bytes[block.index])} ${this.model.text(this.model.copies.tensor[block.index])}`;
    const node = this.model.opNode(block.index);
    return this.model.text(this.model.nodes.op[node]);
  }

  tip(data) {
    const block = data.block;
    const box = element("div", { class: "tip" });
    if (block.count > 1) {
      const length = block.items.reduce((sum, item) => sum + item.end - item.start, 0);
      box.append(element("h2", {}, `${block.count} ${block.type === "copy" ? "copies" : `${block.type}s`}`),
        element("div", {}, `${format.time(length)} together: zoom in`));
    } else box.append(...details.of(this.model, block.item));
    return box;
  }

  refresh() {
    this.shown = this.visible();
    const width = this.window[1] - this.window[0];
    byId("window").textContent = `${format.moment(this.window[0], width)} – ${format.moment(this.window[1], width)}`;
    this.chart.setOption({ series: [{ id: "tracks", data: this.rows() }] }, { lazyUpdate: false });
  }

  rows() {
    return this.shown.map((block) => ({ value: [block.start, block.end, block.track], block, item: block.item }));
  }

  draw() {
    const colours = theme.colours, model = this.model;
    this.drawLegend();
    this.shown = this.visible();
    const curves = model.memory.filter((curve) => curve.device !== "host" && curve.bytes.some(Boolean));
    const shownCurves = curves.length ? curves : model.memory.filter((curve) => curve.device === "host");
    // Rows have a height that reads well; what is left is for the memory.
    const room = Math.max(this.box.clientHeight, 300) - 78 - (shownCurves.length ? 30 : 0);
    const tracksHeight = Math.min(model.tracks.length * 34, room - (shownCurves.length ? 110 : 0));
    const memoryHeight = shownCurves.length ? Math.min(room - tracksHeight, 280) : 0;
    const text = { color: colours.soft, fontSize: 11 };
    const axis = { type: "value", min: 0, max: model.end, axisLine: { lineStyle: { color: colours.line } }, splitLine: { lineStyle: { color: colours.line } },
      axisLabel: { ...text, hideOverlap: true, showMinLabel: false, showMaxLabel: false, formatter: (value) => format.moment(value, this.window[1] - this.window[0]) } };
    this.chart.setOption({
      animation: false,
      aria: { enabled: true, label: { description: "Timeline of ops and copies, one row per device and link" } },
      grid: [
        { left: 118, right: 24, top: 26, height: tracksHeight, outerBoundsMode: "none" },
        { left: 118, right: 24, top: 26 + tracksHeight + 30, height: memoryHeight, show: false, outerBoundsMode: "none" },
      ],
      xAxis: [
        { ...axis, gridIndex: 0, position: "top" },
        { ...axis, gridIndex: 1, axisLabel: { show: false }, axisTick: { show: false }, splitLine: { show: false }, show: memoryHeight > 0 },
      ],
      yAxis: [
        { gridIndex: 0, type: "category", inverse: true, data: model.tracks.map((track) => track.label), axisTick: { show: false }, axisLine: { show: false },
          axisLabel: { color: colours.text, fontSize: 12, width: 104, overflow: "truncate", interval: 0 },
          splitArea: { show: true, areaStyle: { color: [colours.track, "transparent"] } } },
        { gridIndex: 1, type: "value", min: 0, ...format.byteAxis(Math.max(1, ...shownCurves.flatMap((curve) => curve.bytes)), 2), show: memoryHeight > 0, axisLabel: { ...text, formatter: (value) => format.bytes(value) },
          name: "memory in use", nameTextStyle: { ...text, align: "right", padding: [0, 8, 0, 0] }, splitLine: { lineStyle: { color: colours.line } } },
      ],
      dataZoom: [
        { type: "slider", xAxisIndex: [0, 1], bottom: 8, height: 18, filterMode: "none", minValueSpan: 2, startValue: this.window[0], endValue: this.window[1],
          borderColor: colours.line, fillerColor: colours.runDetailed + "55", backgroundColor: colours.track, showDataShadow: false, showDetail: false, brushSelect: false,
          handleStyle: { color: colours.panel, borderColor: colours.soft }, moveHandleSize: 0 },
        { type: "inside", xAxisIndex: [0, 1], filterMode: "none", minValueSpan: 2, zoomOnMouseWheel: true, moveOnMouseMove: true, startValue: this.window[0], endValue: this.window[1] },
      ],
      tooltip: { trigger: "item", confine: true, enterable: false, backgroundColor: colours.panel, borderColor: colours.line, padding: [8, 12],
        textStyle: { color: colours.text, fontSize: 12 }, formatter: (event) => this.tipOf(event) },
      series: [
        { id: "tracks", type: "custom", xAxisIndex: 0, yAxisIndex: 0, clip: true, encode: { x: [0, 1], y: 2 }, data: this.rows(), renderItem: (parameters, api) => this.render(parameters, api) },
        ...shownCurves.map((curve) => this.curve(curve)),
      ],
    }, { replaceMerge: ["series"] });
    this.refresh();
  }

  tipOf(event) {
    if (event.data && event.data.block) return this.tip(event.data);
    return `${format.escape(event.seriesName)}: <b>${format.bytes(event.value[1])}</b> at ${format.time(event.value[0])}`;
  }

  curve(curve) {
    const device = this.model.devices.findIndex((one) => one.label === curve.device);
    const colour = theme.device(this.model, device);
    const last = curve.bytes[curve.bytes.length - 1];
    return { id: `memory ${curve.device}`, name: curve.device, type: "line", step: "end", xAxisIndex: 1, yAxisIndex: 1, symbol: "circle", symbolSize: 5, showSymbol: false,
      triggerLineEvent: true, lineStyle: { width: 1.5, color: colour }, itemStyle: { color: colour }, areaStyle: { color: colour, opacity: 0.08 },
      data: [[0, curve.device === "host" ? curve.bytes[0] : 0], ...curve.time.map((time, place) => [time, curve.bytes[place]]), [this.model.end, last]] };
  }

  drawLegend() {
    const used = new Set(this.model.ops.node.map((node) => this.model.families[node]));
    const entries = [...FAMILIES.map(([name]) => name), "other ops"].map((name, index) => [name, theme.family(index), used.has(index)]);
    entries.push(["copies", theme.colours.copy, this.model.copies.start.length], ["not where asked", theme.colours.bad, this.model.nodes.fell.some(Boolean)]);
    byId("legend").replaceChildren(...entries.filter(([, , isUsed]) => isUsed).map(([name, colour]) =>
      element("li", {}, element("i", { style: `background:${colour}` }), name)));
  }

  render(parameters, api) {
    const block = this.shown[parameters.dataIndex];
    if (!block) return null;
    const start = api.coord([block.start, block.track]), end = api.coord([block.end, block.track]);
    const row = api.size([0, 1])[1], height = Math.min(row * (block.type === "run" ? 0.5 : 0.72), 30);
    const shape = vendor.echarts.graphic.clipRectByRect(
      { x: start[0], y: start[1] - height / 2, width: Math.max(end[0] - start[0] - 0.3, 1), height }, parameters.coordSys);
    if (!shape) return null;
    const isSelected = this.selected && block.items.includes(this.selected), colours = theme.colours;
    const isDim = block.items.every((item) => this.isDim(item));
    const isPale = block.type === "run";
    const children = [{ type: "rect", shape: { ...shape, r: shape.width > 6 ? 2 : 0 }, style: { fill: block.fill, opacity: isDim ? 0.14 : 1,
      stroke: isSelected ? colours.text : "transparent", lineWidth: isSelected ? 2 : 0 }, emphasis: { style: { stroke: colours.text, lineWidth: 1 } } }];
    if (shape.width > 34 && height > 9) {
      children.push({ type: "text", silent: true, style: { text: this.label(block), x: shape.x + 5, y: shape.y + shape.height / 2, textVerticalAlign: "middle",
        fontSize: Math.min(11, height - 2), fill: isPale ? colours.text : colours.onColour, opacity: isDim ? 0.4 : 1, width: shape.width - 8, overflow: "truncate", ellipsis: "…" } });
    }
    return { type: "group", children };
  }

  resize() { this.chart.resize(); this.draw(); }
  dispose() { this.chart.dispose(); }
}
