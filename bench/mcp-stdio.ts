import type { StartedProgram } from "./merkle-program.js";

/** What an MCP client sends first. */
export const initializeLine = `${JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "bench", version: "1" } },
})}\n`;

/** Asks a server that has answered `initialize` for its tools. */
export async function listToolsOf(program: StartedProgram): Promise<unknown> {
  program.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
  program.write(`${JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/list" })}\n`);
  for (;;) {
    const message: unknown = JSON.parse(await program.nextLine());
    if (typeof message === "object" && message !== null && "id" in message && message.id === 2)
      return message;
  }
}
