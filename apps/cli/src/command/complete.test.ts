import { describe, expect, it } from "vitest";
import { commandGroups } from "../commands.js";
import { complete } from "./complete.js";
import { globalFlags } from "./program.js";

const of = (line: string) => complete(line.split(" "), commandGroups, globalFlags);
const asks = (is: string, session?: string) => ({ words: [], asks: [{ is, session }] });

describe("completing a line", () => {
  it("[CLI-59] commands, those of a group, flags, and the few values that a flag takes", async () => {
    expect((await of("re")).words).toEqual(["restore", "redact", "rename", "resume", "remember", "recall"]);
    expect((await of("state ")).words).toEqual(["list", "get", "set", "unset", "watch"]);
    expect((await of("--js")).words).toEqual(["--json"]);
    expect((await of("help state u")).words).toEqual(["unset"]);
    expect((await of("post --re")).words).toEqual(["--reply-to"]);
    expect((await of("post x --no")).words).toEqual(["--no-color", "--no-input"]);
    expect((await of("post x --priority n")).words).toEqual(["now", "next"]);
    expect((await of("completion ")).words).toEqual(["bash", "zsh", "fish"]);
    expect((await of("config get ")).words).toEqual([]);
  });

  it("[CLI-59] sessions, peers and groups are asked of the broker, of the session on the line", async () => {
    expect(await of("show ")).toEqual(asks("session"));
    expect(await of("nudge split-auth Ce")).toEqual(asks("who", "split-auth"));
    expect(await of("post --ask split-auth --to Ce")).toEqual(asks("who", "split-auth"));
    expect(await of("post --to a split-auth --to ")).toEqual(asks("who", "split-auth"));
    expect(await of("post --to ")).toEqual(asks("who"));
    expect(await of("peers split-auth --group b")).toEqual(asks("group", "split-auth"));
    expect(await of("launch --session s")).toEqual(asks("session"));
    expect(await of("source show docs/")).toEqual(asks("root/path"));
  });

  it("[CLI-59] says nothing of hidden commands, of free text, nor of what belongs to another program", async () => {
    expect((await of("__")).words).toEqual([]);
    expect((await of("hook ")).words).toEqual([]);
    expect(await of("rename split-auth ")).toEqual({ words: [], asks: [] });
    expect(await of("launch -- --mo")).toEqual({ words: [], asks: [] });
    expect(await of("nonsense ")).toEqual({ words: [], asks: [] });
  });
});
