#!/usr/bin/env node
// Read by every Node there is, so that an old one gets a sentence instead of a syntax error.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(
    `merkle needs Node 20.19 or later, and this is ${process.versions.node}. Install a newer one from https://nodejs.org\n`,
  );
  process.exit(1);
}

import("../dist/main.js").then(
  ({ main }) => main(process.argv.slice(2)),
  (error) => {
    const missing = error.code === "ERR_MODULE_NOT_FOUND";
    process.stderr.write(
      missing
        ? "merkle is not built or not installed completely. Run: npm ci && npm run build\n"
        : `merkle cannot start: ${error.message}\n`,
    );
    process.exitCode = 1;
  },
);
