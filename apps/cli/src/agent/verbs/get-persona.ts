import type { Verb } from "../verb.js";

/** How a persona reads, and the hash of what that says. */
export const getPersona: Verb = {
  name: "get-persona",
  usage: "--name <persona>",
  options: { name: { type: "string" } },
  async run({ client, options }) {
    const { name, prompt, hash } = await client.call("get_persona", { name: options.text("name") });
    return { name, prompt, hash };
  },
};
