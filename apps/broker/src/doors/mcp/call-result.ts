import { type MerkleError, neutralise, type Operation } from "@merkle/wire";

export type View = "json" | "compact";

/** What a tool call answers: one text, in the one rendering that its caller reads (MCP-5, MCP-6). */
export type CallResult = { content: [{ type: "text"; text: string }]; isError?: true };

export function toResult(operation: Operation, output: unknown, view: View): CallResult {
  return {
    content: [
      { type: "text", text: view === "compact" ? operation.compact(output) : JSON.stringify(output) },
    ],
  };
}

/** A failure is a result too: models see results, not protocol errors (ERR-4). */
export function toErrorResult(error: MerkleError, view: View): CallResult {
  const text = view === "compact" ? compactError(error) : JSON.stringify(error.toBody());
  return { content: [{ type: "text", text }], isError: true };
}

function compactError({ code, message, details }: MerkleError): string {
  const told = Object.entries(details)
    // The message names the fields already.
    .filter(([name]) => name !== "fields" && name !== "field")
    .map(([name, value]) => compactDetail(name, typeof value === "string" ? value : JSON.stringify(value)));
  return [`${code}: ${indented(message)}`, ...told].join("\n");
}

function compactDetail(name: string, value: string): string {
  return value.includes("\n") ? `${name}:\n  ${indented(value)}` : `${name} ${indented(value)}`;
}

/** Details can quote what others wrote, which must not pass for a line of ours (TEXT-1). */
function indented(text: string): string {
  return neutralise(text).replaceAll("\n", "\n  ");
}
