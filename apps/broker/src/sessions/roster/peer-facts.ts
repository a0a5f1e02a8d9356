import type { GroupMembership, PeerFacts } from "@merkle/db";
import type { ParsedInputOf } from "@merkle/wire";
import { withMembership } from "../peers/membership.js";

/** What a joiner tells of its peer (PEER-5); what it leaves out stays as it is. */
export function toPeerFacts(input: ParsedInputOf<"join_session">): PeerFacts {
  const {
    role,
    groups,
    summary,
    capabilities,
    cwd,
    machine,
    session_key: sessionKey,
    key_card: keyCard,
  } = input;
  return {
    role,
    groups: groups?.reduce<GroupMembership[]>(withMembership, []),
    ...(summary !== undefined && toSummary(summary, new Date())),
    capabilities,
    cwd,
    machine,
    sessionKey,
    keyCard,
  };
}

/** An empty summary takes the last one away. */
export function toSummary(summary: string, at: Date): Pick<PeerFacts, "summary" | "summaryAt"> {
  return summary === "" ? { summary: null, summaryAt: null } : { summary, summaryAt: at };
}
