import { operations } from "@merkle/wire";
import { expect, it } from "vitest";
import { writeInstructions } from "./instructions.js";
import { knownToolsets, readMcpOptions } from "./options.js";
import { listTools } from "./tool-list.js";

it("[STDIO-2] the toolsets that a flag may name are those of the catalogue", () => {
  expect([...knownToolsets].sort()).toEqual([...new Set(operations.map(({ toolset }) => toolset))].sort());
});

it("[STDIO-2] core is always there, and more by --tools", () => {
  expect([...readMcpOptions({}).toolsets]).toEqual(["core"]);
  expect([...readMcpOptions({ tools: "admin" }).toolsets]).toEqual(["core", "admin"]);
  expect(() => readMcpOptions({ tools: "core,sudo" })).toThrow('no toolset "sudo"');
});

it("[STDIO-8] --session and --team go together, and not with --as", () => {
  expect(() => readMcpOptions({ session: "talk" })).toThrow("--session needs --team");
  expect(() => readMcpOptions({ team: "Birch" })).toThrow("--team needs --session");
  const as = "5e551000-0000-4000-8000-000000000001";
  expect(() => readMcpOptions({ as, session: "talk", team: "Birch" })).toThrow("--as names a team already");
  expect(() => readMcpOptions({ as: "../../x" })).toThrow("--as must be the uuid");
});

it("[STDIO-11] instructions and descriptions are under 2,000 characters, so that no client cuts them", () => {
  const longest = { session: "x".repeat(48), team: "y".repeat(100) };
  expect(writeInstructions(longest).length).toBeLessThan(2_000);
  expect(writeInstructions(undefined).length).toBeLessThan(2_000);
  for (const { description } of listTools(new Set(knownToolsets)))
    expect(description.length).toBeLessThan(2_000);
});

it("[STDIO-2] the list has no input that the server keeps, and leaves the session optional", () => {
  const tools = listTools(new Set(["core"]));
  for (const { inputSchema } of tools) {
    const names = Object.keys(Object(inputSchema["properties"]));
    for (const kept of ["team_id", "idempotency_key", "epoch", "since_cursor"])
      expect(names).not.toContain(kept);
  }
  const required = (name: string) => tools.find((tool) => tool.name === name)?.inputSchema["required"];
  expect(required("post_message")).toEqual(["content"]);
  expect(required("wait_for_messages")).toBeUndefined();
  expect(required("join_session")).toEqual(["session_id", "team_name"]);
  const reading = tools.filter((tool) => tool.annotations?.readOnlyHint).map((tool) => tool.name);
  expect(reading).toEqual(expect.arrayContaining(["wait_for_messages", "read_more", "get_history"]));
});

it("[STDIO-2] what this server does itself is not listed: place, credential, connection", () => {
  const names = listTools(new Set(knownToolsets)).map(({ name }) => name);
  for (const name of ["ack", "rotate_team_credential", "get_app_info"]) expect(names).not.toContain(name);
});

it("[STDIO-14] the tool list of toolset core has at most 6,000 bytes", () => {
  const answer = { result: { tools: listTools(new Set(["core"])) }, jsonrpc: "2.0", id: 2 };
  expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThanOrEqual(6_000);
});
