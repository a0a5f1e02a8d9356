import { neutralise } from "@merkle/wire/text";
import type { AcpEvent, AcpPermission, AcpTool } from "../../clients/acp-session.js";
import type { TextStream } from "../../command/io.js";
import { cutText, indentText, toOneLine } from "../../text/one-line.js";

/**
 * The terminal of an agent that has none of its own: its text, plans and tool calls, the messages that it gets and
 * its questions. Text of others cannot control the terminal (CLI-111).
 */
export interface AcpView {
  show(event: AcpEvent): void;
  /** Shows the messages that a prompt contains. */
  showMail(text: string): void;
  showQuestion(permission: AcpPermission): void;
  showHint(text: string): void;
  /** Shows how a turn ended, if it did not end by itself. */
  showEnd(stopReason: string): void;
}

const textCharsMax = 200;
const inputCharsMax = 4_000;

export function createView(stdout: TextStream): AcpView {
  let isMidLine = false;
  const lastStatus = new Map<string, AcpTool["status"]>();

  function write(text: string): void {
    if (text === "") return;
    stdout.write(text);
    isMidLine = !text.endsWith("\n");
  }

  function writeLine(line: string): void {
    write(`${isMidLine ? "\n" : ""}${line}\n`);
  }

  /** Shows a tool call when it begins and when it ends. */
  function showTool(tool: AcpTool): void {
    const { id, title, kind, status, texts } = tool;
    const before = lastStatus.get(id);
    lastStatus.set(id, status);
    if (status === "completed" || status === "failed") {
      if (before === status) return;
      const text = cutText(toOneLine(texts.join(" ")), textCharsMax);
      writeLine(`  ${status === "failed" ? "✗" : "✓"} ${toOneLine(title)}${text === "" ? "" : `: ${text}`}`);
    } else if (before === undefined) writeLine(`  · ${toOneLine(title)} (${toOneLine(kind)})`);
  }

  return {
    show(event) {
      if (event.type === "text") write(neutralise(event.text));
      else if (event.type === "tool") showTool(event.tool);
      else
        for (const { status, content } of event.entries)
          writeLine(`  ${planMarks[status] ?? "○"} ${toOneLine(content)}`);
    },
    showMail(text) {
      if (text !== "") writeLine(indentText(text));
    },
    showQuestion({ tool, options }) {
      writeLine(`? ${toOneLine(tool.title)} (${toOneLine(tool.kind)})`);
      const input = formatInput(tool);
      if (input !== "") writeLine(indentText(cutText(input, inputCharsMax)));
      const choices = options.map(({ name }, index) => `${index + 1} ${toOneLine(name)}`);
      writeLine(`  ${choices.join("   ")}`);
    },
    showHint: (text) => writeLine(`  ${text}`),
    showEnd(stopReason) {
      if (isMidLine) write("\n");
      if (stopReason !== "end_turn") writeLine(`  (${toOneLine(stopReason.replaceAll("_", " "))})`);
    },
  };
}

const planMarks: Readonly<Record<string, string>> = { completed: "●", in_progress: "◐", pending: "○" };

function formatInput({ input, texts }: AcpTool): string {
  return Object.keys(input).length > 0 ? JSON.stringify(input, null, 2) : texts.join("\n");
}
