import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { isSet } from "../../command/flags.js";
import type { Config } from "../../config.js";
import { exitCodes } from "../../core/cli-error.js";

export const configList: Command = {
  name: "config list",
  summary: "print the settings of the broker, and what this machine uses",
  flags: [{ flags: "--local", summary: "only what this machine uses; asks no broker" }],
  examples: ["merkle config list", "merkle config list --json", "merkle config list --local"],
  async run({ flags, config, output, signal }) {
    const local = describeLocal(config);
    if (isSet(flags, "local")) {
      output.show({ local }, table("this machine", local));
      return exitCodes.done;
    }
    const broker = await findBroker(config, signal);
    const { settings, base_url, connection_url } = await broker.call("get_settings", {});
    output.show(
      { broker: { url: broker.base, settings, base_url, connection_url }, local },
      `${table(`broker at ${broker.base}`, { ...settings, agents_use: connection_url })}\n\n${table("this machine", local)}`,
    );
    return exitCodes.done;
  },
};

/** The address of a database is left out, because it may hold a password. */
function describeLocal({
  home,
  broker,
  port,
  databaseUrl,
  allowedHosts,
  personName,
  tls,
  trustedProxies,
  ca,
  insecure,
}: Config): Record<string, unknown> {
  return {
    url: broker.base,
    url_from: broker.source,
    home,
    name: personName ?? null,
    port,
    database: databaseUrl === undefined ? "embedded" : "DATABASE_URL",
    allowed_hosts: allowedHosts.join(", ") || null,
    tls_cert: tls?.cert ?? null,
    trusted_proxies: trustedProxies.join(", ") || null,
    ca: ca ?? null,
    insecure,
  };
}

function table(title: string, values: Readonly<Record<string, unknown>>): string {
  const width = Math.max(...Object.keys(values).map((key) => key.length));
  const rows = Object.entries(values).map(([key, value]) => `  ${key.padEnd(width)}  ${value ?? "none"}`);
  return [title, ...rows].join("\n");
}
