import { isDeepStrictEqual } from "node:util";
import {
  compactMessage,
  findInviteSecrets,
  formatInviteCode,
  MerkleError,
  parseInstant,
  parseInvite,
  parseSourcePath,
} from "@merkle/wire";
import { parseSealed } from "@merkle/wire/keys";
import { openZipBundle, UnreadableZip } from "@merkle/wire/record/zip";
import { ClientFrame, HelloProof, KeyCard } from "@merkle/wire/schemas";
import { neutralise, parseStrictJson, toNeutralJson } from "@merkle/wire/text";
import { toFiles } from "../../../apps/broker/src/features/sources/committed.js";
import { replaceConclusion } from "../../../apps/broker/src/text/conclusion-section.js";
import { findFirstLine } from "../../../apps/broker/src/text/find-first-line.js";
import { parseTerms } from "../../../apps/broker/src/text/parse-terms.js";
import { findSection, listHeadings } from "../../../apps/broker/src/text/sections.js";
import { parseJson } from "../../../apps/broker/src/transports/http/parse-json.js";
import { toPlainJson } from "../../../apps/broker/src/transports/mcp/rpc-response.js";
import type { Addition } from "../../../apps/cli/src/clients/client.js";
import { CliError } from "../../../apps/cli/src/core/cli-error.js";
import { readAgentSettings } from "../../../apps/cli/src/features/jobs/runner/agent-settings.js";
import { checkCard } from "../../../apps/cli/src/features/private-messages/check-card.js";
import { parseSettingsFile, toProgress } from "../../../apps/cli/src/features/progress/progress-settings.js";
import {
  applyEdit,
  findValue,
  listMissingParents,
  planAddition,
  planRemoval,
} from "../../../apps/cli/src/install/json-edit.js";
import { parseConfigFile } from "../../../apps/cli/src/settings/config-file.js";
import { type ForeignFile, toForeignFile } from "../../../apps/cli/src/settings/foreign-file.js";
import { extractLinkDefinitions, splitSections } from "../../../apps/dashboard/src/text/split-sections.js";
import { ShapeError } from "../../../packages/wire/src/core/shape.js";
import * as bundle from "../../../packages/wire/src/record/bundle.js";

/** A parser of untrusted bytes, with the properties that must hold for any input. */
export interface Target {
  /** Valid inputs to start from. */
  readonly seeds: readonly string[];
  /** Byte sequences that are significant to the parser. */
  readonly words: readonly string[];
  /** @throws if a property is violated. If the parser refuses the input, that is not a failure. */
  run(bytes: Buffer): void | Promise<void>;
}

const jsonWords = [
  '"',
  "\\",
  "\\u0000",
  "\\ud800",
  "{",
  "}",
  "[",
  "]",
  ":",
  ",",
  "null",
  "true",
  "1e999",
  "-0",
  "__proto__",
];
const id = "5e551000-0000-4000-8000-000000000001";
const hash = "ab".repeat(32);

/** Runs a function that may throw only the given errors. */
function allowing<Result>(
  run: () => Result,
  ...refusals: (abstract new (
    ...args: never[]
  ) => Error)[]
): Result | undefined {
  try {
    return run();
  } catch (error) {
    if (refusals.some((refusal) => error instanceof refusal)) return undefined;
    throw error;
  }
}

function must(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(`It must hold, and does not: ${what}.`);
}

/** Returns a reference to an environment variable, in the syntax of a project's settings file. */
function ofEnvironment(name: string): string {
  return `$${`{${name}}`}`;
}

/** Each statement that a person is asked to confirm must be a single visible line. */
function mustBeLines({ says }: ForeignFile): void {
  for (const line of says) must(!line.includes("\n") && neutralise(line) === line, "what is asked is a line");
}

const request = {
  type: "request",
  id: 1,
  operation: "post_message",
  input: { session_id: id, content: { text: "hi" } },
};

export const targets: Readonly<Record<string, Target>> = {
  frames: {
    seeds: [
      JSON.stringify(request),
      `{"type":"subscribe","id":"a","kind":"follow","session_id":"${id}","after":0,"epoch":"${id}"}`,
      '{"type":"hello","id":1,"mesh":"main"}',
      `{"type":"nudged","id":"${id}","reached":["inbox"]}`,
    ],
    words: [
      ...jsonWords,
      "ping",
      "cancel",
      "unsubscribe",
      "subscribe",
      "hello",
      "proof",
      "watch_mesh",
      "input",
    ],
    run(bytes) {
      const frame = allowing(() => parseJson(bytes.toString()), MerkleError);
      if (frame !== undefined) ClientFrame.safeParse(frame);
    },
  },
  json: {
    seeds: [JSON.stringify(request), '[1,-0.5e3,"\\u00e9",{"a":{},"b":[]},null,true]', '{"a":1,"a":2}'],
    words: [...jsonWords, '"a":', "\\u0061", '\\"', "\\\\"],
    run(bytes) {
      const text = bytes.toString();
      const read = allowing(() => ({ value: parseStrictJson(text) }), SyntaxError);
      const usual = allowing(() => ({ value: JSON.parse(text) as unknown }), SyntaxError);
      if (read) must(isDeepStrictEqual(read, usual), "it reads as JSON.parse does");
      if (!usual) return;
      // Unlike the input, the minimal JSON text has no duplicate members.
      const shortest = JSON.stringify(usual.value);
      must(
        isDeepStrictEqual(parseStrictJson(shortest), JSON.parse(shortest)),
        "it reads what JSON.stringify writes",
      );
      must(JSON.stringify(JSON.parse(toNeutralJson(usual.value))) === shortest, "neutral JSON loses nothing");
    },
  },
  bundle: {
    seeds: [
      `{"at":"2026-01-01T00:00:00.000Z","document":{"hash":null,"root":"${hash}","version":0},"epoch":"${id}","key_id":"${"ab".repeat(16)}","root":"${hash}","session_id":"${id}","signature":"${"A".repeat(86)}","size":1}`,
      `[{"created_at":"2026-01-01T00:00:00.000Z","key_id":"${"ab".repeat(16)}","public_key":"${"A".repeat(43)}"}]`,
      `{"content":{"text":"hi"},"salt":"${"ab".repeat(16)}","sequence":1}`,
    ],
    words: [...jsonWords, '"salt"', '"content"', '"version"', '"sequence"', hash, "\n"],
    run(bytes) {
      const text = bytes.toString();
      for (const parse of [
        bundle.parseFeedLine,
        bundle.parseDocumentLine,
        bundle.parseHeadLine,
        bundle.parseManifest,
        bundle.parseKeys,
      ]) {
        allowing<unknown>(() => parse(text), ShapeError);
      }
    },
  },
  zip: {
    seeds: [zipOf("feed.ndjson", "{}\n"), zipOf("a", "")],
    words: [
      "PK\u0003\u0004",
      "PK\u0001\u0002",
      "PK\u0005\u0006",
      "PK\u0006\u0006",
      "PK\u0006\u0007",
      "feed.ndjson",
      "\u0000\u0000",
      "\u00ff\u00ff\u00ff\u00ff",
      "\u0001\u0000",
    ],
    async run(bytes) {
      try {
        const source = {
          size: bytes.length,
          read: (offset: number, length: number) =>
            Promise.resolve(new Uint8Array(bytes.subarray(offset, offset + length))),
        };
        const zip = await openZipBundle(source, { filesMax: 4, unpackedBytesMax: 65_536, ratioMax: 1_000 });
        for (const name of zip.names) {
          let unpacked = 0;
          for await (const chunk of zip.open(name) ?? []) unpacked += chunk.length;
          must(unpacked <= 65_536, "no more is unpacked than is allowed");
        }
      } catch (error) {
        if (!(error instanceof UnreadableZip)) throw error;
      }
    },
  },
  markdown: {
    seeds: [
      "# A\n\ntext\n\n## Conclusion\n\n- a\n  - b\n\n```ts\n# no\n```\n\nTitle\n=====\n",
      "> quote\n> ~~~\n1. a\n\n   [x]: http://a\n<div>\n\n<!-- c\n-->\n## Decisions\n\n* [x] **b** `c` [d](e)\n",
    ],
    words: [
      "#",
      "## ",
      "\n",
      "\r\n",
      "\r",
      "```",
      "~~~",
      "- ",
      "1. ",
      "> ",
      "    ",
      "\t",
      "---",
      "===",
      "<!--",
      "-->",
      "<div>",
      "</pre>",
      "<![CDATA[",
      "[a]: b",
      "](",
      "**",
      "__",
      "Conclusion",
      "\u2028",
    ],
    run(bytes) {
      const text = bytes.toString();
      must(
        splitSections(text)
          .map((each) => each.text)
          .join("") === text,
        "the sections joined are the document",
      );
      extractLinkDefinitions(text);
      for (const heading of listHeadings(text).slice(0, 3)) findSection(text, heading);
      const first = findFirstLine(text);
      must(first === null || (first !== "" && first.length <= 200), "the first line is short");
      const { content, conclusion } = replaceConclusion(text, null, "done");
      must(content.includes(conclusion), "the conclusion stands in the document");
      must(replaceConclusion(content, conclusion, "done").content.includes("done"), "it is found again");
    },
  },
  invite: {
    seeds: ["31-7KQ2-M4XD", "http://localhost:7423/join#AAAAAAAAAAAAAAAAAAAAAA", "0OIL1-7kq2 m4xd"],
    words: ["-", " ", "#", "/join#", "O", "I", "L", "u", "9999999999", "\u0131", "\u00df", "\n"],
    run(bytes) {
      const text = bytes.toString();
      const words = parseInvite(text);
      if (words?.kind === "code") {
        must(
          isDeepStrictEqual(parseInvite(formatInviteCode(words.number, words.code)), words),
          "a code reads as it is written",
        );
      }
      for (const secret of findInviteSecrets(text)) must(/^[\w-]{22}$/.test(secret), "a secret has its form");
      parseInstant(text);
      parseTerms(text);
    },
  },
  hello: {
    seeds: [
      `{"kind":"token","token":"mkt_${"A".repeat(43)}"}`,
      `{"kind":"signature","statement":{},"signature":"${"A".repeat(86)}"}`,
      `{"session_key":"${"A".repeat(43)}","box_key":"${"A".repeat(43)}","box_key_signature":"${"A".repeat(86)}"}`,
      `mks1.${"e30".repeat(100)}.${"A".repeat(32)}.${"A".repeat(40)}`,
    ],
    words: [
      ...jsonWords,
      "signature",
      "certificate",
      "member",
      "kind",
      "token",
      "mks1.",
      ".",
      "e30",
      "A".repeat(43),
    ],
    run(bytes) {
      const text = bytes.toString();
      const sealed = parseSealed(text);
      if (sealed) checkCard(sealed.card);
      const value = allowing(() => parseStrictJson(text), SyntaxError);
      if (value === undefined) return;
      HelloProof.safeParse(value);
      if (KeyCard.safeParse(value).success) checkCard(value);
    },
  },
  git: {
    seeds: [
      `100644 blob ${"ab".repeat(20)}      12\tsrc/a.ts\u0000100755 blob ${"cd".repeat(20)}       3\tb\u0000`,
      `120000 blob ${"ab".repeat(20)}       4\tlink\u0000160000 commit ${"ab".repeat(20)}       -\tsub\u0000`,
      "docs/.git/config",
      "root/a/../b",
    ],
    words: [
      "\u0000",
      "\t",
      "100644 blob ",
      "100755 blob ",
      "/",
      "..",
      ".git",
      "git~1",
      ".G\u0131T",
      "\u200b",
      "-",
      "\n",
      "\\",
      "\u00ff",
      "ab".repeat(32),
    ],
    run(bytes) {
      for (const { path, hash: blob } of toFiles(bytes)) {
        must(
          path !== "" && !path.includes("\u0000") && /^[0-9a-f]{40,64}$/.test(blob),
          "an entry has its form",
        );
      }
      const parts = parseSourcePath(bytes.toString());
      if (!parts) return;
      const segments = parts.path.split("/");
      must(
        segments.every((each) => !["", ".", "..", ".git"].includes(each.toLowerCase())),
        "a path stays in its root",
      );
      must(!segments.some((each) => each.startsWith("-")), "a path is no option");
    },
  },
  sse: {
    seeds: [
      'event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\n',
      ": ping\n\nid: 1\ndata: \n\ndata: [1]\r\n\r\n",
    ],
    words: [
      "data: ",
      "event: ",
      "id: ",
      "retry: ",
      "\n\n",
      "\r\n",
      "\r",
      ": ",
      '"result":',
      '"error":',
      ...jsonWords,
    ],
    async run(bytes) {
      const response = new Response(new Uint8Array(bytes), {
        headers: { "content-type": "text/event-stream" },
      });
      const plain = await toPlainJson(response).catch((error: unknown) => {
        if (!(error instanceof SyntaxError)) throw error;
      });
      if (plain?.status === 200) await plain.json();
    },
  },
  config: {
    seeds: [
      '{\n  "mcpServers": {\n    "merkle": {"command": "merkle"}\n  }\n}\n',
      '{"a":[1,{"b":"\\""}],"a":{}}',
      "{}",
      "[ ]",
    ],
    words: [...jsonWords, "\n", "  ", "\t", '"mcpServers"', '"merkle"'],
    run(bytes) {
      const text = bytes.toString();
      const addition: Addition = {
        kind: "member",
        path: ["mcpServers", "merkle"],
        value: { command: "x" },
      };
      const edit = allowing(() => planAddition(text, addition), SyntaxError, TypeError);
      if (edit) {
        const added: unknown = JSON.parse(applyEdit(text, edit));
        must(typeof added === "object" && added !== null, "what was added to is still JSON");
      }
      const removal = allowing(() => planRemoval(text, addition, []), SyntaxError, TypeError);
      if (removal) JSON.parse(applyEdit(text, removal));
      if (!edit || text.trim() === "") return;
      const made = listMissingParents(text, addition);
      const replaced = findValue(text, addition.path);
      const added = applyEdit(text, edit);
      const back = planRemoval(added, addition, made);
      must(back !== null, "what was added is found again");
      if (!replaced)
        must(
          isDeepStrictEqual(JSON.parse(applyEdit(added, back)), JSON.parse(text)),
          "what was added goes, and all else stays",
        );
    },
  },
  "home-config": {
    seeds: [
      '{"mcp_url":"http://localhost:7423","name":"Ana","mesh":"main","ca":"ca.pem","insecure":false,"trusted_proxies":["10.0.0.0/8"]}',
      '{"rate_limits":{"member_write":{"per_second":50,"burst":500}},"tls_cert":"a","tls_key":"b"}',
      '{"rate_limits":"off","agent":{"roots":{"docs":"/srv/docs"},"author_name":"A","author_email":"a@b","conclude_timeout":"1m30s"}}',
      '{"agent":{"claude_bin":"claude","agent_bin":"./x","max_concurrent_jobs":2,"log_dir":"","skip_permissions":true,"environment":["A_B"]}}',
    ],
    words: [
      ...jsonWords,
      ...["mcp_url", "ca", "mesh", "insecure", "rate_limits", "agent", "roots", "environment"].map(
        (name) => `"${name}":`,
      ),
      '"off"',
      "1h",
      "999999s",
      "constructor",
      "toString",
      "../",
    ],
    run(bytes) {
      const file = allowing(
        () => parseConfigFile("/home/ana/.merkle/config.json", bytes.toString()),
        CliError,
      );
      const settings = file && allowing(() => readAgentSettings(file.content["agent"], file.path), CliError);
      if (!settings) return;
      must(
        Object.values(settings.roots).every((each) => each.startsWith("/")),
        "a root is absolute",
      );
      must(
        Object.values(settings.timeoutsMs).every((each) => each > 0 && each <= 86_400_000),
        "a span has its bounds",
      );
    },
  },
  "project-config": {
    seeds: [
      '{"mcp_url":"http://localhost:7423/mcp","mesh":"main","insecure":true,"ca":"ca.pem"}',
      '{"mcp_url":"https://mesh.example.com/a/api/mcp?x=1#y","ca":"/etc/hostname"}',
      "{}",
    ],
    words: [
      ...jsonWords,
      ...['"mcp_url":', '"ca":', '"mesh":', '"insecure":'],
      "http://",
      "https://",
      "file:",
      "@",
      "\\n",
      "\\u001b[2K",
      "\u202e",
      "\u009b",
      "\u2028",
      "/dev/zero",
      "xn--",
      "%0a",
    ],
    run(bytes) {
      const read = () => toForeignFile(parseConfigFile("/home/ana/project/.merkle.json", bytes.toString()));
      const foreign = allowing(read, CliError);
      if (foreign) mustBeLines(foreign);
    },
  },
  "progress-config": {
    seeds: [
      `{"dbPath":"./p.db","openai":{"apiKey":"${ofEnvironment("OPENAI_API_KEY")}","baseUrl":"https://a.example/v1","model":"small"},"logging":{"level":"warn"}}`,
      `{"openai":{"apiKey":"sk","baseUrl":"https://${ofEnvironment("HUSH")}.example/${ofEnvironment("toString")}"}}`,
      '{"openai":{}}',
    ],
    words: [
      ...jsonWords,
      ...['"openai":', '"apiKey":', '"baseUrl":', '"model":', '"logging":', '"level":', '"dbPath":'],
      ofEnvironment("OPENAI_API_KEY"),
      ofEnvironment("HUSH"),
      "${",
      "$$",
      "$&",
      "\\u0024{",
      "https://",
      "http://",
      "\\n",
      "\u202e",
      "\u001b[1A",
    ],
    run(bytes) {
      const env = { OPENAI_API_KEY: "sk-of-the-environment", HUSH: "hushed" };
      const path = "/home/ana/project/agent-progress.config.json";
      const found = allowing(() => parseSettingsFile(path, bytes.toString(), env), CliError);
      if (!found) return;
      mustBeLines(found.foreign);
      must(
        toProgress(env, found, false).summaries === undefined,
        "a key goes nowhere while the file is not trusted",
      );
      const summaries = allowing(() => toProgress(env, found, true), CliError)?.summaries;
      const says = found.foreign.says.join("\n");
      if (summaries?.apiKey === env.OPENAI_API_KEY && summaries.baseUrl !== undefined)
        must(says.includes("OPENAI_API_KEY"), "a key that leaves the environment is named");
      if (JSON.stringify(summaries ?? null).includes(env.HUSH))
        must(/\bHUSH\b|hushed/.test(says), "a variable that leaves the environment is named");
    },
  },
  text: {
    seeds: ["hello\nworld </system-reminder> \u202e", "\u001b[31mred\u001b[0m <|im_end|>"],
    words: [
      "\n",
      "\r",
      "\u2028",
      "<",
      "/",
      "system",
      "-reminder",
      "function_results",
      "tool_use_error",
      "\u200b",
      "|im_start|>",
      "antml:",
      '"',
      ",",
      ":",
      "#9 ",
    ],
    run(bytes) {
      const text = bytes.toString();
      const neutral = neutralise(text);
      must(neutralise(neutral) === neutral, "what is harmless stays as it is");
      const from = { team: text.slice(0, 40), human: false };
      const rendered = compactMessage({
        id,
        session_id: id,
        sequence: 1,
        type: "chat",
        posted_by_team_id: id,
        from,
        to: ["*"],
        priority: "next",
        content: { text },
        posted_at: "2026-01-01T00:00:00.000Z",
      });
      must(
        rendered
          .split("\n")
          .slice(1)
          .every((line) => line.startsWith("  ")),
        "no later line can pass for ours",
      );
      must(neutralise(rendered) === rendered, "a rendering is harmless");
    },
  },
};

/** Returns a zip archive with one stored (uncompressed) file. */
function zipOf(name: string, text: string): string {
  const local = Buffer.alloc(30);
  local.writeUInt32LE(0x04034b50, 0);
  local.writeUInt16LE(20, 4);
  local.writeUInt32LE(crc32(text), 14);
  local.writeUInt32LE(text.length, 18);
  local.writeUInt32LE(text.length, 22);
  local.writeUInt16LE(name.length, 26);
  const central = Buffer.alloc(46);
  central.writeUInt32LE(0x02014b50, 0);
  central.writeUInt16LE(20, 4);
  local.copy(central, 6, 4, 30);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(46 + name.length, 12);
  end.writeUInt32LE(30 + name.length + text.length, 16);
  return [local, name, text, central, name, end].map((part) => part.toString("latin1")).join("");
}

function crc32(text: string): number {
  let crc = ~0;
  for (const byte of Buffer.from(text, "latin1")) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}
