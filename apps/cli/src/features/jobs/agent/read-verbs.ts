import { isRedacted, type Job, type Message } from "@merkle/wire";
import { CliError, exitCodes } from "../../../core/cli-error.js";
import { getJobOnSource, getSessionId, getSourcePath } from "./job-client.js";
import { takePage, toTextPage, type Verb } from "./verb.js";

/** Prints a persona's prompt and the prompt's hash. Default: the job's persona. */
export const getPersona: Verb = {
  name: "get-persona",
  usage: "[--name <persona>] [--source-path <root/path>]",
  options: { name: { type: "string" }, "source-path": { type: "string" } },
  async run({ client, options }) {
    const job = await getJobOnSource(client, options.findText("source-path"));
    const personaName = options.findText("name") ?? getPersonaName(job);
    const { name, prompt, hash } = await client.call("get_persona", { name: personaName });
    return { name, prompt, hash };
  },
};

/** @throws CliError `not_found` if the job has no persona */
function getPersonaName({ job_id, kind, persona_name }: Job): string {
  if (persona_name !== null) return persona_name;
  throw new CliError("not_found", `Job ${job_id} is a ${kind} job, and has no persona.`, {
    exitCode: exitCodes.not_found,
  });
}

/** Prints a topic with its anchor and position, and a page of its messages. */
export const getTopic: Verb = {
  name: "get-topic",
  usage: "--id <topic> [--since <next of the last page>]",
  options: { id: { type: "string" }, since: { type: "string" } },
  async run({ client, options }) {
    const topic_id = options.getNumber("id");
    const read = await client.call("get_topic", { topic_id, after: options.findNumber("since") });
    const { messages: all, next_after, ...topic } = read;
    const messages = takePage(all);
    const next = messages.length < all.length ? (messages.at(-1)?.sequence ?? null) : next_after;
    return { topic, messages, next };
  },
};

/** Prints a page of the open topics of the job's source, except the job's own topic. */
export const listOpenTopics: Verb = {
  name: "list-open-topics",
  usage: "[--source-path <root/path>] [--since <next of the last page>]",
  options: { "source-path": { type: "string" }, since: { type: "string" } },
  async run({ client, options }) {
    const job = await getJobOnSource(client, options.findText("source-path"));
    const source =
      job.source_path === null ? { session_id: getSessionId(job) } : { source_path: job.source_path };
    const before = options.findNumber("since");
    const read = await client.call("list_topics", { ...source, status: "open", before });
    const all = read.topics.filter((each) => each.topic_id !== job.topic_id);
    const topics = takePage(all);
    const next = topics.length < all.length ? (topics.at(-1)?.topic_id ?? null) : read.next_before;
    return { topics, next };
  },
};

/** Prints a page of the session's document, in its current version or an earlier one (AGENT-5). */
export const readDoc: Verb = {
  name: "read-doc",
  usage: "[--version <version> --offset <next of the last page>]",
  options: { version: { type: "string" }, offset: { type: "string" } },
  async run({ client, options }) {
    const session_id = getSessionId(await client.getJob());
    const version = options.findNumber("version");
    const read = await client.call("read_session_doc", { session_id, version });
    if (read.content === undefined) {
      throw new CliError("not_found", `The text of version ${read.redacted_version} was removed.`, {
        exitCode: exitCodes.not_found,
      });
    }
    const page = toTextPage(read.content, options.findNumber("offset") ?? 0);
    return { version: read.version, current_version: read.current_version, ...page };
  },
};

/** Prints a page of the draft that was returned for revision and that the job starts from (AGENT-11). */
export const readDraft: Verb = {
  name: "read-draft",
  usage: "--id <returned draft> [--offset <next of the last page>]",
  options: { id: { type: "string" }, offset: { type: "string" } },
  async run({ client, options }) {
    const proposal_id = options.getNumber("id");
    const draft = await client.call("get_proposal", { proposal_id });
    if (draft.content === null) {
      throw new CliError("not_found", `The text of draft ${proposal_id} was removed.`, {
        exitCode: exitCodes.not_found,
      });
    }
    const { base_version, base_sha, note, remark } = draft;
    const page = toTextPage(draft.content, options.findNumber("offset") ?? 0);
    return { base_version, base_sha, note, changes_asked_for: remark, ...page };
  },
};

/** Maximum number of messages per request. Most pages have room for fewer messages. */
const messagesMax = 200;
/** Maximum length of a message in a page. `read-message` prints the rest of a longer message. */
const messageCharsMax = 8_000;

/**
 * Prints a page of the session's feed, oldest message first, and where the next page starts (null on the last
 * page) (AGENT-5).
 */
export const readFeed: Verb = {
  name: "read-feed",
  usage: "[--since <number of the last message that was read>]",
  options: { since: { type: "string" } },
  async run({ client, options }) {
    const session_id = getSessionId(await client.getJob());
    const after_cursor = options.findNumber("since") ?? 0;
    const read = await client.call("get_history", { session_id, after_cursor, limit: messagesMax });
    const messages = takePage(read.messages.map(toEntry));
    const isCut = messages.length < read.messages.length;
    const next = isCut ? (messages.at(-1)?.n ?? null) : read.newer_cursor;
    return { messages, next, last_sequence: read.last_sequence };
  },
};

/** Returns the fields of a message that are useful to an agent. */
function toEntry(message: Message) {
  const { sequence: n, posted_at, from, to, priority, reply_to, content } = message;
  const head = { n, at: posted_at.slice(0, 16) };
  if (message.type === "system") {
    const { at: _at, head: _seal, ...fields } = content;
    return { ...head, ...fields, event: message.event };
  }
  const { text, kind, options, answer } = content;
  const isDirected = to.some((recipient) => recipient !== "*");
  const author = {
    from: from?.peer === undefined ? from?.team : `${from.team}/${from.peer}`,
    ...(from?.human && { human: true }),
    ...(isDirected && { to }),
    ...(priority === "now" && { priority }),
    ...(reply_to !== undefined && { re: reply_to }),
  };
  if (isRedacted(message)) return { ...head, ...author, removed: message.redaction ?? true };
  if (content["private"] === true) return { ...head, ...author, private: true };
  const { content: shown, next } = toTextPage(typeof text === "string" ? text : "", 0, messageCharsMax);
  return {
    ...head,
    ...author,
    ...((kind === "ask" || kind === "decision") && { [kind]: true }),
    ...(options !== undefined && { options }),
    ...(answer !== undefined && { answers: answer }),
    text: shown,
    ...(next !== null && { more: next }),
  };
}

/**
 * Prints the text of one message from an offset on. Used for messages that are too long for a page of the
 * feed.
 */
export const readMessage: Verb = {
  name: "read-message",
  usage: "--sequence <n> [--offset <more, or next of the last page>]",
  options: { sequence: { type: "string" }, offset: { type: "string" } },
  async run({ client, options }) {
    const session_id = getSessionId(await client.getJob());
    const n = options.getNumber("sequence");
    const { messages } = await client.call("get_history", {
      session_id,
      after_cursor: Math.max(0, n - 1),
      limit: 1,
    });
    const text = messages.find((each) => each.sequence === n)?.content["text"];
    if (typeof text !== "string") {
      throw new CliError("not_found", `Message ${n} does not exist, or has no readable text.`, {
        exitCode: exitCodes.not_found,
      });
    }
    return { n, ...toTextPage(text, options.findNumber("offset") ?? 0) };
  },
};

/** Prints a page of the job's file, in its current version or an earlier one (AGENT-5). */
export const readSource: Verb = {
  name: "read-source",
  usage: "[--source-path <root/path>] [--sha <sha> --offset <next of the last page>]",
  options: { "source-path": { type: "string" }, sha: { type: "string" }, offset: { type: "string" } },
  async run({ client, options }) {
    const source_path = options.findText("source-path") ?? getSourcePath(await client.getJob());
    const source_sha = options.findText("sha");
    const read = await client.call("read_source", { source_path, source_sha });
    return { sha: read.source_sha, ...toTextPage(read.text, options.findNumber("offset") ?? 0) };
  },
};
