import type { Command } from "../command/command.js";
import { isSet } from "../core/flags.js";
import { prepareBroker } from "../feature-hooks.js";
import { listFlags } from "../settings/settings.js";
import { detachBroker } from "../start/detach-broker.js";
import { runBroker } from "../start/run-broker.js";

export const up: Command = {
  name: "up",
  summary: "start the broker on this machine",
  flags: [
    ...listFlags("up"),
    { flags: "--detach", summary: "run in the background; returns when the broker accepts calls" },
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
    // Check the features' settings now, before the broker runs in a separate process.
    const additions = await prepareBroker(context.config);
    return isSet(context.flags, "detach") ? detachBroker(context) : runBroker(context, additions);
  },
};
