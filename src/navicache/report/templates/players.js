// Two players in step, and a canvas with their difference. The left one leads; the right one follows it.
const data = JSON.parse(document.getElementById("data").textContent);
const at = (id) => document.getElementById(id);
const left = at("left"), right = at("right"), canvas = at("difference"), scrub = at("scrub");
const pen = canvas.getContext("2d");
const LATE = 0.04; // seconds: less than a frame of any video
let playing = false;

function option(text, value) { const made = document.createElement("option"); made.textContent = text; made.value = value; return made; }
function current() { return data.prompts[Number(at("prompt").value)]; }
function compared() { return current().runs.filter((run) => run.setting !== "baseline"); }

function choosePrompt() {
 const wanted = at("setting").value;
 at("setting").replaceChildren(...compared().map((run) => option(run.label, run.setting)));
 if (compared().some((run) => run.setting === wanted)) at("setting").value = wanted;
 else if (current().first) at("setting").value = current().first;
 listRuns();
 chooseSetting();
}
function chooseSetting() {
 const plain = current().runs.find((run) => run.setting === "baseline");
 const run = compared().find((made) => made.setting === at("setting").value);
 const was = left.dataset.prompt === at("prompt").value ? left.currentTime : 0;
 for (const [player, made, words] of [[left, plain, at("left-words")], [right, run, at("right-words")]]) {
  if (!made) continue;
  if (player.dataset.name !== made.video) { player.src = data.videos[made.video]; player.dataset.name = made.video; }
  words.textContent = made.words;
 }
 left.dataset.prompt = at("prompt").value;
 seek(was);
 if (playing) play();
 showTrace(run);
}
function seek(time) { left.currentTime = time; right.currentTime = time; show(); }
function play() { playing = true; right.currentTime = left.currentTime; left.play(); right.play(); at("play").textContent = "❚❚"; }
function pause() { playing = false; left.pause(); right.pause(); right.currentTime = left.currentTime; at("play").textContent = "▶"; }
function show() {
 if (left.duration) { scrub.max = left.duration; scrub.value = left.currentTime; }
 at("clock").textContent = left.currentTime.toFixed(2) + " s";
 if (!left.videoWidth || !right.videoWidth || left.readyState < 2 || right.readyState < 2) return;
 if (canvas.width !== left.videoWidth || canvas.height !== left.videoHeight) { canvas.width = left.videoWidth; canvas.height = left.videoHeight; }
 pen.globalCompositeOperation = "copy";
 pen.drawImage(left, 0, 0);
 pen.globalCompositeOperation = "difference";
 pen.drawImage(right, 0, 0, canvas.width, canvas.height);
 canvas.style.filter = "brightness(" + (Number(at("times").value) || 1) + ")";
}
function tick() {
 if (playing) {
  if (left.ended) { seek(0); play(); }
  else if (Math.abs(left.currentTime - right.currentTime) > LATE && !right.seeking) right.currentTime = left.currentTime;
  show();
 }
 requestAnimationFrame(tick);
}
at("prompt").append(...data.prompts.map((prompt, index) => option(prompt.text, index)));
at("prompt").addEventListener("change", choosePrompt);
at("setting").addEventListener("change", chooseSetting);
at("play").addEventListener("click", () => (playing ? pause() : play()));
at("times").addEventListener("input", show);
scrub.addEventListener("input", () => { if (playing) pause(); seek(Number(scrub.value)); });
for (const player of [left, right]) {
 player.addEventListener("click", () => (playing ? pause() : play()));
 for (const news of ["loadeddata", "seeked"]) player.addEventListener(news, show);
}
tick();
