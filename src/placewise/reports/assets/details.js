// What is told of an op, a copy, a run or a scope: in tooltips and beside the charts.
const details = {
  facts: (rows) => {
    const list = element("dl", { class: "facts" });
    for (const [name, value] of rows) {
      if (value === "" || value === null || value === undefined) continue;
      list.append(element("dt", {}, name), element("dd", {}, value));
    }
    return list;
  },
  code: (text) => (text ? element("code", {}, text) : ""),
  requested: (text) => text.replace(/^\/?(job:localhost\/replica:0\/task:0\/)?device:/, ""),

  node(model, node) {
    const of = model.nodes, device = of.device[node];
    const swatch = element("i", { class: "swatch", style: `background:${theme.device(model, device)}` });
    const asked = model.text(of.requested[node]);
    const tensors = (list) => list.map((number) => model.text(number)).join(", ");
    return [
      element("h2", {}, model.text(of.op[node])),
      element("p", { class: "mono" }, of.name[node]),
      details.facts([
        ["ran on", [swatch, model.deviceLabel(device), of.fell[node] ? element("span", { class: "tag bad", style: "margin-left:6px" }, "not where asked") : ""]],
        ["asked for", asked ? details.requested(asked) : "no device"],
        ["because", model.text(of.reason[node])],
        ["line", details.code(model.text(of.line[node]))],
        ["inputs", details.code(tensors(of.inputs[node]))],
        ["outputs", details.code(tensors(of.outputs[node]))],
        ["also does", of.fused[node].join(", ")],
      ]),
    ];
  },

  op(model, index) {
    const node = model.opNode(index), run = model.runAt.get(model.ops.run[index]);
    const of = model.nodes;
    return [
      ...details.node(model, node),
      details.facts([
        ["took", `${format.time(model.ops.length[index])}, at ${format.time(model.ops.start[index])}`],
        ["in all", of.count[node] > 1 ? `${format.plural(of.count[node], "run")}, ${format.time(of.total[node])}` : ""],
        ["in", run === undefined ? "" : details.runLabel(model, run)],
      ]),
    ];
  },

  copy(model, index) {
    const of = model.copies;
    const kinds = { copy: "an op reads what another device made", feed: "a value of the program", constant: "a constant",
      fetch: "the program asks for it", host: "read on the host", all_reduce: "a sum over all devices" };
    const kind = model.text(of.kind[index]);
    return [
      element("h2", {}, `${model.deviceLabel(of.source[index])} → ${model.deviceLabel(of.target[index])}`),
      element("p", { class: "mono" }, model.text(of.tensor[index])),
      details.facts([
        ["bytes", format.bytes(of.bytes[index])],
        ["kind", `${kind}: ${kinds[kind] || ""}`],
        ["for", details.code(model.text(of.reader[index]))],
        ["took", `${format.time(of.length[index])}, at ${format.time(of.start[index])}`],
      ]),
    ];
  },

  run(model, index) {
    const runs = model.runs, group = model.groups[runs.group[index]];
    return [
      element("h2", {}, `${group.label} #${runs.number[index]}`),
      details.facts([
        ["line", details.code(group.line)],
        ["took", format.time(runs.length[index])],
        ["of", `${format.count(group.count)}, on average ${format.time(group.total / Math.max(group.count, 1))}`],
        ["ops", runs.detailed[index] ? "recorded" : "not recorded in this one: only its duration"],
        ["ended", runs.failed[index] ? element("span", { class: "tag bad" }, "with an error") : ""],
      ]),
    ];
  },

  runLabel(model, index) {
    const group = model.groups[model.runs.group[index]];
    return `${group.label} #${model.runs.number[index]}${group.line ? ` (${format.lastPart(group.line)})` : ""}`;
  },

  of(model, item) { return details[item.type](model, item.index); },
};
