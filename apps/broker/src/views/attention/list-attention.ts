import { type Dismissal, readAskContents } from "@merkle/db";
import { type AttentionItem, isQuestion, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { requireSession } from "../../identity/session-directory.js";
import type { Context } from "../../sessions/context.js";
import type { AttentionFact } from "../fact.js";
import type { ViewServices } from "../services.js";
import { readFacts } from "./facts.js";
import { readDismissals } from "./put-away.js";

/**
 * Lists what is waiting for a human. The list is computed from the current data, so it cannot be outdated
 * (ATT-1).
 */
export async function listAttention(
  { services, person }: Context<ViewServices>,
  input: ParsedInputOf<"list_attention">,
): Promise<OutputOf<"list_attention">> {
  const personId = person?.personId ?? null;
  const session = input.session === undefined ? null : await requireSession(services, input.session);
  const sessionIds = session ? [session.sessionId] : undefined;
  const [facts, dismissals] = await Promise.all([
    readFacts(services, { personId, approvals: "own", sessionIds }),
    readDismissals(services, personId),
  ]);
  const listed = input.include_dismissed ? facts : facts.filter(({ id }) => !dismissals.has(id));
  const shown = listed.slice(0, limits.attentionItemsMax);
  return {
    items: await toItems(services, shown, dismissals),
    total: listed.length,
    needs_person: listed.filter(({ needsPerson }) => needsPerson).length,
    kinds: countKinds(listed),
    dismissed: facts.length - listed.length,
  };
}

/** Counts the facts of each kind. The facts are ordered by kind, so the counts are as well. */
function countKinds(facts: readonly AttentionFact[]): OutputOf<"list_attention">["kinds"] {
  const counts = new Map<AttentionFact["kind"], number>();
  for (const { kind } of facts) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].map(([kind, count]) => ({ kind, count }));
}

/** Converts facts to items. Reads an ask's text only if its item is shown. */
export async function toItems(
  services: Pick<ViewServices, "database">,
  facts: readonly AttentionFact[],
  dismissals: ReadonlyMap<string, Dismissal>,
): Promise<AttentionItem[]> {
  const asks = await readAsks(services, facts);
  return facts.map((fact) => toItem(fact, asks.get(fact.id), dismissals.get(fact.id)));
}

type AskContent = Awaited<ReturnType<typeof readAskContents>>[number];

async function readAsks(
  { database }: Pick<ViewServices, "database">,
  facts: readonly AttentionFact[],
): Promise<Map<string, AskContent>> {
  const asks = facts.flatMap((fact) => {
    const { id, sessionId, sequence } = fact;
    return !isQuestion(fact) || sessionId === null || sequence === null ? [] : [{ id, sessionId, sequence }];
  });
  const contents = await readAskContents(database.orm, asks, limits.reasonCharsMax);
  const bySequence = new Map(contents.map((each) => [`${each.sessionId} ${each.sequence}`, each]));
  return new Map(
    asks.flatMap(({ id, sessionId, sequence }) => {
      const content = bySequence.get(`${sessionId} ${sequence}`);
      return content ? [[id, content]] : [];
    }),
  );
}

function toItem(
  fact: AttentionFact,
  ask: AskContent | undefined,
  dismissal: Dismissal | undefined,
): AttentionItem {
  const { id, sequence, number, team, peer } = fact;
  const item = {
    id,
    since: fact.since.toISOString(),
    sequence,
    number,
    team,
    peer,
    text: ask?.text ?? fact.text,
    options: [...(ask?.options ?? [])],
    blocked_reason: ask !== undefined && fact.kind === "blocked" ? fact.text : null,
    needs_person: fact.needsPerson,
    unanswered: fact.unanswered,
    dismissed: dismissal !== undefined,
    snoozed_until: dismissal?.until?.toISOString() ?? null,
  };
  if (fact.sessionId === null) {
    const nowhere = { session_id: null, session: null, session_title: null };
    if (fact.sourcePath === null) return { ...item, ...nowhere, kind: fact.kind, source_path: null };
    return { ...item, ...nowhere, kind: fact.kind, source_path: fact.sourcePath };
  }
  const { kind, sessionId: session_id, slug: session, title: session_title } = fact;
  return { ...item, kind, session_id, session, session_title, source_path: null };
}
