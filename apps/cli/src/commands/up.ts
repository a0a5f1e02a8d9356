import type { Command } from "../command/command.js";
import { isSet } from "../core/flags.js";
import { prepareBroker } from "../feature-hooks.js";
import { detachBroker } from "../start/detach-broker.js";
import { runBroker } from "../start/run-broker.js";

export const up: Command = {
  name: "up",
  summary: "start the broker on this machine",
  flags: [
    { flags: "--host <address>", summary: "address to listen on (default: 127.0.0.1)" },
    { flags: "--port <number>", summary: "port to listen on; 0 picks a free one (default: 7423)" },
    {
      flags: "--public-url <url>",
      summary:
        "address that agents use if the settings have none; an address that is not loopback turns on invite mode",
    },
    {
      flags: "--tls-cert <file>",
      summary: "serve only https and wss, with this certificate; it is reloaded when renewed",
    },
    { flags: "--tls-key <file>", summary: "private key of the certificate; must be readable only by you" },
    {
      flags: "--trusted-proxy <address>",
      summary: "trust X-Forwarded headers from this address or range (10.0.0.0/8)",
      repeatable: true,
    },
    { flags: "--detach", summary: "run in the background; returns when the broker accepts calls" },
    {
      flags: "--auth <open|invite>",
      summary:
        "who can connect: open (anyone) or invite (members only) (default: open on loopback, otherwise invite)",
    },
    {
      flags: "--new-admin-invite",
      summary:
        "create an admin invite even if there is already an admin, for example after losing the admin's key",
    },
    {
      flags: "--new-audit-key",
      summary:
        "sign records with a new key because the old one was lost; people who stored the old key are warned",
    },
    {
      flags: "--insecure-open",
      summary: "allow anyone to connect, even though the broker is reachable from other machines",
    },
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
    // Settings of features are checked before the broker gets a process of its own.
    const additions = await prepareBroker(context.config);
    return isSet(context.flags, "detach") ? detachBroker(context) : runBroker(context, additions);
  },
};
