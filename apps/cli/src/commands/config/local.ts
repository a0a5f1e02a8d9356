import { nearest } from "@merkle/wire/text";
import { usageError } from "../../core/cli-error.js";
import { listFeatureSettings } from "../../feature-hooks.js";
import type { Config } from "../../settings/config.js";
import { type LocalSetting, localSettings, type SettingSources } from "../../settings/config-sources.js";

/**
 * A setting of this machine in a form that can be shown: without tokens, and without addresses that may
 * contain a password.
 */
export interface LocalValue {
  readonly value: unknown;
  readonly source: string;
}

/** Returns all settings of this machine with their sources, as `merkle up` in this folder would read them. */
export async function readLocal(config: Config): Promise<Readonly<Record<string, LocalValue>>> {
  const values: Readonly<Record<LocalSetting, unknown>> = {
    url: config.broker.base,
    home: config.home,
    name: config.personName ?? null,
    approvers: config.approvers.join(", ") || null,
    mesh: config.mesh ?? null,
    session: config.session ?? null,
    token: config.token ? "set" : null,
    ca: config.ca ?? null,
    insecure: config.insecure,
    report_usage: config.reportUsage,
    port: config.port,
    auth: config.auth ?? null,
    public_url: config.publicUrl ?? null,
    allowed_hosts: config.allowedHosts.join(", ") || null,
    tls_cert: config.tls?.cert ?? null,
    tls_key: config.tls?.key ?? null,
    trusted_proxies: config.trustedProxies.join(", ") || null,
    rate_limits: config.rateLimits ?? null,
    database: config.databaseUrl === undefined ? "embedded" : "DATABASE_URL",
    database_read: config.databaseReadUrl === undefined ? null : "set",
    bus: config.bus?.split(":")[0] ?? "local",
    audit_key_file: config.auditKeyFile ?? null,
    traces_url: config.tracesUrl === undefined ? null : "set",
  };
  const names = Object.keys(values) as LocalSetting[]; // `values` has exactly the keys of `LocalSetting`.
  const local: Record<string, LocalValue> = Object.fromEntries(
    names.map((name) => [name, { value: values[name], source: config.sourceOf(localSettings[name]) }]),
  );
  for (const [name, setting] of Object.entries(await listFeatureSettings()))
    local[name] = { value: await setting.read(config), source: config.sourceOf(setting) };
  return local;
}

/** Returns where a setting of this machine can be set. @throws CliError `usage` for an unknown name */
export async function findLocalSetting(word: string): Promise<SettingSources> {
  const all: Readonly<Record<string, SettingSources>> = {
    ...localSettings,
    ...(await listFeatureSettings()),
  };
  const setting = Object.hasOwn(all, word) ? all[word] : undefined;
  if (setting) return setting;
  const names = Object.keys(all);
  const meant = nearest(word, names);
  throw usageError(
    `This machine has no setting ${JSON.stringify(word)}. ${meant ? `Did you mean ${meant}?` : `Available: ${names.join(", ")}.`}`,
    "merkle config list --local",
  );
}

/** Formats a value for display. */
export function toText(value: unknown): string {
  if (value === null || value === undefined) return "none";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
