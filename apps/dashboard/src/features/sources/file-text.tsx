"use client";

import { type RefObject, useMemo } from "react";
import { DocumentSections } from "@/document/document-sections";
import { KeepPlace } from "@/document/keep-place";
import { codePart, type TextLayout } from "@/document/part-starts";
import { PlainDocument, PlainLines } from "@/document/plain-document";
import { CodeBlock } from "@/text/markdown/code-block";
import { showHidden } from "@/text/markdown/hidden-characters";
import { linkDefinitions, splitSections } from "@/text/split-sections";
import { extensionOf, isMarkdown } from "./file-layout";
import type { FileRead } from "./use-file";

export interface FileTextProps {
  readonly path: string;
  readonly file: FileRead;
  readonly layout: TextLayout;
  readonly scroller: RefObject<HTMLElement | null>;
}

/** The text of a file. New text replaces the old text without moving the scroll position. */
export function FileText({ path, file: { text, source_sha }, layout, scroller }: FileTextProps) {
  if (text.trim() === "") return <p className="text-muted-foreground">The file is empty.</p>;
  return (
    <KeepPlace scroller={scroller} version={source_sha}>
      {layout === "sections" && <Sections text={text} />}
      {layout === "code" && <Code text={text} language={extensionOf(path)} />}
      {layout === "lines" &&
        (isMarkdown(path) ? <PlainDocument content={text} /> : <PlainLines content={text} />)}
    </KeepPlace>
  );
}

const nothing: ReadonlySet<string> = new Set();

function Sections({ text }: { readonly text: string }) {
  const sections = useMemo(() => splitSections(text), [text]);
  const definitions = useMemo(() => linkDefinitions(text), [text]);
  return (
    <DocumentSections sections={sections} definitions={definitions} pointedOut={nothing} editor={null} />
  );
}

function Code({ text, language }: { readonly text: string; readonly language: string }) {
  const shown = showHidden(text);
  return (
    <div data-part={codePart}>
      {/* If a hidden character is shown by its code point, offsets inside the text no longer match the source. */}
      <CodeBlock code={shown} language={language} at={0} {...(shown !== text && { to: text.length })} />
    </div>
  );
}
