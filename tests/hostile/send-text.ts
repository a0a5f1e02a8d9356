import { MerkleError, type Operation } from "@merkle/wire";
import { WebSocket } from "ws";

/**
 * Sends an operation's input as raw JSON text. For input that no program would produce: invalid JSON, or JSON that is
 * nested too deeply to build from a value.
 *
 * @throws MerkleError as received over the transport
 */
export async function sendText(
  transport: string,
  url: string,
  operation: Operation,
  input: string,
): Promise<unknown> {
  switch (transport) {
    case "rest":
      return overRest(url, operation, input);
    case "mcp":
      return overMcp(url, operation, input);
    case "websocket":
      return overWebSocket(url, operation, input);
    default:
      throw new TypeError(`There is no transport ${transport}.`);
  }
}

async function overRest(url: string, operation: Operation, body: string): Promise<unknown> {
  const [method = "", path = ""] = operation.route.split(" ");
  const { session_id, team_id } = addressIn(body);
  const response = await fetch(new URL(path.replace(":session_id", session_id), url), {
    method,
    headers: {
      "content-type": "application/json",
      ...(team_id === undefined ? {} : { "x-team-id": team_id }),
    },
    body: path.includes(":session_id") ? body.replace(/"session_id":"[^"]*",?/, "") : body,
  });
  return readAnswer(await response.json());
}

/** Finds the session and the credential in text that may not be valid JSON. */
function addressIn(text: string): { session_id: string; team_id: string | undefined } {
  return {
    session_id: /"session_id":"([^"]*)"/.exec(text)?.[1] ?? "none",
    team_id: /"team_id":"([^"]*)"/.exec(text)?.[1],
  };
}

async function overMcp(url: string, operation: Operation, input: string): Promise<unknown> {
  const response = await fetch(
    new URL("/mcp?tools=core,messaging,mesh,tasks,people,progress,audit,admin", url),
    {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${operation.name}","arguments":${input}}}`,
    },
  );
  const { result, error } = Object(await response.json());
  // A malformed envelope gets a protocol error with a different code (ERR-4).
  if (error) throw new MerkleError("bad_request", String(error.message), Object(error.data));
  return readAnswer(JSON.parse(result.content[0].text));
}

async function overWebSocket(url: string, operation: Operation, input: string): Promise<unknown> {
  const socket = new WebSocket(`${url.replace(/^http/, "ws")}/ws`);
  try {
    const frames = new Promise((resolve, reject) => {
      socket.once("close", (code) => reject(new Error(`The connection closed with ${code}.`)));
      socket.on("message", (data) => {
        const frame = JSON.parse(String(data));
        if (frame.type === "reply") resolve(frame);
      });
    });
    await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
    socket.send(`{"type":"request","id":1,"operation":"${operation.name}","input":${input}}`);
    const frame = Object(await frames);
    return readAnswer(frame.error ? frame : frame.output);
  } finally {
    socket.terminate();
  }
}

function readAnswer(answer: unknown): unknown {
  if (typeof answer === "object" && answer !== null && "error" in answer) throw MerkleError.fromBody(answer);
  return answer;
}
