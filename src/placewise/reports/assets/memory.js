// Memory over time, device by device, and who holds it at the peak.
class MemoryView {
  constructor(model) {
    this.model = model;
    this.charts = [];
    this.draw();
  }

  draw() {
    this.dispose();
    const box = byId("memory"), model = this.model;
    box.replaceChildren();
    const devices = model.devices.filter((device) => device.peak_bytes || device.holders.length);
    const columns = element("div", { class: "columns" });
    box.append(columns);
    const plots = []; // made when all are in the page: before that their width is not known
    for (const curve of model.memory) {
      const index = model.devices.findIndex((device) => device.label === curve.device), device = model.devices[index];
      if (curve.device !== "host" && !curve.bytes.some(Boolean)) continue;
      const peak = Math.max(...curve.bytes, device ? device.peak_bytes : 0);
      const small = device ? `${device.model} · peak ${format.bytes(peak)} of ${format.bytes(device.limit_bytes)}` : `resident memory of the process · peak ${format.bytes(peak)}`;
      const chart = element("div", { class: "chart", style: "height:170px" });
      columns.append(element("div", { class: "card" }, element("h2", {}, curve.device, element("small", {}, small)), chart));
      plots.push(() => this.plot(chart, curve, device, index, peak));
    }
    for (const plot of plots) plot();
    if (!model.memory.length && !devices.length) box.append(element("p", { class: "note" }, "No memory of a device was counted."));
    byId("holders").replaceChildren(...devices.map((device) => this.holders(device)));
  }

  plot(box, curve, device, index, peak) {
    const colours = theme.colours, colour = theme.device(this.model, index);
    const chart = vendor.echarts.init(box);
    this.charts.push(chart);
    const text = { color: colours.soft, fontSize: 11 };
    // What comes before the first run, such as loading data and building a graph, has no memory of GPUs.
    const first = Math.min(this.model.runs.start[0] ?? 0, this.model.ops.start[0] ?? 0);
    const begin = Math.max(Math.floor(first - (this.model.end - first) * 0.04), 0);
    chart.setOption({
      animation: false,
      grid: { left: 66, right: 14, top: 10, bottom: 24 },
      xAxis: { type: "value", min: begin, max: this.model.end, axisLabel: { ...text, hideOverlap: true, formatter: (value) => format.moment(value, this.model.end - begin) }, splitLine: { show: false }, axisLine: { lineStyle: { color: colours.line } } },
      yAxis: { type: "value", min: 0, ...format.byteAxis(peak, 3), axisLabel: { ...text, formatter: format.bytes }, splitLine: { lineStyle: { color: colours.line } } },
      tooltip: { trigger: "axis", backgroundColor: colours.panel, borderColor: colours.line, textStyle: { color: colours.text, fontSize: 12 },
        formatter: ([point]) => `<b>${format.bytes(point.value[1])}</b> at ${format.time(point.value[0])}` },
      dataZoom: [{ type: "inside", filterMode: "none" }],
      series: [{ type: "line", step: "end", showSymbol: false, lineStyle: { color: colour, width: 1.5 }, itemStyle: { color: colour }, areaStyle: { color: colour, opacity: 0.12 },
        data: [[0, device ? 0 : curve.bytes[0]], ...curve.time.map((time, place) => [time, curve.bytes[place]]), [this.model.end, curve.bytes[curve.bytes.length - 1]]],
        markLine: { symbol: "none", silent: true, label: { formatter: `peak ${format.bytes(peak)}`, color: colours.soft, position: "insideEndTop" }, lineStyle: { color: colours.soft, type: "dashed" }, data: [{ yAxis: peak }] } }],
    });
  }

  holders(device) {
    const most = device.holders.length ? device.holders[0].bytes : 1;
    const at = device.holders_at === "peak" ? `at its peak of ${format.bytes(device.peak_bytes)}` : "when the run ended";
    const rows = device.holders.map((holder) => element("tr", {},
      element("td", { class: "number" }, format.bytes(holder.bytes)),
      element("td", { style: "width:120px" }, element("span", { class: "share", style: `width:${Math.max((100 * holder.bytes) / most, 1)}px` })),
      element("td", { class: "mono" }, holder.what),
      element("td", { class: "mono" }, holder.shape ? `${holder.dtype || ""}[${holder.shape.join(",")}]` : ""),
      element("td", { class: "number" }, String(holder.count)),
      element("td", { class: "mono" }, holder.line)));
    const heads = ["bytes", "", "held by", "shape", "tensors", "line"].map((name) => element("th", { class: ["bytes", "tensors"].includes(name) ? "number" : null, scope: "col" }, name));
    return element("div", { class: "card" }, element("h2", {}, `Who holds ${device.label}'s memory`, element("small", {}, at)),
      rows.length ? element("div", { class: "scroll", style: "max-height:340px" }, element("table", {}, element("thead", {}, element("tr", {}, heads)), element("tbody", {}, rows)))
        : element("p", { class: "note" }, "Nothing large was held."));
  }

  resize() { for (const chart of this.charts) chart.resize(); }
  dispose() { for (const chart of this.charts.splice(0)) chart.dispose(); }
}
