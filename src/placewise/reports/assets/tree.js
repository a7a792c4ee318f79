// Ops by name scope. A scope with very many children gets groups of them in between, so that no
// step of opening the graph shows more than some dozens of boxes.
const MOST_CHILDREN = 48;

class Scope {
  constructor(name, parent) {
    this.name = name;
    this.parent = parent;
    this.children = [];
    this.byName = new Map();
    this.node = -1; // a leaf is an op
    this.ops = 0;
    this.time = 0;
    this.devices = new Map(); // ops on each device
    this.path = parent ? (parent.path ? `${parent.path}/${name}` : name) : "";
  }

  get isLeaf() { return this.node >= 0; }
  get depth() { return this.parent ? this.parent.depth + 1 : 0; }

  child(name) {
    let result = this.byName.get(name);
    if (!result) {
      result = new Scope(name, this);
      this.byName.set(name, result);
      this.children.push(result);
    }
    return result;
  }
}

function buildTree(model) {
  const root = new Scope("", null), leaves = new Array(model.nodes.name.length);
  model.nodes.name.forEach((name, node) => {
    if (!model.text(model.nodes.op[node])) return; // a name that was referred to and never ran
    const parts = (name || model.text(model.nodes.op[node])).split("/").filter(Boolean);
    let scope = root;
    for (const part of parts.slice(0, -1)) scope = scope.child(part);
    const leaf = new Scope(parts[parts.length - 1], scope);
    leaf.node = node;
    scope.children.push(leaf);
    leaves[node] = leaf;
  });
  fold(root);
  count(root, model);
  return { root, leaves };
}

// "conv1" the op and "conv1/..." the scope become one; a scope with one child joins it.
function fold(scope) {
  for (const child of scope.children) fold(child);
  scope.children = scope.children.map((child) => {
    if (child.isLeaf || child.children.length !== 1) return child;
    const only = child.children[0];
    only.name = `${child.name}/${only.name}`;
    only.parent = scope;
    return only;
  });
  divide(scope);
}

function divide(scope) {
  while (scope.children.length > MOST_CHILDREN) {
    const size = Math.max(Math.ceil(scope.children.length / MOST_CHILDREN), 12), groups = [];
    for (let start = 0; start < scope.children.length; start += size) {
      const several = scope.children.slice(start, start + size);
      if (several.length === 1) { groups.push(several[0]); continue; }
      const group = new Scope(`${shortName(several[0])} … ${shortName(several[several.length - 1])}`, scope);
      group.isGroup = true;
      group.children = several;
      for (const child of several) child.parent = group;
      groups.push(group);
    }
    scope.children = groups;
  }
}

const shortName = (scope) => scope.name.split(" … ")[0];

function count(scope, model) {
  if (scope.isLeaf) {
    scope.ops = 1;
    scope.time = model.nodes.total[scope.node];
    scope.devices.set(model.nodes.device[scope.node], 1);
    return;
  }
  for (const child of scope.children) {
    count(child, model);
    scope.ops += child.ops;
    scope.time += child.time;
    for (const [device, ops] of child.devices) scope.devices.set(device, (scope.devices.get(device) || 0) + ops);
  }
}
