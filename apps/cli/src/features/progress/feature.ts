import type { Feature } from "../../feature.js";
import type { Config } from "../../settings/config.js";

const load = () => import("./progress-settings.js");

async function describe(config: Config): Promise<string> {
  return (await load()).describeSettings(config);
}

/** Progress entries of projects. */
export const feature: Feature = {
  needs: [],
  settings: {
    summaries: {
      variables: [
        {
          name: "OPENAI_API_KEY",
          inFile: {
            describe: () => "progress entries are sent to a model for summaries, with a key from this file",
          },
        },
        {
          name: "OPENAI_BASE_URL",
          inFile: {
            describe: ({ value }) => `the text of progress entries, and the key if set, are sent to ${value}`,
          },
        },
      ],
      // An API key must not be sent to an address that comes from another source.
      variablesBelongTogether: true,
      help: [
        "OPENAI_API_KEY, OPENAI_BASE_URL",
        "API key and address of the model that summarises progress entries; set only the address if the model needs no key (default: no summaries)",
      ],
      read: describe,
    },
    summary_model: {
      variables: [
        {
          name: "AGENT_PROGRESS_MODEL",
          inFile: { describe: ({ value }) => `summaries are made by the model ${JSON.stringify(value)}` },
        },
      ],
      help: ["AGENT_PROGRESS_MODEL", "model that summarises progress entries (default: gpt-4o-mini)"],
    },
    summary_log_level: {
      variables: [{ name: "AGENT_PROGRESS_LOG_LEVEL", inFile: "harmless" }],
      help: [
        "AGENT_PROGRESS_LOG_LEVEL",
        "log level of these summaries: debug, info, warn or error (default: info)",
      ],
    },
    // Read only to report that the variable is ignored: a project may have set it for another program, but
    // Merkle has its own database.
    database_path: { variables: [{ name: "AGENT_PROGRESS_DB_PATH", inFile: "harmless" }] },
  },
  findForeignFile: async (project) => (await load()).findForeignSettings(project),
  async prepareBroker(config) {
    const { describeSettings, readProgressSettings } = await load();
    const { notices, ...options } = readProgressSettings(config);
    return { options, notices, facts: { summaries: describeSettings(config) } };
  },
  checks: [
    async ({ config }) => [{ id: "summaries", status: "ok", message: await describe(config), fix: null }],
  ],
  commands: [
    {
      topic: "knowledge",
      after: "search",
      load: {
        "progress log": async () => (await import("./log.js")).progressLog,
        "progress search": async () => (await import("./search.js")).progressSearch,
        "progress show": async () => (await import("./show.js")).progressShow,
      },
    },
  ],
};
