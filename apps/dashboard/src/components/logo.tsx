/** A Merkle tree with two leaves and their root. */
export function Logo() {
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 24 24"
      className="size-5 text-primary"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
    >
      <path d="M10.6 7.6 7.4 15.4M13.4 7.6 16.6 15.4" />
      <circle cx="12" cy="5" r="3" fill="currentColor" />
      <circle cx="6" cy="18" r="3" />
      <circle cx="18" cy="18" r="3" />
    </svg>
  );
}
