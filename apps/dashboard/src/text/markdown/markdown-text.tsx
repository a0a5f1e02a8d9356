"use client";

import { Component, type ComponentType, lazy, type ReactNode, Suspense, useState } from "react";
import { cn } from "@/core/utils";
import { showHidden } from "./hidden-characters";
import { isMarkdownRenderable } from "./markdown-bounds";
import type { RenderedMarkdownProps } from "./rendered-markdown";

const LazyMarkdown = lazy(loadMarkdown);
/** The renderer, once loaded. A lazy component would show its fallback once even if its module is already loaded. */
let renderer: typeof import("./rendered-markdown") | undefined;

/** Loads the markdown renderer before the first message needs it. Afterwards, messages render immediately. */
export async function loadMarkdown() {
  renderer = await import("./rendered-markdown");
  return { default: renderer.RenderedMarkdown };
}

/** Renders a message's text ahead of time and caches the result. */
export function prerenderMarkdown(text: string): void {
  if (!renderer || !isMarkdownRenderable(text)) return;
  try {
    renderer.renderCached(text);
  } catch {
    // If rendering fails here, it also fails when the text is shown, and the plain text appears instead.
  }
}

export interface MarkdownTextProps {
  readonly text: string;
  /** `feed`: the size of messages. `document`: larger, with prominent headings. */
  readonly variant?: "feed" | "document";
  readonly className?: string;
}

/**
 * Renders text written by another user as markdown. All such text must be rendered by this component. It creates no
 * HTML from the text and loads no images. Links open only http, https and mail addresses, and show their target. The
 * plain text is shown until the renderer is loaded, and always if rendering would be slow.
 */
export function MarkdownText({ text, variant = "feed", className }: MarkdownTextProps) {
  const box = cn(
    "min-w-0 break-words",
    variant === "document" ? "text-[0.9375rem] leading-6" : "text-base",
    className,
  );
  const raw = <RawText text={text} {...(variant === "document" && { at: 0 })} />;
  // Decided once per component, so that text shown before the renderer has loaded does not render twice.
  const [RenderedMarkdown] = useState<ComponentType<RenderedMarkdownProps>>(
    () => renderer?.RenderedMarkdown ?? LazyMarkdown,
  );
  return (
    <div dir="auto" className={box} data-slot="markdown">
      {isMarkdownRenderable(text) ? (
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

/** Shows text without formatting, with its line breaks. `at` is the text's offset in the document. */
export function RawText({ text, at }: { readonly text: string; readonly at?: number }) {
  const visibleText = showHidden(text);
  // If a hidden character is shown as its code point, offsets inside the text no longer match the source.
  const to = at === undefined || visibleText === text ? undefined : at + text.length;
  return (
    <span data-at={at} data-to={to} className="break-words whitespace-pre-wrap">
      {visibleText}
    </span>
  );
}

/** Shows the plain text if the renderer throws. React catches such errors only in class components. */
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
