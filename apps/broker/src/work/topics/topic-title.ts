import { limits } from "@merkle/wire";

/** What a topic is called: the first line of its first message that says something. */
export function topicTitle(text: string): string {
  const line = text.split(/[\r\n\u2028\u2029]+/u).find((each) => each.trim() !== "") ?? text;
  const signs = [...line.replace(/\p{Cc}+/gu, " ").trim()];
  const { titleCharsMax } = limits;
  return signs.length <= titleCharsMax ? signs.join("") : `${signs.slice(0, titleCharsMax - 1).join("")}…`;
}
