import { cn } from "@/core/utils";

const strokes = 64;
const inner = 25;
const shortest = 3;
const growth = 1.15;

/**
 * Draws a root hash as a figure with one stroke per hexadecimal digit. The stroke's length is the digit's value. Similar figures
 * do not prove equality: compare the roots themselves.
 */
export function SealRose({ root, className }: { readonly root: string; readonly className?: string }) {
  const path = [...root.slice(0, strokes)]
    .map((digit, place) => {
      const angle = (place / strokes) * 2 * Math.PI - Math.PI / 2;
      const end = inner + shortest + Number.parseInt(digit, 16) * growth;
      const formatPoint = (radius: number) =>
        `${(50 + radius * Math.cos(angle)).toFixed(2)} ${(50 + radius * Math.sin(angle)).toFixed(2)}`;
      return `M${formatPoint(inner)}L${formatPoint(end)}`;
    })
    .join("");
  return (
    <svg
      role="img"
      aria-label={`Visual fingerprint of root ${root}`}
      viewBox="0 0 100 100"
      fill="none"
      stroke="currentColor"
      strokeLinecap="round"
      className={cn("shrink-0 text-primary", className)}
    >
      <path d={path} strokeWidth="1.6" />
      <g strokeWidth="2.4" opacity="0.9">
        <path d="M47.9 46 43.1 57.2M52.1 46 56.9 57.2" />
        <circle cx="50" cy="42" r="4" fill="currentColor" />
        <circle cx="41" cy="61" r="4" />
        <circle cx="59" cy="61" r="4" />
      </g>
    </svg>
  );
}
