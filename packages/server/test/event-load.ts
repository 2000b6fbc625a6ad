import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'

export interface EventLoad {
  /** Ids of events that a server has acknowledged. */
  readonly acknowledged: readonly string[]
  /** Responses that are neither a success nor a 503 with `Retry-After`. */
  readonly unexpected: readonly string[]
  /** The number of 503 responses. */
  readonly unavailable: number
  stop(): Promise<void>
}

const attemptMsMax = 20_000
const retryMs = 100

export const loadEventName = 'failover.tick'

/** Sends events to a server at a rate, and repeats each with the same id until it is acknowledged. */
export function startEventLoad(url: string, rate: number): EventLoad {
  const acknowledged: string[] = []
  const unexpected: string[] = []
  let unavailable = 0
  let stopped = false

  async function attempt(id: string): Promise<boolean> {
    const event = { id, occurred: new Date().toISOString(), event: loadEventName, resource: { 'prefect.resource.id': `failover.${id}` } }
    try {
      const response = await fetch(`${url}/api/events`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify([event]),
        signal: AbortSignal.timeout(attemptMsMax),
      })
      const text = await response.text()
      if (response.ok) return true
      if (response.status === 503 && Number(response.headers.get('retry-after')) > 0) unavailable += 1
      else unexpected.push(`${response.status} ${text}`)
    } catch (error) {
      unexpected.push(String(error))
    }
    return false
  }

  async function send(): Promise<void> {
    const id = randomUUID()
    while (!(await attempt(id))) await pause(retryMs)
    acknowledged.push(id)
  }

  const sent = new Set<Promise<void>>()
  const running = (async () => {
    // One event in flight for each tenth of a second of the rate, so that an outage does not pile up events.
    const inFlightMax = Math.max(1, Math.ceil(rate / 10))
    for (; !stopped; await pause(1000 / rate)) {
      if (sent.size >= inFlightMax) continue
      const one = send()
      sent.add(one)
      void one.finally(() => sent.delete(one))
    }
    await Promise.all(sent)
  })()
  return {
    acknowledged,
    unexpected,
    get unavailable() {
      return unavailable
    },
    async stop() {
      stopped = true
      await running
    },
  }
}
