// The data of the page, unpacked, and what follows from it: tracks, items, and matches.
const FAMILIES = [
  ["products", /conv|matmul|einsum|dense|gemm|lstm|gru|attention/i],
  ["updates", /^(resource)?(apply|scatter|assign|sparseapply)|variable|save|restore|counter|countupto/i],
  ["norms and pools", /pool|softmax|norm(?!al)|lrn|dropout|entropy|topk|embedding|gather/i],
  ["input", /iterator|dataset|queue|decode|reader|fifo|summary|^parse|random|uniform|normal|shuffle/i],
  ["sums", /sum|mean|max$|min$|prod|addn|reduce|argmax|argmin|l2loss|all$|any$/i],
  ["shapes", /reshape|transpose|concat|pack|split|slice|pad|tile|shape|squeeze|expand|identity|cast|fill|zeros|ones|broadcast|size|rank|range/i],
];

function unpack() {
  const text = atob(byId("data").textContent.trim());
  const bytes = Uint8Array.from(text, (c) => c.charCodeAt(0));
  return JSON.parse(vendor.strFromU8(vendor.gunzipSync(bytes)));
}

class Model {
  constructor(data) {
    Object.assign(this, data);
    this.text = (number) => this.texts[number];
    this.runAt = new Map(this.runs.id.map((id, place) => [id, place]));
    this.families = this.nodes.op.map((op) => familyOf(this.text(op)));
    this.tracks = [];
    this.items = []; // of each track, by start: {track, start, end, type, index}
    this.opItems = new Array(this.ops.node.length);
    this.buildTracks();
    this.end = Math.max(1, this.seconds * 1e6, ...this.items.map((list) => list.length ? list[list.length - 1].end : 0));
    this.matches = null; // a Set of nodes, null without a search
  }

  nodeName(node) { return this.nodes.name[node] || this.text(this.nodes.op[node]); }
  deviceLabel(device) { return device >= 0 ? this.devices[device].label : "?"; }
  opNode(index) { return this.ops.node[index]; }

  addTrack(label, kind, device) {
    this.tracks.push({ label, kind, device });
    this.items.push([]);
    return this.tracks.length - 1;
  }

  buildTracks() {
    const runs = this.runs;
    if (runs.id.length) {
      const place = this.addTrack("program", "program", -1);
      runs.id.forEach((_, index) => this.put(place, runs.start[index], runs.length[index], "run", index));
    }
    const order = this.devices.map((_, index) => index).sort((a, b) => this.rank(a) - this.rank(b));
    const ofDevice = this.devices.map(() => []);
    this.ops.node.forEach((node, index) => { const d = this.nodes.device[node]; if (d >= 0) ofDevice[d].push(index); });
    for (const device of order) if (ofDevice[device].length) this.addLanes(device, ofDevice[device]);
    const links = new Map();
    this.copies.start.forEach((_, index) => {
      const key = `${this.deviceLabel(this.copies.source[index])} → ${this.deviceLabel(this.copies.target[index])}`;
      if (!links.has(key)) links.set(key, []);
      links.get(key).push(index);
    });
    for (const key of [...links.keys()].sort()) {
      const place = this.addTrack(key, "link", -1);
      for (const index of links.get(key)) this.put(place, this.copies.start[index], this.copies.length[index], "copy", index);
    }
    for (const list of this.items) list.sort((a, b) => a.start - b.start);
  }

  rank(device) { return this.devices[device].label.includes("CPU") ? 1000 + device : device; }

  // Ops that overlap on a device, of several threads, are drawn below each other.
  addLanes(device, indices) {
    indices.sort((a, b) => this.ops.start[a] - this.ops.start[b]);
    const ends = [], lanes = [];
    for (const index of indices) {
      const start = this.ops.start[index];
      let lane = ends.findIndex((end) => end <= start + 0.11);
      if (lane < 0) {
        lane = ends.length;
        ends.push(0);
        const label = this.devices[device].label + (lane ? ` (${lane + 1})` : "");
        lanes.push(this.addTrack(label, "device", device));
      }
      ends[lane] = start + this.ops.length[index];
      this.opItems[index] = this.put(lanes[lane], start, this.ops.length[index], "op", index);
    }
  }

  put(track, start, length, type, index) {
    const item = { track, start, end: start + Math.max(length, 0.05), type, index };
    this.items[track].push(item);
    return item;
  }

  // Which ops a search text means: all of its words, anywhere in name, type, line, device or reason.
  search(text) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    if (!words.length) { this.matches = null; return; }
    this.matches = new Set();
    this.nodes.name.forEach((_, node) => { if (this.fits(node, words)) this.matches.add(node); });
  }

  fits(node, words) {
    this.searched ??= this.nodes.name.map((_, one) => this.searchText(one));
    return words.every((word) => this.searched[node].includes(word));
  }

  searchText(node) {
    const of = this.nodes;
    return [of.name[node], this.text(of.op[node]), this.text(of.line[node]), this.deviceLabel(of.device[node]),
      this.text(of.reason[node]), ...of.fused[node]].join(" ").toLowerCase();
  }

  matchingOps() {
    if (!this.matches) return [];
    const result = [];
    this.ops.node.forEach((node, index) => { if (this.matches.has(node)) result.push(index); });
    return result.sort((a, b) => this.ops.start[a] - this.ops.start[b]);
  }
}

function familyOf(op) {
  const index = FAMILIES.findIndex(([, pattern]) => pattern.test(op));
  return index < 0 ? FAMILIES.length : index;
}
