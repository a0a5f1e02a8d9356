import type { MerkleError, Operation } from "@merkle/wire";
import { compactError } from "@merkle/wire/plain";
import type { HookEvent } from "./hooks/hook-call.js";
import type { LongResults } from "./long-results.js";
import type { McpOptions } from "./options.js";
import type { Keyring } from "./secret-store.js";

/** What a tool answers: one text, and no `structuredContent`, which clients would show instead of it. */
export type CallResult = { content: [{ type: "text"; text: string }]; isError?: true };

export interface Renderer {
  /** @param notice - a line of ours before all else */
  output(operation: Operation, output: unknown, notice?: string): CallResult;
  error(tool: string, error: MerkleError): CallResult;
  text(text: string): CallResult;
  /** What a hook of that event tells the client to add to the conversation; nothing when the text is empty. */
  hook(event: HookEvent, text: string): CallResult;
}

interface RendererOptions {
  readonly view: McpOptions["view"];
  readonly keyring: Keyring;
  readonly longResults: LongResults;
}

/** Makes answers: short text for a model, in pieces when it is long after all, or whole JSON for a program (STDIO-9). */
export function createRenderer({ view, keyring, longResults }: RendererOptions): Renderer {
  const toResult = (text: string): CallResult => ({ content: [{ type: "text", text }] });

  function shorten(tool: string, text: string): CallResult {
    return toResult(longResults.shorten(tool, keyring.hide(text)));
  }

  return {
    text: toResult,
    hook(event, text) {
      const added = { hookEventName: event, additionalContext: keyring.hide(text) };
      return toResult(JSON.stringify(text === "" ? {} : { hookSpecificOutput: added }));
    },
    output(operation, output, notice) {
      if (view === "json") return toResult(keyring.hide(JSON.stringify(output)));
      const text = operation.compact(output, { keeper: "server" });
      return shorten(operation.name, notice === undefined ? text : `${notice}\n${text}`);
    },
    error(tool, error) {
      const result =
        view === "json"
          ? toResult(keyring.hide(JSON.stringify(error.toBody())))
          : shorten(tool, compactError(error));
      return { ...result, isError: true };
    },
  };
}
