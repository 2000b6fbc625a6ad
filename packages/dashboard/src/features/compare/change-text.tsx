import { relativeChange } from './compare-runs.ts'

/** Smaller changes are noise. */
const changeShareMin = 0.05

/** Relative change of the duration as text. */
export function ChangeText({ a, b }: { readonly a: number | undefined; readonly b: number | undefined }) {
  const change = relativeChange(a, b)
  if (change === undefined) return <span className="text-faint">–</span>
  if (Math.abs(change) < changeShareMin) return <span className="text-faint">same</span>
  const times = 1 + change
  const text =
    times >= 3 ? `${times.toFixed(times < 10 ? 1 : 0)} times as long` : `${Math.round(Math.abs(change) * 100)} % ${change > 0 ? 'longer' : 'shorter'}`
  return <span className={change > 0 ? 'text-danger' : 'text-good'}>{text}</span>
}
