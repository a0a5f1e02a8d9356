import { basename } from "node:path";
import type { RecipientState } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { findBroker } from "../broker/broker-client.js";
import type { Command } from "../command/command.js";
import { readText } from "../command/read-text.js";
import { exitCodes } from "../core/cli-error.js";
import { listFlagValues } from "../core/flags.js";
import { attachFiles, loadOwnWords } from "../feature-hooks.js";
import { readPostInput } from "../feed/post-input.js";
import { hasDeviceKey } from "../home/device-key.js";
import { getSessionActor } from "../identity/actors.js";
import { resolveSessionArgument } from "../sessions/find-session.js";
import { formatPeerAddress } from "../sessions/peer-names.js";
import { toAge } from "../text/time.js";

export const post: Command = {
  name: "post",
  summary: "post a message, question, decision or answer in a session",
  arguments: [
    { name: "[session]", summary: "session slug, id or exact title (default: MERKLE_SESSION)" },
    { name: "[text]", summary: "message text; - or a pipe reads it from stdin" },
  ],
  flags: [
    {
      flags: "--to <who>",
      summary: "recipient: team, peer, team/peer, @group or @humans; repeat or use commas for several",
      repeatable: true,
    },
    {
      flags: "--file <path>",
      summary: "file to attach; repeat for several. If you give no text, their names are the message",
      repeatable: true,
    },
    { flags: "--ask", summary: "ask a question" },
    {
      flags: "--option <answer>",
      summary: "with --ask: an answer to choose from; give at least two",
      repeatable: true,
    },
    { flags: "--decision", summary: "record a decision" },
    { flags: "--reply-to <number>", summary: "number of the message to reply to" },
    {
      flags: "--answer <answer>",
      summary:
        "with --reply-to: answer to that question; the first answer counts. If you give no text, it is also the message",
    },
    {
      flags: "--priority <now|next|low>",
      summary: "now overrides do-not-disturb, low wakes no one (default: next)",
    },
  ],
  examples: [
    'merkle post split-auth "Use the vault" --to Cedar --reply-to 405',
    'merkle post split-auth "Which staging key?" --to @backend --ask --option vault --option new',
    "merkle post split-auth --reply-to 405 --answer vault",
    "git log -3 --oneline | merkle post split-auth",
    'merkle post split-auth "The layout breaks" --file shot.png --file build.log',
  ],
  async run({ args, flags, config, io, output, signal }) {
    const input = readPostInput(flags);
    const files = listFlagValues(flags, "file");
    const broker = await findBroker(config, signal);
    const { session, rest } = await resolveSessionArgument(broker, args, config);
    const text = await readText({
      given: rest ?? input.content.answer ?? listNames(files),
      name: "the message text",
      usage: `merkle post ${session.slug} <text>`,
      bytesMax: limits.messageTextBytesMax + 1,
      io,
      signal,
    });
    const actor = await getSessionActor(session, { broker, config });
    // Remove the line breaks at the end of piped input, because they are not part of the message.
    const content = {
      text: text.replace(/(?:\r?\n)+$/, ""),
      ...input.content,
      ...(files.length > 0 && {
        attachments: [...(await attachFiles(files, { broker, session, flags, config, io, signal }))],
      }),
    };
    // Most homes have no device key. Without one, nothing that signs is loaded.
    const ownWords = hasDeviceKey(config.home) ? await loadOwnWords() : undefined;
    const signed = await ownWords?.sign({ ...input, content, session }, config, broker);
    const posted = await actor.call("post_message", {
      session_id: session.session_id,
      ...input,
      content,
      ...(signed && { to: signed.to, own: signed.own }),
    });
    const { recipients } = posted;
    if (recipients === undefined) {
      output.show(posted, `${output.mark.ok} #${posted.cursor} posted`);
      return exitCodes.done;
    }
    output.show(posted, `${output.mark.ok} #${posted.cursor} posted, ${describeDelivery(recipients)}`);
    if (signed) output.note(`  signed: ${signed.address} gets it as its user's words`);
    const away = describeAway(recipients);
    if (away !== undefined) output.note(`${output.mark.warn} ${away}`);
    return exitCodes.done;
  },
};

/** Returns the names of the files as the text of a message that has no other. */
function listNames(files: readonly string[]): string | undefined {
  return files.length === 0 ? undefined : files.map((path) => basename(path)).join(", ");
}

const namesMax = 5;

/**
 * Formats how far the message has been delivered to each recipient, such as `delivered 0/2 (Cedar last seen
 * 6m ago, atlas idle, wakes by inbox)`.
 */
function describeDelivery(recipients: readonly RecipientState[]): string {
  const delivered = recipients.filter((each) => each.delivered).length;
  const waiting = recipients.filter((each) => !each.delivered);
  const described = waiting.slice(0, namesMax).map(describeRecipient);
  const more = waiting.length - described.length;
  const rest = [...described, ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
  return `delivered ${delivered}/${recipients.length}${rest === "" ? "" : ` (${rest})`}`;
}

/** Names the recipients that will get the message only after they reconnect. */
function describeAway(recipients: readonly RecipientState[]): string | undefined {
  const away = recipients.filter((each) => !each.delivered && isAway(each));
  if (away.length === 0) return undefined;
  const names = away.slice(0, namesMax).map((each) => formatPeerAddress(each.team, each.peer));
  const more = away.length > namesMax ? ` and ${away.length - namesMax} more` : "";
  return `${names.join(", ")}${more} ${away.length === 1 ? "is" : "are"} away: delivered on their return`;
}

function isAway({ status, connected }: RecipientState): boolean {
  return status === "disconnected" && !connected;
}

function describeRecipient(state: RecipientState): string {
  const name = formatPeerAddress(state.team, state.peer);
  const declared = state.declared === null || state.declared === "idle" ? "" : `, ${state.declared}`;
  if (isAway(state)) return `${name} last seen ${toAge(state.last_seen_at)} ago${declared}`;
  return `${name} ${state.status}${declared}, ${describeWaking(state)}`;
}

function describeWaking({ wake, human }: RecipientState): string {
  if (wake.includes("wait")) return "waiting for messages";
  if (wake.length > 0) return `wakes by ${wake.join(", ")}`;
  return human ? "read at their next poll" : "reads at its next poll";
}
