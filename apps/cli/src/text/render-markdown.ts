/** How Markdown is rendered at this terminal. */
export interface MarkdownStyle {
  /** The symbol before an item of a list. */
  readonly bullet: string;
  bold(text: string): string;
  code(text: string): string;
  dim(text: string): string;
}

/**
 * Renders the Markdown that people and agents write in messages: headings, lists, quotes, code, bold text, and
 * links with their addresses. Everything else stays as it was written, and so does each line break. The text
 * must already be neutralised: this function adds colours to it, and removes no character other than those
 * of Markdown.
 */
export function renderMarkdown(text: string, style: MarkdownStyle): string {
  let fence: string | undefined;
  const lines: string[] = [];
  for (const line of text.split("\n")) {
    const mark = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line);
    if (fence !== undefined) {
      if (mark?.[1]?.startsWith(fence) && mark[2]?.trim() === "") fence = undefined;
      else lines.push(line === "" ? "" : style.code(`  ${line}`));
    } else if (mark && !mark[2]?.includes("`")) fence = mark[1];
    else lines.push(renderLine(line, style));
  }
  return lines.join("\n");
}

/**
 * A longer line stays as it was written. The search for what ends a mark takes time that grows with the square
 * of the line's length.
 */
const lineCharsMax = 4_000;

function renderLine(line: string, style: MarkdownStyle): string {
  if (line.length > lineCharsMax) return line;
  const [, heading] = /^ {0,3}#{1,6} +(.+?)(?: +#+)? *$/.exec(line) ?? [];
  if (heading !== undefined) return style.bold(renderInline(heading, style));
  const [, indent = "", item] = /^(\s*)[-*+] +(.+)$/.exec(line) ?? [];
  if (item !== undefined && !/^(?:[-*_] *){3,}$/.test(line.trim()))
    return `${indent}${style.bullet} ${renderInline(item, style)}`;
  const [, quote] = /^ {0,3}> ?(.*)$/.exec(line) ?? [];
  if (quote !== undefined) return `${style.dim(">")} ${renderInline(quote, style)}`.trimEnd();
  return renderInline(line, style);
}

// One alternative for each kind: code, bold text, a link or an image, an escaped character.
const inline =
  /(?<ticks>(?<!`)`+(?!`))(?<code>.+?)(?<!`)\k<ticks>(?!`)|(?<![\p{L}\p{N}*/\\])\*\*(?<bold>[^\s*](?:.*?[^\s*])?)\*\*(?![\p{L}\p{N}*/])|!?\[(?<label>[^[\]]*)\]\((?<address>[^\s()]+)\)|\\(?<escaped>[\\`*_{}[\]()#+.!~>|-])/gu;

function renderInline(text: string, style: MarkdownStyle): string {
  return text.replace(inline, (all: string, ...rest: unknown[]) => {
    const { code, bold, label, address, escaped } = rest.at(-1) as Partial<Record<string, string>>;
    if (code !== undefined) return style.code(/^ .*[^ ].* $/.test(code) ? code.slice(1, -1) : code);
    if (bold !== undefined) return style.bold(renderInline(bold, style));
    if (address !== undefined)
      return label === "" || label === address
        ? address
        : `${renderInline(label ?? "", style)} ${style.dim(`(${address})`)}`;
    return escaped ?? all;
  });
}
