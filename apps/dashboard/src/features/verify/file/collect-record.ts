import type { Message } from "@merkle/wire";
import {
  bundleFiles,
  parseDocumentLine,
  parseFeedLine,
  type RecordReport,
  type VerifiedRow,
} from "@merkle/wire/record";
import { openBundle, readText } from "@/features/verify/check/check-bundle";
import { readMessageText } from "@/feed/store/message-text";
import { splitSections } from "@/text/split-sections";
import type { OutcomeTeam, SessionOutcome } from "@/views/session/last-page";

/** A verified record, prepared for display. */
export interface ShownRecord {
  readonly outcome: SessionOutcome;
  /** The Merkle root of its messages. */
  readonly root: string;
  /** The last version of the document. */
  readonly document: string;
  readonly messages: readonly Message[];
  /** Colour numbers by team id. */
  readonly colours: ReadonlyMap<string, number>;
}

export interface RecordCollector {
  add(row: VerifiedRow): void;
  /** Returns the record to show, after a check without findings. */
  finish(file: Blob, report: RecordReport): Promise<ShownRecord>;
}

/** Collects the rows as they are checked, so that the page shows exactly what was checked. */
export function createRecordCollector(): RecordCollector {
  const messages: Message[] = [];
  let document = "";

  return {
    add({ log, text, findings }) {
      if (findings.length > 0) return;
      if (log === "feed") messages.push(parseFeedLine(text).message);
      else document = parseDocumentLine(text).content ?? "";
    },
    async finish(file, report) {
      const source = await openBundle(file);
      const teams = toTeams(await readText(source, bundleFiles.roster), messages);
      return { ...toShownRecord(report, { messages, document, teams }), document, messages };
    },
  };
}

interface CollectedRows {
  readonly messages: readonly Message[];
  readonly document: string;
  readonly teams: readonly OutcomeTeam[];
}

function toShownRecord(
  { session, size, document_version, root }: RecordReport,
  { messages, document, teams }: CollectedRows,
): Pick<ShownRecord, "outcome" | "root" | "colours"> {
  const decisions = messages.filter(({ content }) => content["kind"] === "decision");
  const conclusionEvent = messages.findLast(({ event }) => event === "session_concluded");
  const by = conclusionEvent?.["by"];
  return {
    outcome: {
      title: session?.title ?? "A session",
      description: session?.description ?? "",
      createdAt: session?.created_at ?? messages[0]?.posted_at ?? new Date(0).toISOString(),
      closedAt: session?.closed_at ?? null,
      closedBy: typeof by === "string" ? by : null,
      messages: size,
      documentVersion: document_version,
      conclusion: conclusionEvent ? findConclusion(document) : null,
      teams,
      decisions: decisions.map((message) => ({
        sequence: message.sequence,
        by: message.from?.team ?? "",
        at: message.posted_at,
        text: readMessageText(message),
      })),
      hasOlderDecisions: false,
    },
    root,
    colours: new Map(teams.map(({ teamId, colour }) => [teamId, colour])),
  };
}

/** Returns the document's section "Conclusion", without its heading. */
function findConclusion(document: string): string | null {
  const sections = splitSections(document);
  const start = sections.findIndex(({ level, title }) => level === 2 && title.toLowerCase() === "conclusion");
  if (start < 0) return null;
  const end = sections.findIndex(({ level }, place) => place > start && level <= 2);
  const text = sections.slice(start, end < 0 ? undefined : end).map((section) => section.text);
  return text.join("").replace(/^.*\n(?:-+ *\n)?/, "");
}

/** Returns the participants in the order of the roster, which is also the order of their colours. */
function toTeams(roster: string, messages: readonly Message[]): OutcomeTeam[] {
  const counts = new Map<string, number>();
  for (const { type, posted_by_team_id } of messages) {
    if (type === "chat" && posted_by_team_id)
      counts.set(posted_by_team_id, (counts.get(posted_by_team_id) ?? 0) + 1);
  }
  const { participants } = Object(JSON.parse(roster));
  return (Array.isArray(participants) ? participants : []).map((participant, colour) => {
    const { team_id, team_name, kind } = Object(participant);
    return {
      teamId: String(team_id),
      name: String(team_name),
      kind: kind === "human" || kind === "guest" ? kind : "agent",
      colour,
      messages: counts.get(String(team_id)) ?? 0,
    };
  });
}
