import type { DocumentedKey } from "../../../settings/setting.js";

/** The documentation of the keys in the `agent` block of config.json, which `readAgentSettings` parses. */
export const agentKeys = {
  claude_bin: {
    example: '"/opt/claude/bin/claude"',
    defaultText: "`claude`",
    meaning: "the program that runs jobs: a path, or a name to look for on PATH",
  },
  agent_bin: {
    example: '"/opt/merkle/bin/merkle"',
    defaultText: "this merkle",
    meaning: "the merkle program that a job's agent calls",
  },
  max_concurrent_jobs: {
    example: "2",
    defaultText: "`1`",
    meaning:
      "how many jobs the broker runs at the same time, 0 to 100; with 0, jobs wait for a `merkle runner`",
  },
  conclude_timeout: {
    example: '"1m30s"',
    defaultText: "`5m`",
    meaning: "time limit for a conclusion, at most 24h",
  },
  incorporate_timeout: {
    example: '"5m"',
    defaultText: "`5m`",
    meaning: "time limit for rewriting a text for a topic",
  },
  perspective_timeout: {
    example: '"3m"',
    defaultText: "`3m`",
    meaning: "time limit for a perspective",
  },
  author_name: {
    example: '"Merkle Agent"',
    defaultText: "none",
    meaning:
      "the author of commits of accepted proposals; without it, and `author_email`, none can be accepted",
  },
  author_email: { example: '"agent@example.com"', defaultText: "none", meaning: "that author's address" },
  roots: {
    example: '{"docs": "/srv/docs"}',
    defaultText: "none",
    meaning: "Git repositories whose files agents can work on: names and folders (SOURCE-1)",
  },
  remote_runners: {
    example: "true",
    defaultText: "`false`",
    meaning: "lets machines of members run jobs (RUNNER-20)",
  },
  log_dir: {
    example: '"logs/jobs"',
    defaultText: "`logs/jobs`",
    meaning: 'the folder for a log of each job, relative to this file; `""` for no logs',
  },
  skip_permissions: {
    example: "true",
    defaultText: "`false`",
    meaning: "lets agents use every tool without asking",
  },
  environment: {
    example: '["HTTPS_PROXY"]',
    defaultText: "none",
    meaning: "additional environment variables for agents (RUNNER-2)",
  },
} as const satisfies Readonly<Record<string, DocumentedKey>>;

export type AgentSettingKey = keyof typeof agentKeys;
