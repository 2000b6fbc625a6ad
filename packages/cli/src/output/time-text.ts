const units = [
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
  ['s', 1],
] as const

/** `1h 5m`, `3.2s` */
export function formatDuration(exactSeconds: number): string {
  if (exactSeconds < 59.5) return `${exactSeconds < 10 ? Number(exactSeconds.toFixed(1)) : Math.round(exactSeconds)}s`
  const seconds = Math.max(60, exactSeconds)
  const index = units.findIndex(([, size]) => seconds >= size)
  const [unit, size] = units[index] as (typeof units)[number]
  const [nextUnit, nextSize] = units[index + 1] as (typeof units)[number]
  const whole = Math.floor(seconds / size)
  const rest = Math.floor((seconds - whole * size) / nextSize)
  return rest === 0 ? `${whole}${unit}` : `${whole}${unit} ${rest}${nextUnit}`
}

/** `5m ago`, `in 2h`, `now`. */
export function formatAge(time: string | null | undefined, nowMs: number): string {
  if (!time) return ''
  const seconds = (nowMs - Date.parse(time)) / 1000
  if (Math.abs(seconds) < 1) return 'now'
  const [unit, size] = units.find(([, each]) => Math.abs(seconds) >= each) ?? (['s', 1] as const)
  const count = Math.floor(Math.abs(seconds) / size)
  return seconds > 0 ? `${count}${unit} ago` : `in ${count}${unit}`
}
