import type { ErrorBody, MeshChangedKind, Message, OperationName, StateChangeFrame } from "@merkle/wire";
import type { ConnectionState } from "@merkle/wire/client";
import type { SessionChange } from "./broker";

/** As much of a MessagePort as the two ends of one use. */
export interface Port<Sent> {
  postMessage(message: Sent): void;
  close(): void;
}

/** What a page says to the hub that holds the connection. The ids are the page's. */
export type PageMessage =
  | { readonly type: "call"; readonly id: number; readonly name: OperationName; readonly input: object }
  | { readonly type: "cancel"; readonly id: number }
  | {
      readonly type: "follow";
      readonly id: number;
      readonly session: string;
      /** Null for hints alone. */
      readonly after: number | null;
      readonly credential: string | undefined;
    }
  | { readonly type: "unfollow"; readonly id: number }
  | { readonly type: "person"; readonly credential: string | undefined }
  | { readonly type: "retry" }
  /** Said now and then by every page, so that one that died is told from one that is silent. */
  | { readonly type: "alive" }
  | { readonly type: "bye" };

/** What the hub says to a page. */
export type HubMessage =
  | { readonly type: "state"; readonly state: ConnectionState }
  | { readonly type: "output"; readonly id: number; readonly output: unknown }
  | { readonly type: "error"; readonly id: number; readonly error: ErrorBody["error"] }
  | { readonly type: "messages"; readonly id: number; readonly messages: readonly Message[] }
  | { readonly type: "changed"; readonly id: number; readonly change: SessionChange }
  | { readonly type: "resync"; readonly id: number }
  | { readonly type: "ended"; readonly id: number; readonly error: ErrorBody["error"] }
  | {
      readonly type: "mesh";
      readonly kind: MeshChangedKind | "all";
      readonly session_id: string | null;
    }
  | { readonly type: "push"; readonly push: StateChangeFrame }
  /** The hub had taken this page for dead, and kept nothing of what it had asked. */
  | { readonly type: "forgotten" }
  /** The hub has begun anew, perhaps as somebody else. It follows nothing any more, and answers calls as before. */
  | { readonly type: "anew" };

/** How often a page says that it is there, and how long its silence may last. Browsers slow a hidden page to one a minute. */
export const aliveEveryMs = 20_000;
export const silentMsMax = 150_000;
