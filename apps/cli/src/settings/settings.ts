import { parseBus, parseDatabaseUrl, toBaseUrl } from "../core/address.js";
import type { Flag } from "../core/flags.js";
import { readSettingsText } from "../core/read-settings-text.js";
import {
  parseAuth,
  parseHost,
  parseHosts,
  parseOwnDevices,
  parsePort,
  parsePublicUrl,
  parseRanges,
  parseRates,
  parseToken,
} from "./parse-settings.js";
import {
  type Consequence,
  type GivenValue,
  parseList,
  parsePath,
  parseSwitch,
  parseSwitchText,
  parseText,
  parseTrimmed,
  type Setting,
  setting,
  showPresence,
} from "./setting.js";

export const defaultPort = 7423;

/**
 * All settings of the core for this machine, by their names in `Config`. Flags, variables, config.json,
 * `merkle config`, help and the reference are derived from this table. Features list their settings in their
 * `feature.ts`.
 */
export const settings = {
  url: setting({
    name: "url",
    flag: {
      of: "every command",
      flags: "--url <url>",
      summary: "address of the broker: its base or its MCP endpoint",
    },
    variables: [{ name: "MERKLE_URL", inFile: "environment" }, { name: "MCP_URL" }],
    help: ["MERKLE_URL", "address of the broker; MCP_URL works, too"],
    key: {
      name: "mcp_url",
      inProject: {
        describe: (given) => `commands and agents started there connect to ${parseBase(given)}`,
        readContent: parseBase,
      },
      checkType: parseText,
      example: '"https://merkle.example.com"',
      defaultText: "`http://localhost:7423`",
      meaning: "the broker that commands call: its address, or its MCP endpoint's (CLI-5)",
    },
    parse: parseBase,
  }),
  insecure: setting({
    name: "insecure",
    flag: {
      of: "every command",
      flags: "--insecure",
      summary: "allow unencrypted HTTP to another machine",
    },
    variables: [{ name: "MERKLE_INSECURE", inFile: "environment" }],
    help: ["MERKLE_INSECURE", "1 allows unencrypted HTTP to another machine"],
    key: {
      name: "insecure",
      inProject: {
        describe: (given) => (parseSwitch(given) ? "also unencrypted, so others can listen" : undefined),
      },
      checkType: parseSwitch,
      example: "true",
      defaultText: "`false`",
      meaning: "allows unencrypted HTTP to another machine (TLS-15)",
    },
    parse: parseSwitchText,
    default: false,
  }),
  ca: setting({
    name: "ca",
    flag: {
      of: "every command",
      flags: "--ca <file>",
      summary: "file of certificate authorities to trust, instead of the system's",
    },
    variables: [{ name: "MERKLE_CA", inFile: "environment" }],
    help: ["MERKLE_CA", "file of certificate authorities to trust, instead of the system's"],
    key: {
      name: "ca",
      inProject: {
        describe: (given) => `the certificate authorities in ${parsePath(given)} are trusted`,
        readContent: (given) => readSettingsText(parsePath(given)) ?? null,
      },
      example: '"ca.pem"',
      defaultText: "the authorities that Node trusts",
      meaning: "a file of authorities that commands trust instead (TLS-14)",
    },
    parse: parsePath,
  }),
  mesh: setting({
    name: "mesh",
    flag: {
      of: "every command",
      flags: "--mesh <mesh>",
      summary: "mesh to use (default: main, or the only mesh that you joined)",
    },
    variables: [{ name: "MERKLE_MESH", inFile: "environment" }],
    help: ["MERKLE_MESH", "mesh for commands (default: main, or the only mesh that you joined)"],
    key: {
      name: "mesh",
      inProject: { describe: (given) => `in the mesh ${JSON.stringify(parseText(given))}` },
      example: '"research"',
      defaultText: "`main`, or the only one joined",
      meaning: "the mesh that commands are in, by name or id (CLI-64)",
    },
    parse: (given) => parseText(given).trim(),
  }),
  // The home is read only from the environment: a project's file could otherwise name a home in which
  // everything is trusted.
  home: setting({
    name: "home",
    variables: [{ name: "MERKLE_HOME", inFile: "environment" }],
    help: ["MERKLE_HOME", "folder for all data of this machine (default: ~/.merkle)"],
    parse: parseText,
  }),
  personName: setting({
    name: "name",
    key: {
      name: "name",
      example: '"Ana"',
      defaultText: "the name of the system's user",
      meaning: "the name of this machine's person (CLI-11)",
    },
    parse: parseText,
  }),
  approvers: setting({
    name: "approvers",
    key: {
      name: "approvers",
      example: '["4f1d…"]',
      defaultText: "none",
      meaning:
        "the devices that answer permission requests of agents started with `merkle launch --approvals` (APPROVE-3)",
    },
    parse: parseList,
    default: [],
  }),
  ownDevices: setting({
    name: "own_devices",
    key: {
      name: "own_devices",
      example: '["9c1e…"]',
      defaultText: "none",
      meaning:
        "the devices whose messages count as your own words for agents started with `merkle launch --own-words` (OWN-1)",
    },
    parse: parseOwnDevices,
    default: [],
  }),
  session: setting({
    name: "session",
    variables: [{ name: "MERKLE_SESSION", inFile: "environment" }],
    help: ["MERKLE_SESSION", "default session for commands"],
    parse: parseTrimmed,
  }),
  team: setting({
    variables: [{ name: "MERKLE_TEAM", inFile: "environment" }],
    help: ["MERKLE_TEAM", "with MERKLE_SESSION: team that this shell posts as"],
    parse: parseTrimmed,
  }),
  peer: setting({
    variables: [{ name: "MERKLE_PEER", inFile: "environment" }],
    help: [
      "MERKLE_PEER",
      "with both of them: id of the peer in that team; merkle launch sets it for its agent",
    ],
    parse: parseTrimmed,
  }),
  token: setting({
    name: "token",
    variables: [{ name: "MERKLE_TOKEN", inFile: "environment" }],
    help: ["MERKLE_TOKEN", "member token (merkle token create), for machines that have not joined a mesh"],
    parse: parseToken,
    show: showPresence,
  }),
  reportUsage: setting({
    name: "report_usage",
    key: {
      name: "report_usage",
      example: "false",
      defaultText: "`true`",
      meaning: "whether an agent's MCP server reports token usage to the broker (USAGE-2)",
    },
    parse: parseSwitch,
    default: true,
  }),
  reportCheckout: setting({
    name: "report_checkout",
    key: {
      name: "report_checkout",
      example: "true",
      defaultText: "asked at the first launch; `false` without a terminal",
      meaning:
        "whether an agent's MCP server reports repository, branch, worktree and the number of changed lines to the broker (CHECKOUT-3)",
    },
    parse: parseSwitch,
  }),
  host: setting({
    flag: { of: "up", flags: "--host <address>", summary: "address to listen on (default: 127.0.0.1)" },
    parse: parseHost,
    default: "127.0.0.1",
  }),
  port: setting({
    name: "port",
    flag: {
      of: "up",
      flags: "--port <number>",
      summary: "port to listen on; 0 picks a free one (default: 7423)",
    },
    variables: [
      { name: "MERKLE_PORT", inFile: "harmless" },
      { name: "PORT", inFile: "harmless", isForBroker: true },
    ],
    help: ["MERKLE_PORT", "port of merkle up and of the local broker; PORT works, too (default: 7423)"],
    parse: parsePort,
    default: defaultPort,
  }),
  publicUrl: setting({
    name: "public_url",
    flag: {
      of: "up",
      flags: "--public-url <url>",
      summary:
        "address that agents use if the settings have none; an address that is not loopback turns on invite mode",
    },
    variables: [
      {
        name: "MERKLE_PUBLIC_URL",
        inFile: toConsequence((value) => `agents use the address ${value}`),
        // As an environment variable, MCP_URL is the broker that clients call. In an `.env` file in the
        // broker's own folder, it is the address for agents.
        aliasInFile: "MCP_URL",
      },
    ],
    help: [
      "MERKLE_PUBLIC_URL",
      "address that agents use, unless the broker's settings have one; in .env.local MCP_URL works, too",
    ],
    parse: parsePublicUrl,
  }),
  tlsCert: setting({
    name: "tls_cert",
    flag: {
      of: "up",
      flags: "--tls-cert <file>",
      summary: "serve only https and wss, with this certificate; it is reloaded when renewed",
    },
    variables: [
      {
        name: "MERKLE_TLS_CERT",
        inFile: {
          describe: ({ value }) => `the broker uses the certificate in ${value}`,
          readContent: (given) => readSettingsText(parsePath(given)) ?? null,
        },
      },
    ],
    help: ["MERKLE_TLS_CERT, MERKLE_TLS_KEY", "certificate and key for serving https and wss"],
    key: {
      name: "tls_cert",
      example: '"cert.pem"',
      defaultText: "none: http and ws",
      meaning: "the certificate with which `up` serves https and wss; needs `tls_key` (TLS-3)",
    },
    parse: parsePath,
  }),
  tlsKey: setting({
    name: "tls_key",
    flag: {
      of: "up",
      flags: "--tls-key <file>",
      summary: "private key of the certificate; must be readable only by you",
    },
    variables: [
      {
        name: "MERKLE_TLS_KEY",
        inFile: {
          describe: ({ value }) => `the certificate's key is in ${value}`,
          readContent: (given) => readSettingsText(parsePath(given)) ?? null,
        },
      },
    ],
    key: { name: "tls_key", example: '"key.pem"', defaultText: "none", meaning: "its private key (TLS-3)" },
    parse: parsePath,
  }),
  trustedProxies: setting({
    name: "trusted_proxies",
    flag: {
      of: "up",
      flags: "--trusted-proxy <address>",
      summary: "trust X-Forwarded headers from this address or range (10.0.0.0/8)",
      repeatable: true,
    },
    variables: [
      {
        name: "MERKLE_TRUSTED_PROXIES",
        inFile: toConsequence((value) => `the broker trusts ${value} to name the client's address`),
      },
    ],
    help: ["MERKLE_TRUSTED_PROXIES", "addresses and ranges of trusted proxies, separated by commas"],
    key: {
      name: "trusted_proxies",
      checkType: parseList,
      example: '["10.0.0.0/8"]',
      defaultText: "none",
      meaning: "addresses and ranges of proxies whose X-Forwarded headers `up` trusts (TLS-11)",
    },
    parse: parseRanges,
    default: [],
  }),
  rateLimits: setting({
    name: "rate_limits",
    key: {
      name: "rate_limits",
      example: '{"member_write": {"per_second": 50, "burst": 500}}',
      defaultText: "[these rates](rates.md)",
      meaning: 'rates of `up` that replace the defaults, or `"off"` (GUARD-6)',
    },
    parse: parseRates,
  }),
  auth: setting({
    name: "auth",
    flag: {
      of: "up",
      flags: "--auth <open|invite>",
      summary:
        "who can connect: open (anyone) or invite (members only) (default: open on loopback, otherwise invite)",
    },
    variables: [{ name: "MERKLE_AUTH", inFile: "harmless" }],
    help: ["MERKLE_AUTH", "who can connect: open (anyone) or invite (members only)"],
    parse: parseAuth,
  }),
  newAdminInvite: setting({
    flag: {
      of: "up",
      flags: "--new-admin-invite",
      summary:
        "create an admin invite even if there is already an admin, for example after losing the admin's key",
    },
    parse: parseSwitch,
    default: false,
  }),
  newAuditKey: setting({
    flag: {
      of: "up",
      flags: "--new-audit-key",
      summary:
        "sign records with a new key because the old one was lost; people who stored the old key are warned",
    },
    parse: parseSwitch,
    default: false,
  }),
  insecureOpen: setting({
    flag: {
      of: "up",
      flags: "--insecure-open",
      summary: "allow anyone to connect, even though the broker is reachable from other machines",
    },
    parse: parseSwitch,
    default: false,
  }),
  allowedHosts: setting({
    name: "allowed_hosts",
    variables: [
      { name: "MERKLE_ALLOWED_HOSTS", inFile: toConsequence((value) => `the broker answers to ${value}`) },
    ],
    help: ["MERKLE_ALLOWED_HOSTS", "additional host names of the broker, separated by commas"],
    parse: parseHosts,
    default: [],
  }),
  databaseUrl: setting({
    name: "database",
    variables: [
      {
        name: "DATABASE_URL",
        inFile: toConsequence(
          (value) => `the broker stores everything in the database at ${withoutPassword(value)}`,
        ),
      },
    ],
    help: ["DATABASE_URL", "your own PostgreSQL database, instead of the embedded one"],
    parse: parseDatabase,
    show: (value) => (value === undefined ? "embedded" : "DATABASE_URL"),
  }),
  databaseReadUrl: setting({
    name: "database_read",
    variables: [
      {
        name: "DATABASE_READ_URL",
        inFile: toConsequence(
          (value) => `the broker also reads from the database at ${withoutPassword(value)}`,
        ),
      },
    ],
    help: ["DATABASE_READ_URL", "streaming replica of DATABASE_URL, used for reading history and searching"],
    parse: parseDatabase,
    show: showPresence,
  }),
  bus: setting({
    name: "bus",
    variables: [
      {
        name: "MERKLE_BUS",
        inFile: toConsequence(
          (value) =>
            `brokers on one database notify each other by ${value.includes("://") ? withoutPassword(value) : value}`,
        ),
      },
    ],
    help: [
      "MERKLE_BUS",
      "how brokers on one database notify each other: local, postgres or nats://host:4222",
    ],
    parse: (given) => parseBus(parseText(given), given.name),
    show: (value) => value?.split(":")[0] ?? "local",
  }),
  auditKeyFile: setting({
    name: "audit_key_file",
    variables: [
      {
        name: "MERKLE_AUDIT_KEY_FILE",
        inFile: toConsequence((value) => `the record is signed with the key in ${value}`),
      },
    ],
    help: ["MERKLE_AUDIT_KEY_FILE", "audit key shared by brokers on one database"],
    parse: parsePath,
  }),
  tracesUrl: setting({
    name: "traces_url",
    variables: [
      {
        name: "MERKLE_TRACES_URL",
        inFile: toConsequence((value) => `the duration of each call is sent to ${withoutPassword(value)}`),
      },
    ],
    help: ["MERKLE_TRACES_URL", "where OpenTelemetry traces are sent, by OTLP over HTTP (default: off)"],
    parse: parseTrimmed,
    show: showPresence,
  }),
} as const;

/** The values of all core settings. */
export type SettingValues = {
  readonly [Name in keyof typeof settings]: (typeof settings)[Name]["default"];
};

/** All settings of the core, as a list. */
export const coreSettings: readonly Setting[] = Object.values(settings);

/** Returns the flags for settings: either the flags of every command, or the flags of `up`. */
export function listFlags(of: "every command" | "up"): Flag[] {
  return coreSettings.flatMap(({ flag }) => {
    if (flag?.of !== of) return [];
    const { of: _, ...plain } = flag;
    return [plain];
  });
}

function parseBase(given: GivenValue): string {
  return toBaseUrl(parseText(given), given.name);
}

function parseDatabase(given: GivenValue): string | undefined {
  return parseDatabaseUrl(parseText(given), given.name);
}

function toConsequence(describe: (value: string) => string): Consequence {
  return { describe: (given) => describe(parseText(given)) };
}

function withoutPassword(address: string): string {
  if (!URL.canParse(address)) return "an address that is not a URL";
  const { host, pathname } = new URL(address);
  return `${host}${pathname}`;
}
