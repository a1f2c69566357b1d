"use strict";
// A click on a heading sorts its table by that column; another click turns the order round.
function sortTable(table, column, descending) {
 const value = (row) => {
  const cell = row.cells[column], number = cell.dataset.sort;
  return number === undefined ? (cell.textContent.trim() === "-" ? null : cell.textContent.trim()) : Number(number);
 };
 const order = (a, b) => {
  const x = value(a), y = value(b);
  if (x === null || y === null) return (x === null) - (y === null);
  const found = typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y), "en", { numeric: true });
  return descending ? -found : found;
 };
 const body = table.tBodies[0];
 body.append(...[...body.rows].sort(order));
 for (const [index, heading] of [...table.tHead.rows[0].cells].entries())
  index === column ? heading.setAttribute("aria-sort", descending ? "descending" : "ascending") : heading.removeAttribute("aria-sort");
}
document.addEventListener("click", (event) => {
 const heading = event.target.closest("table.sortable thead th");
 if (heading) sortTable(heading.closest("table"), heading.cellIndex, heading.getAttribute("aria-sort") === "ascending");
});
