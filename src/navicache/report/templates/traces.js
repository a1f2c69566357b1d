// The settings of one prompt, and the trace of the chosen one, step by step.
const SVG = "http://www.w3.org/2000/svg";
const HEADINGS = ["setting", "computed", "seconds", "speed-up", "PSNR", "SSIM", "LPIPS", "steps: computed in colour"];
function made(tag, text) { const element = document.createElement(tag); if (text !== undefined) element.textContent = text; return element; }
function shape(tag, attributes) { const element = document.createElementNS(SVG, tag); for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value); return element; }
function numberCell(value, digits) {
 const cell = made("td", value === null || value === undefined ? "-" : value.toFixed(digits));
 if (value !== null && value !== undefined) cell.dataset.sort = value;
 return cell;
}
function strip(run) {
 const cell = made("td"), line = made("span");
 line.className = "strip";
 for (const computed of run.computed) { const box = made("i"); if (computed) box.style.background = run.colour; line.append(box); }
 cell.className = "word"; cell.append(line);
 return cell;
}
function listRuns() {
 const head = made("thead"), body = made("tbody"), titles = made("tr");
 for (const [index, text] of HEADINGS.entries()) {
  const heading = made("th"), button = made("button", text);
  button.type = "button"; heading.append(button); heading.scope = "col";
  if (index === 0 || index === HEADINGS.length - 1) heading.className = "word";
  titles.append(heading);
 }
 for (const run of current().runs) {
  const row = made("tr"), name = made("td"), dot = made("i");
  dot.style.background = run.colour; name.className = "word"; name.append(dot, run.label);
  row.dataset.setting = run.setting;
  row.append(name, numberCell(run.count, 0), numberCell(run.seconds, 2), numberCell(run.speedup, 2), numberCell(run.psnr, 2), numberCell(run.ssim, 4), numberCell(run.lpips, 4), strip(run));
  row.addEventListener("click", () => { if (run.setting !== "baseline") { at("setting").value = run.setting; chooseSetting(); } });
  body.append(row);
 }
 head.append(titles);
 at("runs").replaceChildren(head, body);
}
function curve(points, x, y, colour, dash) {
 const known = points.map((value, step) => [step, value]).filter(([, value]) => value !== null);
 if (!known.length) return null;
 const path = known.map(([step, value], index) => (index ? "L" : "M") + x(step).toFixed(1) + " " + y(value).toFixed(1)).join("");
 return shape("path", { d: path, fill: "none", stroke: colour, "stroke-width": 1.6, "stroke-dasharray": dash || "" });
}
function chart(title, run, lines) {
 const values = lines.flatMap(([, points]) => points).filter((value) => value !== null);
 if (!values.length) return null;
 const room = at("trace").clientWidth, width = Math.max(300, room > 640 ? room / 2 - 12 : room), height = 170, low = Math.min(0, ...values), high = Math.max(...values) || 1;
 const x = (step) => 44 + (step * (width - 54)) / Math.max(1, run.computed.length - 1);
 const y = (value) => height - 24 - ((value - low) * (height - 40)) / (high - low || 1);
 const svg = shape("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title });
 for (const value of [low, (low + high) / 2, high]) {
  svg.append(shape("line", { x1: 44, x2: width - 10, y1: y(value), y2: y(value), stroke: "var(--faint)" }));
  const label = shape("text", { x: 40, y: y(value) + 4, "text-anchor": "end", "font-size": 11, fill: "currentColor" });
  label.textContent = Number(value.toPrecision(2)); svg.append(label);
 }
 run.computed.forEach((computed, step) => svg.append(shape("rect", { x: x(step) - 3, y: height - 16, width: 6, height: 8, rx: 1, fill: computed ? run.colour : "var(--faint)" })));
 for (const [, points, colour, dash] of lines) { const line = curve(points, x, y, colour, dash); if (line) svg.append(line); }
 const box = made("figure"); box.className = "chart";
 box.append(made("h3", title), svg);
 return box;
}
function showTrace(run) {
 for (const row of at("runs").querySelectorAll("tbody tr")) row.setAttribute("aria-selected", run && row.dataset.setting === run.setting);
 const box = at("trace");
 box.replaceChildren();
 if (!run || !run.trace) return;
 box.append(made("h3", "Trace of " + run.label));
 const trace = run.trace;
 const charts = [
  chart("Ratio: estimated (line), measured at computed steps (dashes)", run, [["estimate", trace.ratio, run.colour], ["measured", trace.measured_ratio, "currentColor", "3 3"]]),
  chart("Accumulated error (line) against its threshold (dashes)", run, [["error", trace.accumulated, run.colour], ["threshold", trace.threshold, "currentColor", "3 3"]]),
 ].filter(Boolean);
 const grid = made("div"); grid.className = "charts"; grid.append(...charts); box.append(grid);
 const details = made("details"), text = made("pre", run.summary);
 details.append(made("summary", "Step by step"), text); box.append(details);
}
choosePrompt();
