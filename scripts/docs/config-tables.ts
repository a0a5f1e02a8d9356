import { markdownTable } from "../../apps/broker/src/transports/reference/markdown-table.js";
import type { AgentKey } from "../../apps/cli/src/features/jobs/runner/agent-settings.js";
import type { ConfigKey } from "../../apps/cli/src/settings/config-file.js";

interface ConfigSetting {
  /** A value as it stands in the file. */
  readonly example: string;
  readonly usual: string;
  readonly meaning: string;
}

/** Every key that is read, so that one that is missing here, or is gone, does not compile. */
const ofFile: Readonly<Record<ConfigKey | "agent", ConfigSetting & { readonly alsoOfProject: boolean }>> = {
  mcp_url: {
    example: '"https://merkle.example.com"',
    usual: "`http://localhost:7423`",
    meaning: "the broker that commands call: its address, or its MCP endpoint's (CLI-5)",
    alsoOfProject: true,
  },
  mesh: {
    example: '"research"',
    usual: "`main`, or the only one joined",
    meaning: "the mesh that commands are in, by name or id (CLI-64)",
    alsoOfProject: true,
  },
  ca: {
    example: '"ca.pem"',
    usual: "the authorities that Node trusts",
    meaning: "a file of authorities that commands trust instead (TLS-14)",
    alsoOfProject: true,
  },
  insecure: {
    example: "true",
    usual: "`false`",
    meaning: "allows unencrypted HTTP to another machine (TLS-15)",
    alsoOfProject: true,
  },
  report_usage: {
    example: "false",
    usual: "`true`",
    meaning: "whether an agent's MCP server reports token usage to the broker (USAGE-2)",
    alsoOfProject: false,
  },
  name: {
    example: '"Ana"',
    usual: "the name of the system's user",
    meaning: "the name of this machine's person (CLI-11)",
    alsoOfProject: false,
  },
  approvers: {
    example: '["4f1d…"]',
    usual: "none",
    meaning:
      "the devices that answer permission requests of agents started with `merkle launch --approvals` (APPROVE-3)",
    alsoOfProject: false,
  },
  tls_cert: {
    example: '"cert.pem"',
    usual: "none: http and ws",
    meaning: "the certificate with which `up` serves https and wss; needs `tls_key` (TLS-3)",
    alsoOfProject: false,
  },
  tls_key: {
    example: '"key.pem"',
    usual: "none",
    meaning: "its private key (TLS-3)",
    alsoOfProject: false,
  },
  trusted_proxies: {
    example: '["10.0.0.0/8"]',
    usual: "none",
    meaning: "addresses and ranges of proxies whose X-Forwarded headers `up` trusts (TLS-11)",
    alsoOfProject: false,
  },
  rate_limits: {
    example: '{"member_write": {"per_second": 50, "burst": 500}}',
    usual: "[these rates](rates.md)",
    meaning: 'rates of `up` that replace the defaults, or `"off"` (GUARD-6)',
    alsoOfProject: false,
  },
  agent: {
    example: "{}",
    usual: "as below",
    meaning: "how `up` runs jobs (JOB-13)",
    alsoOfProject: false,
  },
};

const ofAgent: Readonly<Record<AgentKey, ConfigSetting>> = {
  claude_bin: {
    example: '"/opt/claude/bin/claude"',
    usual: "`claude`",
    meaning: "the program that runs jobs: a path, or a name to look for on PATH",
  },
  agent_bin: {
    example: '"/opt/merkle/bin/merkle"',
    usual: "this merkle",
    meaning: "the merkle program that a job's agent calls",
  },
  max_concurrent_jobs: {
    example: "2",
    usual: "`1`",
    meaning:
      "how many jobs the broker runs at the same time, 0 to 100; with 0, jobs wait for a `merkle runner`",
  },
  conclude_timeout: {
    example: '"1m30s"',
    usual: "`5m`",
    meaning: "time limit for a conclusion, at most 24h",
  },
  incorporate_timeout: {
    example: '"5m"',
    usual: "`5m`",
    meaning: "time limit for rewriting a text for a topic",
  },
  perspective_timeout: {
    example: '"3m"',
    usual: "`3m`",
    meaning: "time limit for a perspective",
  },
  author_name: {
    example: '"Merkle Agent"',
    usual: "none",
    meaning:
      "the author of commits of accepted proposals; without it, and `author_email`, none can be accepted",
  },
  author_email: { example: '"agent@example.com"', usual: "none", meaning: "that author's address" },
  roots: {
    example: '{"docs": "/srv/docs"}',
    usual: "none",
    meaning: "Git repositories whose files agents can work on: names and folders (SOURCE-1)",
  },
  remote_runners: {
    example: "true",
    usual: "`false`",
    meaning: "lets machines of members run jobs (RUNNER-20)",
  },
  log_dir: {
    example: '"logs/jobs"',
    usual: "`logs/jobs`",
    meaning: 'the folder for a log of each job, relative to this file; `""` for no logs',
  },
  skip_permissions: {
    example: "true",
    usual: "`false`",
    meaning: "lets agents use every tool without asking",
  },
  environment: {
    example: '["HTTPS_PROXY"]',
    usual: "none",
    meaning: "additional environment variables for agents (RUNNER-2)",
  },
};

/** What can stand in config.json, with an example, default and meaning. */
export function configTables(): string {
  return [
    markdownTable(
      ["Key", "In", "Example", "Default", "Meaning"],
      Object.entries(ofFile).map(([key, { example, usual, meaning, alsoOfProject }]) => [
        `\`${key}\``,
        alsoOfProject ? "both" : "config.json",
        `\`${example}\``,
        usual,
        meaning,
      ]),
    ),
    "## `agent`",
    markdownTable(
      ["Key", "Example", "Default", "Meaning"],
      Object.entries(ofAgent).map(([key, { example, usual, meaning }]) => [
        `\`${key}\``,
        `\`${example}\``,
        usual,
        meaning,
      ]),
    ),
  ].join("\n\n");
}
