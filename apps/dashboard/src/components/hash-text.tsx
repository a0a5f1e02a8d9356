import { shortHash } from "@merkle/wire/record";
import { cn } from "@/core/utils";

export interface HashTextProps {
  /** In hexadecimal. */
  readonly hash: string;
  /** All of it, breaking where it must; its ends alone unless told. */
  readonly whole?: boolean;
  readonly className?: string;
}

/** A hash, short enough to be compared by eye; all of it is in the tooltip. */
export function HashText({ hash, whole = false, className }: HashTextProps) {
  return (
    <code dir="ltr" title={hash} className={cn("font-mono text-[0.92em] break-all", className)}>
      {whole || hash.length <= 12 ? hash : shortHash(hash)}
    </code>
  );
}
