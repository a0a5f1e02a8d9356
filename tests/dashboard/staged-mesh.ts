import { makePerson } from "../kit/persons.js";
import type { TransportClient } from "../kit/transports.js";

/** Slugs of sessions that contain every kind of content, with maximum-length text. */
export interface StagedMesh {
  readonly busy: string;
  readonly held: string;
  readonly closed: string;
  readonly empty: string;
}

const longName = `Team ${"W".repeat(95)}`;
const rightToLeft = "تقسيم خدمة المصادقة إلى خدمتين مستقلتين";
const longLines = Array.from({ length: 300 }, (_, line) => `${line + 1}. a line of a long report`).join("\n");
const wideCode = `\`\`\`ts\nconst ${"token".repeat(60)} = 1;\n\`\`\`\n\n| a | b |\n|---|---|\n| ${"wide".repeat(40)} | 2 |`;

export async function stageMesh(rest: TransportClient): Promise<StagedMesh> {
  const { person_id: person } = await makePerson(rest, "Ben");
  const busy = await stageBusy(rest, person);
  const held = await stageHeld(rest, person);
  const closed = await stageClosed(rest);
  const empty = await start(rest, "Nothing said here yet");
  return { busy, held, closed, empty: empty.slug };
}

function start(rest: TransportClient, title: string, description = "") {
  return rest.call("create_session", { title, description, creator_team_name: "Atlas" });
}

async function stageBusy(rest: TransportClient, person: string): Promise<string> {
  const { session_id, team_id, slug } = await start(
    rest,
    `Split the auth service ${"and everything that hangs on it ".repeat(5)}`.slice(0, 200).trim(),
    "Move token issuing out; keep v1 clients working. ".repeat(8),
  );
  const post = (content: { text: string; kind?: "ask" | "decision"; options?: string[] }, as = team_id) =>
    rest.call("post_message", { session_id, team_id: as, content });
  const names = ["Cedar", rightToLeft, longName, ...Array.from({ length: 27 }, (_, n) => `Team ${n + 4}`)];
  const joined = [];
  for (const [n, team_name] of names.entries()) {
    const groups = ["backend:lead"];
    joined.push(await rest.call("join_session", { session_id, team_name, peer_name: `peer-${n}`, groups }));
  }
  const [cedar = team_id, arabic = team_id, long = team_id] = joined.map(({ team_id }) => team_id);
  await rest.call("set_status", {
    session_id,
    team_id: joined[0]?.peer_id ?? cedar,
    status: "blocked",
    reason: "needs the staging key before anything else can go on",
  });
  for (const version of [1, 2, 3]) {
    await rest.call("update_session_doc", {
      session_id,
      team_id,
      content: `# Plan ${version}\n\nText.\n\n## Decisions\n\n- Keep v${version}.\n\n${wideCode}\n`,
      expected_version: version - 1,
    });
  }
  await post({ text: `Token table is ready, see \`auth/0007\`.\n\n${wideCode}` });
  await post({ text: longLines }, long);
  await post({ text: rightToLeft }, arabic);
  await post({ text: "Keep v1 tokens for 30 days", kind: "decision" });
  await rest.call("set_state", {
    session_id,
    team_id,
    key: `deploy/${"k".repeat(180)}`,
    value: Array.from({ length: 200 }, (_, n) => ({ n, text: "x".repeat(200) })),
  });
  await rest.call("set_state", { session_id, team_id, key: "frozen", value: true });
  await rest.call("remember", {
    team_id,
    content: `The payments API limits at 100 requests a second. ${"x".repeat(300)}`,
    tags: ["payments", "t".repeat(50)],
  });
  await rest.call("log_progress", {
    team_id,
    projectId: "p".repeat(100),
    title: "Moved the issuer tables",
    content: `All of them, before the gateway moves.\n\n${wideCode}`,
    tags: ["t".repeat(50), rightToLeft.slice(0, 50)],
    agentId: longName,
  });
  await rest.call("audit_session_start", {
    team_id,
    intent: "Where tokens are kept",
    task_id: "k".repeat(200),
  });
  await rest.call("thought_record", { team_id, type: "decision", content: `In the keyring.\n\n${wideCode}` });
  await rest.call("merkle_finalize", { team_id });
  await post(
    { text: "Which staging key?", kind: "ask", options: ["the one in the vault", "a new one"] },
    cedar,
  );
  await rest.call("post_message", { session_id, team_id: person, content: { text: "I look at it." } });
  return slug;
}

async function stageHeld(rest: TransportClient, person: string): Promise<string> {
  const { session_id, slug } = await start(rest, "Q3 pricing", "What we charge from July on.");
  await rest.call("hold_session", { session_id, team_id: person, reason: "Wait for legal" });
  return slug;
}

async function stageClosed(rest: TransportClient): Promise<string> {
  const { session_id, team_id, slug } = await start(rest, "Search relevance");
  await rest.call("conclude_session", {
    session_id,
    team_id,
    summary_section: "**Ranking** moves to the index.\n\nTwo weeks of work remain.",
  });
  return slug;
}
