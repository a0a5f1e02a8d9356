import { randomUUID } from "node:crypto";
import type { InputOf, MerkleError, Message } from "@merkle/wire";
import type { TransportClient } from "./transports.js";

/** A session for one test, with its convener and functions to join and post. */
export interface TestSession {
  readonly sessionId: string;
  readonly slug: string;
  /** The convener's credential. */
  readonly convener: string;
  join(teamName: string): Promise<{ credential: string; cursor: number }>;
  post(credential: string, text: string): Promise<{ cursor: number; message_id: string; at: string }>;
}

export async function createTestSession(
  transport: Pick<TransportClient, "call">,
  title = `Session ${randomUUID()}`,
): Promise<TestSession> {
  const created = await transport.call("create_session", { title, creator_team_name: "Atlas" });
  const session_id = created.session_id;
  return {
    sessionId: session_id,
    slug: created.slug,
    convener: created.team_id,
    async join(team_name) {
      const joined = await transport.call("join_session", { session_id, team_name });
      return { credential: joined.team_id, cursor: joined.cursor };
    },
    post: (team_id, text) => transport.call("post_message", { session_id, team_id, content: { text } }),
  };
}

/**
 * Returns a reader that acknowledges messages with receipts. Behind a proxy, only receipts show which messages the
 * reader has read (CURSOR-6).
 */
export function createMailReader(
  transport: Pick<TransportClient, "call">,
  own: { readonly session_id: string; readonly team_id: string },
) {
  let receipt = "none";
  const note = <Answer extends { receipt?: string | undefined }>(answer: Answer): Answer => {
    receipt = answer.receipt ?? receipt;
    return answer;
  };
  return {
    wait: async (input: Partial<InputOf<"wait_for_messages">> = {}) => {
      const since = input.since_cursor === undefined ? { receipt } : {};
      return note(await transport.call("wait_for_messages", { ...own, ...since, ...input }));
    },
    check: async () => note(await transport.call("check_messages", { ...own, receipt })),
  };
}

export function listTexts(messages: readonly Message[]): unknown[] {
  return messages.map((message) => message.content["text"] ?? message.event);
}

/** Returns the error of a call that must fail. */
export async function expectFailure(call: Promise<unknown>): Promise<MerkleError> {
  const outcome = await call.then(
    (output) => ({ output }),
    (error: MerkleError) => ({ error }),
  );
  if ("error" in outcome) return outcome.error;
  throw new Error(
    `The call should have failed, but returned ${JSON.stringify(outcome.output).slice(0, 200)}.`,
  );
}

/** Returns the uuid at the beginning of a credential. It is not secret. */
export function toBareId(credential: string): string {
  return credential.split(".")[0] ?? "";
}
