// Colours: dark and light, of devices and of kinds of ops.
const PALETTES = {
  light: {
    families: ["#3b6fd4", "#c2541b", "#2c8a6d", "#8a56c2", "#b98a12", "#6f7f92", "#4a9ab8"],
    devices: ["#3b6fd4", "#d9822b", "#2c9a73", "#c2548f", "#8a63d2", "#b39018", "#3a9fbf", "#b5533c"],
    cpu: "#8593a5", run: "#c6cfdb", runDetailed: "#7f93ad", copy: "#cf4a6b", bad: "#c4342a",
    text: "#1d2733", soft: "#5d6b7a", line: "#dfe3e8", panel: "#ffffff", onColour: "#ffffff", track: "#f0f2f5",
  },
  dark: {
    families: ["#6f9dff", "#f0905a", "#4fc09b", "#b58cf0", "#e0b642", "#8d9bae", "#6fc3e0"],
    devices: ["#6f9dff", "#f2a65a", "#4fc99a", "#e684b6", "#b095f5", "#d9b945", "#62c4e3", "#e08468"],
    cpu: "#8d9bae", run: "#3a4656", runDetailed: "#5f7590", copy: "#ff7d9b", bad: "#ff7a70",
    text: "#e4e9f0", soft: "#96a3b3", line: "#2c3542", panel: "#1a2029", onColour: "#0d1117", track: "#202733",
  },
};

const theme = {
  listeners: [],
  get name() { return document.documentElement.dataset.theme; },
  get colours() { return PALETTES[theme.name]; },
  // What was chosen before holds, else what the system prefers.
  start() {
    const system = matchMedia("(prefers-color-scheme: dark)");
    let stored = null;
    try { stored = localStorage.getItem("placewise-theme"); } catch { /* files may have no storage */ }
    theme.set(stored || (system.matches ? "dark" : "light"));
    system.addEventListener("change", () => { if (!stored) theme.set(system.matches ? "dark" : "light"); });
    byId("theme").addEventListener("click", theme.toggle);
  },
  set(name) {
    document.documentElement.dataset.theme = name;
    byId("theme").textContent = name === "dark" ? "☀" : "☾";
    for (const listener of theme.listeners) listener();
  },
  toggle() {
    const name = theme.name === "dark" ? "light" : "dark";
    try { localStorage.setItem("placewise-theme", name); } catch { /* then it holds for this visit */ }
    theme.set(name);
  },
  device(model, device) {
    if (device < 0) return theme.colours.soft;
    const label = model.devices[device].label;
    if (label.includes("CPU")) return theme.colours.cpu;
    const gpus = model.devices.map((one, index) => (one.label.includes("CPU") ? -1 : index)).filter((index) => index >= 0);
    return theme.colours.devices[gpus.indexOf(device) % theme.colours.devices.length];
  },
  family: (index) => theme.colours.families[index % theme.colours.families.length],
};
