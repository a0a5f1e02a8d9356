"use client";

import { AnchoredPopover } from "./anchored-popover";
import { PageLink } from "./page-link";

export interface MoreLinksProps {
  readonly label: string;
  readonly links: readonly { readonly href: string; readonly label: string }[];
  readonly anchor: HTMLElement;
  readonly onClose: () => void;
}

/** The popover of the More button. Contains links to pages that have no content yet. */
export function MoreLinks({ label, links, anchor, onClose }: MoreLinksProps) {
  return (
    <AnchoredPopover label={label} anchor={anchor} onClose={onClose} align="start" className="w-52 p-1">
      <ul>
        {links.map((link) => (
          <li key={link.href}>
            <PageLink
              href={link.href}
              onClick={onClose}
              className="flex min-h-8 items-center rounded-md px-2 hover:bg-raised pointer-coarse:min-h-11"
            >
              {link.label}
            </PageLink>
          </li>
        ))}
      </ul>
    </AnchoredPopover>
  );
}
