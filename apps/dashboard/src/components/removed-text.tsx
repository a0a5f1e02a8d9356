import type { Redaction } from "@merkle/wire";
import { Eraser } from "lucide-react";
import { TimeText } from "@/components/time-text";
import { describeRemoval } from "@/text/describe-removal";
import { showHidden } from "@/text/markdown/hidden-characters";

/** Shown in place of removed text. Says who removed the text, when and why. */
export function RemovedText({ redaction }: { readonly redaction: Redaction | undefined }) {
  const { at = null, reason = null } = redaction ?? {};
  return (
    <p className="flex min-w-0 items-start gap-1.5 font-normal text-muted-foreground">
      <Eraser aria-hidden className="mt-[3px] size-3.5 shrink-0" />
      <span className="min-w-0 break-words">
        {describeRemoval(redaction)}
        {at !== null && (
          <>
            {", "}
            <TimeText at={at} as="clock" className="tabular-nums" />
          </>
        )}
        {reason !== null && (
          <>
            : <bdi>{showHidden(reason)}</bdi>
          </>
        )}
      </span>
    </p>
  );
}
