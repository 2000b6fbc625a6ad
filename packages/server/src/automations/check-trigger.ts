import type { Trigger, TriggerSent } from '@millrace/contracts/trigger.ts'
import type { Fault } from '../errors.ts'

type Loc = Fault['loc']

/** Deeper triggers are not written by people. */
const depthMax = 20
const proactiveSecondsMin = 10

/** Normalizes a trigger for storage: assigns ids, removes duplicate names and collects faults. */
export function completeTrigger(sent: TriggerSent, newId: () => string, loc: Loc, faults: Fault[], depth = 1): Trigger {
  const addFault = (msg: string, ...path: (string | number)[]): void => {
    faults.push({ loc: [...loc, ...path], type: 'value_error', msg, ctx: { error: msg } })
  }
  const id = newId()
  if (sent.type !== 'compound' && sent.type !== 'sequence') {
    const event = sent as Extract<Trigger, { type: 'event' }>
    const proactive = event.posture === 'Proactive'
    if (proactive && event.within > 0 && event.within < proactiveSecondsMin) {
      addFault(`\`within\` of a proactive trigger must be at least ${proactiveSecondsMin} seconds, got ${event.within}.`, 'within')
    }
    return {
      type: 'event',
      id,
      match: event.match,
      match_related: event.match_related,
      after: [...new Set(event.after)],
      expect: [...new Set(event.expect)],
      for_each: [...new Set(event.for_each)],
      posture: event.posture,
      threshold: event.threshold,
      within: proactive && event.within === 0 ? proactiveSecondsMin : event.within,
    }
  }
  if (depth > depthMax) addFault(`Triggers can be nested at most ${depthMax} levels deep.`)
  const inner =
    depth > depthMax ? [] : sent.triggers.map((child, index) => completeTrigger(child, newId, [...loc, 'triggers', index], faults, depth + 1))
  if (sent.type === 'sequence') return { type: 'sequence', id, triggers: inner, within: sent.within }
  const { require } = sent as Extract<Trigger, { type: 'compound' }>
  if (typeof require === 'number' && require > sent.triggers.length) {
    addFault(`\`require\` (${require}) exceeds the number of triggers (${sent.triggers.length}).`, 'require')
  }
  return { type: 'compound', id, triggers: inner, within: sent.within, require }
}
