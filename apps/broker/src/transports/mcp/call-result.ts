import { compactError, type MerkleError, type Operation } from "@merkle/wire";

export type View = "json" | "compact";

/** What a tool call answers: one text, in the one rendering that its caller reads (MCP-5, MCP-6). */
export type CallResult = { content: [{ type: "text"; text: string }]; isError?: true };

/** Over HTTP the model keeps its cursor and, for use elsewhere, its credential. */
export function toResult(operation: Operation, output: unknown, view: View): CallResult {
  const text = view === "compact" ? operation.compact(output, { keeper: "caller" }) : JSON.stringify(output);
  return { content: [{ type: "text", text }] };
}

/** A failure is a result too: models see results, not protocol errors (ERR-4). */
export function toErrorResult(error: MerkleError, view: View): CallResult {
  const text = view === "compact" ? compactError(error) : JSON.stringify(error.toBody());
  return { content: [{ type: "text", text }], isError: true };
}
