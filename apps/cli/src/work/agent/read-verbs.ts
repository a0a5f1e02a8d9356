import type { Job } from "@merkle/wire";
import { CliError, exitCodes } from "../../core/cli-error.js";
import type { Verb } from "./verb.js";

/** How a persona reads, the job's own unless it is named, and the hash of what that says. */
export const getPersona: Verb = {
  name: "get-persona",
  usage: "[--name <persona>]",
  options: { name: { type: "string" } },
  async run({ client, options }) {
    const asked = options.findText("name") ?? personaOf(await client.job());
    const { name, prompt, hash } = await client.call("get_persona", { name: asked });
    return { name, prompt, hash };
  },
};

/** @throws CliError `not_found` for a job that reads as nobody */
function personaOf({ job_id, kind, persona_name }: Job): string {
  if (persona_name !== null) return persona_name;
  throw new CliError("not_found", `Job ${job_id} is a ${kind} job, and has no persona.`, {
    exitCode: exitCodes.not_found,
  });
}
