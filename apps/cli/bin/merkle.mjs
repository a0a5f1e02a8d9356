#!/usr/bin/env node
// Read by every Node there is, so that an old one gets a sentence instead of a syntax error.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(
    `merkle needs Node 20.19 or later, and this is ${process.versions.node}. Install a newer one from https://nodejs.org\n`,
  );
  process.exit(1);
}

// In a checkout the sources lie beside, and what was compiled from them runs; a package has the bundle alone.
let inCheckout = false;

let ended = false;
// Node ends when it has nothing left to do: a command that still waits then has failed, and must not look like success.
process.once("beforeExit", () => {
  if (ended) return;
  process.stderr.write("merkle ended before its command did, which is a fault of merkle.\n");
  process.exitCode = 1;
});

import("node:fs")
  .then(({ existsSync }) => {
    inCheckout = existsSync(new URL("../src", import.meta.url));
    return import(inCheckout ? "../dist/main.js" : "../bundle/main.js");
  })
  .then(
    ({ main }) => main(process.argv.slice(2)),
    (error) => {
      const missing = error.code === "ERR_MODULE_NOT_FOUND";
      const advice = inCheckout
        ? "merkle is not built. Run: npm ci && npm run build"
        : "merkle is not installed completely. Install it again: npm install -g merkle";
      process.stderr.write(`${missing ? advice : `merkle cannot start: ${error.message}`}\n`);
      process.exitCode = 1;
    },
  )
  .finally(() => {
    ended = true;
  });
