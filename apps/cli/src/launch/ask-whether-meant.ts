import { neutralise } from "@merkle/wire";
import { interruptedError } from "../cli-error.js";
import type { AskWhetherMeant } from "./choose-session.js";

/** Asks on the terminal, by stderr; Ctrl+C ends the command as it does anywhere else. */
export function askOnTerminal(signal: AbortSignal): AskWhetherMeant {
  return async (name, near) => {
    const { confirm } = await import("../prompts.js");
    const [wanted, slug, title] = [name, near.slug, near.title].map((each) => neutralise(each));
    const message = `There is no session "${wanted}". Join ${slug}, "${title}", instead of making a new one?`;
    try {
      return await confirm({ message, default: true }, { output: process.stderr, signal });
    } catch (error) {
      if (error instanceof Error && error.name === "ExitPromptError") throw interruptedError();
      throw error;
    }
  };
}
