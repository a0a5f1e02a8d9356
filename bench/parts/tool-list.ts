import { operations } from "@merkle/wire/schemas";
import { countUtf8Bytes } from "@merkle/wire/text";
import { initializeLine, listToolsOf } from "../mcp-stdio.js";
import { getBuiltMerkle } from "../merkle-program.js";
import { definePart, type Figure } from "../part.js";
import type { Stage } from "../stage.js";

/** The result of `tools/list`, which is always in an agent's context. */
interface Round {
  readonly http: ToolList;
  readonly whole: ToolList;
  readonly stdio: ToolList;
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
    toFigure("tools/list, whole catalogue", "whole"),
  ],
  async open(stage) {
    const broker = await stage.startBroker();
    return {
      async measure() {
        const toolsets = [...new Set(operations.map(({ toolset }) => toolset))];
        return {
          http: await listOverHttp(broker.url, ""),
          whole: await listOverHttp(broker.url, `?tools=${toolsets.join(",")}`),
          stdio: await listOverStdio(stage),
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

async function listOverHttp(url: string, query: string): Promise<ToolList> {
  const response = await fetch(`${url}/mcp${query}`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
  });
  return toToolList(await response.json());
}

async function listOverStdio({ folder }: Stage): Promise<ToolList> {
  const server = getBuiltMerkle().start(["mcp"], folder);
  try {
    server.write(initializeLine);
    await server.nextLine();
    return toToolList(await listToolsOf(server));
  } finally {
    await server.stop();
  }
}

interface Tool {
  readonly name: string;
  readonly description: string;
}

function toToolList(message: unknown): ToolList {
  // MCP defines the `tools/list` result as this type.
  const { result } = message as { result?: { tools: readonly Tool[] } };
  if (!result) throw new Error(`tools/list was answered: ${JSON.stringify(message)}`);
  return {
    bytes: jsonBytes(result),
    wordsBytes: jsonBytes(result.tools.map(({ name, description }) => ({ name, description }))),
    tools: result.tools
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
