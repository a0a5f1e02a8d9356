import { nearest } from "@merkle/wire/text";
import { describeSummaries } from "../../core/broker-code.js";
import { usageError } from "../../core/cli-error.js";
import type { Config } from "../../settings/config.js";
import { type LocalSetting, localSettings } from "../../settings/config-sources.js";
import { readProgressSettings } from "../../settings/progress-settings.js";

/**
 * A setting of this machine in a form that can be shown: without tokens, and without addresses that may
 * contain a password.
 */
export interface LocalValue {
  readonly value: unknown;
  readonly source: string;
}

/** Returns all settings of this machine with their sources, as `merkle up` in this folder would read them. */
export function readLocal(config: Config): Record<LocalSetting, LocalValue> {
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
    agent: config.agent.block ?? null,
    database: config.databaseUrl === undefined ? "embedded" : "DATABASE_URL",
    database_read: config.databaseReadUrl === undefined ? null : "set",
    bus: config.bus?.split(":")[0] ?? "local",
    audit_key_file: config.auditKeyFile ?? null,
    archive: config.archive === undefined ? null : "set",
    traces_url: config.tracesUrl === undefined ? null : "set",
    summaries: describe(config),
  };
  const names = Object.keys(values) as LocalSetting[]; // `values` has exactly the keys of `LocalSetting`.
  const entries = names.map((name) => [name, { value: values[name], source: config.sourceOf(name) }]);
  return Object.fromEntries(entries) as Record<LocalSetting, LocalValue>;
}

function describe({ environment, cwd, home }: Config): string {
  return describeSummaries(readProgressSettings({ env: environment, cwd, home }).summaries);
}

/** Converts a word to the setting with that name. @throws CliError `usage` if there is none */
export function toLocalSetting(word: string): LocalSetting {
  const names = Object.keys(localSettings) as LocalSetting[]; // `localSettings` has exactly the keys of `LocalSetting`.
  const found = names.find((each) => each === word);
  if (found) return found;
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
