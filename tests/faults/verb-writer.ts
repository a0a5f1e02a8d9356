import { connect } from "@merkle/wire/client";
import { WebSocket } from "ws";
import type { AckedPost, Problem, StoredRow } from "./checker.js";
import { callRest } from "./rest.js";
import { describe, type Member, type Writer, type WriterTally } from "./writers.js";

/**
 * Writes with operations that have their own transaction. Each event and each appended text must be stored exactly
 * once.
 */
export interface VerbWriter extends Writer {
  /**
   * Returns the acknowledged metadata changes with the sequences of their events. The sequence of a missing event is 0.
   */
  acked(rows: readonly StoredRow[]): AckedPost[];
  /** Compares the document with the text that was appended to it. */
  checkDocument(url: string): Promise<Problem[]>;
}

/** Changes the title and appends to the document, alternately. The WebSocket client retries calls that got no reply. */
export function startVerbWriter(member: Member, tally: WriterTally): VerbWriter {
  const { session, credential, name } = member;
  const client = connect({ url: member.url, WebSocket, retry: { capMs: 500 } });
  const forEver = { timeoutMs: Number.POSITIVE_INFINITY, signal: tally.over };
  const as = { session_id: session, team_id: credential };
  const changes: string[] = [];
  const lines: string[] = [];
  let stopping = false;

  async function write(): Promise<void> {
    for (let turn = 1; !stopping; turn += 1) {
      const reason = `${name}-${turn}`;
      await client.call("update_session_metadata", { ...as, title: `Title ${turn}`, reason }, forEver);
      changes.push(reason);
      const line = `line-${turn}`;
      await client.call("append_to_session_doc", { ...as, text: line }, forEver);
      lines.push(line);
    }
  }

  const running = write().catch((error: unknown) => {
    if (!tally.over.aborted) tally.onFailure(`${name} was told ${describe(error)}`);
  });
  return {
    async stop() {
      stopping = true;
      await running;
      await client.close();
    },
    acked(rows) {
      const byKey = new Map(rows.filter((row) => row.session === session).map((row) => [row.key, row]));
      return changes.map((key) => {
        const row = byKey.get(key);
        return { session, key, sequence: row?.sequence ?? 0, text: row?.text ?? "" };
      });
    },
    async checkDocument(url) {
      const answer = await callRest({ method: "GET", url: `${url}/api/sessions/${session}/doc`, credential });
      const content = String(JSON.parse(answer).content);
      const expected = lines.join("\n");
      if (content === expected) return [];
      return [{ kind: "altered", source: "document", session, sequence: 0, detail: content.slice(-500) }];
    },
  };
}
