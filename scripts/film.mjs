/**
 * `node scripts/film.mjs` makes the README's film from a run of the demo: two terminals that follow the two agents, and the page of
 * a person whom they ask, who answers with a click. Nothing is staged but the pointer. The film runs three times as fast, and its
 * texts are written beside it, so that a test can compare them with the demo's.
 */
import { spawn } from "node:child_process";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLog, startBroker } from "@merkle/broker";
import { connect } from "@merkle/wire/client";
import { chromium } from "playwright-core";
// `sharp` is installed as a dependency of Next.
import sharp from "sharp";
import { WebSocket } from "ws";
import { findChromium } from "./find-chromium.mjs";
import { build, install, root } from "./steps.mjs";

const program = join(root, "apps/cli/bin/merkle.mjs");
const folder = join(root, "docs/screenshots");
const size = { width: 1200, height: 676 };
const pageSize = { width: 900, height: 810 };
const faster = 3;
const frameMs = 600;
const heldMs = 4_000;
/** A larger film would make the README load slowly. */
const bytesMax = 500_000;

await install();
await build();
const home = await mkdtemp(join(tmpdir(), "merkle-film-"));
await chmod(home, 0o711);
const broker = await startBroker({
  ...{ home, port: 0, dashboard: join(root, "apps/dashboard/out"), log: createLog(() => undefined) },
});
const browser = await chromium.launch({ executablePath: findChromium(), args: ["--disable-dev-shm-usage"] });
try {
  const { frames, texts } = await shoot();
  const film = await develop(frames);
  if (film.length > bytesMax) throw new Error(`The film has ${film.length} bytes, more than ${bytesMax}.`);
  await writeFile(join(folder, "film.webp"), film);
  await writeFile(join(folder, "film.json"), `${JSON.stringify(texts, null, 2)}\n`);
  console.log(`docs/screenshots/film.webp, ${frames.length} frames, ${film.length} bytes`);
} finally {
  await browser.close();
  await broker.stop();
  await rm(home, { recursive: true, force: true });
}

/** Runs the demo. Returns a picture of the terminals and the page at each moment, and the texts of the messages. */
async function shoot() {
  const client = connect({ url: broker.url, WebSocket });
  const { mesh, session } = await client.call("open_demo_room", {});
  const ana = await createPerson(client);
  const room = connect({ url: broker.url, WebSocket, mesh });
  const page = await openPage({ viewport: pageSize, ana });
  await page.goto(`${broker.url}/sessions/${session}?mesh=${mesh}`);
  await page.getByRole("feed").getByRole("article").first().waitFor();
  const terminals = ["Atlas", "Birch"].map((team) => follow({ session, mesh, team }));
  const stage = await openPage({ viewport: size });
  await stage.setContent(stageOf(session));

  const frames = [];
  const record = async (pointer = null) => {
    const picture = await page.screenshot({ type: "png" });
    const shown = terminals.map(({ text }) => text.trimEnd());
    await stage.evaluate(showMoment, { picture: picture.toString("base64"), shown, pointer });
    frames.push({ at: Date.now(), image: await stage.screenshot({ type: "png" }) });
  };
  const recordUntil = async (isDone) => {
    while (!(await isDone())) {
      await record();
      await page.waitForTimeout(frameMs);
    }
  };
  try {
    const answer = page.getByRole("feed").getByRole("button", { name: /^Keep their 30-day tokens/ });
    await recordUntil(() => answer.isVisible());
    const place = await answer.boundingBox();
    for (const part of [0.2, 0.5, 0.8, 1]) await record({ part, ...place });
    await answer.click();
    const isClosed = async () =>
      (await room.call("get_session", { session_id: session })).status === "closed";
    await recordUntil(isClosed);
    await page.waitForTimeout(frameMs);
    await record();
    const { messages } = await room.call("get_history", { session_id: session, limit: 200 });
    const texts = messages.filter(({ type }) => type === "chat").map(({ content }) => content.text);
    return { frames, texts };
  } finally {
    for (const { stop } of terminals) stop();
    await Promise.all([client.close(), room.close()]);
  }
}

async function createPerson(client) {
  const home_key = await readFile(join(home, "home-key"), "utf8");
  const { code } = await client.call("create_verification_code", { home_key });
  const { person_id } = await client.call("create_person", { name: "Ana", code });
  return person_id;
}

async function openPage({ viewport, ana }) {
  const context = await browser.newContext({ viewport, colorScheme: "light", reducedMotion: "reduce" });
  const page = await context.newPage();
  if (ana !== undefined) {
    const person = JSON.stringify({ id: ana.split(".")[0], name: "Ana", credential: ana, verified: true });
    await page.addInitScript((text) => localStorage.setItem("merkle.person", text), person);
  }
  return page;
}

/** Follows one team in a terminal. */
function follow({ session, mesh, team }) {
  const args = ["tail", session, "--mesh", mesh, "--since", "0", "--from", team, "--url", broker.url];
  const env = { PATH: process.env.PATH, HOME: home, MERKLE_HOME: home, LANG: "C.UTF-8", NO_COLOR: "1" };
  const child = spawn(process.execPath, [program, ...args], { env, stdio: ["ignore", "pipe", "ignore"] });
  const terminal = { text: "", stop: () => child.kill() };
  child.stdout.setEncoding("utf8").on("data", (text) => {
    terminal.text += text;
  });
  return terminal;
}

/** Returns the page that shows the two terminals beside the person's page. */
function stageOf(session) {
  const terminal = (team) =>
    `<section><h2>${team}'s terminal</h2><pre>$ merkle tail ${session} --from ${team}\n<span></span></pre></section>`;
  return `<style>
    body { margin: 0; display: grid; grid-template-columns: 440px 1fr; gap: 10px; padding: 10px; height: 656px; background: #d7dbe3;
      font: 12px/1.45 system-ui, sans-serif; }
    aside { display: grid; grid-template-rows: 1fr 1fr; gap: 10px; min-height: 0; }
    section { display: flex; flex-direction: column; min-height: 0; overflow: hidden; border-radius: 8px; background: #14171f; color: #e6e9ef; }
    h2 { margin: 0; padding: 4px 10px; font-size: 12px; font-weight: 500; background: #2b3340; }
    pre { flex: 1; min-height: 0; margin: 0; padding: 8px 10px; overflow: hidden; white-space: pre-wrap; font: 11.5px/1.45 "Liberation Mono", monospace; }
    figure { position: relative; margin: 0; border-radius: 8px; overflow: hidden; background: #fff; }
    img { width: 100%; display: block; }
    i { position: absolute; width: 18px; height: 18px; margin: -9px; border-radius: 9px; background: rgb(67 56 202 / 40%); border: 2px solid #4338ca; }
  </style><aside>${terminal("Atlas")}${terminal("Birch")}</aside><figure><img><i hidden></i></figure>`;
}

/** Runs in the page: shows one moment. The pointer is on its way to an element of the person's page. */
async function showMoment({ picture, shown, pointer }) {
  const [image, mark] = [document.querySelector("img"), document.querySelector("i")];
  image.src = `data:image/png;base64,${picture}`;
  await image.decode();
  for (const [index, span] of [...document.querySelectorAll("pre span")].entries()) {
    span.textContent = shown[index];
    span.parentElement.scrollTop = span.parentElement.scrollHeight;
  }
  mark.hidden = pointer === null;
  if (pointer === null) return;
  const scale = image.clientWidth / image.naturalWidth;
  const [x, y] = [pointer.x + pointer.width / 2, pointer.y + pointer.height / 2];
  mark.style.left = `${scale * (x + (1 - pointer.part) * 260)}px`;
  mark.style.top = `${scale * (y + (1 - pointer.part) * 200)}px`;
}

/** Joins the frames to an animation that leaves out frames equal to the one before. */
async function develop(frames) {
  const kept = frames.filter(({ image }, index) => index === 0 || !image.equals(frames[index - 1].image));
  const delay = kept.map(({ at }, index) => {
    const next = kept[index + 1];
    return next === undefined ? heldMs : Math.max(100, Math.round((next.at - at) / faster));
  });
  const join = { animated: true };
  return sharp(
    kept.map(({ image }) => image),
    { join },
  )
    .webp({ delay, loop: 0, quality: 55, effort: 6, minSize: true, mixed: true })
    .toBuffer();
}
