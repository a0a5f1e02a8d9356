import type { Feature } from "../../feature.js";
import type { Config } from "../../settings/config.js";

const load = () => import("./progress-settings.js");

async function describe(config: Config): Promise<string> {
  return (await load()).describeSettings(config);
}

/** Progress entries of projects. */
export const feature: Feature = {
  needs: [],
  settings: { summaries: { variables: ["OPENAI_API_KEY", "OPENAI_BASE_URL"], read: describe } },
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
