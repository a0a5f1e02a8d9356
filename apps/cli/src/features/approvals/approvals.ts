import type { Approval, InputOf, OutputOf, OwnSignature } from "@merkle/wire";
import { hashApproval } from "@merkle/wire/identity";
import {
  type AgentQuestion,
  describeAnswerProblem,
  formatAnswer,
  formatApproval,
  parseQuestions,
  parseTurnEnd,
  type QuestionAnswer,
  type QuestionOption,
  showInvisible,
  turnEndTool,
} from "@merkle/wire/text";
import { type BrokerClient, findBroker } from "../../broker/broker-client.js";
import type { Command, CommandContext } from "../../command/command.js";
import { limitFlag, readLimit, showList, webFlag } from "../../command/list.js";
import type { Output } from "../../command/output.js";
import { CliError, exitCodes, usageError } from "../../core/cli-error.js";
import { toNumber } from "../../core/flag-values.js";
import { type Flag, isSet } from "../../core/flags.js";
import { nodeCrypto } from "../../core/node-crypto.js";
import { getPersonActor } from "../../identity/actors.js";
import { openPage } from "../../identity/open-page.js";
import { findOwnPerson, getOwnPerson, isVerifiedHere } from "../../identity/own-person.js";
import type { Config } from "../../settings/config.js";
import { indentText, toOneLine } from "../../text/one-line.js";
import { toShellWord } from "../../text/shell.js";
import { toAge } from "../../text/time.js";
import { feature as ownWords } from "../own-words/feature.js";

const decisions = ["allow", "answer", "deny", "leave", "revoke"] as const;

const againFlag: Flag = {
  flags: "--again",
  summary: "with allow: also allow the same command while this launch of the agent runs",
};

export const approvals: Command = {
  name: "approvals",
  summary:
    "list your agents' permission requests, questions and plans; allow one, answer it, deny it, leave it to the terminal, or revoke what you allowed for a launch",
  arguments: [
    { name: "[decision]", summary: "allow, answer, deny, leave or revoke (default: list the requests)" },
    { name: "[number]", summary: "approval number, from merkle approvals" },
    {
      name: "[words...]",
      summary:
        "with deny: reason shown to the agent; with answer: for each question the numbers of its options, such as 1 or 1,3, or your own text",
    },
  ],
  flags: [againFlag, limitFlag(), webFlag],
  examples: [
    "merkle approvals",
    "merkle approvals allow 7",
    "merkle approvals allow 7 --again",
    'merkle approvals answer 8 2 "only the European region"',
    'merkle approvals deny 7 "not on the live database"',
  ],
  list: { operation: "list_approvals", rows: "waiting" },
  async run(context) {
    const { flags, config, output, signal } = context;
    const [word, text, ...words] = context.args;
    if (config.agentShell !== undefined)
      throw usageError(
        "Only a person can answer approval requests, and this is an agent's shell. Run the command in your own terminal.",
      );
    const decision = decisions.find((each) => each === word);
    if (word !== undefined && !decision)
      throw usageError(
        `Answer an approval with allow, answer, deny, leave or revoke, got ${JSON.stringify(word)}.`,
      );
    const broker = await findBroker(config, signal);
    if (!decision && isSet(flags, "web")) return openPage(context, broker, "/approvals");
    const person = getPersonActor({ broker, config });
    const approval = decision ? toNumber(text ?? "", "An approval") : 0;
    if (!(await findOwnPerson(broker, config))) {
      if (decision) throw notWaiting(approval);
      // The list also shows this device, so reading it requires a person's credential. A guest's credential
      // would be refused.
      if (!(await isVerifiedHere(broker, config))) throw onlyVerified(broker);
      await getOwnPerson(broker, config);
    }
    const listed = await person.call("list_approvals", {});
    if (!decision) return showWaiting(listed, context);
    const isRevoking = decision === "revoke";
    const among = isRevoking ? listed.again : listed.waiting;
    const target = among.find((each) => each.approval === approval);
    if (!target) throw isRevoking ? notAllowedAgain(approval) : notWaiting(approval);
    // The answer contains a hash of exactly the text shown here, so it cannot apply to any other request.
    output.note(format(target, output));
    const hash = hashApproval(target, nodeCrypto.sha256);
    const decided = toDecision(decision, words, target, isSet(flags, "again"));
    const own = await signAnswers(decided, { target, hash, config, broker });
    const answer = await person.call("answer_approval", { approval, hash, ...decided, ...(own && { own }) });
    output.show(
      answer,
      `${output.mark.ok} approval ${approval} ${describeOutcome(decision, decided, answer)}`,
    );
    return exitCodes.done;
  },
};

/** Prints the requests that are waiting, each in full, because a person answers what they have read. */
async function showWaiting(
  listed: OutputOf<"list_approvals">,
  { flags, output }: CommandContext,
): Promise<number> {
  const total = listed.waiting.length;
  const waiting = listed.waiting.slice(0, readLimit(flags));
  if (output.json)
    await showList(
      { value: { ...listed, waiting }, rows: waiting, columns: [], empty: "" },
      { flags, output },
    );
  else if (total > 0) await output.page(listed, waiting.map((each) => format(each, output)).join("\n\n"));
  else output.note("  no pending approvals on this device");
  const { again } = listed;
  if (again.length > 0 && !output.json) {
    output.note("  allowed while a launch runs:");
    for (const each of again) output.note(indentText(format(each, output)));
    output.note(`  next: merkle approvals revoke ${again[0]?.approval}`);
  }
  if (waiting.length < total) output.note(`  ${waiting.length} of ${total}: --limit lists more`);
  output.note(`  this device: ${listed.device}`);
  const [first] = waiting;
  if (first) {
    const { approval: number } = first;
    const refusal = first.tool === turnEndTool ? `leave ${number}` : `deny ${number} <why>`;
    output.note(`  next: ${toNext(first)}   ${output.dot}   merkle approvals ${refusal}`);
  }
  return exitCodes.done;
}

interface SignedRequest {
  readonly target: Approval;
  readonly hash: string;
  readonly config: Config;
  readonly broker: BrokerClient;
}

/** Signs answers with this home's device (APPROVE-13). */
async function signAnswers(
  { answers }: Pick<InputOf<"answer_approval">, "answers">,
  { target: { session_id, asked_by }, hash, config, broker }: SignedRequest,
): Promise<OwnSignature | undefined> {
  if (answers === undefined) return undefined;
  const part = await ownWords.loadOwnWords?.();
  return part?.signAnswer({ session_id, hash, answers: answers.map(formatAnswer) }, asked_by, config, broker);
}

/** @throws CliError `usage` if the words do not fit the decision */
function toDecision(
  decision: (typeof decisions)[number],
  words: readonly string[],
  target: Approval,
  isAgain: boolean,
): Decided {
  const { approval, tool, input } = target;
  if (isAgain && decision !== "allow") throw usageError("Only allow takes --again.");
  if (isAgain && !target.repeatable)
    throw usageError(
      `Approval ${approval} can only be allowed once, because it is not a plain command or may remove something, reach the network or touch production.`,
      toNext(target),
    );
  const questions = parseQuestions(tool, input);
  if (tool === turnEndTool && decision !== "leave")
    throw usageError(`Approval ${approval} is the end of a turn. Answer with a message.`, toNext(target));
  if (decision === "answer") {
    if (!questions) throw usageError(`Approval ${approval} asks no question. Allow or deny it.`);
    const answers = words.map((word, index) => toAnswer(word, questions[index]?.options ?? []));
    const problem = describeAnswerProblem(questions, answers);
    if (problem === null) return { decision: "allow", answers };
    throw usageError(`The answer ${problem}.`, toNext(target));
  }
  if (decision === "allow" && questions)
    throw usageError(`Approval ${approval} is a question. Answer it.`, toNext(target));
  if (words.length === 0) return { decision, ...(isAgain && { again: true as const }) };
  if (decision !== "deny") throw usageError("Only deny and answer take words for the agent.");
  return { decision, words: words.join(" ") };
}

type Decided = Pick<InputOf<"answer_approval">, "decision" | "again" | "words" | "answers">;

function describeOutcome(
  decision: (typeof decisions)[number],
  { again }: Decided,
  { state }: OutputOf<"answer_approval">,
): string {
  if (decision === "answer") return "answered";
  if (decision === "revoke") return "revoked: the agent asks again before it runs this command";
  return again ? "allowed, also again while this launch of the agent runs" : state;
}

/** Converts `1,3` to the options with these numbers. Any other text is an answer in the person's own words. */
function toAnswer(word: string, options: readonly QuestionOption[]): QuestionAnswer {
  if (!/^[1-9](?:,[1-9])*$/.test(word)) return { options: [], text: word };
  // A number that is too high remains, and is reported as an option that was not offered.
  return { options: word.split(",").map((number) => options[Number(number) - 1]?.label ?? number) };
}

/** Returns the command that allows a request, chooses each first option, or answers by a message. */
function toNext({ approval, tool, input, asked_by, session }: Approval): string {
  if (tool === turnEndTool)
    return `merkle post ${toShellWord(session)} --to ${toShellWord(asked_by)} <answer>`;
  const questions = parseQuestions(tool, input);
  if (!questions) return `merkle approvals allow ${approval}`;
  return `merkle approvals answer ${approval} ${questions.map(() => "1").join(" ")}`;
}

function format(
  { approval, asked_by, session, tool, input, folder, asked_at }: Approval,
  output: Output,
): string {
  const { text, why } = formatApproval(input);
  const questions = parseQuestions(tool, input);
  const turnEnd = parseTurnEnd(tool, input);
  return [
    `${output.bold(String(approval))}  ${toOneLine(tool)}   ${toOneLine(asked_by)} in ${toOneLine(session)}, ${toAge(asked_at)} ago`,
    `  in ${toOneLine(folder)}${why === null ? "" : `; reason given: ${toOneLine(why)}`}`,
    indentText(turnEnd ?? (questions ? questions.map(formatQuestion).join("\n\n") : text)),
  ].join("\n");
}

function formatQuestion({ question, isMultiSelect, options }: AgentQuestion): string {
  const show = (text: string) => toOneLine(showInvisible(text));
  const width = Math.max(...options.map(({ label }) => show(label).length));
  return [
    `${show(question)}${isMultiSelect ? " (several are possible)" : ""}`,
    ...options.map(({ label, description, preview }, index) => {
      const line = `  ${index + 1}  ${show(label).padEnd(width)}   ${show(description)}`.trimEnd();
      return preview === null ? line : `${line}\n${indentText(indentText(showInvisible(preview)))}`;
    }),
  ].join("\n");
}

function onlyVerified({ base }: Pick<BrokerClient, "base">): CliError {
  return new CliError(
    "forbidden",
    `Only a verified person can answer approval requests, and no one has posted from this home at ${base} yet.`,
    { exitCode: exitCodes.refused, next: ["merkle join <invite>", "merkle open on the broker's machine"] },
  );
}

function notAllowedAgain(approval: number): CliError {
  return new CliError("not_found", `Approval ${approval} does not allow its command again.`, {
    exitCode: exitCodes.not_found,
    next: ["merkle approvals"],
  });
}

function notWaiting(approval: number): CliError {
  return new CliError("not_found", `No approval ${approval} is pending on this device.`, {
    exitCode: exitCodes.not_found,
    next: ["merkle approvals"],
  });
}
