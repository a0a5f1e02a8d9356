import type { Command } from "../command/command.js";
import { isSet } from "../command/flags.js";
import type { Config } from "../config.js";
import { usageError } from "../core/cli-error.js";
import { detachBroker } from "../start/detach-broker.js";
import { runBroker } from "../start/run-broker.js";
import { readAgentSettings } from "../work/runner/agent-settings.js";

export const up: Command = {
  name: "up",
  summary: "start the broker on this machine",
  flags: [
    { flags: "--host <address>", summary: "listen here; 127.0.0.1 unless told" },
    { flags: "--port <number>", summary: "listen on this port; 7423 unless told, 0 for any free one" },
    {
      flags: "--public-url <url>",
      summary:
        "the address that agents are given, unless the settings name one; beyond loopback it means invite mode",
    },
    {
      flags: "--tls-cert <file>",
      summary: "speak https and wss alone, with this certificate; a renewed one is taken by itself",
    },
    { flags: "--tls-key <file>", summary: "the certificate's key, which nobody else may read" },
    {
      flags: "--trusted-proxy <address>",
      summary: "believe X-Forwarded headers of this address or range (10.0.0.0/8)",
      repeatable: true,
    },
    { flags: "--detach", summary: "go on in the background; returns when the broker takes calls" },
    {
      flags: "--auth <open|invite>",
      summary: "let everybody in, or members alone; open on loopback, else invite, unless told",
    },
    {
      flags: "--new-admin-invite",
      summary: "make an invite for an admin although there is one: for a key that was lost",
    },
    {
      flags: "--new-audit-key",
      summary: "sign records with a new key where the old one was lost; who kept that is warned",
    },
    { flags: "--insecure-open", summary: "let everybody in although others can reach the broker" },
  ],
  examples: [
    "merkle up",
    "merkle up --port 7500 --detach",
    "merkle up --public-url https://mesh.example.com --trusted-proxy 127.0.0.1",
    "merkle up --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem",
  ],
  offline: true,
  envFiles: true,
  async run(context) {
    refuseOpenFiles(context.config);
    if (isSet(context.flags, "detach")) {
      return detachBroker(context);
    }
    return runBroker(context);
  },
};

/** Other users of this machine could not read these folders by themselves (AUTH-5). */
function refuseOpenFiles({ auth, insecureOpen, agent }: Config): void {
  if (auth !== "open" || insecureOpen) return;
  const { roots } = readAgentSettings(agent.block, agent.path);
  if (Object.keys(roots).length === 0) return;
  throw usageError(
    `Refusing to let every user and program of this machine in, who could read and change the folders of agent.roots in ${agent.path}; add --insecure-open if you mean it.`,
    "leave --auth open out, and members alone are let in",
  );
}
