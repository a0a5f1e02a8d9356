import { expect, it } from "vitest";
import { endsWithQuestion, parseQuestions, parseTurnEnd } from "./agent-questions.js";
import { describeRequest } from "./agent-requests.js";

const options = [
  { label: "Postgres", description: "Relational" },
  { label: "SQLite", description: "A file", preview: "db.sqlite" },
];
const question = { question: "Which database?", header: "Database", multiSelect: false, options };
const parse = (questions: unknown, tool = "AskUserQuestion") =>
  parseQuestions(tool, JSON.stringify({ questions }));

it("[APPROVE-10] reads an agent's questions, with everything that a person chooses by", () => {
  expect(parse([question])).toEqual([
    {
      ...{ question: "Which database?", header: "Database", isMultiSelect: false },
      options: [
        { label: "Postgres", description: "Relational", preview: null },
        { label: "SQLite", description: "A file", preview: "db.sqlite" },
      ],
    },
  ]);
  expect(parse([{ ...question, multiSelect: true }])?.[0]?.isMultiSelect).toBe(true);
});

it("[APPROVE-10] reads no questions of another tool, and none that an answer could not be assigned to", () => {
  expect(parse([question], "Bash")).toBeNull();
  expect(parseQuestions("AskUserQuestion", "no JSON")).toBeNull();
  for (const broken of [
    undefined,
    [],
    [question, question],
    [{ ...question, options: [] }],
    [{ ...question, options: [options[0], options[0]] }],
    [{ ...question, options: [{ label: " " }] }],
    [{ ...question, multiSelect: "yes" }],
    [question, "Which one?"],
  ])
    expect(parse(broken), JSON.stringify(broken)).toBeNull();
});

it("[APPROVE-12] knows a text that ends with a question, and the text of a turn's end", () => {
  for (const text of [
    "Shall I?",
    "I did it. **Shall I deploy?**\n",
    'Did he say "why?"',
    "يا؟",
    "よいですか？",
  ])
    expect(endsWithQuestion(text), text).toBe(true);
  for (const text of ["Done.", "Why? Because.", "", "a?b"]) expect(endsWithQuestion(text), text).toBe(false);
  const input = JSON.stringify({ last_assistant_message: "Shall I?" });
  expect(parseTurnEnd("Stop", input)).toBe("Shall I?");
  expect(parseTurnEnd("Bash", input)).toBeNull();
  expect(parseTurnEnd("Stop", "{}")).toBeNull();
});

it("[APPROVE-10] [APPROVE-11] names a question and a plan as such", () => {
  expect(describeRequest("AskUserQuestion")).toBe("asks you a question");
  expect(describeRequest("ExitPlanMode")).toBe("asks you to approve its plan");
  expect(describeRequest("Bash")).toBe("asks to use Bash");
});
