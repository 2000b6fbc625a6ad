import type { Attack } from './target.ts'

/** Runs with long names, and searches that compare almost a whole pattern at each of their characters. */
export const nameSearches: Attack = async (target) => {
  const flow = await target.call('POST', '/flows/', { name: 'attack' })
  for (let n = 0; n < 10; n += 1)
    for (const characters of [100_000, 1000])
      await target.call('POST', '/flow_runs/', { flow_id: flow.id, name: `${n}${'a'.repeat(characters - 1)}` })
  const like_ = `${'a'.repeat(989)}b`
  return async () => {
    await target.call('POST', '/flow_runs/filter', { flow_runs: { name: { like_ } } })
    await target.call('POST', '/flow_runs/count', { flow_runs: { name: { like_ } } })
  }
}

/** Four clients that send names which no index takes. */
export const longNames: Attack = async (target) => {
  const flow = await target.call('POST', '/flows/', { name: 'attack' })
  const random = () => Array.from({ length: 3000 }, () => crypto.randomUUID()).join('')
  return () => Promise.all([1, 2, 3, 4].map(() => target.call('POST', '/flow_runs/', { flow_id: flow.id, name: random() })))
}
