"use client";

import { usePathname } from "next/navigation";
import { PageLink } from "@/components/page-link";
import type { NavLinkProps } from "./nav-link";

export function BottomBarLink({ href, label, Icon, note }: NavLinkProps) {
  const pathname = usePathname();
  return (
    <PageLink
      ahead="settled"
      href={href}
      aria-current={pathname === href ? "page" : undefined}
      className="flex min-w-11 flex-1 flex-col items-center justify-center gap-0.5 text-xs text-muted-foreground aria-[current=page]:font-medium aria-[current=page]:text-foreground"
    >
      <span className="relative">
        <Icon aria-hidden className="size-5" />
        <span className="absolute -top-1 left-3">{note}</span>
      </span>
      {label}
    </PageLink>
  );
}
