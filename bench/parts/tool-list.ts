import { operations } from "@merkle/wire/schemas";
import { countUtf8Bytes } from "@merkle/wire/text";
import { initializeLine, listToolsOf } from "../mcp-stdio.js";
import { getBuiltMerkle } from "../merkle-program.js";
import { definePart, type Figure } from "../part.js";
import type { Stage } from "../stage.js";

/** The tools that a client can have in its model's context all the time. */
interface Round {
  readonly http: ToolList;
  readonly whole: ToolList;
  readonly stdio: ToolList;
  /** The tools over stdio that a client loads upfront, even if it loads others on demand. */
  readonly upfront: ToolList;
}

interface ToolList {
  readonly bytes: number;
  /** Size of only the names and descriptions. */
  readonly wordsBytes: number;
  /** The tools, with the longest first. */
  readonly tools: readonly { readonly name: string; readonly bytes: number }[];
}

export const toolList = definePart<Round>({
  name: "tool-list",
  rounds: { quick: 1, full: 1 },
  figures: [
    toFigure("tools/list over HTTP, default", "http"),
    toFigure("tools/list over stdio, default", "stdio"),
    toFigure("tools loaded upfront in a session", "upfront"),
    toFigure("tools/list, whole catalogue", "whole"),
  ],
  async open(stage) {
    const broker = await stage.startBroker();
    return {
      async measure() {
        const toolsets = [...new Set(operations.map(({ toolset }) => toolset))];
        const inSession = await listOverStdio(stage, ["--session", "bench", "--team", "Bench"]);
        return {
          http: toToolList(await listOverHttp(broker.url, "")),
          whole: toToolList(await listOverHttp(broker.url, `?tools=${toolsets.join(",")}`)),
          stdio: toToolList(await listOverStdio(stage)),
          upfront: toToolList(inSession.filter(({ _meta }) => _meta !== undefined)),
        };
      },
      close: broker.stop,
    };
  },
  notes([round]) {
    const longest = round?.whole.tools.slice(0, 3).map(({ name, bytes }) => `${name} ${bytes} bytes`);
    return [`Longest of the catalogue's ${round?.whole.tools.length} tools: ${longest?.join(", ")}.`];
  },
});

async function listOverHttp(url: string, query: string): Promise<readonly Tool[]> {
  const response = await fetch(`${url}/mcp${query}`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
  });
  return toTools(await response.json());
}

async function listOverStdio({ folder }: Stage, flags: readonly string[] = []): Promise<readonly Tool[]> {
  const server = getBuiltMerkle().start(["mcp", ...flags], folder);
  try {
    server.write(initializeLine);
    await server.nextLine();
    return toTools(await listToolsOf(server));
  } finally {
    await server.stop();
  }
}

interface Tool {
  readonly name: string;
  readonly description: string;
  readonly _meta?: unknown;
}

function toTools(message: unknown): readonly Tool[] {
  // MCP defines the `tools/list` result as this type.
  const { result } = message as { result?: { tools: readonly Tool[] } };
  if (!result) throw new Error(`tools/list was answered: ${JSON.stringify(message)}`);
  return result.tools;
}

function toToolList(tools: readonly Tool[]): ToolList {
  return {
    bytes: jsonBytes({ tools }),
    wordsBytes: jsonBytes(tools.map(({ name, description }) => ({ name, description }))),
    tools: tools
      .map((tool) => ({ name: tool.name, bytes: jsonBytes(tool) }))
      .sort((a, b) => b.bytes - a.bytes),
  };
}

function jsonBytes(value: unknown): number {
  return countUtf8Bytes(JSON.stringify(value));
}

function toFigure(name: string, which: keyof Round): Figure<Round> {
  return {
    name,
    unit: "bytes",
    limitName: "its names and descriptions",
    value: (round) => round[which].bytes,
    limit: (round) => round[which].wordsBytes,
  };
}
