const steps = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000, 900_000, 1_800_000, 3_600_000,
  7_200_000, 10_800_000, 21_600_000, 43_200_000, 86_400_000, 172_800_000, 604_800_000,
]

export interface TimeTicks {
  readonly times: readonly number[]
  /** The shortest label that distinguishes a tick from the next. */
  readonly style: 'milli' | 'second' | 'clock' | 'minute'
}

/** Round times in a range, up to a maximum count. The UTC offset makes them round in local time. */
export function timeTicks(from: number, to: number, most: number, offsetMillis: number): TimeTicks {
  const least = (to - from) / Math.max(1, most)
  const step = steps.find((each) => each >= least) ?? (steps.at(-1) as number) * Math.ceil(least / (steps.at(-1) as number))
  const times: number[] = []
  for (let at = Math.ceil((from + offsetMillis) / step) * step - offsetMillis; at <= to; at += step) times.push(at)
  const style = step < 1000 ? 'milli' : step < 60_000 ? 'second' : step < 21_600_000 && to - from < 86_400_000 ? 'clock' : 'minute'
  return { times, style }
}
