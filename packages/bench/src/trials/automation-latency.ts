import { subscribe } from '../event-subscriber.ts'
import { Histogram, round } from '../histogram.ts'
import { type BenchContext, isoTime, type Trial } from '../workload.ts'

const executed = 'prefect.automation.action.executed'
const reactionMs = 30_000
const firstReactionMs = 2000
const attempts = 30

/** Time from sending an event until a subscriber sees that the action of an automation was executed. One event at a time per user. */
export function automationLatency(context: BenchContext): Trial {
  return {
    name: 'automation.latency',
    unit: 'actions',
    async measure({ seconds, users }) {
      const name = `bench.${context.stamp}.trigger`
      const automation = await context.setup.post('/automations/', {
        name: `${context.fixtures.prefix}-${context.stamp}`,
        trigger: { type: 'event', posture: 'Reactive', expect: [name], threshold: 1, within: 0 },
        actions: [{ type: 'do-nothing' }],
      })
      const waiting = new Map<string, () => void>()
      const close = await subscribe(context, 0, { event: { name: [executed] } }, ({ related }) => {
        for (const resource of related) waiting.get(resource['prefect.resource.id'] ?? '')?.()
      })
      /** Resolves to the latency, or undefined after the time limit. */
      const react = async (timeoutMs: number): Promise<number | undefined> => {
        const id = context.newId()
        const key = `prefect.event.${id}`
        const started = performance.now()
        const reaction = new Promise<number | undefined>((resolve) => {
          const timer = setTimeout(() => resolve(undefined), timeoutMs)
          waiting.set(key, () => {
            clearTimeout(timer)
            resolve(performance.now() - started)
          })
        })
        await context.setup.raw('POST', '/events', [
          { id, occurred: isoTime(Date.now()), event: name, resource: { 'prefect.resource.id': 'bench.automation' }, payload: {} },
        ])
        const latency = await reaction
        waiting.delete(key)
        return latency
      }
      try {
        // A server may read new automations with a delay.
        for (let attempt = 0; (await react(firstReactionMs)) === undefined; attempt += 1) {
          if (attempt === attempts) throw new Error(`the automation did not react within ${(attempts * firstReactionMs) / 1000} s`)
        }
        const latencies = new Histogram()
        let errors = 0
        const started = performance.now()
        const act = async () => {
          while (performance.now() - started < seconds * 1000) {
            const latency = await react(reactionMs)
            if (latency === undefined) errors += 1
            else latencies.record(latency)
          }
        }
        await Promise.all(Array.from({ length: users }, act))
        const took = (performance.now() - started) / 1000
        const perSecond = round(latencies.count / took)
        const counts = { operations: latencies.count, perSecond, unitsPerSecond: perSecond, errors }
        return { users, seconds: round(took), latencyMs: latencies.summary(), ...counts }
      } finally {
        close()
        await context.setup.raw('DELETE', `/automations/${automation.id}`)
      }
    },
  }
}
