interface ProgressBarProps {
  readonly label: string
  readonly percent: number
}

export function ProgressBar({ label, percent }: ProgressBarProps) {
  const shown = Math.min(100, Math.max(0, percent))
  return (
    <div className="flex max-w-xl items-center gap-3">
      <div
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={shown}
        className="h-2.5 min-w-24 flex-1 overflow-hidden rounded-full bg-hover"
      >
        <div className={`h-full rounded-full ${shown >= 100 ? 'bg-good' : 'bg-accent'}`} style={{ width: `${shown}%` }} />
      </div>
      <span className="w-12 text-right">{Number.isInteger(percent) ? percent : percent.toFixed(1)} %</span>
    </div>
  )
}
