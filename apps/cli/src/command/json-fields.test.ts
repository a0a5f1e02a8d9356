import { expect, it } from "vitest";
import { findFieldProblem, separateFields } from "./json-fields.js";

const commands = [
  { name: "ls", fields: ["slug", "status", "title"] },
  { name: "peers", fields: ["team", "name"], arguments: [{ name: "[session]", summary: "" }] },
  { name: "invite", arguments: [{ name: "[session]", summary: "" }] },
  { name: "invite list", fields: ["invite_id", "state"] },
];

it.each([
  ["ls --json slug,status", "ls --json --fields=slug,status"],
  ["ls --json=slug", "ls --json --fields=slug"],
  ["ls --json slugg", "ls --json --fields=slugg"],
  ["ls --json --needs", "ls --json --needs"],
  ["--json ls", "--json ls"],
  ["--url http://h:1 ls --json slug --limit 2", "--url http://h:1 ls --json --fields=slug --limit 2"],
  ["peers --json team", "peers --json --fields=team"],
  ["peers --json split-auth", "peers --json split-auth"],
  ["peers --json elsewhere", "peers --json elsewhere"],
  ["peers --json team,nam elsewhere", "peers --json --fields=team,nam elsewhere"],
  ["invite list --json state", "invite list --json --fields=state"],
  ["invite --json state", "invite --json state"],
  ["nothing --json state", "nothing --json state"],
])("[CLI-167] in merkle %s the word after --json is a field or an argument", (typed, parsed) => {
  expect(separateFields(typed.split(" "), commands).join(" ")).toBe(parsed);
});

it("[CLI-167] an unknown field names those that exist", async () => {
  const [ls] = commands;
  if (!ls) throw new Error("no command");
  expect(await findFieldProblem("slug,title", ls)).toBeUndefined();
  expect((await findFieldProblem("slug,stats", ls))?.message).toBe(
    'The rows of merkle ls have no field "stats". Did you mean status? Fields: slug, status, title.',
  );
  expect((await findFieldProblem("", ls))?.message).toContain("Fields: slug, status, title.");
});
