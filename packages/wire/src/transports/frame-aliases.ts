export type AnswerType = "state_result" | "state_list" | "memory_stored" | "memory_results";

/** A message type of the peer mesh on which Merkle is based, named like the operation that it calls. */
export interface FrameAlias {
  /** Type of the reply frame. Without it, only errors get a reply. */
  readonly answer?: AnswerType;
  /** A field, and the operation's name for it. */
  readonly renamed?: readonly [field: string, name: string];
}

/** Messages of peer mesh clients. Each calls the operation of the same name (WS-14). */
const frameAliases = new Map<string, FrameAlias>([
  ["join_group", {}],
  ["leave_group", {}],
  ["set_state", {}],
  ["get_state", { answer: "state_result" }],
  ["list_state", { answer: "state_list" }],
  ["remember", { answer: "memory_stored" }],
  ["recall", { answer: "memory_results" }],
  ["forget", { renamed: ["memoryId", "id"] }],
]);

export function findFrameAlias(type: string): FrameAlias | undefined {
  return frameAliases.get(type);
}
