// Ops by name scope. A scope with very many children gets groups of them in between, so that no
// step of opening the graph shows more than some dozens of boxes.
const MOST_CHILDREN = 48;
const MOST_TOGETHER = 16; // up to here nothing is grouped

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
  const children = scope.children;
  if (children.length > MOST_TOGETHER && !scope.isGroup) { // a group has one base name already
    const leaves = children.filter((child) => child.isLeaf), scopes = children.filter((child) => !child.isLeaf);
    scope.children = [...byBase(scope, scopes, 8), ...byBase(scope, leaves, 3)];
  }
  while (scope.children.length > MOST_CHILDREN) scope.children = inRuns(scope, scope.children);
}

// "stack", "stack_1", "stack_2" … become one group, if there are enough of them.
function byBase(scope, children, least) {
  const groups = new Map();
  for (const child of children) {
    const base = child.name.replace(/_?\d+$/, "").replace(/_\d+\//g, "/");
    if (!groups.has(base)) groups.set(base, []);
    groups.get(base).push(child);
  }
  return [...groups].flatMap(([base, several]) => (several.length < least ? several : [grouped(scope, `${base} ×${several.length}`, several)]));
}

function inRuns(scope, children) {
  const size = Math.max(Math.ceil(children.length / MOST_CHILDREN), 12), groups = [];
  for (let start = 0; start < children.length; start += size) {
    const several = children.slice(start, start + size);
    groups.push(several.length === 1 ? several[0] : grouped(scope, `${shortName(several[0])} … ${shortName(several[several.length - 1])}`, several));
  }
  return groups;
}

function grouped(scope, name, several) {
  const group = new Scope(name, scope);
  group.isGroup = true;
  group.children = several;
  for (const child of several) child.parent = group;
  divide(group);
  return group;
}

const shortName = (scope) => scope.name.split(" … ")[0].replace(/ ×\d+$/, "");

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
