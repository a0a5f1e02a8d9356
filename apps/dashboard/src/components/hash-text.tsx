import { shortenHash } from "@merkle/wire/record";
import { cn } from "@/core/utils";

export interface HashTextProps {
  /** The hash in hexadecimal. */
  readonly hash: string;
  /** Whether to show the whole hash, wrapped if needed. Default: only its ends. */
  readonly isWhole?: boolean;
  readonly className?: string;
}

/** A hash, shortened so that people can compare it by eye. The tooltip contains the whole hash. */
export function HashText({ hash, isWhole = false, className }: HashTextProps) {
  return (
    <code dir="ltr" title={hash} className={cn("font-mono text-[0.92em] break-all", className)}>
      {isWhole || hash.length <= 12 ? hash : shortenHash(hash)}
    </code>
  );
}
