import type { Trigger, TriggerSent } from '@millrace/contracts/trigger.ts'
import type { Fault } from '../errors.ts'

type Loc = Fault['loc']

/** A trigger may hold others; deeper ones come from no person. */
const depthMax = 20
const proactiveSecondsMin = 10

/** A trigger as it is kept: with ids of the server's, every name once, and what is wrong with it told. */
export function completeTrigger(sent: TriggerSent, newId: () => string, loc: Loc, faults: Fault[], depth = 1): Trigger {
  const complain = (msg: string, ...place: (string | number)[]): void => {
    faults.push({ loc: [...loc, ...place], type: 'value_error', msg, ctx: { error: msg } })
  }
  const id = newId()
  if (sent.type !== 'compound' && sent.type !== 'sequence') {
    const event = sent as Extract<Trigger, { type: 'event' }>
    const proactive = event.posture === 'Proactive'
    if (proactive && event.within > 0 && event.within < proactiveSecondsMin) {
      complain(`\`within\` of a proactive trigger is at least ${proactiveSecondsMin} seconds`, 'within')
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
  if (depth > depthMax) complain(`Triggers may stand ${depthMax} deep at most`)
  const inner =
    depth > depthMax ? [] : sent.triggers.map((child, index) => completeTrigger(child, newId, [...loc, 'triggers', index], faults, depth + 1))
  if (sent.type === 'sequence') return { type: 'sequence', id, triggers: inner, within: sent.within }
  const { require } = sent as Extract<Trigger, { type: 'compound' }>
  if (typeof require === 'number' && require > sent.triggers.length) {
    complain('`require` is at most the number of triggers', 'require')
  }
  return { type: 'compound', id, triggers: inner, within: sent.within, require }
}
