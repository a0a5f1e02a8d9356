export type AnswerType = "state_result" | "state_list" | "memory_stored" | "memory_results";

/**
 * A message type of the peer mesh, the project that Merkle is based on. It has the same name as the operation
 * that it calls.
 */
export interface FrameAlias {
  /** Type of the frame that replies. If it is missing, only errors get a reply. */
  readonly answer?: AnswerType;
  /** A field of the message, and the name of that field in the operation. */
  readonly renamed?: readonly [field: string, name: string];
}

/** Message types of peer mesh clients. Each of them calls the operation with the same name (WS-14). */
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
