import { CliError, exitCodes } from "../../core/cli-error.js";
import type { Verb } from "../../work/agent/verb.js";
import { pageOfText } from "../pages.js";
import { sessionOf } from "../session-of.js";

/** The text of one message from an offset on: what a page of the feed had no room for. */
export const readMessage: Verb = {
  name: "read-message",
  usage: "--sequence <n> [--offset <more, or next of the last page>]",
  options: { sequence: { type: "string" }, offset: { type: "string" } },
  async run({ client, options }) {
    const session_id = sessionOf(await client.job());
    const n = options.number("sequence");
    const { messages } = await client.call("get_history", {
      session_id,
      after_cursor: Math.max(0, n - 1),
      limit: 1,
    });
    const text = messages.find((each) => each.sequence === n)?.content["text"];
    if (typeof text !== "string") {
      throw new CliError("not_found", `Message ${n} has no text that could be read, or there is none such.`, {
        exitCode: exitCodes.not_found,
      });
    }
    return { n, ...pageOfText(text, options.findNumber("offset") ?? 0) };
  },
};
