// One reel of both takes and their difference, drawn as three views in the same frame; and squares that explain themselves.
// Gradio puts results on the page whenever it likes, so everything is found from the event or the frame at hand.
(() => {
 const APART = 0.08; // seconds between picture and sound that nobody notices
 const view = (stage, name) => stage.querySelector(".nv-" + name + " canvas");

 const whole = document.createElement("canvas"); // one frame of the reel: it may move on between two looks at it
 function fit(canvas, width, height) { if (canvas.width !== width || canvas.height !== height) { canvas.width = width; canvas.height = height; } }
 function prepare(reel) {
  // A phone plays a blob where it does not play a data address.
  const bytes = Uint8Array.from(atob(reel.dataset.mp4), (letter) => letter.charCodeAt(0));
  delete reel.dataset.mp4;
  reel.muted = true;
  reel.src = URL.createObjectURL(new Blob([bytes], { type: "video/mp4" }));
  reel.onloadeddata = () => URL.revokeObjectURL(reel.src);
  reel.play().catch(() => {});
 }
 function draw(stage, reel) {
  const width = (reel.videoWidth || reel.naturalWidth) / 3, height = reel.videoHeight || reel.naturalHeight;
  if (!width || reel.readyState < 2) return;
  fit(whole, 3 * width, height);
  whole.getContext("2d").drawImage(reel, 0, 0);
  for (const [place, name] of ["plain", "cached", "difference"].entries()) {
   fit(view(stage, name), width, height);
   view(stage, name).getContext("2d").drawImage(whole, -place * width, 0);
  }
  const times = stage.querySelector(".nv-times");
  view(stage, "difference").style.filter = "brightness(" + (Number(times.value) || 1) / times.defaultValue + ")";
 }
 // The sound that is asked for goes with the reel, also where the reel stops, is moved or begins again.
 function join(sound, reel, asked) {
  const on = sound.dataset.name === asked && !reel.paused && reel.currentTime < sound.duration;
  if (on === sound.paused) on ? sound.play().catch(() => {}) : sound.pause();
  if (on && Math.abs(sound.currentTime - reel.currentTime) > APART) sound.currentTime = reel.currentTime;
 }
 function hear(button, stage) {
  const names = ["off", ...[...stage.querySelectorAll(".nv-sound")].map((sound) => sound.dataset.name)];
  stage.dataset.hear = names[(names.indexOf(stage.dataset.hear) + 1 || 1) % names.length];
  button.textContent = "Sound: " + stage.dataset.hear;
 }
 function tick() {
  for (const stage of document.querySelectorAll(".nv-stage")) {
   const reel = stage.querySelector(".nv-reel"), scrub = stage.querySelector(".nv-scrub");
   if (reel.dataset.mp4) prepare(reel);
   if (scrub && reel.duration && !scrub.matches(":active")) scrub.value = reel.currentTime / reel.duration;
   for (const sound of stage.querySelectorAll(".nv-sound")) join(sound, reel, stage.dataset.hear);
   draw(stage, reel);
  }
  follow();
  requestAnimationFrame(tick);
 }
 // What a run in sight means for the rest of the page.
 let busy = false;
 function follow() {
  const live = document.querySelector("#nv-live"), clock = live?.querySelector(".nv-clock");
  // After Stop, Gradio takes no click until the run's event is over: its box is hidden only then.
  const now = !!live?.querySelector(".nv-live, .progress-text, :scope > .wrap:not(.hide):not(:has(.error))");
  for (const [name, off] of [["run", now], ["begin", now], ["stop", !now]]) {
   const button = document.querySelector("button#nv-" + name + ", #nv-" + name + " button");
   if (button && button.disabled !== off) button.disabled = off;
  }
  document.body.classList.toggle("nv-away", now && document.querySelector("#nv-ask")?.getBoundingClientRect().bottom < 0);
  if (now && !busy) show(live);
  busy = now;
  if (clock) go(clock);
 }
 function show(live) {
  const box = live.getBoundingClientRect();
  if (box.top >= 0 && box.top < innerHeight / 2) return;
  document.body.style.minHeight = box.top + scrollY + innerHeight + "px"; // a short page has nowhere to scroll to
  live.scrollIntoView({ block: "start", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
 }
 const said = (seconds) => { const s = Math.round(seconds); return s < 60 ? s + " s" : Math.floor(s / 60) + " min " + (s % 60) + " s"; };
 function go(clock) {
  const { gone, left, after } = clock.dataset;
  if (clock.told !== gone) Object.assign(clock, { told: gone, began: performance.now() }); // Gradio may keep the element
  const since = (performance.now() - clock.began) / 1000;
  // The estimate falls between two updates, but a long step does not bring it to nothing.
  const text = said(Number(gone) + since) + (left === undefined ? "" : " · about " + said(Math.max(left / 2, left - since)) + " left" + after);
  if (clock.textContent !== text) clock.textContent = text;
 }
 async function copy(button) {
  const code = button.parentElement.querySelector("code");
  getSelection().selectAllChildren(code); // where the browser gives no clipboard, the line is selected at least
  try { await navigator.clipboard.writeText(code.textContent); button.textContent = "Copied"; } catch { button.textContent = "Selected"; }
  setTimeout(() => { button.textContent = "Copy"; }, 2000);
 }
 function save(button) {
  const bytes = Uint8Array.from(atob(button.dataset.bytes), (letter) => letter.charCodeAt(0)), link = document.createElement("a");
  link.download = button.dataset.name;
  link.href = URL.createObjectURL(new Blob([bytes]));
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
 }
 function toggle(stage) {
  const reel = stage.querySelector("video.nv-reel");
  if (!reel) return;
  reel.paused ? reel.play() : reel.pause();
  stage.querySelector(".nv-play").textContent = reel.paused ? "▶" : "❚❚";
 }
 function explain(square) {
  const strip = square.parentElement;
  for (const other of strip.querySelectorAll(".nv-at")) other.classList.remove("nv-at");
  square.classList.add("nv-at");
  strip.parentElement.querySelector(".nv-why").textContent = square.dataset.why;
 }
 const square = (event) => event.target.closest?.(".nv-strip [data-why]");

 document.addEventListener("mouseover", (event) => { if (square(event)) explain(square(event)); });
 document.addEventListener("click", (event) => {
  const stage = event.target.closest?.(".nv-stage");
  if (square(event)) explain(square(event));
  if (event.target.closest?.("#nv-fold")) event.target.closest("#nv-fold").ariaExpanded = document.body.classList.toggle("nv-unfolded");
  if (event.target.matches?.(".nv-copy")) copy(event.target);
  if (event.target.matches?.(".nv-save")) save(event.target);
  if (!stage) return;
  if (event.target.matches(".nv-play, .nv-stage canvas")) toggle(stage);
  if (event.target.matches(".nv-hear")) hear(event.target, stage);
  if (event.target.matches(".nv-mode")) {
   const slide = stage.dataset.mode !== "slide";
   stage.dataset.mode = slide ? "slide" : "side";
   event.target.textContent = slide ? "Side by side" : "Slide one over the other";
  }
 });
 document.addEventListener("input", (event) => {
  const stage = event.target.closest?.(".nv-stage");
  if (!stage) return;
  if (event.target.matches(".nv-wipe")) stage.style.setProperty("--nv-at", event.target.value + "%");
  if (event.target.matches(".nv-scrub")) { const reel = stage.querySelector(".nv-reel"); reel.currentTime = event.target.value * reel.duration; }
 });
 document.addEventListener("keydown", (event) => {
  const strip = event.target.closest?.(".nv-strip");
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!strip || !by) return;
  const squares = [...strip.querySelectorAll("[data-why]")], now = squares.findIndex((each) => each.classList.contains("nv-at"));
  if (squares.length) explain(squares[Math.min(squares.length - 1, Math.max(0, now + by))]);
  event.preventDefault();
 });
 tick();
})();
