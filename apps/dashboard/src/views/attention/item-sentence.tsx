import { type AttentionItem, describeItem } from "@merkle/wire";
import { Parts } from "@/parts/features-context";
import { toPlainBrief } from "@/text/markdown/plain-brief";

/** An item in one line: author, subject and quoted text. */
export function ItemSentence({ item }: { readonly item: AttentionItem }) {
  const { who, what, quote } = describeItem(item);
  return (
    <>
      {who !== null && <bdi className="font-medium">{who}</bdi>} {what}
      {quote !== null && (
        <>
          {" "}
          <q dir="auto" className="text-muted-foreground">
            {toPlainBrief(quote)}
          </q>
        </>
      )}
      <Parts select={({ attention }) => attention?.[item.kind]?.Line} given={{ item }} />
    </>
  );
}
