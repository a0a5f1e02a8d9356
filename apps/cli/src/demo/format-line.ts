import type { Message } from "@merkle/wire";
import type { Output } from "../command/output.js";
import { displayWidth } from "../display-width.js";
import { type Author, formatMessage } from "../feed/format-message.js";
import { authorOf } from "./expected.js";
import { cast } from "./story.js";

/** A message as `merkle tail` prints it, broken between words where the terminal ends. */
export function formatLine(message: Message, output: Output): string {
  const index = Object.values<string>(cast).indexOf(authorOf(message));
  const colour = index < 0 ? String : output.teamColour(index);
  const author: Author = { own: false, colour };
  const style = { arrow: output.signs.arrow, dot: output.dot, dim: output.dim };
  const { text } = message.content;
  const plain = { ...style, dim: String };
  if (typeof text !== "string") {
    const event = formatMessage(message, author, plain);
    return output.dim(
      breakLines(event, output.columns, 0).replaceAll("\n", `\n${" ".repeat(indentColumns)}`),
    );
  }

  const withText = (wanted: string): Message => ({
    ...message,
    content: { ...message.content, text: wanted },
  });
  const before = formatMessage(withText(""), { own: false, colour: String }, plain);
  const broken = breakLines(text, output.columns, displayWidth(before));
  return formatMessage(withText(broken), author, style);
}

/** What later lines of a message are indented by. */
const indentColumns = 9;

function breakLines(text: string, columns: number, columnsBefore: number): string {
  let left = columns - columnsBefore;
  let broken = "";
  for (const word of text.split(/(?<=\s)/)) {
    if (displayWidth(word.trimEnd()) > left && broken !== "") {
      broken = `${broken.trimEnd()}\n`;
      left = columns - indentColumns;
    }
    broken += word;
    left -= displayWidth(word);
  }
  return broken;
}
