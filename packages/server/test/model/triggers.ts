/**
 * A simple in-memory model of automations, for comparison with the firings of the server. Times are seconds.
 */
export interface ModelTrigger {
  readonly type: 'event' | 'compound' | 'sequence'
  readonly id: string
  readonly posture?: 'Reactive' | 'Proactive'
  readonly expect?: readonly string[]
  readonly after?: readonly string[]
  readonly threshold?: number
  readonly for_each?: readonly string[]
  readonly within: number | null
  readonly triggers?: readonly ModelTrigger[]
  readonly require?: number | 'any' | 'all'
}

export interface ModelEvent {
  readonly id: string
  readonly event: string
  readonly thing: string
  readonly occurred: number
  readonly received: number
}

export interface ModelFiring {
  readonly event: string | null
  readonly labels: Readonly<Record<string, string>>
}

interface Period {
  from: number
  until: number
  count: number
  lastEventId: string | null
}

interface ChildFiring {
  readonly child: string
  readonly at: number
}

const lookbackSeconds = 900
const expiryGraceSeconds = 60

export class ModelAutomation {
  readonly fired: ModelFiring[] = []
  readonly #root: ModelTrigger
  #periods = new Map<string, Period>()
  #childFirings = new Map<string, ChildFiring[]>()
  /** Times of expected events, which a period that starts later counts if they occurred in it. */
  #held = new Map<string, number[]>()
  #hasStarted = false
  enabledSince: number | null

  constructor(root: ModelTrigger, since: number) {
    this.#root = root
    this.enabledSince = since
  }

  setEnabled(enabled: boolean, now: number): void {
    if ((this.enabledSince !== null) === enabled) return
    this.enabledSince = enabled ? now : null
    this.#periods = new Map()
    this.#childFirings = new Map()
    this.#held = new Map()
    this.#hasStarted = false
  }

  /** The server reads an event. */
  read(event: ModelEvent): void {
    if (this.enabledSince === null || event.received < this.enabledSince) return
    // Last position first: one event must not fill two positions of a sequence.
    for (const path of listLeafPaths(this.#root).reverse()) this.#evaluateEvent(path, event)
  }

  /** The server has read all events and looks at the clock. */
  tick(now: number): void {
    if (this.enabledSince === null) return
    if (!this.#hasStarted) {
      this.#hasStarted = true
      for (const [trigger] of listLeafPaths(this.#root) as [ModelTrigger][]) {
        const waits = trigger.posture === 'Proactive' && !trigger.after?.length && !trigger.for_each?.length
        if (waits && !this.#periods.has(periodKey(trigger, '')))
          this.#openPeriod(periodKey(trigger, ''), now, now + (trigger.within as number), 0, null)
      }
    }
    const paths = listLeafPaths(this.#root)
    const ended = [...this.#periods]
      .map(([key, period]) => ({ key, period, leaf: paths.findIndex(([trigger]) => key.startsWith(`${trigger?.id} `)) }))
      .filter(({ period }) => period.until <= now)
      .sort((a, b) => a.period.until - b.period.until || a.leaf - b.leaf || (a.key < b.key ? -1 : 1))
    for (const { key, period, leaf } of ended) {
      const path = paths[leaf] as readonly ModelTrigger[]
      if (path[0]?.posture === 'Proactive') this.#endOfPeriod(path, key, period, now)
      else if (period.until <= now - expiryGraceSeconds) this.#periods.delete(key)
    }
  }

  #endOfPeriod(path: readonly ModelTrigger[], key: string, period: Period, now: number): void {
    const [trigger] = path as [ModelTrigger]
    if (trigger.after?.length) this.#periods.delete(key)
    else this.#openPeriod(key, Math.max(period.until, now), Math.max(period.until, now) + (trigger.within as number), 0, null)
    if (period.count < (trigger.threshold as number)) this.#fire(path, period.lastEventId, labelsOf(trigger, key), period.until)
  }

  #evaluateEvent(path: readonly ModelTrigger[], event: ModelEvent): void {
    const [trigger] = path as [ModelTrigger]
    const starts = trigger.after?.includes(event.event) ?? false
    const counts = trigger.expect?.includes(event.event) ?? false
    if (!starts && !counts) return
    const within = trigger.within as number
    const key = periodKey(trigger, trigger.for_each?.length ? event.thing : '')
    const holds = trigger.posture === 'Proactive' && Boolean(trigger.after?.length)
    const held = this.#held.get(key) ?? []
    if (holds && counts && !starts) this.#held.set(key, [...held, event.occurred])
    const early = holds ? held.filter((time) => time >= event.occurred && time < event.occurred + within).length : 0
    const open = this.#periods.get(key)
    if (open) {
      if (starts || !trigger.after?.length) open.lastEventId = event.id
    } else if (starts) {
      if (early > 0 && !counts && early >= (trigger.threshold as number)) return
      this.#openPeriod(key, event.occurred, event.occurred + within, early - (counts ? 1 : 0), event.id)
    } else if (!trigger.after?.length) this.#openPeriod(key, event.occurred - lookbackSeconds, event.occurred + within, 0, event.id)
    const period = this.#periods.get(key)
    if (!counts || !period || event.occurred < period.from) return
    if (trigger.posture === 'Reactive') this.#countReactive(path, key, period, event)
    else this.#countProactive(path, key, period, event, starts)
  }

  #countReactive(path: readonly ModelTrigger[], key: string, period: Period, event: ModelEvent): void {
    const [trigger] = path as [ModelTrigger]
    const within = trigger.within as number
    const late = within > 0 && event.occurred >= period.until
    if (late && trigger.after?.length) {
      this.#periods.delete(key)
      return
    }
    const current = late ? this.#openPeriod(key, event.occurred, event.occurred + within, 0, null) : period
    current.count += 1
    if (current.count < (trigger.threshold as number)) return
    if (trigger.after?.length || within === 0) this.#periods.delete(key)
    else this.#openPeriod(key, Math.max(current.until, event.occurred), Math.max(current.until, event.occurred) + within, 0, null)
    this.#fire(path, event.id, labelsOf(trigger, key), event.received)
  }

  #countProactive(path: readonly ModelTrigger[], key: string, period: Period, event: ModelEvent, starts: boolean): void {
    const [trigger] = path as [ModelTrigger]
    const within = trigger.within as number
    if (event.occurred >= period.until) {
      if (trigger.after?.length) this.#periods.delete(key)
      else this.#openPeriod(key, event.occurred, event.occurred + within, 1, event.id)
      if (period.count < (trigger.threshold as number)) this.#fire(path, event.id, labelsOf(trigger, key), event.received)
      return
    }
    period.count += 1
    period.lastEventId = event.id
    if (period.count < (trigger.threshold as number)) return
    if (starts) this.#openPeriod(key, event.occurred, event.occurred + within, 0, event.id)
    else if (trigger.after?.length) this.#periods.delete(key)
  }

  #openPeriod(key: string, from: number, until: number, count: number, lastEventId: string | null): Period {
    const period = { from, until, count, lastEventId }
    this.#periods.set(key, period)
    return period
  }

  #fire([trigger, ...parents]: readonly ModelTrigger[], event: string | null, labels: Record<string, string>, at: number): void {
    const [parent] = parents
    if (!parent) {
      this.fired.push({ event, labels })
      return
    }
    const children = (parent.triggers ?? []).map(({ id }) => id)
    const needed = parent.require === 'any' ? 1 : typeof parent.require === 'number' ? parent.require : children.length
    if (needed > 1) {
      const before = this.#childFirings.get(parent.id) ?? []
      if (before.some((firing) => firing.child === trigger?.id && firing.at > at)) return
      const all = [...before.filter(({ child }) => child !== trigger?.id), { child: trigger?.id as string, at }].sort((a, b) => a.at - b.at)
      const newest = (all.at(-1) as ChildFiring).at
      const now = all.filter((firing) => parent.within === null || firing.at >= newest - parent.within)
      this.#childFirings.set(parent.id, now)
      if (now.length < needed || !now.some(({ child }) => child === trigger?.id)) return
      if (parent.type === 'sequence' && now.some(({ child }, index) => child !== children[index])) return
      this.#childFirings.set(parent.id, [])
    }
    this.#fire(parents, event, {}, at)
  }
}

const periodKey = (trigger: ModelTrigger, thing: string): string => `${trigger.id} ${thing}`
const labelsOf = (trigger: ModelTrigger, key: string): Record<string, string> =>
  trigger.for_each?.length ? { 'prefect.resource.id': key.slice(trigger.id.length + 1) } : {}

/** Each event trigger with its enclosing triggers, innermost first. */
function listLeafPaths(trigger: ModelTrigger, around: readonly ModelTrigger[] = []): (readonly ModelTrigger[])[] {
  if (trigger.type === 'event') return [[trigger, ...around]]
  return (trigger.triggers ?? []).flatMap((child) => listLeafPaths(child, [trigger, ...around]))
}
