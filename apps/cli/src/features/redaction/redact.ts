import { describeRedaction, type InputOf, type Message, type OutputOf, type Session } from "@merkle/wire";
import { findBroker } from "../../broker/broker-client.js";
import { askYesOrNo, canAsk } from "../../command/ask.js";
import type { Command, CommandContext } from "../../command/command.js";
import { exitCodes, usageError } from "../../core/cli-error.js";
import { findFlag, isSet } from "../../core/flags.js";
import { readVersionRange } from "../../document/versions.js";
import { type Actor, getSessionActor } from "../../identity/actors.js";
import { getSession, splitSessionArgument } from "../../sessions/find-session.js";
import { cutText, toOneLine } from "../../text/one-line.js";

const usage = "merkle redact <session> <message>";

export const redact: Command = {
  name: "redact",
  summary: "permanently remove the text of a message or of earlier document versions",
  arguments: [
    { name: "[session]", summary: "session slug, id or exact title (default: MERKLE_SESSION)" },
    { name: "[message]", summary: "message number; required without --versions" },
  ],
  flags: [
    { flags: "--versions <range>", summary: "document versions instead of a message, such as 3..7" },
    { flags: "--reason <text>", summary: "reason, visible to everyone" },
    { flags: "-y, --yes", summary: "skip the confirmation prompt" },
  ],
  examples: [
    'merkle redact split-auth 405 --reason "holds a key"',
    "merkle redact split-auth --versions 3..7",
    "MERKLE_SESSION=split-auth merkle redact 405 -y",
  ],
  async run(context) {
    const { flags, config, output, signal } = context;
    const broker = await findBroker(config, signal);
    const { session, target } = await readTarget(context, broker);
    const reason = findFlag(flags, "reason");
    const actor = await getSessionActor(session, { broker, config });
    const removable = await findRemovable(actor, session, target);
    if (!(await askToConfirm(context, removable))) {
      output.note("  not removed");
      return exitCodes.interrupted;
    }
    const answer = await actor.call("redact_message", {
      session_id: session.session_id,
      ...removable.input,
      ...(reason === undefined ? {} : { reason }),
    });
    output.show(answer, `${output.mark.ok} ${describe(removable, answer)}`);
    if (answer.redacted > 0) output.note(`  ${irreversibleNotice}`);
    return exitCodes.done;
  },
};

const irreversibleNotice = "Redacting cannot undo what people have read, or remove copies on other machines.";

type RedactionTarget = { readonly sequence: number } | { readonly versions: { from: number; to: number } };

async function readTarget(
  { args, flags, config }: CommandContext,
  broker: Parameters<typeof splitSessionArgument>[0],
): Promise<{ session: Session; target: RedactionTarget }> {
  const range = findFlag(flags, "versions");
  if (range !== undefined) {
    if (args.length > 1) throw usageError("Give a message number or --versions, not both.", usage);
    const { from = 0, to = from } = readVersionRange(range);
    return { session: await getSession(broker, args[0], config), target: { versions: { from, to } } };
  }
  const { session, words } = await splitSessionArgument(broker, args, { needed: 1, usage, config });
  const sequence = /^#?(\d{1,15})$/.exec(words[0] ?? "")?.[1];
  if (sequence === undefined || words.length > 1) {
    throw usageError(`Message must be a number, such as 405, got ${JSON.stringify(words.join(" "))}.`, usage);
  }
  return { session, target: { sequence: Number(sequence) } };
}

async function askToConfirm(context: CommandContext, { what }: Removable): Promise<boolean> {
  if (isSet(context.flags, "yes") || !canAsk(context)) return true;
  return askYesOrNo(`Remove the text of ${what} permanently? ${irreversibleNotice}`, context);
}

function describe({ name }: Removable, { redacted, sequence }: OutputOf<"redact_message">): string {
  const reference = sequence === null ? "" : `, as #${sequence} says`;
  return redacted === 0 ? `${name} was removed before${reference}` : `${name} removed${reference}`;
}

/** The message or document versions to redact, and how the confirmation names them. */
interface Removable {
  readonly input: Pick<InputOf<"redact_message">, "sequence" | "document_versions">;
  /** A name such as `#405` or `v3 to v7`. */
  readonly name: string;
  /**
   * The name together with the author and the beginning of the text, so that the user notices a wrong choice.
   */
  readonly what: string;
}

const textCharsMax = 60;

async function findRemovable(actor: Actor, session: Session, target: RedactionTarget): Promise<Removable> {
  if ("versions" in target) {
    const { from, to } = target.versions;
    const name = from === to ? `v${from}` : `v${from} to v${to}`;
    return { input: { document_versions: { from, to } }, name, what: `document ${name}` };
  }
  const { sequence } = target;
  const page = await actor.call("get_history", {
    session_id: session.session_id,
    around: Math.max(1, sequence),
    limit: 2,
  });
  const message = page.messages.find((each) => each.sequence === sequence);
  const name = `#${sequence}`;
  return { input: { sequence }, name, what: message ? `${name} (${summarise(message)})` : name };
}

function summarise({ from, content, event, redaction }: Message): string {
  if (redaction) return describeRedaction(redaction);
  const body = content["text"];
  const text =
    typeof body === "string" ? JSON.stringify(cutText(toOneLine(body), textCharsMax)) : (event ?? "private");
  return from === null ? text : `${toOneLine(from.team)}: ${text}`;
}
