import type { RecipientState } from "@merkle/wire";
import { peerName } from "../sessions/peer-names.js";
import { toAge } from "../text/time.js";

const namesMax = 5;

/** `delivered 0/2 (Cedar last seen 6m ago, atlas idle, wakes by inbox)`: what is known of each that a message reaches. */
export function deliveryText(recipients: readonly RecipientState[]): string {
  const delivered = recipients.filter((each) => each.delivered).length;
  const waiting = recipients.filter((each) => !each.delivered);
  const told = waiting.slice(0, namesMax).map(describeRecipient);
  const more = waiting.length - told.length;
  const rest = [...told, ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
  return `delivered ${delivered}/${recipients.length}${rest === "" ? "" : ` (${rest})`}`;
}

/** Those that get it only when they come back. */
export function awayText(recipients: readonly RecipientState[]): string | undefined {
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
  if (isAway(state)) return `${name} last seen ${toAge(state.last_seen_at)} ago`;
  const declared =
    state.declared === "dnd" || state.declared === "blocked" || state.declared === "working"
      ? `, ${state.declared}`
      : "";
  return `${name} ${state.status}${declared}, ${wakingText(state)}`;
}

function wakingText({ wake, human }: RecipientState): string {
  if (wake.includes("wait")) return "waiting for it";
  if (wake.length > 0) return `wakes by ${wake.join(", ")}`;
  return human ? "reads when they look" : "reads when it next looks";
}
