import type { InputOf, Message, Session } from "@merkle/wire";
import { describeRedaction } from "@merkle/wire/plain";
import { cutText } from "../cut-text.js";
import type { Actor } from "../identity/acting.js";
import { oneLine } from "../text/one-line.js";

/** What is about to lose its text, as a person is asked and told about it. */
export interface Removable {
  readonly input: Pick<InputOf<"redact_message">, "sequence" | "document_versions">;
  /** `#405`, `v3 to v7` */
  readonly name: string;
  /** The same with its author and beginning, so that the wrong one is noticed. */
  readonly what: string;
}

type Wanted = { readonly sequence: number } | { readonly versions: { from: number; to: number } };

const textCharsMax = 60;

export async function findRemovable(actor: Actor, session: Session, wanted: Wanted): Promise<Removable> {
  if ("versions" in wanted) {
    const { from, to } = wanted.versions;
    const name = from === to ? `v${from}` : `v${from} to v${to}`;
    return { input: { document_versions: { from, to } }, name, what: `document ${name}` };
  }
  const { sequence } = wanted;
  const page = await actor.call("get_history", {
    session_id: session.session_id,
    around: Math.max(1, sequence),
    limit: 2,
  });
  const message = page.messages.find((each) => each.sequence === sequence);
  const name = `#${sequence}`;
  return { input: { sequence }, name, what: message ? `${name} (${describe(message)})` : name };
}

function describe({ from, content, event, redaction }: Message): string {
  if (redaction) return describeRedaction(redaction);
  const said = content["text"];
  const text =
    typeof said === "string" ? JSON.stringify(cutText(oneLine(said), textCharsMax)) : (event ?? "private");
  return from === null ? text : `${oneLine(from.team)}: ${text}`;
}
