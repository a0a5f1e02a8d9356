import { limits, parseInvite } from "@merkle/wire/plain";
import { toBaseUrl } from "../broker/address.js";
import { canAsk, createAsker } from "../command/ask.js";
import type { CommandContext } from "../command/command.js";
import { readStdin } from "../command/read-text.js";
import { usageError } from "../core/cli-error.js";

/** An invite as it was given: what proves it, and where its link leads. */
export interface GivenInvite {
  /** The secret alone, or the code. */
  readonly words: string;
  /** The broker of the link; undefined for what is not a whole link. */
  readonly base: string | undefined;
}

/**
 * The invite that `merkle join` was given: as its argument, on stdin for `-`, or asked for without being shown.
 *
 * @throws CliError `usage` for what is no invite, which is not repeated: it may be one with a letter missing
 */
export async function readInvite(context: CommandContext): Promise<GivenInvite> {
  const text = (await takeText(context)).trim();
  const words = parseInvite(text);
  if (!words) throw notAnInvite();
  if (words.kind === "code") return { words: text, base: undefined };
  return { words: words.secret, base: baseOfLink(text) };
}

async function takeText({ args: [given], flags, signal }: CommandContext): Promise<string> {
  if (given !== undefined && given !== "-") return given;
  const asks = canAsk(flags);
  if (!asks && given === undefined) {
    throw usageError("Give the invite on stdin, where no other program sees it.", "merkle join -");
  }
  if (!asks) return readStdin(limits.urlCharsMax * 4, signal);
  return createAsker(signal).secret({ message: "Invite (a link or a code; it is not shown)" });
}

function baseOfLink(text: string): string | undefined {
  const link = text.slice(0, text.lastIndexOf("#"));
  if (!URL.canParse(link)) return undefined;
  return toBaseUrl(link.replace(/\/join\/?$/, ""), "The invite's link");
}

function notAnInvite() {
  return usageError(
    "This is no invite. One is a link such as https://mesh.example.com/join#…, the part behind its #, or a code such as 31-7KQ2-M4XD.",
  );
}
