import type { StartedProgram } from "./merkle-program.js";

/** The first message that an MCP client sends. */
export const initializeLine = `${JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "bench", version: "1" } },
})}\n`;

/** Requests the list of tools from a server that has answered `initialize`. */
export async function listToolsOf(program: StartedProgram): Promise<unknown> {
  program.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
  return request(program, "tools/list");
}

/** Calls a tool on a server that has answered `initialize`, and returns the text of the result. */
export async function callToolOf(program: StartedProgram, name: string, args: object): Promise<string> {
  const answer = await request(program, "tools/call", { name, arguments: args });
  return String(Object(answer).result?.content?.[0]?.text);
}

async function request(program: StartedProgram, method: string, params?: object): Promise<unknown> {
  program.write(`${JSON.stringify({ jsonrpc: "2.0", id: 2, method, params })}\n`);
  for (;;) {
    const message: unknown = JSON.parse(await program.nextLine());
    if (typeof message === "object" && message !== null && "id" in message && message.id === 2)
      return message;
  }
}
