/**
 * `npm start -- --port 7500` installs and builds what is missing, then runs `merkle up` with these flags. The broker starts once
 * it is compiled, while missing pages are still being built.
 */
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { offerCli } from "./start/offer-cli.mjs";
import { prepareRoot } from "./start/prepare-root.mjs";
import * as steps from "./steps.mjs";

const { root, report } = steps;
const merkle = join(root, "apps/cli/bin/merkle.mjs");
const { forStart, forUp } = readArguments(process.argv.slice(2));

try {
  requireNode();
  await requirePort();
  for (const line of prepareRoot()) report(line);
  await bringUp(offerCli(forStart));
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exit(error.exitCode ?? 1);
}

/** Builds, then runs `merkle up` in this process, so that signals, terminal and exit code need no forwarding. */
async function bringUp(offer) {
  let startBroker;
  const canStart = new Promise((resolve) => {
    startBroker = resolve;
  });
  const building = steps.alone(async () => {
    await steps.install();
    await steps.compile({ check: false });
    // A broker in the background is a separate process and needs everything to be built.
    if (forUp.includes("--detach")) await steps.buildPages();
    await offer.settle(merkle);
    const parts = await startPages();
    startBroker();
    await Promise.allSettled(Object.values(parts));
  });
  // If the build fails before the broker can start, this start fails.
  await Promise.race([canStart, building]);
  process.argv = [process.execPath, merkle, "up", ...forUp];
  await import("../apps/cli/bin/merkle.mjs");
}

/**
 * Starts building missing pages. Until a page is built, the broker in this process shows on that page that the build is
 * running.
 */
async function startPages() {
  const isDashboardStale = steps.isDashboardStale();
  if (!isDashboardStale && !steps.areDocsStale()) return {};
  const { announcePageBuild } = await import("../apps/cli/dist/start/page-build.js");
  const dashboard = isDashboardStale ? attempt("the dashboard", steps.buildDashboard) : Promise.resolve(true);
  const docs = dashboard.then((isBuilt) => isBuilt && attempt("the docs", steps.buildDocs));
  announcePageBuild({ dashboard, docs }, steps.endSteps);
  return { dashboard, docs };
}

/** Returns whether the build succeeded. After a failure the broker keeps running, and its page shows what is missing. */
async function attempt(what, build) {
  try {
    await build();
    report(`${what[0].toUpperCase()}${what.slice(1)} ${what.endsWith("s") ? "are" : "is"} built`);
    return true;
  } catch (error) {
    if (!(error instanceof steps.StoppedError)) process.stderr.write(`${error.message}\n`);
    return false;
  }
}

/** Separates the arguments: `--yes` is for this script, and all others are for `merkle up`. */
function readArguments(args) {
  const isYes = (/** @type {string} */ arg) => arg === "--yes" || arg === "-y";
  const forUp = args.filter((arg) => !isYes(arg));
  const isQuiet = ["--no-input", "--json", "--help", "-h"].some((flag) => forUp.includes(flag));
  return { forUp, forStart: { isYes: args.some(isYes), isQuiet } };
}

function requireNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  throw new Error(
    `Merkle needs Node 20.19 or later, and this is ${process.versions.node}. Install a newer one from https://nodejs.org`,
  );
}

/**
 * Checks the port before a first build, which takes a long time. Later starts reach `merkle up` immediately, which
 * reports more about the program that uses its port.
 */
async function requirePort() {
  if (existsSync(join(root, "apps/cli/dist/main.js")) || forStart.isQuiet) return;
  const options = { port: { type: "string" }, host: { type: "string" } };
  const { values } = parseArgs({ args: forUp, options, strict: false });
  const { port = process.env.MERKLE_PORT ?? "7423", host = "127.0.0.1" } = values;
  // `merkle up` reports invalid ports.
  if (!/^\d{1,5}$/.test(port) || port > 65535) return;
  const server = createServer();
  server.listen({ port: Number(port), host });
  const error = await once(server, "listening").catch((error) => error);
  server.close();
  if (error.code !== "EADDRINUSE") return;
  const problem = `Port ${port} on ${host} is in use. Stop the program that uses it, or choose another port: npm start -- --port 7500`;
  throw Object.assign(new Error(problem), { exitCode: 6 });
}
