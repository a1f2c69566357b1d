// Players in step, the slider between them, their difference, and squares that explain themselves.
// Gradio puts results on the page whenever it likes, so everything is found from the event or the frame at hand.
(() => {
 const LATE = 0.04; // seconds: less than a frame of any video
 const of = (stage, name) => stage.querySelector(".nv-" + name + " video, .nv-" + name + " img");

 function prepare(stage) {
  stage.dataset.ready = "yes";
  for (const video of stage.querySelectorAll("video[data-mp4]")) {
   // A phone plays a blob where it does not play a data address.
   const bytes = Uint8Array.from(atob(video.dataset.mp4), (letter) => letter.charCodeAt(0));
   delete video.dataset.mp4;
   video.muted = true;
   video.src = URL.createObjectURL(new Blob([bytes], { type: "video/mp4" }));
   video.onloadeddata = () => URL.revokeObjectURL(video.src);
   video.play().catch(() => {});
  }
 }
 function difference(stage) {
  const plain = of(stage, "plain"), cached = of(stage, "cached"), canvas = stage.querySelector("canvas");
  const width = plain.videoWidth || plain.naturalWidth, height = plain.videoHeight || plain.naturalHeight;
  if (!width || !(cached.videoWidth || cached.naturalWidth)) return;
  if (canvas.width !== width || canvas.height !== height) { canvas.width = width; canvas.height = height; }
  const pen = canvas.getContext("2d");
  pen.globalCompositeOperation = "copy";
  pen.drawImage(plain, 0, 0);
  pen.globalCompositeOperation = "difference";
  pen.drawImage(cached, 0, 0, width, height);
  canvas.style.filter = "brightness(" + (Number(stage.querySelector(".nv-times").value) || 1) + ")";
 }
 function keepInStep(stage) {
  const plain = of(stage, "plain"), cached = of(stage, "cached"), scrub = stage.querySelector(".nv-scrub");
  if (!scrub || !plain.duration) return;
  if (!plain.paused && cached.paused) cached.play().catch(() => {});
  if (Math.abs(plain.currentTime - cached.currentTime) > LATE && !cached.seeking) cached.currentTime = plain.currentTime;
  if (!scrub.matches(":active")) scrub.value = plain.currentTime / plain.duration;
 }
 function tick() {
  for (const stage of document.querySelectorAll(".nv-stage")) {
   if (!stage.dataset.ready) prepare(stage);
   keepInStep(stage);
   difference(stage);
  }
  requestAnimationFrame(tick);
 }
 function toggle(stage) {
  const videos = [of(stage, "plain"), of(stage, "cached")], go = videos[0].paused;
  for (const video of videos) go ? video.play() : video.pause();
  videos[1].currentTime = videos[0].currentTime;
  stage.querySelector(".nv-play").textContent = go ? "❚❚" : "▶";
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
  if (!stage) return;
  if (event.target.matches(".nv-play, .nv-stage video")) toggle(stage);
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
  if (event.target.matches(".nv-scrub")) for (const name of ["plain", "cached"]) { const video = of(stage, name); video.currentTime = event.target.value * video.duration; }
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
