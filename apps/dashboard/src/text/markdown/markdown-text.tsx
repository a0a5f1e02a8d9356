"use client";

import { Component, type ComponentType, lazy, type ReactNode, Suspense, useState } from "react";
import { cn } from "@/core/utils";
import { showHidden } from "./hidden-characters";
import { isMarkdownLayable } from "./markdown-bounds";
import type { RenderedMarkdownProps } from "./rendered-markdown";

const LazyMarkdown = lazy(loadMarkdown);
/** The renderer, kept once it is loaded for as long as the page lasts. A lazy component shows its fallback once even then. */
let loaded: typeof import("./rendered-markdown") | undefined;

/** Loads what lays out markdown, ahead of the first text. Once it is there, texts are laid out at once. */
export async function loadMarkdown() {
  loaded = await import("./rendered-markdown");
  return { default: loaded.RenderedMarkdown };
}

/** Lays out a message's text before it is wanted, for as long as it is kept. */
export function layOutAhead(text: string): void {
  if (!loaded || !isMarkdownLayable(text)) return;
  try {
    loaded.layOutOnce(text);
  } catch {
    // It fails again where it is drawn, and is shown as it was written.
  }
}

export interface MarkdownTextProps {
  readonly text: string;
  /** `feed`: the size of messages. `document`: larger, with prominent headings. */
  readonly variant?: "feed" | "document";
  readonly className?: string;
}

/**
 * A text by somebody else, as markdown: the only renderer of texts that are not ours. It never makes elements of HTML, loads no
 * image, leads only to http, https and mail addresses, and says where. Until the renderer is loaded, and for texts that it could
 * not lay out in a moment, the text itself is shown.
 */
export function MarkdownText({ text, variant = "feed", className }: MarkdownTextProps) {
  const box = cn(
    "min-w-0 break-words",
    variant === "document" ? "text-[0.9375rem] leading-6" : "text-base",
    className,
  );
  const raw = <RawText text={text} {...(variant === "document" && { at: 0 })} />;
  // Decided once, so that a text that was shown before its renderer is not laid out again.
  const [RenderedMarkdown] = useState<ComponentType<RenderedMarkdownProps>>(
    () => loaded?.RenderedMarkdown ?? LazyMarkdown,
  );
  return (
    <div dir="auto" className={box} data-slot="markdown">
      {isMarkdownLayable(text) ? (
        <RawTextOnError key={text} raw={raw}>
          <Suspense fallback={raw}>
            <RenderedMarkdown text={text} variant={variant} />
          </Suspense>
        </RawTextOnError>
      ) : (
        raw
      )}
    </div>
  );
}

/** A text as it was written, with its line breaks; `at` says where it begins in what it is a part of. */
export function RawText({ text, at }: { readonly text: string; readonly at?: number }) {
  const shown = showHidden(text);
  // Where a character is shown by its number, only the whole stands where it is written.
  const to = at === undefined || shown === text ? undefined : at + text.length;
  return (
    <span data-at={at} data-to={to} className="break-words whitespace-pre-wrap">
      {shown}
    </span>
  );
}

/** A text that the renderer fails on is still a text. React catches such errors in classes only. */
class RawTextOnError extends Component<
  { readonly raw: ReactNode; readonly children: ReactNode },
  { failed: boolean }
> {
  override state = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  override render(): ReactNode {
    return this.state.failed ? this.props.raw : this.props.children;
  }
}
