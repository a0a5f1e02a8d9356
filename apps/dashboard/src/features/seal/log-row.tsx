import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { PageLink } from "@/components/page-link";
import { TimeText } from "@/components/time-text";

export interface LogRowProps {
  readonly Icon: LucideIcon;
  readonly at: string;
  /** Where the row's event is shown in full. */
  readonly link: { readonly href: string; readonly title: string; readonly text: string };
  /** A button after the link. */
  readonly action?: ReactNode;
  readonly children: ReactNode;
}

/** A row of a log: its content, time, and the link to what it reports. */
export function LogRow({ Icon, at, link, action, children }: LogRowProps) {
  return (
    <li className="grid grid-cols-[1rem_minmax(0,1fr)_auto] items-baseline gap-x-3 px-3 py-row">
      <Icon aria-hidden className="size-4 translate-y-0.5 text-muted-foreground" />
      <div dir="auto" className="min-w-0 break-words">
        {children}
        <TimeText at={at} as="clock" className="text-sm text-muted-foreground sm:hidden" />
      </div>
      <span className="flex items-baseline gap-1 text-sm text-muted-foreground tabular-nums">
        <TimeText at={at} as="clock" className="pe-1 max-sm:hidden" />
        <PageLink
          href={link.href}
          title={link.title}
          className="inline-flex min-h-6 min-w-10 items-center justify-end rounded-sm px-1 text-link hover:underline pointer-coarse:min-h-11 pointer-coarse:min-w-11"
        >
          {link.text}
        </PageLink>
        {action}
      </span>
    </li>
  );
}
