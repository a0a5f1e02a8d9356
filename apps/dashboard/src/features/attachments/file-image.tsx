/** An image, as large as its area allows. */
export function FileImage({ address, name }: { readonly address: string; readonly name: string }) {
  // biome-ignore lint/performance/noImgElement: the address is of a blob, which no server can optimise.
  return <img src={address} alt={name} className="max-h-full max-w-full object-contain" />;
}
