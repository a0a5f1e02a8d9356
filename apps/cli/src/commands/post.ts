import type { RecipientState } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { findBroker } from "../broker/broker-client.js";
import type { Command } from "../command/command.js";
import { readText } from "../command/read-text.js";
import { exitCodes } from "../core/cli-error.js";
import { readPostInput } from "../feed/post-input.js";
import { actingIn } from "../identity/acting.js";
import { takeSession } from "../sessions/find-session.js";
import { peerName } from "../sessions/peer-names.js";
import { toAge } from "../text/time.js";

export const post: Command = {
  name: "post",
  summary: "say something in a session, to everyone or to some; ask, decide, answer",
  arguments: [
    { name: "[session]", summary: "slug, id or exact title; MERKLE_SESSION unless told" },
    { name: "[text]", summary: "what to say; - reads it from stdin, as does a pipe" },
  ],
  flags: [
    {
      flags: "--to <who>",
      summary: "a team, a peer, team/peer, @group or @humans; again or with commas for several",
      repeatable: true,
    },
    { flags: "--ask", summary: "it is a question that somebody has to answer" },
    {
      flags: "--option <answer>",
      summary: "with --ask: an answer to choose; at least two",
      repeatable: true,
    },
    { flags: "--decision", summary: "it says what is settled" },
    { flags: "--reply-to <number>", summary: "the message that it is about" },
    {
      flags: "--answer <answer>",
      summary: "with --reply-to: settles that ask; the first answer counts. It is the text, too, unless told",
    },
    {
      flags: "--priority <now|next|low>",
      summary: "now breaks through dnd, low wakes nobody; next unless told",
    },
  ],
  examples: [
    'merkle post split-auth "Use the vault" --to Cedar --reply-to 405',
    'merkle post split-auth "Which staging key?" --to @backend --ask --option vault --option new',
    "merkle post split-auth --reply-to 405 --answer vault",
    "git log -3 --oneline | merkle post split-auth",
  ],
  async run({ args, flags, config, io, output, signal }) {
    const wanted = readPostInput(flags);
    const broker = await findBroker(config, signal);
    const { session, rest } = await takeSession(broker, args, config);
    const text = await readText({
      given: rest ?? wanted.content.answer,
      name: "what to post",
      usage: `merkle post ${session.slug} <text>`,
      bytesMax: limits.messageTextBytesMax + 1,
      io,
      signal,
    });
    const actor = await actingIn(session, { broker, config });
    const posted = await actor.call("post_message", {
      session_id: session.session_id,
      ...wanted,
      // A pipe ends with a line break that nobody said.
      content: { text: text.replace(/(?:\r?\n)+$/, ""), ...wanted.content },
    });
    const { recipients } = posted;
    if (recipients === undefined) {
      output.show(posted, `${output.mark.ok} #${posted.cursor} posted`);
      return exitCodes.done;
    }
    output.show(posted, `${output.mark.ok} #${posted.cursor} posted, ${deliveryText(recipients)}`);
    const away = awayText(recipients);
    if (away !== undefined) output.note(`${output.mark.warn} ${away}`);
    return exitCodes.done;
  },
};

const namesMax = 5;

/** `delivered 0/2 (Cedar last seen 6m ago, atlas idle, wakes by inbox)`: what is known of each that a message reaches. */
function deliveryText(recipients: readonly RecipientState[]): string {
  const delivered = recipients.filter((each) => each.delivered).length;
  const waiting = recipients.filter((each) => !each.delivered);
  const told = waiting.slice(0, namesMax).map(describeRecipient);
  const more = waiting.length - told.length;
  const rest = [...told, ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
  return `delivered ${delivered}/${recipients.length}${rest === "" ? "" : ` (${rest})`}`;
}

/** Those that get it only when they come back. */
function awayText(recipients: readonly RecipientState[]): string | undefined {
  const away = recipients.filter((each) => !each.delivered && isAway(each));
  if (away.length === 0) return undefined;
  const names = away.slice(0, namesMax).map((each) => peerName(each.team, each.peer));
  const more = away.length > namesMax ? ` and ${away.length - namesMax} more` : "";
  return `${names.join(", ")}${more} ${away.length === 1 ? "is" : "are"} away: it is read on their return`;
}

function isAway({ status, connected }: RecipientState): boolean {
  return status === "disconnected" && !connected;
}

function describeRecipient(state: RecipientState): string {
  const name = peerName(state.team, state.peer);
  const declared = state.declared === null || state.declared === "idle" ? "" : `, ${state.declared}`;
  if (isAway(state)) return `${name} last seen ${toAge(state.last_seen_at)} ago${declared}`;
  return `${name} ${state.status}${declared}, ${wakingText(state)}`;
}

function wakingText({ wake, human }: RecipientState): string {
  if (wake.includes("wait")) return "waiting for it";
  if (wake.length > 0) return `wakes by ${wake.join(", ")}`;
  return human ? "reads when they look" : "reads when it next looks";
}
