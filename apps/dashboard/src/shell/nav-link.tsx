"use client";

import type { LucideIcon } from "lucide-react";
import { usePathname } from "next/navigation";
import type { ReactNode } from "react";
import { PageLink } from "@/components/page-link";

export interface NavLinkProps {
  readonly href: string;
  readonly label: string;
  readonly Icon: LucideIcon;
  readonly note?: ReactNode;
}

/** Classes of a row in the sidebar. */
export const navRow =
  "relative flex h-8 shrink-0 items-center gap-2 rounded-md px-2 text-muted-foreground hover:bg-raised hover:text-foreground aria-[current=page]:bg-raised aria-[current=page]:font-medium aria-[current=page]:text-foreground pointer-coarse:h-11";

/** A link to a page, marked while the page is open. If there is no space for the label, the label is the tooltip. */
export function NavLink({ href, label, Icon, note }: NavLinkProps) {
  const pathname = usePathname();
  return (
    <PageLink
      prefetchOn="settled"
      href={href}
      title={label}
      aria-current={pathname === href ? "page" : undefined}
      className={navRow}
    >
      <Icon aria-hidden className="size-4 shrink-0" />
      <span className="sr-only xl:not-sr-only xl:flex-1">{label}</span>
      {note}
    </PageLink>
  );
}
