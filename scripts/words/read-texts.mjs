/**
 * Extracts the text that people read from a file: string literals, templates, JSX text and comments of code, and
 * paragraphs of Markdown. Each piece has the position of its first character. `…` replaces interpolated code, and line
 * breaks are kept.
 */
import { LanguageVariant, SyntaxKind } from "typescript/unstable/ast";
import { createScanner } from "typescript/unstable/ast/scanner";

export function readTexts(path, source) {
  if (path.endsWith(".md")) return readParagraphs(source);
  if (path.endsWith(".sql")) return readSqlComments(source);
  return readStrings(source, path.endsWith(".tsx"));
}

function readSqlComments(source) {
  return Array.from(source.matchAll(/(?:^[^\S\n]*--.*\n)+/gm), ({ 0: text, index }) => {
    return { kind: "comment", start: index, text: text.replaceAll("--", "  ") };
  });
}

function blankMarkers(comment) {
  return comment.replace(/\/\*+|\*+\/|\/\/|^\s*\*/gm, (marker) => marker.replace(/[^\n]/g, " "));
}

/** Splits Markdown into paragraphs. List items, headings and table rows are also paragraphs. Fenced code is skipped. */
function readParagraphs(source) {
  const prose = source.replace(/^( *)(```+|~~~+)[\s\S]*?^\1\2[^\S\n]*$/gm, (code) =>
    code.replace(/[^\n]/g, " "),
  );
  const breaks = Array.from(prose.matchAll(/^(?=\s*$|\s*(?:[-*|>#]|\d+\.)\s)/gm), (match) => match.index);
  return [0, ...breaks].map((start, at) => {
    const text = prose.slice(start, breaks[at]);
    const [marks] = /^[\s\-*|>#\d.]*/.exec(text);
    return { kind: "docs", start: start + marks.length, text: text.slice(marks.length) };
  });
}

/** Tokens after which `/` divides and `<` compares. After other tokens, they start a regular expression or an element. */
const operandEnds = new Set([
  SyntaxKind.CloseParenToken,
  SyntaxKind.CloseBracketToken,
  SyntaxKind.NumericLiteral,
  SyntaxKind.StringLiteral,
  SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.TemplateHead,
  SyntaxKind.ThisKeyword,
]);

/** Tracks blocks, templates and elements, because the scanner does not know which of these contains a character. */
function readStrings(source, isJsx) {
  const scanner = createScanner(true, isJsx ? LanguageVariant.JSX : LanguageVariant.Standard, source);
  const texts = [];
  while (scanBlock() !== SyntaxKind.EndOfFile);
  return texts;

  /** Scans up to the brace that closes the block. */
  function scanBlock() {
    for (let isOperand = false; ; ) {
      let token = scanner.scan();
      addComments();
      if (token === SyntaxKind.EndOfFile || token === SyntaxKind.CloseBraceToken) return token;
      if (!isOperand) token = scanner.reScanSlashToken();
      const beginsElement = isJsx && !isOperand && token === SyntaxKind.LessThanToken && !isGeneric();
      isOperand = scanner.isIdentifier() || operandEnds.has(token);
      if (token === SyntaxKind.OpenBraceToken) scanBlock();
      else if (token === SyntaxKind.TemplateHead) scanTemplate();
      else if (beginsElement) scanElement();
      else addString(token);
    }
  }

  function scanTemplate() {
    const start = scanner.getTokenStart() + 1;
    let text = source.slice(start, scanner.getTokenEnd() - "${".length);
    for (let part = SyntaxKind.TemplateHead; part !== SyntaxKind.TemplateTail; ) {
      text += replace(scanBlock);
      part = scanner.reScanTemplateToken(false);
      text += scanner.getTokenText().replace(/^\}|(?:`|\$\{)$/g, "");
    }
    texts.push({ kind: "string", start, text });
  }

  /**
   * True if `<` starts the type parameters of an arrow function. In a .tsx file such parameters contain a comma or
   * `extends`.
   */
  function isGeneric() {
    return /^<\w+(?:,|\s+extends\b)/.test(
      source.slice(scanner.getTokenStart(), scanner.getTokenStart() + 80),
    );
  }

  function scanElement() {
    if (scanTag() === "closed") return;
    const start = scanner.getTokenEnd();
    let text = "";
    for (;;) {
      const token = scanner.scanJsxToken();
      if (token === SyntaxKind.OpenBraceToken) text += replace(scanBlock);
      else if (token === SyntaxKind.LessThanToken) text += replace(scanElement);
      else if (token === SyntaxKind.LessThanSlashToken || token === SyntaxKind.EndOfFile) break;
      else text += scanner.getTokenText();
    }
    texts.push({ kind: "string", start, text });
    scanTag();
  }

  /** Scans a tag up to its `>`. Returns "open" if it has children. */
  function scanTag() {
    for (let depth = 1, before; depth > 0; ) {
      let token = scanner.scan();
      addComments();
      // A string in a tag may span several lines.
      if (before === SyntaxKind.EqualsToken) token = scanner.reScanJsxAttributeValue();
      if (token === SyntaxKind.OpenBraceToken) scanBlock();
      else if (token === SyntaxKind.LessThanToken) depth++;
      else if (token === SyntaxKind.GreaterThanToken) depth--;
      else if (token === SyntaxKind.EndOfFile) return "closed";
      else addString(token);
      if (depth === 0) return before === SyntaxKind.SlashToken ? "closed" : "open";
      before = token;
    }
  }

  /** Adds the comments between the last token and this one. Their markers become spaces, so that a sentence may span lines. */
  function addComments() {
    const start = scanner.getTokenFullStart();
    const space = source.slice(start, scanner.getTokenStart());
    if (/\S/.test(space)) texts.push({ kind: "comment", start, text: blankMarkers(space) });
  }

  function addString(token) {
    if (token !== SyntaxKind.StringLiteral && token !== SyntaxKind.NoSubstitutionTemplateLiteral) return;
    const text = scanner.getTokenText().slice(1, -1);
    // Skips single words, which are names or paths.
    if (/\s/.test(text)) texts.push({ kind: "string", start: scanner.getTokenStart() + 1, text });
  }

  /** Scans the code interpolated in a string, and returns its replacement. */
  function replace(scan) {
    const start = scanner.getTokenEnd();
    scan();
    return `…${source.slice(start, scanner.getTokenEnd()).replace(/[^\n]/g, "")}`;
  }
}
