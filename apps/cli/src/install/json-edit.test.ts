import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Addition } from "../clients/client.js";
import { applyEdit, listMissingParents, planAddition, planRemoval } from "./json-edit.js";

const server: Addition = {
  kind: "member",
  path: ["mcpServers", "merkle"],
  value: { command: "node", args: ["x"] },
};
const hook: Addition = { kind: "item", path: ["hooks", "Stop"], value: { hooks: [{ type: "command" }] } };

function add(text: string, addition: Addition): string {
  const edit = planAddition(text, addition);
  return edit ? applyEdit(text, edit) : text;
}

function remove(text: string, addition: Addition, made: readonly string[][]): string {
  const edit = planRemoval(text, addition, made);
  return edit ? applyEdit(text, edit) : text;
}

describe("editing JSON as text", () => {
  it("[INSTALL-2] adds lines of the file's own style, and touches no line that is there", () => {
    const text = '{\n\t"b": [1,2],\n\t"mcpServers": {\n\t\t"other": {}\n\t}\n}\n';
    expect(add(text, server)).toBe(
      '{\n\t"b": [1,2],\n\t"mcpServers": {\n\t\t"merkle": {\n\t\t\t"command": "node",\n\t\t\t"args": [\n\t\t\t\t"x"\n\t\t\t]\n\t\t},\n\t\t"other": {}\n\t}\n}\n',
    );
    expect(add('{"a":1}', server)).toBe('{"mcpServers":{"merkle":{"command":"node","args":["x"]}},"a":1}');
    expect(add("{}\r\n", hook)).toContain('{\n  "hooks"'.replace("\n", "\r\n"));
  });

  it("[INSTALL-2] adds nothing twice, and refuses what already has another value", () => {
    const once = add("{}", hook);
    expect(planAddition(once, hook)).toBeNull();
    expect(() => planAddition('{"hooks": []}', hook)).toThrow(TypeError);
    expect(() => planAddition('{"hooks": {"Stop": {}}}', hook)).toThrow(TypeError);
    expect(() => planAddition('{"mcpServers": 1}', server)).toThrow(TypeError);
    expect(() => planAddition("[]", server)).toThrow(TypeError);
    expect(() => planAddition('{"a": 1,}', server)).toThrow(SyntaxError);
  });

  it("[INSTALL-2] of two members with one name the last counts, and what is nested too deeply is left as it is", () => {
    expect(add('{"mcpServers": {}, "mcpServers": {"a": 1}}', server)).toContain(
      '{"mcpServers": {}, "mcpServers": {"merkle":',
    );
    expect(() => planAddition("[".repeat(100_000) + "]".repeat(100_000), hook)).toThrow(
      new TypeError("it is nested too deeply"),
    );
  });

  it("[INSTALL-2] a large file with a thousand levels takes no longer than it is long", () => {
    const text = `{"hooks": {"Stop": [${"[".repeat(1_000)}${JSON.stringify("x".repeat(4_000_000))}${"]".repeat(1_000)}]}}`;
    const added = add(text, hook);
    expect(remove(added, hook, [])).toBe(text);
  });

  it("[INSTALL-3] what was added goes, and all else stays, whatever the text is like", () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 4 });
    const file = fc.record(
      {
        mcpServers: object,
        hooks: fc.record({ Stop: fc.array(fc.jsonValue(), { maxLength: 3 }) }, { requiredKeys: [] }),
        'a "{[\\': fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    const styles = fc.constantFrom(undefined, 1, 2, "\t");
    fc.assert(
      fc.property(
        file,
        styles,
        fc.boolean(),
        fc.constantFrom(server, hook),
        (value, indent, crlf, addition) => {
          const plain = JSON.stringify(value, null, indent);
          const text = crlf ? plain.replaceAll("\n", "\r\n") : plain;
          const made = listMissingParents(text, addition);
          const added = add(text, addition);
          expect(JSON.parse(added)).not.toEqual(JSON.parse(text));
          expect(listMissingParents(added, addition)).toEqual([]);
          expect(JSON.parse(remove(added, addition, made))).toEqual(JSON.parse(text));
          // The result contains every character of the original text, in order.
          expect(isSubsequence(text.replace(/\s/g, ""), added.replace(/\s/g, ""))).toBe(true);
        },
      ),
      { numRuns: 200 },
    );
  });
});

function isSubsequence(part: string, whole: string): boolean {
  let at = 0;
  for (const character of whole) if (part[at] === character) at += character.length;
  return at === part.length;
}
