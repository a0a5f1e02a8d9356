import { expect, it } from "vitest";
import type { Addition } from "../clients/client.js";
import { applyEdit } from "./json-edit.js";
import { planTableAddition, planTableRemoval } from "./toml-edit.js";

const addition: Addition = {
  kind: "table",
  path: ["mcp_servers", "merkle"],
  value: '[mcp_servers.merkle]\ncommand = "node"\nargs = ["/m.mjs", "mcp"]\nenv = { A = "b" }\n',
};

function added(text: string): string {
  const edit = planTableAddition(text, addition);
  return edit ? applyEdit(text, edit) : text;
}

function removed(text: string): string {
  const edit = planTableRemoval(text, addition);
  return edit ? applyEdit(text, edit) : text;
}

const texts = [
  "",
  'model = "o3"',
  'model = "o3" # mine\n\n[mcp_servers.other]\ncommand = "x"\n',
  "[a]\r\nb = 1\r\n",
  '# only a comment\n\n[mcp_servers]\n[mcp_servers.merkle2]\nurl = "http://x"\n',
];

it("[VENDOR-3] a table comes to the end of a TOML file, and goes again with every other character staying", () => {
  for (const text of texts) {
    const with_ = added(text);
    expect(with_.startsWith(text)).toBe(true);
    expect(with_.endsWith(addition.kind === "table" ? addition.value : "")).toBe(true);
    expect(added(with_)).toBe(with_);
    // If the last line lacks a line break, the edit adds one.
    expect(removed(with_)).toBe(text === "" || text.endsWith("\n") ? text : `${text}\n`);
    expect(removed(text)).toBe(text);
  }
});

it("[VENDOR-3] what the client has written below the table goes with it; what others have written behind it stays", () => {
  const before = 'model = "o3"\n';
  const own = '\n[mcp_servers.merkle.tools.list_peers]\napproval_mode = "approve"\n';
  const behind = '\n# trusted by hand\n[hooks.state]\nx = """\n[mcp_servers.merkle]\n"""\n';
  expect(removed(added(before) + own + behind)).toBe(before + behind);
});

it("[VENDOR-3] what has the table's name already, or is no TOML, is left as it is", () => {
  for (const text of [
    '[mcp_servers.merkle]\nurl = "http://mine"\n',
    'mcp_servers = { other = { command = "x" } }\n',
    "mcp_servers = 1\n",
  ])
    expect(() => added(text)).toThrow(TypeError);
  expect(() => added("[a\n")).toThrow(SyntaxError);
});

it("[VENDOR-3] a string of several lines that looks like the table is left, wherever it stands", () => {
  const text = 'notes = """\n[mcp_servers.merkle]\ncommand = "mine"\n"""\n\n[mcp_servers]\n';
  expect(removed(added(text))).toBe(text);
  const behind = "\n[other]\nx = '''\n[mcp_servers.merkle]\n'''\n";
  expect(removed(added(text) + behind)).toBe(text + behind);
});
