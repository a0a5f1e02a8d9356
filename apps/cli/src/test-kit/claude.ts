import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Installs a fake Claude Code in a subfolder of this folder. Returns the subfolder, for use in a PATH. */
export async function installTestClaude(folder: string): Promise<string> {
  const bin = join(folder, "bin");
  await mkdir(bin);
  await writeFile(join(bin, "claude.cjs"), claudeProgram);
  await writeFile(join(bin, "claude"), formatClaudeScript(join(bin, "claude.cjs")), { mode: 0o755 });
  return bin;
}

/**
 * The script of the fake Claude Code. It records how it was called, and ends as the test's environment
 * variables specify.
 */
const formatClaudeScript = (program: string) => `#!/bin/sh
[ "$1" = --version ] && { echo "\${TEST_VERSION:-2.1.330} (test)"; exit; }
exec ${process.execPath} ${program} "$@"
`;

const claudeProgram = `
const { readFileSync, renameSync, statSync, writeFileSync } = require("node:fs");
const fileOf = (flag) => process.argv.findLast((each) => each.startsWith(flag + "="))?.slice(flag.length + 1);
const config = fileOf("--mcp-config");
const settings = fileOf("--settings");
const record = {
  pid: process.pid, argv: process.argv.slice(2), env: process.env, cwd: process.cwd(), signals: [],
  stdin: require("node:tty").isatty(0) ? "" : readFileSync(0, "utf8"),
  config: JSON.parse(readFileSync(config, "utf8")), settings: JSON.parse(readFileSync(settings, "utf8")),
  modes: [config, settings].map((each) => statSync(each).mode & 0o777),
};
const write = () => {
  writeFileSync(process.env.TEST_RECORD + ".new", JSON.stringify(record));
  renameSync(process.env.TEST_RECORD + ".new", process.env.TEST_RECORD);
};
const end = process.env.TEST_END;
if (end === "waits") {
  for (const each of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(each, () => {
      record.signals.push(each);
      write();
      if (each === "SIGTERM") process.exit(143);
    });
  }
  setInterval(() => undefined, 60_000);
}
write();
if (end === "serves") {
  // As the real one does: starts the server, calls it, and ends it when it ends.
  const { command, args, env } = record.config.mcpServers.merkle;
  const { spawn } = require("node:child_process");
  // Codex and others hand a server only these.
  const usual = { PATH: process.env.PATH, HOME: process.env.HOME };
  const serverEnv = { ...(process.env.TEST_FEW_VARIABLES ? usual : process.env), ...env };
  const server = spawn(command, args, { env: serverEnv, stdio: ["pipe", "pipe", "inherit"] });
  const send = (message) => server.stdin.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
  const clientInfo = { name: "claude-code", version: "2.1.330" };
  send({ id: 1, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo } });
  send({ method: "notifications/initialized" });
  send({ id: 2, method: "tools/call", params: { name: "list_peers", arguments: {} } });
  let said = "";
  server.stdout.on("data", (chunk) => {
    said += chunk;
    if (said.includes('"id":2')) console.log("claude runs");
  });
  process.on("SIGTERM", () => server.kill("SIGINT"));
  server.on("exit", () => process.exit(143));
} else {
  console.log("claude runs");
  if (end !== "waits") process.exit(Number(end));
}
`;
