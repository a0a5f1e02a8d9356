/**
 * `node scripts/moving-picture.mjs` creates the README's animation from a run of the demo. It shows the output of `merkle tail`
 * in two terminals, and the page's feed. Messages appear at their original times, three times as fast.
 */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { build, install, root } from "./steps.mjs";

const run = promisify(execFile);
const program = join(root, "apps/cli/bin/merkle.mjs");
const lineHeight = 15;
const faster = 3;
const heldSeconds = 4;

await install();
await build();
const home = await mkdtemp(join(tmpdir(), "merkle-picture-"));
const env = { PATH: process.env["PATH"], HOME: home, MERKLE_HOME: home, LANG: "C.UTF-8", NO_COLOR: "1" };
const merkle = async (...args) => (await run(process.execPath, [program, ...args], { env })).stdout;
try {
  await merkle("up", "--port", "0", "--detach");
  const { slug, mesh, ask } = JSON.parse(await merkle("demo", "--json"));
  const [answer] = ask.options;
  await merkle("post", slug, "--mesh", mesh, "--reply-to", String(ask.sequence), "--answer", answer);
  const tail = (...args) => merkle("tail", slug, "--mesh", mesh, "--since", "0", ...args);
  const feed = (await tail("--until-closed", "--json"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const ofTeam = (team) => tail("--timeout", "0", "--from", team);
  const picture = draw({ slug, feed, atlas: await ofTeam("Atlas"), birch: await ofTeam("Birch") });
  await writeFile(join(root, "docs/screenshots/moving.svg"), picture);
  console.log(`docs/screenshots/moving.svg, ${picture.length} bytes`);
} finally {
  await merkle("down").catch(() => undefined);
  await rm(home, { recursive: true, force: true });
}

function draw({ slug, feed, atlas, birch }) {
  const began = Date.parse(feed[0].posted_at);
  const secondsOf = new Map(
    feed.map(({ sequence, posted_at }) => [sequence, (Date.parse(posted_at) - began) / 1_000 / faster]),
  );
  const duration = Math.max(...secondsOf.values()) + heldSeconds;
  const terminal = (name, text) => {
    const blocks = text.split(/\n(?=\d\d:\d\d:\d\d #)/).filter((each) => /^\d\d:\d\d:\d\d #/.test(each));
    const shown = blocks.map((block) => ({
      at: secondsOf.get(Number(/#(\d+)/.exec(block)?.[1])) ?? 0,
      lines: wrap(block.replace(/\s+/g, " "), 62, "   ").map((text) => ({ text })),
    }));
    return [{ at: 0, lines: [{ text: `$ merkle tail ${slug} --from ${name}` }] }, ...shown];
  };
  const page = feed
    .map(({ sequence, from, content, type }) => ({
      at: secondsOf.get(sequence),
      lines: pageLines(type, from?.team ?? "", content),
    }))
    .filter(({ lines }) => lines.length > 0);
  const panels = [
    { id: "a", x: 8, y: 8, width: 436, height: 196, title: "Atlas", blocks: terminal("Atlas", atlas) },
    { id: "b", x: 8, y: 212, width: 436, height: 196, title: "Birch", blocks: terminal("Birch", birch) },
    { id: "p", x: 452, y: 8, width: 440, height: 400, title: `Merkle · ${slug}`, blocks: page },
  ].map((panel) => drawPanel(panel, duration));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 416" role="img" aria-label="Two terminals, and the page">
<style>text{font:11px ui-monospace,monospace;white-space:pre;fill:#e6e9ef}.p text{font-family:system-ui,sans-serif;fill:#14171f}.h{font-weight:600}g g{animation:${duration.toFixed(2)}s linear infinite}${panels.map(({ style }) => style).join("")}@media(prefers-reduced-motion:reduce){g g{animation:none!important}}</style>
${panels.map(({ svg }) => svg).join("\n")}
</svg>
`;
}

/** Draws a panel. Each block appears at its time, and the panel scrolls up when it is full. */
function drawPanel({ id, x, y, width, height, title, blocks }, duration) {
  const percent = (seconds) => `${((seconds / duration) * 100).toFixed(2)}%`;
  const room = height - 34;
  let used = 0;
  const styles = [];
  const steps = ["0%{transform:translateY(0)}"];
  let up = 0;
  const drawn = blocks.map(({ at, lines }, index) => {
    const text = lines.map(({ text: line = "", bold }, row) => {
      const top = used + (row + 1) * lineHeight;
      return `<text y="${top}"${bold ? ' class="h"' : ""}>${escapeXml(line)}</text>`;
    });
    used += lines.length * lineHeight + (id === "p" ? 6 : 0);
    const from = percent(Math.max(0, at - 0.15));
    if (at > 0) styles.push(`@keyframes ${id}${index}{0%,${from}{opacity:0}${percent(at)},to{opacity:1}}`);
    if (used - room > up) {
      steps.push(`${from}{transform:translateY(${-up}px)}`);
      up = used - room;
      steps.push(`${percent(at)}{transform:translateY(${-up}px)}`);
    }
    const name = at > 0 ? ` style="animation-name:${id}${index}"` : "";
    return `<g${name}>${text.join("")}</g>`;
  });
  steps.push(`to{transform:translateY(${-up}px)}`);
  styles.push(`@keyframes ${id}u{${steps.join("")}}`);
  const [back, border] = id === "p" ? ["#ffffff", "#dfe3ea"] : ["#0e1116", "#2b3340"];
  const svg = `<svg x="${x}" y="${y}" width="${width}" height="${height}" class="${id}"><rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8" fill="${back}" stroke="${border}"/><text x="12" y="18" class="h">${escapeXml(title)}</text><svg x="12" y="26" width="${width - 20}" height="${room}"><g><g transform="translate(0 ${-up})" style="animation-name:${id}u">${drawn.join("")}</g></g></svg></svg>`;
  return { svg, style: styles.join("") };
}

function pageLines(type, by, content) {
  const lines = (text) => wrap(text, 70, "").map((line) => ({ text: line }));
  if (type === "chat") return [{ text: by, bold: true }, ...lines(content.text)];
  if (content.event === "team_joined") return lines(`${content.team ?? content.by ?? by} joined`);
  if (content.event === "session_concluded")
    return [{ text: "Concluded", bold: true }, ...lines("The record is sealed.")];
  return [];
}

function wrap(text, columns, indent) {
  const rows = [];
  for (const word of text.split(" ")) {
    const last = rows.at(-1);
    if (last === undefined || last.length + 1 + word.length > columns)
      rows.push(rows.length === 0 ? word : indent + word);
    else rows[rows.length - 1] = `${last} ${word}`;
  }
  return rows;
}

function escapeXml(text) {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}
