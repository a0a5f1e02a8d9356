import { type Flags, isSet, listOf, textOf } from "../core/flags.js";
import type { ConfigFile } from "./config-file.js";
import type { Variables } from "./env-files.js";

/** The possible sources of a local setting, in order of precedence (CLI-5). */
export interface SettingSources {
  /** The flag's name in `Flags`. */
  readonly flag?: string;
  /** The environment variables. Commands that start a broker also read them from `.env.local` and `.env`. */
  readonly variables?: readonly string[];
  /** The key in config.json. With `alsoOfProject`, also in a project's `.merkle.json`. */
  readonly key?: string;
  readonly alsoOfProject?: boolean;
}

/** All settings of the core that a file can set or that have several sources. */
export const localSettings = {
  url: { flag: "url", variables: ["MERKLE_URL", "MCP_URL"], key: "mcp_url", alsoOfProject: true },
  home: { variables: ["MERKLE_HOME"] },
  name: { key: "name" },
  approvers: { key: "approvers" },
  mesh: { flag: "mesh", variables: ["MERKLE_MESH"], key: "mesh", alsoOfProject: true },
  session: { variables: ["MERKLE_SESSION"] },
  token: { variables: ["MERKLE_TOKEN"] },
  ca: { flag: "ca", variables: ["MERKLE_CA"], key: "ca", alsoOfProject: true },
  insecure: { flag: "insecure", variables: ["MERKLE_INSECURE"], key: "insecure", alsoOfProject: true },
  report_usage: { key: "report_usage" },
  port: { flag: "port", variables: ["MERKLE_PORT", "PORT"] },
  auth: { flag: "auth", variables: ["MERKLE_AUTH"] },
  public_url: { flag: "publicUrl", variables: ["MERKLE_PUBLIC_URL"] },
  allowed_hosts: { variables: ["MERKLE_ALLOWED_HOSTS"] },
  tls_cert: { flag: "tlsCert", variables: ["MERKLE_TLS_CERT"], key: "tls_cert" },
  tls_key: { flag: "tlsKey", variables: ["MERKLE_TLS_KEY"], key: "tls_key" },
  trusted_proxies: {
    flag: "trustedProxy",
    variables: ["MERKLE_TRUSTED_PROXIES"],
    key: "trusted_proxies",
  },
  rate_limits: { key: "rate_limits" },
  database: { variables: ["DATABASE_URL"] },
  database_read: { variables: ["DATABASE_READ_URL"] },
  bus: { variables: ["MERKLE_BUS"] },
  audit_key_file: { variables: ["MERKLE_AUDIT_KEY_FILE"] },
  traces_url: { variables: ["MERKLE_TRACES_URL"] },
} as const satisfies Readonly<Record<string, SettingSources>>;

export type LocalSetting = keyof typeof localSettings;

export interface ReadFrom {
  readonly flags: Flags;
  readonly variables: Variables;
  /** The project's `.merkle.json`, if trusted. */
  readonly project: ConfigFile | undefined;
  readonly user: ConfigFile;
}

/**
 * Returns the source of a setting: a flag, a variable (with its file), the path of a configuration file, or
 * `default`.
 */
export function sourceOf(setting: SettingSources, { flags, variables, project, user }: ReadFrom): string {
  const { flag, variables: names = [], key, alsoOfProject = false } = setting;
  if (flag !== undefined && isGiven(flags, flag))
    return `--${flag.replace(/[A-Z]/g, (each) => `-${each.toLowerCase()}`)}`;
  const variable = names.find((each) => variables.env[each]);
  if (variable !== undefined) return variables.nameOf(variable);
  if (key === undefined) return "default";
  const file = [...(alsoOfProject ? [project] : []), user].find(
    (each) => each && Object.hasOwn(each.content, key),
  );
  return file?.path ?? "default";
}

function isGiven(flags: Flags, flag: string): boolean {
  return isSet(flags, flag) || textOf(flags, flag) !== undefined || listOf(flags, flag).length > 0;
}
