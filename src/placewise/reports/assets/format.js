// Texts of numbers, and elements.
const format = {
  bytes(value) {
    const units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let unit = 0;
    while (Math.abs(value) >= 1024 && unit < units.length - 1) { value /= 1024; unit += 1; }
    return `${unit && value < 100 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
  },
  // Microseconds.
  time(value) {
    const size = Math.abs(value);
    if (size >= 60e6) return `${Math.floor(value / 60e6)} min ${((value % 60e6) / 1e6).toFixed(0)} s`;
    if (size >= 1e6) return `${(value / 1e6).toFixed(size < 1e7 ? 2 : 1)} s`;
    if (size >= 1e3) return `${(value / 1e3).toFixed(size < 1e4 ? 2 : 1)} ms`;
    return `${value.toFixed(size < 10 ? 1 : 0)} µs`;
  },
  // A moment, to as many digits as a window of this width needs.
  moment(value, width) {
    const [size, unit] = width >= 2e6 ? [1e6, "s"] : width >= 2e3 ? [1e3, "ms"] : [1, "µs"];
    const digits = Math.min(Math.max(1 - Math.floor(Math.log10(width / size / 5)), 0), 4);
    return `${(value / size).toFixed(digits)} ${unit}`;
  },
  // An axis of bytes whose marks are round in KiB, MiB or GiB.
  byteAxis(most, marks) {
    let unit = 1;
    while (most / unit >= 1024) unit *= 1024;
    const interval = [0.25, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 256, 512].find((step) => step * unit * marks >= most * 1.02) * unit;
    return { interval, max: Math.ceil((most * 1.02) / interval) * interval };
  },
  count: (value) => value.toLocaleString("en"),
  plural: (count, word) => `${format.count(count)} ${word}${count === 1 ? "" : "s"}`,
  escape: (text) => String(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`),
  lastPart: (path) => path.split("/").pop(),
};

// An element with properties and children; strings become text.
function element(tag, properties = {}, ...children) {
  const result = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) result.addEventListener(key.slice(2), value);
    else if (key === "style") result.style.cssText = value;
    else result.setAttribute(key === "class" ? "class" : key, value === true ? "" : value);
  }
  result.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return result;
}

const byId = (id) => document.getElementById(id);
