"use client";

import { type AttentionItem, describeItem, isQuestion } from "@merkle/wire";
import { useRead } from "@/broker/use-read";
import { readMessageText } from "@/feed/store/message-text";
import type { PreviewProps } from "@/parts/feature";
import { Parts, useHasPart } from "@/parts/features-context";
import { MarkdownText } from "@/text/markdown/markdown-text";

/** The text of an item, or a preview from the feature that created the item. */
export function ItemPreview({ item, onDone }: PreviewProps) {
  const hasPart = useHasPart(({ attention }) => attention?.[item.kind]?.Preview);
  if (hasPart) {
    return <Parts select={({ attention }) => attention?.[item.kind]?.Preview} given={{ item, onDone }} />;
  }
  if (item.session_id !== null && isQuestion(item))
    return (
      <>
        <AskedMessage item={item} />
        {item.blocked_reason && (
          <p className="mt-3 text-sm [overflow-wrap:anywhere]">
            <span className="text-muted-foreground">Why it is blocked: </span>
            <q dir="auto">{item.blocked_reason}</q>
          </p>
        )}
      </>
    );
  return <Quoted text={describeItem(item).quote} />;
}

function Quoted({ text }: { readonly text: string | null }) {
  if (text === null) return null;
  return (
    <blockquote className="border-s-2 border-input ps-3">
      <MarkdownText text={text} />
    </blockquote>
  );
}

/** The full text of an ask. The item itself contains only its beginning. */
function AskedMessage({ item }: { readonly item: Extract<AttentionItem, { session_id: string }> }) {
  const { session_id, sequence } = item;
  const { data } = useRead(
    "get_history",
    sequence === null ? null : { session_id, around: sequence, limit: 1 },
  );
  const message = data?.messages.find((each) => each.sequence === sequence);
  return <Quoted text={(message && readMessageText(message)) ?? item.text} />;
}
