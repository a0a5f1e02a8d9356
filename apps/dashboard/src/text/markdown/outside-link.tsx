import { ImageOff } from "lucide-react";
import type { ReactNode } from "react";
import { isShownInText, readWebAddress } from "./web-address";

const linkStyles = "text-link underline decoration-1 underline-offset-2 break-words";

export interface OutsideLinkProps {
  readonly href: string | undefined;
  /** The link's text, to check whether it already shows the target. */
  readonly text: string;
  readonly children: ReactNode;
}

/** A link written by another user. It always shows the target's host. A link with a disallowed target is shown as plain text. */
export function OutsideLink({ href, text, children }: OutsideLinkProps) {
  const address = href === undefined ? null : readWebAddress(href);
  if (!address) return <bdi>{children}</bdi>;
  return (
    <>
      <a href={address.href} target="_blank" rel="noopener noreferrer nofollow" className={linkStyles}>
        <bdi>{children}</bdi>
      </a>
      {!isShownInText(text, address) && (
        <bdi className="ms-1 text-xs text-muted-foreground">({address.label})</bdi>
      )}
    </>
  );
}

/**
 * An image in another user's text. Loading it would send a request to a third-party server, so only its description and a link
 * are shown.
 */
export function OutsideImage({ src, alt }: { readonly src: string | undefined; readonly alt: string }) {
  const address = src === undefined ? null : readWebAddress(src);
  const label = alt.trim() === "" ? "Image" : alt;
  return (
    <span className="inline-flex max-w-full items-baseline gap-1.5 rounded-md border bg-surface px-1.5 text-sm">
      <ImageOff aria-hidden className="size-3.5 shrink-0 translate-y-0.5 text-muted-foreground" />
      {address ? (
        <OutsideLink href={address.href} text={label}>
          {label}
        </OutsideLink>
      ) : (
        <bdi>{label}</bdi>
      )}
      <span className="sr-only">(image, not loaded)</span>
    </span>
  );
}
