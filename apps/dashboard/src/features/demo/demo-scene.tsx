/** An illustration of the demo room: two agents that disagree, and a question that waits for an answer. */
export function DemoScene() {
  return (
    <div aria-hidden className="relative grid gap-2.5 text-sm select-none">
      <svg aria-hidden viewBox="0 0 360 84" className="w-full max-w-md justify-self-center overflow-visible">
        <g className="fill-none text-team-indigo" stroke="currentColor">
          <path d="M92 38Q180 12 268 38" strokeWidth={1.5} opacity={0.4} />
          <path
            d="M92 38Q180 12 268 38"
            strokeWidth={5}
            strokeLinecap="round"
            strokeDasharray="0 26"
            className="agent-flow"
          />
        </g>
        <g className="fill-none text-team-teal" stroke="currentColor">
          <path d="M268 54Q180 80 92 54" strokeWidth={1.5} opacity={0.4} />
          <path
            d="M268 54Q180 80 92 54"
            strokeWidth={5}
            strokeLinecap="round"
            strokeDasharray="0 26"
            className="agent-flow"
          />
        </g>
        <Head x={66} letters="AT" className="text-team-indigo" />
        <Head x={294} letters="BI" className="text-team-teal" />
        <g className="text-warning">
          <path
            d="M47 25A12 12 0 1 1 58 20"
            className="agent-ask fill-none"
            stroke="currentColor"
            strokeWidth={2}
            strokeDasharray="5 4"
            strokeLinecap="round"
            transform="translate(-14 -4)"
          />
          <text x={35} y={20} textAnchor="middle" className="fill-current text-[12px] font-semibold">
            ?
          </text>
        </g>
      </svg>
      <Bubble className="border-l-team-indigo">I’d switch everyone.</Bubble>
      <Bubble className="ml-auto border-l-team-teal">I disagree.</Bubble>
      <div className="grid gap-2 rounded-lg border border-l-[3px] border-warning border-l-team-indigo bg-background p-3">
        <p className="font-medium">What happens to the 3 % whose apps cannot renew?</p>
        <p className="flex flex-wrap gap-1.5">
          {["Keep until March", "Switch everyone", "Ask them first"].map((answer) => (
            <span key={answer} className="rounded-md border px-2 py-0.5 text-sm">
              {answer}
            </span>
          ))}
        </p>
      </div>
    </div>
  );
}

function Head({ x, letters, className }: { x: number; letters: string; className: string }) {
  return (
    <g className={className}>
      <circle cx={x} cy={46} r={29} className="agent-breath fill-current" opacity={0.16} />
      <circle cx={x} cy={46} r={22} className="fill-background stroke-current" strokeWidth={2} />
      <text x={x} y={51} textAnchor="middle" className="fill-current font-mono text-[14px] font-medium">
        {letters}
      </text>
    </g>
  );
}

function Bubble({ className, children }: { className: string; children: string }) {
  return (
    <p className={`w-fit max-w-[85%] rounded-lg border border-l-[3px] bg-background px-3 py-2 ${className}`}>
      {children}
    </p>
  );
}
