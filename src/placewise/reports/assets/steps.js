// How long each run of a session or call of a function took.
class StepsView {
  constructor(model, onShowRun) {
    this.model = model;
    this.onShowRun = onShowRun;
    this.charts = [];
    this.draw();
  }

  draw() {
    this.dispose();
    const model = this.model, box = byId("steps");
    box.replaceChildren();
    const order = model.groups.map((_, index) => index).sort((a, b) => model.groups[b].total - model.groups[a].total);
    for (const index of order.slice(0, 3)) if (model.groups[index].count > 1) this.plot(box, index);
    const rows = order.map((index) => ({ ...model.groups[index], index }));
    const table = new Table([
      ["what", (row) => row.label, (row) => row.label, "keep"],
      ["line", (row) => element("span", { class: "mono" }, row.line), (row) => row.line],
      ["runs", (row) => format.count(row.count), (row) => row.count, "number"],
      ["together", (row) => format.time(row.total), (row) => row.total, "number"],
      ["average", (row) => format.time(row.total / Math.max(row.count, 1)), (row) => row.total / Math.max(row.count, 1), "number"],
      ["shortest", (row) => format.time(row.shortest), (row) => row.shortest, "number"],
      ["longest", (row) => format.time(row.longest), (row) => row.longest, "number"],
    ], rows, { sorted: 3 });
    const title = element("h2", {}, "Runs and calls", element("small", {}, "each plan of a session and each trace of a function"));
    byId("step-groups").replaceChildren(element("div", { class: "card" }, title, rows.length ? table.box : element("p", { class: "note" }, "The program ran ops one by one only.")));
  }

  plot(box, index) {
    const model = this.model, group = model.groups[index], colours = theme.colours, runs = model.runs;
    const places = runs.group.map((one, place) => (one === index ? place : -1)).filter((place) => place >= 0);
    const chartBox = element("div", { class: "chart", style: "height:190px" });
    box.append(element("div", { class: "card" }, element("h2", {}, group.label, element("small", {}, `${group.line} · ${format.plural(group.count, "run")} · dark bars were recorded op by op, which slows them down; click one to see it`)), chartBox));
    const chart = vendor.echarts.init(chartBox);
    this.charts.push(chart);
    const text = { color: colours.soft, fontSize: 11 }, lengths = places.map((place) => runs.length[place]).sort((a, b) => a - b);
    const most = lengths[Math.floor(lengths.length * 0.9)] * 2 || 1; // the first run would hide all others
    chart.setOption({
      animation: false,
      grid: { left: 66, right: 14, top: 10, bottom: 24 },
      xAxis: { type: "category", data: places.map((place) => runs.number[place]), axisLabel: text, axisLine: { lineStyle: { color: colours.line } } },
      yAxis: { type: "value", max: Math.min(most, lengths[lengths.length - 1] * 1.05), axisLabel: { ...text, formatter: format.time, showMaxLabel: false }, splitLine: { lineStyle: { color: colours.line } } },
      tooltip: { trigger: "axis", backgroundColor: colours.panel, borderColor: colours.line, textStyle: { color: colours.text, fontSize: 12 }, formatter: ([point]) => `#${point.name}: <b>${format.time(point.value)}</b>` },
      dataZoom: [{ type: "inside" }],
      series: [{ type: "bar", barCategoryGap: "15%", barMaxWidth: 60, data: places.map((place) => ({ value: runs.length[place], itemStyle: { color: runs.failed[place] ? colours.bad : runs.detailed[place] ? colours.runDetailed : colours.run } })) }],
    });
    chart.on("click", (event) => this.onShowRun(places[event.dataIndex]));
  }

  resize() { for (const chart of this.charts) chart.resize(); }
  dispose() { for (const chart of this.charts.splice(0)) chart.dispose(); }
}
