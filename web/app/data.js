"use strict";
// The data of a report, and small things that all of its parts use. What comes from a model is text: it goes into the
// page as text nodes and attributes alone.

const report = JSON.parse(document.getElementById("data").textContent);

// numbers as base64, the lowest byte first, as every machine has them that runs browsers
function decode(text, Type) {
  const letters = atob(text), bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; ++i) {
    bytes[i] = letters.charCodeAt(i);
  }
  return new Type(bytes.buffer);
}
const floats = text => decode(text, Float32Array);
const doubles = text => decode(text, Float64Array);

// An element with attributes and children; texts are texts.
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) {
      element.addEventListener(name.slice(2), value);
    } else if (value === true) {
      element.setAttribute(name, "");
    } else if (value !== false && value !== undefined && value !== null) {
      element.setAttribute(name, value);
    }
  }
  element.append(...children.filter(child => child !== null && child !== undefined));
  return element;
}

const at = id => document.getElementById(id);

// six digits, as short as they can be
function short(number, digits = 6) {
  if (number === null || !Number.isFinite(number)) {
    return "–";
  }
  const text = Math.abs(number) >= 1e6 || (number !== 0 && Math.abs(number) < 1e-4)
    ? number.toExponential(digits - 1).replace(/\.?0+e/, "e") : String(Number(number.toPrecision(digits)));
  return text.replace("-", "−");
}

// The last index with times[i] <= t, and how far t is to the next one, 0 to 1.
function place(times, t) {
  let low = 0, high = times.length - 1;
  if (!(t > times[0])) {
    return [0, 0];
  }
  if (t >= times[high]) {
    return [high, 0];
  }
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= t) {
      low = middle;
    } else {
      high = middle;
    }
  }
  const step = times[high] - times[low];
  return [low, step > 0 ? (t - times[low]) / step : 0];
}

// colours of Okabe and Ito, darkened or lightened so that they can be read on the page
const curveColours = {
  light: ["#0072b2", "#b34700", "#007a5a", "#a3457e", "#8a6d00", "#2b7fb8", "#444444", "#6f4fb0"],
  dark: ["#56b4e9", "#f0914d", "#3fc79c", "#e39bc4", "#e6c229", "#8fd0f5", "#c9c9c9", "#b9a3f0"],
};
const darkness = window.matchMedia("(prefers-color-scheme: dark)");
const colours = () => darkness.matches ? curveColours.dark : curveColours.light;
const styleColour = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
