import { Snippet } from "@/components/snippet";

/** What there is to say of people where there are no members. */
export function OpenNote() {
  return (
    <div className="grid max-w-prose gap-3">
      <p>
        Everyone who reaches this broker is let in, and may read and write in every session. On one machine
        that is what one wants. Started like this it lets in members alone, who join by an invite:
      </p>
      <Snippet label="Invite mode" text="merkle up --auth invite" />
    </div>
  );
}
